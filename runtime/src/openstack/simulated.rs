//! The simulated cloud over HTTP, for real clients.
//!
//! What belongs here: sockets and the clock, in front of `wattle-cloud`. What does not: the responses of services.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::SystemTime;

use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use wattle_cloud::{Setting, World};
use wattle_openstack::{Lost, Method, Request, Response, Secret};

/// A simulated cloud at a port of this machine.
#[derive(Clone, Debug)]
pub struct Simulated {
    address: SocketAddr,
    world: Arc<Mutex<World>>,
}

impl Simulated {
    /// Serves a cloud at `listener`, until the second half of the result is dropped. The listener's address replaces
    /// that of the setting.
    ///
    /// # Errors
    /// The socket cannot be used.
    pub fn serve(
        listener: std::net::TcpListener,
        setting: Setting,
    ) -> io::Result<(Self, impl Future<Output = Infallible> + Send)> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let setting = Setting { url: format!("http://{address}"), ..setting };
        let world = Arc::new(Mutex::new(World::new(setting, SystemTime::now())));
        let serving = serve(TcpListener::from_std(listener)?, address, Arc::clone(&world));
        Ok((Self { address, world }, serving))
    }

    /// The URL of its identity service.
    pub fn auth_url(&self) -> String {
        format!("http://{}/identity/v3", self.address)
    }

    /// The cloud itself.
    pub fn world(&self) -> MutexGuard<'_, World> {
        locked(&self.world)
    }
}

fn locked(world: &Mutex<World>) -> MutexGuard<'_, World> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(listener: TcpListener, address: SocketAddr, world: Arc<Mutex<World>>) -> Infallible {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let _ = stream.set_nodelay(true);
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let world = Arc::clone(&world);
                async move { answer(&world, address, request).await }
            });
            // Some rules require that a connection ends without a response.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(
    world: &Mutex<World>,
    address: SocketAddr,
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Whole>, Lost> {
    let (head, mut body) = request.into_parts();
    let method = match head.method.as_str() {
        "GET" | "HEAD" => Method::Get,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "PATCH" => Method::Patch,
        "DELETE" => Method::Delete,
        _ => return Ok(whole(Response { status: 405, headers: Vec::new(), body: Vec::new() })),
    };
    let mut sent = Vec::new();
    while let Some(Ok(frame)) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        sent.extend(frame.into_data().unwrap_or_default());
    }
    let text = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut asked = Request::new(method, format!("http://{address}{}", head.uri));
    asked.token = text("x-auth-token").map(Secret::new);
    asked.headers =
        text("openstack-api-version").map(|value| ("openstack-api-version".to_owned(), value)).into_iter().collect();
    asked.body = serde_json::from_slice(&sent).ok();
    let answered = locked(world).answer(&asked, SystemTime::now());
    answered.map(whole)
}

fn whole(response: Response) -> hyper::Response<Whole> {
    let mut built = hyper::Response::builder().status(response.status);
    for (name, value) in response.headers {
        built = built.header(name, value);
    }
    built.body(Whole(Some(response.body.into()))).expect("INVARIANT: a cloud's headers are well-formed")
}

/// A body that is complete at once.
struct Whole(Option<Bytes>);

impl Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(self.0.take().filter(|bytes| !bytes.is_empty()).map(|bytes| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        hyper::body::SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}
