//! Logging in: the request to Keystone, and its response. Source: Identity API v3, `POST /v3/auth/tokens`.

use std::time::SystemTime;

use serde_json::{Value, json};
use wattle_words::shown;

use crate::catalogue::Catalogue;
use crate::clouds::{Cloud, Domain, Login, Scope, User};
use crate::fault::said;
use crate::{Fault, Method, Request, Response, Secret};

/// A token, its expiry, and its scope.
#[derive(Clone, Debug)]
pub struct Token {
    /// The token, which is sent with each request.
    pub token: Secret,
    /// When it expires, by the cloud's clock.
    pub expires: SystemTime,
    /// The id of its project, if it is scoped to one.
    pub project: Option<String>,
    /// The endpoints of the services.
    pub catalogue: Catalogue,
}

/// Builds the login request.
pub fn login(cloud: &Cloud) -> Request {
    let mut request = Request::new(Method::Post, format!("{}/v3/auth/tokens", cloud.auth_url));
    let mut auth = json!({ "identity": identity(&cloud.login) });
    if let Some(scope) = scope(&cloud.scope) {
        auth["scope"] = scope;
    }
    request.body = Some(json!({ "auth": auth }));
    request
}

fn identity(login: &Login) -> Value {
    match login {
        Login::Password { user, password } => {
            let mut user = self::user(user);
            user["password"] = password.reveal().into();
            json!({ "methods": ["password"], "password": { "user": user } })
        }
        Login::Application { credential, secret } => {
            let mut credential = match credential {
                Ok(id) => json!({ "id": id }),
                Err((name, user)) => json!({ "name": name, "user": self::user(user) }),
            };
            credential["secret"] = secret.reveal().into();
            json!({ "methods": ["application_credential"], "application_credential": credential })
        }
        Login::Token(token) => json!({ "methods": ["token"], "token": { "id": token.reveal() } }),
    }
}

fn user(user: &User) -> Value {
    match user {
        User::Id(id) => json!({ "id": id }),
        User::Named(name, domain) => json!({ "name": name, "domain": self::domain(domain) }),
    }
}

fn domain(domain: &Domain) -> Value {
    match domain {
        Domain::Id(id) => json!({ "id": id }),
        Domain::Named(name) => json!({ "name": name }),
    }
}

fn scope(scope: &Scope) -> Option<Value> {
    match scope {
        Scope::Project(id) => Some(json!({ "project": { "id": id } })),
        Scope::NamedProject(name, domain) => {
            Some(json!({ "project": { "name": name, "domain": self::domain(domain) } }))
        }
        Scope::Domain(domain) => Some(json!({ "domain": self::domain(domain) })),
        Scope::System => Some(json!({ "system": { "all": true } })),
        Scope::Given => None,
    }
}

/// Reads the response to [`login`].
///
/// # Errors
///
/// The login is rejected, or the server is not an identity service.
pub fn token(cloud: &Cloud, request: &Request, response: &Response) -> Result<Token, Fault> {
    // Keystone reports unknown names and expired tokens as not found. Another server does not use these words.
    let is_named = |what: &str| said(response).to_lowercase().contains(what);
    let is_unknown = match (&cloud.login, response.status) {
        (Login::Token(_), 401) => return Err(ended(cloud, response)),
        (Login::Token(_), 404) if is_named("token") => return Err(ended(cloud, response)),
        (Login::Application { .. }, 404) => is_named("application credential"),
        _ => false,
    };
    if is_unknown || matches!(response.status, 400 | 401 | 403) {
        let (cloud, who) = (cloud.name.clone(), who(&cloud.login));
        return Err(Fault::LoggedOut { cloud, who, message: said(response) });
    }
    let none = |why: String| Fault::NoIdentity { cloud: cloud.name.clone(), url: request.url.clone(), why };
    match (response.status, response.header("location")) {
        (200..300, _) => {}
        (300..400, Some(location)) => return Err(none(format!("it redirects to {}", shown::one_line(location)))),
        // A server with these responses is not an identity service: it serves other pages, but not this one.
        (300..400 | 404 | 405, _) => return Err(none(format!("status {}, {}", response.status, said(response)))),
        _ => return Err(Fault::refused("identity", request, response)),
    }
    let senseless = |why: &str| Fault::senseless("identity", request, why);
    let token = response.header("x-subject-token").ok_or_else(|| none("the server there issues no token".into()))?;
    let body: Value = serde_json::from_slice(&response.body).map_err(|error| senseless(&error.to_string()))?;
    let body = &body["token"];
    let expires = body["expires_at"].as_str().and_then(|time| humantime::parse_rfc3339(time).ok());
    Ok(Token {
        token: Secret::new(token),
        expires: expires.ok_or_else(|| senseless("it does not say when the token expires"))?,
        project: body["project"]["id"].as_str().map(str::to_owned),
        catalogue: Catalogue::read(&body["catalog"]),
    })
}

fn ended(cloud: &Cloud, response: &Response) -> Fault {
    Fault::Ended { cloud: cloud.name.clone(), message: said(response) }
}

/// The user who logs in, for messages.
fn who(login: &Login) -> String {
    let of = |user: &User| match user {
        User::Id(name) | User::Named(name, _) => format!("the user `{name}`"),
    };
    match login {
        Login::Password { user, .. } => of(user),
        Login::Application { credential: Ok(id), .. } => format!("the application credential `{id}`"),
        Login::Application { credential: Err((name, user)), .. } => {
            format!("the application credential `{name}` of {}", of(user))
        }
        Login::Token(_) => "the token".into(),
    }
}
