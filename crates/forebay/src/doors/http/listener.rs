//! Connections: accepted, bounded, given no more time than they need, and ended in good order.
//!
//! A connection that has said nothing yet costs a small task and nothing else, so thousands may idle.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener, ToSocketAddrs};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use forebay_app::AppError;
use forebay_app::settings::Serve;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::caller::Peer;
use super::metrics::Metrics;

/// How long a connection may say nothing at first.
const FIRST_WORD: Duration = Duration::from_mins(10);
const HANDSHAKE: Duration = Duration::from_secs(10);
/// What a head may hold.
const MOST_HEADERS: usize = 64;
const LARGEST_HEAD: usize = 32 * 1024;
/// How long what is being answered gets, once the server is asked to end.
const GRACE: Duration = Duration::from_secs(20);
/// Files that the process opens beside connections: databases, pipes of calls, the log.
const OTHER_FILES: u64 = 512;
/// Accepting fails when files run out; another try a moment later may not.
const BREATH: Duration = Duration::from_millis(50);

/// Connections that wait to be accepted.
const WAITING: i32 = 4_096;

const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
    connection: close\r\ncontent-length: 63\r\n\r\n{\"error\":\"too many connections\",\"hint\":\"try again in a moment\"}\n";
const TOO_SLOW: &[u8] = b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n\
    content-length: 71\r\n\r\n{\"error\":\"the request took too long\",\"hint\":\"send its head at one go\"}\n";

/// Takes an address, before anything else is set up.
pub(super) fn bind(address: &str) -> Result<StdListener, AppError> {
    let bad = |error: io::Error| {
        AppError::bad_input(
            format!("cannot listen on {address}: {error}"),
            "give --listen <address>:<port>, e.g. 127.0.0.1:7878; port 0 takes a free one",
        )
    };
    let resolved: Vec<SocketAddr> = address.to_socket_addrs().map_err(bad)?.collect();
    let listener = StdListener::bind(&*resolved).map_err(bad)?;
    listener.set_nonblocking(true).map_err(bad)?;
    // Many who come at once wait to be let in; beyond 128 they would be told to come again in a second.
    rustix::net::listen(&listener, WAITING).map_err(|error| bad(error.into()))?;
    Ok(listener)
}

pub(super) struct Listener {
    socket: TcpListener,
    tls: Option<TlsAcceptor>,
    room: Arc<Semaphore>,
    head: Duration,
}

/// What a connection needs of the server.
#[derive(Clone)]
struct Server {
    router: Router,
    tls: Option<TlsAcceptor>,
    metrics: Arc<Metrics>,
    end: CancellationToken,
    /// How long the head of a request may take to arrive.
    head: Duration,
}

impl Listener {
    pub(super) fn new(
        listener: StdListener,
        tls: Option<TlsAcceptor>,
        settings: &Serve,
    ) -> io::Result<Self> {
        let room =
            usize::try_from(settings.connections.min(files_to_spare())).unwrap_or(usize::MAX);
        let room = Arc::new(Semaphore::new(room.clamp(1, Semaphore::MAX_PERMITS)));
        Ok(Self {
            socket: TcpListener::from_std(listener)?,
            tls,
            room,
            head: Duration::from_secs(settings.head_seconds.max(1)),
        })
    }

    /// Serves until `end`; then no one else comes in, and who is in is answered.
    pub(super) async fn serve(
        self,
        router: Router,
        metrics: Arc<Metrics>,
        end: CancellationToken,
        quiet: impl Future<Output = ()>,
        streams_end: CancellationToken,
    ) -> io::Result<()> {
        let open = TaskTracker::new();
        let server = Server { router, tls: self.tls, metrics, end: end.clone(), head: self.head };
        loop {
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                () = end.cancelled() => break,
            };
            match (accepted, Arc::clone(&self.room).try_acquire_owned()) {
                (Ok((stream, peer)), Ok(room)) => {
                    open.spawn(server.clone().attend(stream, peer.ip(), room));
                }
                (Ok((stream, _)), Err(_)) => send_away(stream),
                (Err(error), _) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(BREATH).await;
                }
            }
        }
        drop(self.socket);
        open.close();
        // Streams to MCP clients end only when nothing is under way that they would carry.
        let answered = async {
            quiet.await;
            streams_end.cancel();
            open.wait().await;
        };
        if tokio::time::timeout(GRACE, answered).await.is_err() {
            tracing::warn!(connections = open.len(), "ended before all was answered");
        }
        streams_end.cancel();
        Ok(())
    }
}

impl Server {
    async fn attend(self, stream: TcpStream, peer: IpAddr, _room: OwnedSemaphorePermit) {
        let _open = self.metrics.open_connection();
        // Answers are small and complete; none of them waits for more.
        let _ = stream.set_nodelay(true);
        if !self.has_first_word(&stream).await {
            return;
        }
        // In a box of its own: who says nothing needs no room for what he might say.
        Box::pin(self.listen(stream, peer)).await;
    }

    async fn listen(self, stream: TcpStream, peer: IpAddr) {
        match self.tls.clone() {
            None => self.converse(stream, peer).await,
            Some(tls) => match tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await {
                Ok(Ok(stream)) => self.converse(stream, peer).await,
                Ok(Err(error)) => tracing::debug!(%error, %peer, "no TLS handshake"),
                Err(_) => tracing::debug!(%peer, "a TLS handshake took too long"),
            },
        }
    }

    async fn has_first_word(&self, stream: &TcpStream) -> bool {
        let mut byte = [0];
        tokio::select! {
            peeked = tokio::time::timeout(FIRST_WORD, stream.peek(&mut byte)) => {
                matches!(peeked, Ok(Ok(1)))
            }
            () = self.end.cancelled() => false,
        }
    }

    async fn converse<S>(self, stream: S, peer: IpAddr)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let router = self.router;
        let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            router.clone().oneshot(request.map(Body::new))
        });
        let mut connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.head)
            .max_headers(MOST_HEADERS)
            .max_buf_size(LARGEST_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        let mut ending = pin!(self.end.cancelled());
        let served = tokio::select! {
            served = &mut connection => served,
            () = &mut ending => {
                Pin::new(&mut connection).graceful_shutdown();
                (&mut connection).await
            }
        };
        if served.is_err_and(|error| error.is_timeout()) {
            let parts = connection.into_parts();
            // Who was between two requests is not told that one of them was slow.
            if !parts.read_buf.is_empty() {
                tracing::warn!(%peer, "the head of a request took too long");
                let _ = parts.io.into_inner().write_all(TOO_SLOW).await;
            }
        }
    }
}

/// Tells in a moment that there is no room; a client that does not read it misses nothing.
fn send_away(stream: TcpStream) {
    tracing::warn!("a connection was sent away: there are too many");
    let _ = stream.try_write(BUSY);
}

/// How many connections the limit on open files leaves room for, after raising it as far as allowed.
fn files_to_spare() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // What cannot be raised is used as it is.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    files.saturating_sub(OTHER_FILES).max(16)
}
