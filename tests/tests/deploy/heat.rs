//! Deployments through Heat: its real engine and API over a simulated cloud.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use wattle_cloud::Setting;
use wattle_openstack::Method;
use wattle_openstack::session::Call;
use wattle_tests::heat::HeatServer;
use wattle_tests::site::{NOTHING, PASSWORD, Site};

use crate::KEY;

/// A shop, and a cloud with Heat.
struct Shop {
    site: Site,
    /// A file that names the resources that Heat does not find.
    missing: PathBuf,
    _heat: HeatServer,
    _folder: tempfile::TempDir,
}

impl Shop {
    fn new(delays: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = folder.path().join("missing");
        let heat = HeatServer::start(delays, &missing);
        let site = Site::with(Setting { orchestration: Some(heat.url()), ..Setting::default() });
        Self { site, missing, _heat: heat, _folder: folder }
    }

    /// The stack in Heat, if it exists.
    fn stack(&self) -> Option<Value> {
        let stacks = self.site.at_cloud(async |session| {
            session.list(Call::new("orchestration", Method::Get, "/stacks"), "stacks").await.expect("a list")
        });
        assert!(stacks.len() <= 1, "{stacks:?}");
        stacks.into_iter().next()
    }

    fn status(&self) -> String {
        let stack = self.stack().expect("a stack");
        stack["stack_status"].as_str().expect("text").to_owned()
    }

    /// The ID of each resource in the cloud, by stack and name.
    fn ids(&self) -> BTreeMap<String, String> {
        let stack = self.stack().expect("a stack");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let path = format!("/stacks/{}/{}/resources?nested_depth=9", text(&stack["stack_name"]), text(&stack["id"]));
        let listed = self.site.at_cloud(async |session| {
            session.list(Call::new("orchestration", Method::Get, path), "resources").await.expect("a list")
        });
        let id = |resource: &Value| {
            let around = resource["parent_resource"].as_str().unwrap_or_default();
            (format!("{around}/{}", text(&resource["resource_name"])), text(&resource["physical_resource_id"]))
        };
        listed.iter().map(id).collect()
    }

    /// Adds a nested stack with a resource that only Heat can create, and whose creation fails on request.
    fn probe(&self, fails: bool, value: &str) {
        let path = self.site.path().join("template.yaml");
        let text = std::fs::read_to_string(&path).expect("reads");
        let part = "resources:\n  part: {type: part.yaml}\n";
        if !text.contains(part) {
            std::fs::write(&path, text.replacen("resources:\n", part, 1)).expect("writes");
        }
        let nested = json!({ "heat_template_version": "2021-04-16", "resources": {
            "probe": { "type": "OS::Heat::TestResource", "properties": { "value": value, "fail": fails } },
        }});
        std::fs::write(self.site.path().join("part.yaml"), nested.to_string()).expect("writes");
    }

    fn destroyed(&self) {
        let ran = self.site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
        assert!(ran.code == Some(0) && ran.err.contains("✓ backbone deleted (OS::Neutron::Net"), "{ran}");
        assert_eq!(self.stack(), None);
        assert!(self.site.ask(&["status", KEY[0], KEY[1]]).err.contains("holds no stack"));
    }
}

