//! A real OpenStack, if there is one: `OS_*` name it, and `WATTLE_OPENSTACK` permits tests to create resources there.
//! `tests/openstack/lab` starts one. The names of tests that use it end with `on_a_real_openstack`, or with
//! `in_guests_of_a_real_openstack` if its servers must boot.

#![expect(clippy::missing_panics_doc, reason = "helpers for tests fail by panicking")]

pub mod admin;
pub mod changed;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use wattle::lower::{Options, lower};
use wattle::model::{Model, Type};
use wattle::plan::Action;
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::orchestration::{Orchestration, SERVICE, Stack, Terms, Tree};
use wattle_openstack::session::Call;
use wattle_openstack::{Cloud, Fault, Method, Session};
use wattle_runtime::openstack::{Http, TemplateSource, package, sources};

use self::changed::Looked;
use crate::oracle::write;
use crate::site::Ground;
use crate::skip::skipped;

/// The timeout of any operation there.
const LONGEST: Duration = Duration::from_mins(10);

/// Whether there is one.
pub fn is_named() -> bool {
    std::env::var_os("WATTLE_OPENSTACK").is_some()
}

/// Whether there is one. If not, this reports that `what` is skipped.
pub fn is_there(what: &str) -> bool {
    let is_there = is_named();
    if !is_there {
        skipped(&format!("{what} on a real OpenStack"), "`tests/run --all` runs it as root, in `tests/openstack/lab`");
    }
    is_there
}

/// Whether there is one whose servers boot.
pub fn boots() -> bool {
    is_named() && std::env::var("OPENSTACK_LAB_COMPUTE").is_ok_and(|kind| kind == "libvirt")
}

/// Whether there is one whose servers boot. If not, this reports that `what` is skipped.
pub fn has_guests(what: &str) -> bool {
    let boots = boots();
    if !boots {
        skipped(
            &format!("{what} in guests of a real OpenStack"),
            "`tests/run --all` runs it as root, in `tests/openstack/lab`",
        );
    }
    boots
}

/// The real OpenStack, as a place for sites.
#[derive(Clone, Copy, Debug)]
pub struct Named;

impl Named {
    /// The password of the user of the tests.
    pub fn password() -> String {
        of("OS_PASSWORD")
    }
}

impl Ground for Named {
    const IS_SHARED: bool = true;

    fn clouds(&self, password: &str) -> String {
        clouds(password, of)
    }
}

/// `clouds.yaml` that names it, from a user's variables.
fn clouds(password: &str, of: impl Fn(&str) -> String) -> String {
    let auth = format!(
        "{{auth_url: '{}', username: {}, password: {password}, project_name: {}, user_domain_name: {}, project_domain_name: {}}}",
        of("OS_AUTH_URL"),
        of("OS_USERNAME"),
        of("OS_PROJECT_NAME"),
        of("OS_USER_DOMAIN_NAME"),
        of("OS_PROJECT_DOMAIN_NAME"),
    );
    format!("clouds:\n  real:\n    region_name: {}\n    auth: {auth}\n", of("OS_REGION_NAME"))
}

