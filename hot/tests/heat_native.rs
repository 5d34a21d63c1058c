//! Templates lowered for Heat's own agents.

use wattle::check::{Limits, Severity, check};
use wattle::lower::Lowering;
use wattle::lower::native::lower;
use wattle_heat::Loaded;
use wattle_hot::model::read;

const SERVER: &str = "heat_template_version: 2021-04-16
resources:
  db:
    type: OS::Nova::Server
    properties: {flavor: m1.small, image: debian, networks: [{allocate_network: auto}]}
    metadata:
      wattle:
        components:
";

/// The names of the configs of a template's components.
fn configs(components: &str) -> Vec<String> {
    let model = read(&Loaded::of(&format!("{SERVER}{components}"), "shop.yaml")).model;
    let lowered = lower(&model);
    let configs = lowered.template.resources.iter().filter(|(_, known)| &*known.ty == "OS::Heat::SoftwareConfig");
    configs.map(|(name, _)| name.to_string()).collect()
}

#[test]
fn configs_have_names_that_heat_takes_and_each_its_own() {
    let component =
        |name: &str, more: &str| format!("          - {{name: {name}, {more}recipe: {{script: 'true'}}}}\n");
    assert_eq!(configs(&component("store", "")), ["wattle_db.store"]);
    let alike =
        component("store", "") + &component("other", "kind: 'db::store', ") + &component("next", "kind: db.store, ");
    assert_eq!(configs(&alike), ["wattle_db.store", "wattle_db.store.2", "wattle_db.store.3"]);
    let long = "é".repeat(300);
    let two = ["a", "b"].map(|last| component(last, &format!("kind: {long}{last}, "))).concat();
    let names = configs(&two);
    assert_eq!(names.len(), 2);
    assert!(names.iter().all(|name| name.len() <= 255), "{names:?}");
}

#[test]
fn a_secret_goes_out_only_where_it_is_said_that_it_is_one() {
    let stack = |value: &str, model: &str| {
        let text = format!(
            "{SERVER}          - name: store
            recipe: {{script: 'echo > $heat_outputs_path.token; echo > $heat_outputs_path.url'}}
            outputs: {{token: {{type: {{secret: string}}}}, url: string, many: {{type: {{list: {{secret: string}}}}, dynamic: true}}}}
{model}outputs:
  shown: {{value: {value}}}
  used: {{value: {{list_join: ['', [{{get_attr: [db, store, url]}}, a]]}}}}
"
        );
        let model = read(&Loaded::of(&text, "shop.yaml")).model;
        [Lowering::Agents, Lowering::HeatNative].map(|lowering| {
            let mut limits = Limits::default();
            limits.lowering = lowering;
            let found = check(&model, &limits).into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
            found.map(|diagnostic| diagnostic.code).collect::<Vec<_>>()
        })
    };
    let token = "{get_attr: [db, store, token]}";
    let joined = format!("{{list_join: ['', [a, {token}]]}}");
    let list = format!("[{token}]");
    for value in [token, &joined, &list, "{get_attr: [db, store, many]}"] {
        assert_eq!(stack(value, ""), [["W0601"], ["W0601"]], "{value}");
    }
    let said = "  wattle_model:
    type: OS::Heat::None
    metadata: {wattle: {exports: {shown: {secret: string}}}}
";
    for value in [token, &joined] {
        assert_eq!(stack(value, said), [vec![], vec!["W0904"]], "{value}");
    }
    assert_eq!(stack("{get_attr: [db, store, url]}", ""), [[""; 0]; 2]);
}
