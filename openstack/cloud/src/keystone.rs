//! Identity: authentication, and the catalogue of services. Source: Identity API v3.

use std::time::SystemTime;

use serde_json::{Value, json};
use wattle_openstack::{Method, Secret};

use crate::reply::{Answer, Refusal, json};
use crate::route::PATHS;
use crate::world::{Asked, Common, Setting};

#[derive(Debug, Default)]
pub(crate) struct Keystone {
    /// Tokens and when they expire.
    tokens: Vec<(String, SystemTime)>,
}

impl Keystone {
    pub(crate) fn answer(&mut self, common: &mut Common, asked: &Asked<'_>, token: Option<&Secret>) -> Answer {
        match (asked.method, asked.route.parts().as_slice()) {
            (Method::Get, [] | ["v3"]) => {
                let url = format!("{}/identity/v3/", common.setting.url);
                let version = json!({ "id": "v3.14", "status": "stable", "links": [{ "rel": "self", "href": url }] });
                Ok(json(200, &json!({ "version": version })))
            }
            (Method::Post, ["v3", "auth", "tokens"]) => self.log_in(common, asked.body),
            (Method::Delete, ["v3", "auth", "tokens"]) => {
                let Some(token) = token else { return Err(closed()) };
                self.tokens.retain(|(known, _)| known != token.reveal());
                Ok(crate::reply::empty(204))
            }
            _ => Err(Refusal::missing("The resource could not be found.")),
        }
    }

    /// Whether a token is valid.
    pub(crate) fn lets_in(&self, common: &Common, token: Option<&Secret>) -> bool {
        let is_good =
            |token: &Secret| self.tokens.iter().any(|(known, until)| known == token.reveal() && common.now < *until);
        token.is_some_and(is_good)
    }

    fn log_in(&mut self, common: &mut Common, body: &Value) -> Answer {
        let auth = &body["auth"];
        let setting = &common.setting;
        let is_user = match auth["identity"]["methods"][0].as_str() {
            Some("password") => {
                let user = &auth["identity"]["password"]["user"];
                if user.get("id").is_none() && user.get("domain").is_none() {
                    let message = "Expecting to find domain in user. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.";
                    return Err(Refusal::bad(message));
                }
                (user["name"] == *setting.user || user["id"] == *setting.user) && user["password"] == *setting.password
            }
            Some("application_credential") => {
                let credential = &auth["identity"]["application_credential"];
                if credential["id"] != *setting.user {
                    let id = credential["id"].as_str().unwrap_or_default();
                    return Err(Refusal::missing(format!("Could not find Application Credential: {id}.")));
                }
                credential["secret"] == *setting.password
            }
            Some("token") => {
                let id = auth["identity"]["token"]["id"].as_str().unwrap_or_default();
                if !self.lets_in(common, Some(&Secret::new(id))) {
                    return Err(Refusal::missing("Could not recognize Fernet token"));
                }
                true
            }
            _ => false,
        };
        let project = &auth["scope"]["project"];
        let is_project =
            project.is_null() || project["name"] == *common.setting.project || project["id"] == *common.project;
        if !is_user || !is_project {
            return Err(closed());
        }
        // A token obtained with another token expires with it.
        let given = auth["identity"]["token"]["id"].as_str().unwrap_or_default();
        let given = self.tokens.iter().find(|(known, _)| known == given).map(|(_, until)| *until);
        let token = format!("gAAAAA{}", common.ids.hex());
        let until = given.unwrap_or(common.now + common.setting.token);
        self.tokens.retain(|(_, until)| common.now < *until);
        self.tokens.push((token.clone(), until));
        let body = json!({ "token": {
            "methods": auth["identity"]["methods"],
            "expires_at": humantime::format_rfc3339_micros(until).to_string(),
            "issued_at": humantime::format_rfc3339_micros(common.now).to_string(),
            "project": { "id": common.project, "name": common.setting.project, "domain": { "id": "default", "name": "Default" } },
            "user": { "id": common.setting.user, "name": common.setting.user, "domain": { "id": "default", "name": "Default" } },
            "roles": [{ "name": if common.setting.is_admin { "admin" } else { "member" } }],
            "catalog": catalog(&common.setting, &common.project),
        } });
        let mut response = json(201, &body);
        response.headers.push(("x-subject-token".into(), token));
        Ok(response)
    }
}

fn closed() -> Refusal {
    Refusal::new(401, "The request you have made requires authentication.")
}

fn catalog(setting: &Setting, project: &str) -> Value {
    let own = PATHS.iter().map(|(_, kind, path)| {
        let url = format!("{}{path}", setting.url);
        (*kind, if *kind == "block-storage" { format!("{url}/{project}") } else { url })
    });
    let heat = setting.orchestration.iter().map(|url| ("orchestration", format!("{url}/{project}")));
    let is_there = |(kind, _): &(&str, String)| !setting.lacks.iter().any(|lacking| lacking == kind);
    let services = own.chain(heat).filter(is_there).map(|(kind, url)| {
        let endpoint = |interface: &str| json!({ "interface": interface, "region": "RegionOne", "region_id": "RegionOne", "url": url, "id": interface });
        json!({ "type": kind, "name": kind, "id": kind, "endpoints": [endpoint("public"), endpoint("internal"), endpoint("admin")] })
    });
    Value::Array(services.collect())
}