fn of(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

/// A client of its Heat and its other services.
pub struct RealHeat {
    runtime: tokio::runtime::Runtime,
    session: Arc<Session>,
}

impl RealHeat {
    /// Logs in.
    #[expect(clippy::new_without_default, reason = "it sends requests to a cloud")]
    pub fn new() -> Self {
        Self::of(&sources().expect("files"))
    }

    /// Logs in as another user.
    pub fn of(sources: &CloudConfig) -> Self {
        let cloud = Cloud::choose(sources, None).expect("a cloud");
        let wire = Arc::new(Http::new(&cloud).expect("a wire"));
        let session = Arc::new(Session::new(cloud, wire, Duration::from_mins(2)));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { runtime, session }
    }

    /// The ID of the project.
    pub fn project(&self) -> String {
        let token = self.runtime.block_on(self.session.token()).expect("a token");
        token.project.clone().expect("it is for a project")
    }

    /// Sends a GET request to a service and returns the answer.
    pub fn ask(&self, service: &'static str, path: &str) -> Value {
        self.runtime.block_on(self.session.call(Call::new(service, Method::Get, path))).expect("an answer")
    }

    /// Creates a stack of a model, requests the same again, changes it, and deletes it.
    pub fn lives(&self, model: &Model, options: &Options) {
        let folder = tempfile::tempdir().expect("a folder");
        self.is_made_and_stays(&model.stack, &emitted(folder.path(), model, options));
    }

    /// Creates a stack, requests the same again, then changes each resource, compares with the plan, and deletes the stack.
    pub fn is_made_and_stays(&self, name: &str, source: &TemplateSource) {
        let stack = self.made(name, source);
        let before = stack.ids();
        let (status, reason) = stack.update(source);
        assert_eq!(status, "UPDATE_COMPLETE", "{name}: {reason}");
        assert_eq!(stack.ids(), before, "{name}: something is another thing now");
        let other = changed::changed(source);
        let plan = changed::planned(source, &other);
        let changes = plan.resources.values().filter(|resource| resource.action != Action::Unchanged).count();
        assert_ne!(changes, 0, "{name}: nothing else is asked for");
        let earlier = Looked::at(self, &stack);
        let (status, reason) = stack.update(&other);
        assert_eq!(status, "UPDATE_COMPLETE", "{name}, changed: {reason}");
        let wrong = Looked::at(self, &stack).differences(&earlier, &plan, None);
        assert!(wrong.is_empty(), "{name}, changed:\n{}", wrong.join("\n"));
        println!("{name}: {changes} changes as planned");
        stack.delete();
    }

    /// Creates a stack from `source`. A stack with this name that a previous run left is deleted first.
    pub fn made(&self, name: &str, source: &TemplateSource) -> RealStack<'_> {
        let mut stack = RealStack {
            heat: self,
            orchestration: Orchestration::new(Arc::clone(&self.session), name, name),
            id: String::new(),
        };
        if let Some(left) = self.runtime.block_on(stack.orchestration.find()).expect("Heat answers") {
            stack.id = left.id;
            stack.delete();
        }
        let package = package(source);
        let began = Instant::now();
        stack.id = loop {
            match self.runtime.block_on(stack.orchestration.create(&package, TERMS)) {
                Ok(id) => break id,
                // The name of a deleted stack remains in use for a moment.
                Err(Fault::Refused { status: 409, .. }) if began.elapsed() < Duration::from_secs(30) => {
                    std::thread::sleep(Duration::from_millis(500));
                }
                Err(fault) => panic!("Heat refuses `{name}`: {fault}"),
            }
        };
        let ended = stack.ended();
        assert_eq!(ended.status, "CREATE_COMPLETE", "`{name}`: {}", ended.reason);
        stack
    }
}

/// The operator's parameter, which has no default.
const SPACE: (&str, &str) = ("wattle_space", "zookeeper://127.0.0.1:2181");
const TEXT: &str = "s3:cr\"et";
const ADDRESS: &str = "10.9.0.2";

/// Heat's timeout exceeds that of a test.
const TERMS: Terms = Terms { minutes: 30, goes_back: false };

/// An existing stack.
pub struct RealStack<'h> {
    heat: &'h RealHeat,
    orchestration: Orchestration,
    id: String,
}

