//! Downloads a file from a server that the user or the build names, with progress.

use std::io::Read;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use ureq::http::{Response, header};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body};

use super::{FetchError, MAX_REDIRECTS, agent, io_error, redirect, redirect_target, request_error};

/// Bytes passed on at a time.
const CHUNK_BYTES: usize = 64 * 1024;
/// Chunks that wait for the receiver.
const MAX_WAITING_CHUNKS: usize = 4;
/// Bounds a download that trickles; one that stalls is given up much sooner.
const TOTAL_TIMEOUT: Duration = Duration::from_hours(1);

/// A file to download, and the limits.
#[derive(Debug, Clone)]
pub struct Download {
    pub url: String,
    pub max_bytes: u64,
    /// The longest time without any data, from the first lookup to the last byte.
    pub idle_timeout: Duration,
}

/// Downloads a file and reports the number of bytes received so far. No address policy applies.
pub fn download(request: &Download, progress: &mut dyn FnMut(u64)) -> Result<Vec<u8>, FetchError> {
    let (sender, receiver) = mpsc::sync_channel(MAX_WAITING_CHUNKS);
    let worker = request.clone();
    let failed = |reason: String| FetchError::Failed { url: request.url.clone(), reason };
    // The client has no timeout between two reads; a thread whose server hangs is abandoned.
    let spawned = thread::Builder::new().name("download".to_owned()).spawn(move || {
        let outcome = send_chunks(&worker, &sender);
        let _ = sender.send(outcome.map(|()| None));
    });
    spawned.map_err(|error| failed(error.to_string()))?;
    let mut received = Vec::new();
    loop {
        match receiver.recv_timeout(request.idle_timeout) {
            Ok(Ok(Some(chunk))) => received.extend_from_slice(&chunk),
            Ok(Ok(None)) => return Ok(received),
            Ok(Err(error)) => return Err(error),
            Err(RecvTimeoutError::Timeout) => {
                let (url, timeout) = (request.url.clone(), request.idle_timeout);
                return Err(FetchError::Timeout { url, timeout });
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(failed("the download ended unexpectedly".to_owned()));
            }
        }
        if received.len() as u64 > request.max_bytes {
            let (url, limit) = (request.url.clone(), request.max_bytes);
            return Err(FetchError::TooLarge { url, limit });
        }
        progress(received.len() as u64);
    }
}

/// A chunk, or `None` at the end of the file.
type Received = Result<Option<Vec<u8>>, FetchError>;

fn send_chunks(request: &Download, sender: &SyncSender<Received>) -> Result<(), FetchError> {
    let mut body = follow_redirects(request)?.into_body().into_reader();
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let count =
            body.read(&mut chunk).map_err(|error| io_error(TOTAL_TIMEOUT, &request.url, &error))?;
        chunk.truncate(count);
        // The receiver is gone once it has too much.
        if count == 0 || sender.send(Ok(Some(chunk))).is_err() {
            return Ok(());
        }
    }
}

fn follow_redirects(request: &Download) -> Result<Response<Body>, FetchError> {
    let mut url = request.url.clone();
    for _ in 0..=MAX_REDIRECTS {
        let response = get(&url, request.idle_timeout)?;
        let Some(to) = redirect_target(&response) else {
            let status = response.status();
            let is_found = status.is_success();
            return if is_found {
                Ok(response)
            } else {
                Err(FetchError::Status { url, status: status.as_u16() })
            };
        };
        let target = redirect::resolve(&url, &to).filter(|target| keeps_tls(&url, target));
        url = target.ok_or_else(|| FetchError::InvalidRedirect { url: url.clone(), to })?;
    }
    Err(FetchError::TooManyRedirects(request.url.clone()))
}

/// Whether a redirect does not lead from an encrypted connection to one that everybody can read.
fn keeps_tls(from: &str, to: &str) -> bool {
    !from.starts_with("https:") || to.starts_with("https:")
}

fn get(url: &str, idle_timeout: Duration) -> Result<Response<Body>, FetchError> {
    let agent = Agent::with_parts(
        agent::config(TOTAL_TIMEOUT, agent::proxy_for(url)),
        DefaultConnector::default(),
        DefaultResolver::default(),
    );
    // The bytes must be those that were signed, so the server must not compress them.
    let request = agent.get(url).header(header::ACCEPT_ENCODING, "identity");
    request.call().map_err(|error| request_error(idle_timeout, url, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_never_leave_tls() {
        assert!(keeps_tls("https://a.example/x", "https://b.example/x"));
        assert!(keeps_tls("http://a.example/x", "https://b.example/x"));
        assert!(keeps_tls("http://a.example/x", "http://b.example/x"));
        assert!(!keeps_tls("https://a.example/x", "http://a.example/x"));
    }
}
