//! Connections: accepted, limited in number and time, and closed gracefully.
//!
//! A connection without a request costs a small task and nothing else, so thousands may idle.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener, ToSocketAddrs};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use forebay_app::AppError;
use forebay_app::bounds::{
    FIRST_BYTE_TIMEOUT, HANDSHAKE_TIMEOUT, MAX_HEAD_BYTES, MAX_HEADERS, REQUESTS_TIMEOUT,
};
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

/// File descriptors reserved for databases, pipes and the log.
const RESERVED_FILES: u64 = 512;
/// Delay after a failed accept, when file descriptors ran out.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Backlog of the listening socket.
const BACKLOG: i32 = 4_096;

const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
    connection: close\r\ncontent-length: 64\r\n\r\n{\"error\":\"too many connections\",\"hint\":\"try again in a moment\"}\n";
const TOO_SLOW: &[u8] = b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n\
    content-length: 76\r\n\r\n{\"error\":\"the request took too long\",\"hint\":\"send its head without pauses\"}\n";

/// Binds the address before anything else is set up.
pub(in crate::doors) fn bind(address: &str) -> Result<StdListener, AppError> {
    let bad = |error: io::Error| {
        AppError::bad_input(
            format!("cannot listen on {address}: {error}"),
            "give --listen <address>:<port>, e.g. 127.0.0.1:7878; port 0 picks a free one",
        )
    };
    let resolved: Vec<SocketAddr> = address.to_socket_addrs().map_err(bad)?.collect();
    let listener = StdListener::bind(&*resolved).map_err(bad)?;
    listener.set_nonblocking(true).map_err(bad)?;
    // A larger backlog than the default 128, beyond which clients would retry after a second.
    rustix::net::listen(&listener, BACKLOG).map_err(|error| bad(error.into()))?;
    Ok(listener)
}

pub(in crate::doors) struct Listener {
    socket: TcpListener,
    tls: Option<TlsAcceptor>,
    room: Arc<Semaphore>,
    head: Duration,
}

/// Per-server state of a connection.
#[derive(Clone)]
struct Server {
    router: Router,
    tls: Option<TlsAcceptor>,
    metrics: Arc<Metrics>,
    end: CancellationToken,
    /// Time limit for a request head.
    head: Duration,
}

impl Listener {
    pub(in crate::doors) fn new(
        listener: StdListener,
        tls: Option<TlsAcceptor>,
        settings: &Serve,
    ) -> io::Result<Self> {
        let room =
            usize::try_from(settings.connections.min(available_files())).unwrap_or(usize::MAX);
        let room = Arc::new(Semaphore::new(room.clamp(1, Semaphore::MAX_PERMITS)));
        Ok(Self {
            socket: TcpListener::from_std(listener)?,
            tls,
            room,
            head: Duration::from_secs(settings.head_seconds.max(1)),
        })
    }

    /// Serves until `end`; then stops accepting and finishes requests in progress.
    pub(in crate::doors) async fn serve(
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
                    open.spawn(server.clone().handle(stream, peer.ip(), room));
                }
                (Ok((stream, _)), Err(_)) => refuse(stream),
                (Err(error), _) => {
                    tracing::warn!(%error, "accept failed");
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                }
            }
        }
        drop(self.socket);
        open.close();
        // MCP streams are closed only when no response is pending on them.
        let answered = async {
            quiet.await;
            streams_end.cancel();
            open.wait().await;
        };
        if tokio::time::timeout(REQUESTS_TIMEOUT, answered).await.is_err() {
            tracing::warn!(connections = open.len(), "shut down with requests in progress");
        }
        streams_end.cancel();
        Ok(())
    }
}

impl Server {
    async fn handle(self, stream: TcpStream, peer: IpAddr, _room: OwnedSemaphorePermit) {
        let _open = self.metrics.open_connection();
        // Answers are small and complete, so Nagle's algorithm would only delay them.
        let _ = stream.set_nodelay(true);
        if !self.receives_first_byte(&stream).await {
            return;
        }
        // Boxed, so that an idle connection does not allocate the large future.
        Box::pin(self.listen(stream, peer)).await;
    }

    async fn listen(self, stream: TcpStream, peer: IpAddr) {
        match self.tls.clone() {
            None => self.converse(stream, peer).await,
            Some(tls) => match tokio::time::timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)).await {
                Ok(Ok(stream)) => self.converse(stream, peer).await,
                Ok(Err(error)) => tracing::debug!(%error, %peer, "TLS handshake failed"),
                Err(_) => tracing::debug!(%peer, "TLS handshake timed out"),
            },
        }
    }

    async fn receives_first_byte(&self, stream: &TcpStream) -> bool {
        let mut byte = [0];
        tokio::select! {
            peeked = tokio::time::timeout(FIRST_BYTE_TIMEOUT, stream.peek(&mut byte)) => {
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
            .max_headers(MAX_HEADERS)
            .max_buf_size(MAX_HEAD_BYTES)
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
            // An idle keep-alive connection gets no timeout response.
            if !parts.read_buf.is_empty() {
                tracing::warn!(%peer, "request head timed out");
                let _ = parts.io.into_inner().write_all(TOO_SLOW).await;
            }
        }
    }
}

/// Sends a 503 without waiting for the client to read it.
fn refuse(stream: TcpStream) {
    tracing::warn!("connection refused: too many connections");
    let _ = stream.try_write(BUSY);
}

/// Connections that the file descriptor limit allows, after raising it as far as possible.
fn available_files() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // If the limit cannot be raised, it is used as is.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    files.saturating_sub(RESERVED_FILES).max(16)
}
