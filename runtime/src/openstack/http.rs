//! Requests to a cloud over HTTP.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use hyper::body::{Body as _, Incoming};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use wattle::manners::read;
use wattle_openstack::{Cloud, Lost, Request, Response, Wire};

use crate::store::of_the_system;

/// How long a service may take to take a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// How long a service may take to answer. A leader that takes over waits longer than that.
const ANSWER: Duration = Duration::from_mins(1);

/// How long a connection is kept for the next request. Services close those that are not used, and a request that comes at that
/// moment is lost.
const IDLE: Duration = Duration::from_secs(4);

/// Most bytes of an answer.
const MOST: usize = 64 * 1024 * 1024;

/// HTTP, and HTTPS with the authorities that the cloud's settings name.
#[derive(Clone, Debug)]
pub struct Http {
    client: Client<HttpsConnector<HttpConnector>, String>,
}

impl Http {
    /// What asks `cloud`.
    ///
    /// # Errors
    /// Why its authorities cannot be used, in the words of a message.
    pub fn new(cloud: &Cloud) -> Result<Self, String> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT));
        tcp.set_nodelay(true);
        let https = HttpsConnectorBuilder::new().with_tls_config(tls(cloud)?).https_or_http().enable_http1();
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(TokioTimer::new())
            .build(https.wrap_connector(tcp));
        Ok(Self { client })
    }

    async fn ask(&self, request: &Request) -> Result<Response, Lost> {
        let unsent = |error: &dyn std::fmt::Display| Lost::Unsent(error.to_string());
        let mut asked = hyper::Request::builder()
            .method(request.method.as_str())
            .uri(&request.url)
            .header("accept", "application/json")
            .header("user-agent", concat!("wattle/", env!("CARGO_PKG_VERSION")));
        for (name, value) in &request.headers {
            asked = asked.header(name, value);
        }
        if let Some(token) = &request.token {
            let mut value = hyper::header::HeaderValue::from_str(token.reveal()).map_err(|error| unsent(&error))?;
            value.set_sensitive(true);
            asked = asked.header("x-auth-token", value);
        }
        let body = request.body.as_ref().map(ToString::to_string);
        if body.is_some() {
            asked = asked.header("content-type", "application/json");
        }
        let asked = asked.body(body.unwrap_or_default()).map_err(|error| unsent(&error))?;
        let answer = self.client.request(asked).await.map_err(|error| lost(&error))?;
        let (head, body) = answer.into_parts();
        let text = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
        Ok(Response { status: head.status.as_u16(), headers, body: whole(body).await? })
    }
}

#[async_trait]
impl Wire for Http {
    async fn send(&self, request: &Request) -> Result<Response, Lost> {
        let answer = tokio::time::timeout(ANSWER, self.ask(request)).await;
        answer
            .unwrap_or_else(|_| Err(Lost::Unanswered(format!("there was no answer for {} seconds", ANSWER.as_secs()))))
    }

    async fn pause(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

async fn whole(mut body: Incoming) -> Result<Vec<u8>, Lost> {
    let mut held = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|error| Lost::Unanswered(innermost(&error)))?;
        held.extend(frame.into_data().unwrap_or_default());
        if held.len() > MOST {
            return Err(Lost::Unanswered(format!("the answer is longer than {} MB", MOST / (1024 * 1024))));
        }
    }
    Ok(held)
}

/// Why there is no answer.
fn lost(error: &Error) -> Lost {
    match untrusted(error) {
        Some(why) => Lost::Untrusted(why),
        None if error.is_connect() => Lost::Unsent(innermost(error)),
        None => Lost::Unanswered(innermost(error)),
    }
}

/// Why a certificate is not trusted, if that is what is wrong.
fn untrusted(error: &Error) -> Option<String> {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = next {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let tls = error.downcast_ref().or_else(|| inner.and_then(|inner| inner.downcast_ref()));
        if let Some(rustls::Error::InvalidCertificate(why)) = tls {
            return Some(format!("its certificate is not trusted: {why}"));
        }
        next = error.source();
    }
    None
}

/// The error that all others come from: those above it say only that there was one.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    match error.downcast_ref::<io::Error>() {
        Some(error) => wattle::manners::reason(error),
        None => error.to_string(),
    }
}

fn tls(cloud: &Cloud) -> Result<ClientConfig, String> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| error.to_string())?;
    if !cloud.verify {
        let anyone = Arc::new(Anyone(algorithms));
        return Ok(builder.dangerous().with_custom_certificate_verifier(anyone).with_no_client_auth());
    }
    let pem = match &cloud.cacert {
        Some(file) => read(std::path::Path::new(file)).map_err(|error| {
            format!(
                "the certificate authority `{file}` of the cloud `{}`: {}",
                cloud.name,
                wattle::manners::reason(&error)
            )
        })?,
        // A cloud in clear needs none.
        None if !cloud.auth_url.starts_with("https:") => of_the_system().unwrap_or_default(),
        None => of_the_system()?,
    };
    let mut roots = RootCertStore::empty();
    let (taken, _) = roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem.as_bytes()).flatten());
    match &cloud.cacert {
        Some(file) if taken == 0 => Err(format!(
            "the certificate authority `{file}` of the cloud `{}` holds no certificate in PEM (`-----BEGIN CERTIFICATE-----`)",
            cloud.name
        )),
        _ => Ok(builder.with_root_certificates(roots).with_no_client_auth()),
    }
}

/// Trusts anyone, as `verify: false` of clouds.yaml asks for.
#[derive(Debug)]
struct Anyone(WebPkiSupportedAlgorithms);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}
