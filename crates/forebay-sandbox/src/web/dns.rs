//! Resolves host names with a timeout, which the system resolver lacks.

use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const LOOKUP_TIMEOUT: Duration = Duration::from_secs(10);

/// Resolves `host` to its addresses.
pub(super) fn lookup(host: &str, timeout: Duration) -> io::Result<Vec<IpAddr>> {
    if let Ok(address) = host.parse() {
        return Ok(vec![address]);
    }
    let (sender, receiver) = mpsc::channel();
    let host = host.to_owned();
    // A thread whose lookup hangs is abandoned; it ends when the system resolver gives up.
    thread::Builder::new().name("resolve".to_owned()).spawn(move || {
        let addresses = (host.as_str(), 0).to_socket_addrs();
        let _ = sender.send(addresses.map(|all| all.map(|address| address.ip()).collect()));
    })?;
    let timed_out = |_| io::Error::from(io::ErrorKind::TimedOut);
    receiver.recv_timeout(timeout.min(LOOKUP_TIMEOUT)).map_err(timed_out)?
}
