//! Logging in.

use wattle_openstack::Method::{Get, Post};

use super::{IDENTITY, Step, step};

pub(super) const STEPS: &[Step] = &[
    step("what the identity service is", IDENTITY, Get, ""),
    Step {
        body: r#"{"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": "demo", "domain": {"id": "default"}, "password": "<password>"}}}, "scope": {"project": {"name": "demo", "domain": {"id": "default"}}}}}"#,
        ..step("log in", IDENTITY, Post, "/auth/tokens")
    },
    Step {
        body: r#"{"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": "demo", "domain": {"id": "default"}, "password": "not <password>"}}}, "scope": {"project": {"name": "demo", "domain": {"id": "default"}}}}}"#,
        ..step("log in with another password", IDENTITY, Post, "/auth/tokens")
    },
    Step {
        body: r#"{"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": "demo", "domain": {"id": "default"}, "password": "<password>"}}}, "scope": {"project": {"name": "none", "domain": {"id": "default"}}}}}"#,
        ..step("log in to a project that there is not", IDENTITY, Post, "/auth/tokens")
    },
    Step {
        body: r#"{"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": "demo", "password": "<password>"}}}, "scope": {"project": {"name": "demo", "domain": {"id": "default"}}}}}"#,
        ..step("log in as a user of no domain", IDENTITY, Post, "/auth/tokens")
    },
    Step {
        body: r#"{"auth": {"identity": {"methods": ["token"], "token": {"id": "none"}}, "scope": {"project": {"name": "demo", "domain": {"id": "default"}}}}}"#,
        ..step("log in with a token that there is not", IDENTITY, Post, "/auth/tokens")
    },
    Step {
        body: r#"{"auth": {"identity": {"methods": ["application_credential"], "application_credential": {"id": "none", "secret": "none"}}}}"#,
        ..step("log in with an application credential that there is not", IDENTITY, Post, "/auth/tokens")
    },
];
