//! Names to addresses, within a time: the system's resolver knows none.

use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);

/// The addresses of a host.
pub(super) fn addresses(host: &str, time: Duration) -> io::Result<Vec<IpAddr>> {
    if let Ok(address) = host.parse() {
        return Ok(vec![address]);
    }
    let (sender, receiver) = mpsc::channel();
    let host = host.to_owned();
    // A resolver that hangs is left behind; it ends by itself.
    thread::Builder::new().name("resolve".to_owned()).spawn(move || {
        let found = (host.as_str(), 0).to_socket_addrs();
        let _ = sender.send(found.map(|all| all.map(|one| one.ip()).collect()));
    })?;
    let late = |_| io::Error::from(io::ErrorKind::TimedOut);
    receiver.recv_timeout(time.min(PATIENCE)).map_err(late)?
}