#[test]
fn heat_deploys_changes_checks_brings_back_and_destroys() {
    let shop = Shop::new(&[]);
    let site = &shop.site;
    let said = site.deployed(&["--through", "heat"]);
    assert!(said.contains("✓ web created (OS::Nova::Server"), "{said}");
    assert_eq!(shop.status(), "CREATE_COMPLETE");
    assert_eq!(site.counts(), NOTHING, "wattle itself has made nothing");
    // The stack remembers that it was deployed through Heat, and `--through` cannot change that.
    let ids = shop.ids();
    let said = site.deployed(&KEY);
    assert!(!said.contains('✓') && said.contains("5 components unchanged"), "{said}");
    assert_eq!((shop.status().as_str(), shop.ids()), ("UPDATE_COMPLETE", ids.clone()));
    let ran = site.deploy(&[&KEY[..], &["--through", "wattle"]].concat());
    assert!(ran.code == Some(2) && ran.err.contains("was deployed through Heat"), "{ran}");
    // A server is changed in place, and rolled back.
    let said = site.deployed(&[&KEY[..], &["-P", "flavor=m1.medium"]].concat());
    assert!(said.contains("✓ db changed (OS::Nova::Server") && !said.contains("created"), "{said}");
    let ran = site.ask(&["rollback", "--yes", "--infrastructure-only", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && ran.err.contains("✓ db changed"), "{ran}");
    assert_eq!(shop.ids(), ids);
    // Heat finds out which of its resources are missing, and creates them again.
    let ran = site.ask(&["drift", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && ran.err.contains("not whether it has changed"), "{ran}");
    std::fs::write(&shop.missing, "app1").expect("writes");
    let ran = site.ask(&["drift", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(4), "{ran}");
    assert!(ran.out.contains("app1 is not as Heat made it") && ran.out.contains("app1 is not there"), "{ran}");
    std::fs::remove_file(&shop.missing).expect("removes");
    std::fs::write(&shop.missing, "app2").expect("writes");
    let ran = site.ask(&["drift", "--correct", "--infrastructure-only", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && ran.err.contains("✓ app2 created"), "{ran}");
    std::fs::remove_file(&shop.missing).expect("removes");
    let now = shop.ids();
    assert!(now["/app2"] != ids["/app2"] && now["/db"] == ids["/db"], "{now:?}");
    // The stack cannot be deleted from the data space while Heat has it.
    let ran = site.ask(&["seed", "delete", "three_tier", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(2) && ran.err.contains("was deployed through Heat"), "{ran}");
    // A plan shows what Heat knows, and changes nothing.
    let plan = ["plan", ".", "--cloud", "simulated", "-P", PASSWORD, KEY[0], KEY[1]];
    let ran = site.ask(&plan);
    assert!(ran.code == Some(0) && ran.err.contains("this is what Heat knows"), "{ran}");
    shop.destroyed();
}

#[test]
fn what_only_heat_does_heat_does_and_failures_are_said_with_their_place() {
    let shop = Shop::new(&[]);
    let site = &shop.site;
    shop.probe(true, "first");
    let ran = site.deploy(&["--through", "wattle"]);
    assert!(ran.code == Some(2) && ran.err.contains("error[W1401]"), "{ran}");
    let ran = site.deploy(&[]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.err.contains("can only be done by Heat, so Heat deploys it"), "{ran}");
    assert!(ran.err.contains("\n  part/probe failed: ") && ran.err.contains("Test Resource failed probe"), "{ran}");
    assert_eq!(shop.status(), "CREATE_FAILED");
    // A stack whose creation failed can be updated.
    shop.probe(false, "first");
    let said = site.deployed(&KEY);
    assert!(said.contains("✓ part/probe created (OS::Heat::TestResource"), "{said}");
    assert_eq!(shop.status(), "UPDATE_COMPLETE");
    // A failed update can be rolled back.
    shop.probe(true, "second");
    let ran = site.deploy(&KEY);
    assert!(ran.code == Some(1) && ran.err.contains("\n  part/probe failed: "), "{ran}");
    let ran = site.ask(&["rollback", "--yes", "--infrastructure-only", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(shop.status(), "UPDATE_COMPLETE");
    // With `--on-failure rollback`, Heat itself rolls back.
    let ran = site.deploy(&[&KEY[..], &["--on-failure", "rollback"]].concat());
    assert!(ran.code == Some(1) && ran.err.contains("Heat has rolled the stack back"), "{ran}");
    assert_eq!(shop.status(), "ROLLBACK_COMPLETE");
    shop.destroyed();
}

#[test]
fn whoever_ends_while_heat_is_at_work_is_followed_by_the_next() {
    let shop = Shop::new(&["OS::Nova::Server=12"]);
    let site = &shop.site;
    let mut first = site.start(&["--through", "heat"]);
    first.wait_for("✓ backbone created", Duration::from_mins(2));
    assert_eq!(first.interrupt(), Some(1));
    assert!(first.said().contains("is not done: Heat continues by itself"), "{}", first.said());
    let mut second = site.start(&KEY);
    second.wait_for("Heat is already working on `three_tier` (CREATE_IN_PROGRESS)", Duration::from_mins(2));
    // Dropping a process kills it with SIGKILL.
    drop(second);
    let said = site.deployed(&KEY);
    assert!(said.contains("Heat is already working on `three_tier`") && said.contains("✓ web created"), "{said}");
    assert_eq!(shop.status(), "UPDATE_COMPLETE");
    shop.destroyed();
}

#[test]
fn what_heat_would_refuse_is_said_before_anything_is_made() {
    let shop = Shop::new(&[]);
    let site = &shop.site;
    let template = site.path().join("template.yaml");
    let emitted = std::fs::read_to_string(&template).expect("reads");
    let wrong = "resources:\n  wrong: {type: OS::Heat::TestResource, properties: {value: [1]}}\n";
    std::fs::write(&template, emitted.replacen("resources:\n", wrong, 1)).expect("writes");
    let ran = site.deploy(&[]);
    assert!(ran.code == Some(1) && ran.err.contains("wrong") && ran.err.contains("(status 400)"), "{ran}");
    assert_eq!(shop.stack(), None);
    assert!(!site.path().join("operator.key").exists());
    for (option, value, says) in
        [("--correct", None, "corrects nothing by itself"), ("--cleanup", Some("early"), "last of all")]
    {
        let options: Vec<&str> = ["--through", "heat", option].into_iter().chain(value).collect();
        let ran = site.deploy(&options);
        assert!(ran.code == Some(2) && ran.err.contains(says), "{ran}");
    }
    // wattle leaves somebody else's stack with the same name alone.
    std::fs::write(&template, emitted).expect("writes");
    site.at_cloud(async |session| {
        let body = json!({ "stack_name": "three_tier", "template": { "heat_template_version": "2021-04-16" } });
        session.call(Call::new("orchestration", Method::Post, "/stacks").body(body)).await.expect("made");
    });
    let ran = site.deploy(&["--through", "heat"]);
    assert!(ran.code == Some(2) && ran.err.contains("which `wattle deploy` did not create"), "{ran}");
    assert!(!site.path().join("operator.key").exists());
}

/// Heat lists outputs in no particular order, and does not know which of them are secret.
#[test]
fn the_outputs_of_a_stack_of_heats_are_shown() {
    let shop = Shop::new(&[]);
    let site = &shop.site;
    let plain = site.path().join("plain");
    std::fs::create_dir(&plain).expect("makes");
    let nested = "{heat_template_version: 2021-04-16, resources: {word: {type: OS::Heat::RandomString}}, outputs: {word: {value: \
                  {get_attr: [word, value]}}}}";
    std::fs::write(plain.join("part.yaml"), nested).expect("writes");
    let member = "{heat_template_version: 2021-04-16, parameters: {pin: {type: string}}, outputs: {pin: {value: {get_param: pin}}}}";
    std::fs::write(plain.join("member.yaml"), member).expect("writes");
    let template = "heat_template_version: 2021-04-16
parameters: {pin: {type: string, hidden: true, default: open-sesame}}
resources:
  lan: {type: OS::Neutron::Net}
  part: {type: part.yaml}
  probe: {type: OS::Heat::TestResource, properties: {value: v}}
  crew: {type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: member.yaml, properties: {pin: {get_param: pin}}}}}
outputs:
  pins: {value: {get_attr: [crew, pin]}}
  whole: {value: {get_attr: [part]}}
  z_lan: {value: {get_resource: lan}}
  list: {value: [1, {a: b}]}
  pin: {value: {str_replace: {template: \"is p\", params: {p: {get_param: pin}}}}}
  word: {value: {get_attr: [part, word]}}
  a_text: {value: a text}
";
    std::fs::write(plain.join("template.yaml"), template).expect("writes");
    let ran = site.ask(&["deploy", "plain", "--yes", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let lan = &shop.ids()["/lan"];
    let shown = format!(
        "\nplain is up\n\n  pins    (secret)\n  whole   (secret)\n  z_lan   {lan}\n  list    [1,{{\"a\":\"b\"}}]\n  pin     (secret)\n  word    (secret)\n  a_text  a text\n"
    );
    assert!(ran.out.ends_with(&shown) && !ran.out.contains("open-sesame"), "{ran}");
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && shop.stack().is_none(), "{ran}");
}