impl RealStack<'_> {
    /// Updates it to `source`, and returns the result: `UPDATE_COMPLETE`, and the reason. `REFUSED` means that Heat does
    /// not begin.
    pub fn update(&self, source: &TemplateSource) -> (String, String) {
        let package = package(source);
        match self.heat.runtime.block_on(self.orchestration.update(&self.id, &package, TERMS)) {
            Ok(()) => {
                let ended = self.ended();
                (ended.status, ended.reason)
            }
            Err(fault) => ("REFUSED".to_owned(), fault.to_string()),
        }
    }

    /// Heat's own preview of an update: resources by action.
    pub fn previewed(&self, source: &TemplateSource) -> Value {
        let path = format!("/stacks/{}/{}/preview", self.orchestration.name(), self.id);
        let call = Call::new(SERVICE, Method::Put, path).body(package(source).into());
        self.heat.runtime.block_on(self.heat.session.call(call)).expect("Heat answers")["resource_changes"].clone()
    }

    /// Its resources.
    pub fn tree(&self) -> Tree {
        self.heat.runtime.block_on(self.orchestration.resources(&self.id)).expect("Heat answers")
    }

    /// The ID of each resource in the cloud.
    pub fn ids(&self) -> BTreeMap<String, String> {
        ids(&self.tree())
    }

    /// The number of events of each resource of the stack itself, by name and event: `UPDATE_COMPLETE`.
    pub fn events(&self) -> BTreeMap<(String, String), usize> {
        let path = format!("/stacks/{}/{}/events", self.orchestration.name(), self.id);
        let listed = self.heat.session.list(Call::new(SERVICE, Method::Get, path), "events");
        let mut counts = BTreeMap::new();
        for event in self.heat.runtime.block_on(listed).expect("Heat answers") {
            let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
            *counts.entry((text("resource_name"), text("resource_status"))).or_default() += 1;
        }
        counts
    }

    /// Deletes it, and waits until it is gone.
    pub fn delete(&self) {
        self.heat.runtime.block_on(self.orchestration.delete(&self.id)).expect("Heat answers");
        let ended = self.ended();
        assert!(ended.is_gone(), "`{}` is {}: {}", self.orchestration.name(), ended.status, ended.reason);
    }

    fn ended(&self) -> Stack {
        let began = Instant::now();
        loop {
            let shown = self.heat.runtime.block_on(self.orchestration.show(&self.id)).expect("Heat answers");
            match shown {
                Some(stack) if !stack.is_busy() => return stack,
                Some(stack) => {
                    assert!(began.elapsed() < LONGEST, "`{}` is {}", self.orchestration.name(), stack.status);
                }
                None => {
                    let (id, status, reason) = (self.id.clone(), "DELETE_COMPLETE".to_owned(), String::new());
                    return Stack { id, status, reason, is_own: true };
                }
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }
}

/// The ID of each resource of a tree in the cloud.
fn ids(tree: &Tree) -> BTreeMap<String, String> {
    tree.resources.values().map(|resource| (resource.path.to_string(), resource.phys.to_string())).collect()
}

/// The lowered model, emitted to this folder, as `deploy` sends it.
pub fn emitted(folder: &Path, model: &Model, options: &Options) -> TemplateSource {
    write(&lower(model, options), folder, false);
    let open = model.parameters.iter().filter(|(_, parameter)| parameter.default.is_none());
    let given = open.map(|(name, parameter)| (&**name, if parameter.ty == Type::IP { ADDRESS } else { TEXT }));
    let space = (!model.components.is_empty()).then_some(SPACE);
    let given: Vec<(&str, &str)> = space.into_iter().chain(given).collect();
    source(folder, &model.stack, &given)
}

/// The content of a folder, as `deploy` sends it, with these values of parameters.
pub fn source(folder: &Path, stack: &str, given: &[(&str, &str)]) -> TemplateSource {
    let files = wattle::plan::gather(&mut |name| fs::read_to_string(folder.join(name)).ok());
    let environment = fs::read_to_string(folder.join("environment.yaml"));
    let value = |value: &str| wattle::model::Value::Str(value.into());
    TemplateSource {
        template: "template.yaml".into(),
        files,
        environments: environment.into_iter().map(|text| ("environment.yaml".to_owned(), text)).collect(),
        given: given.iter().map(|(name, text)| ((*name).into(), value(text))).collect(),
        stack: stack.to_owned(),
        seed: String::new(),
        settings: None,
        diagram: None,
    }
}
