//! Placement policies in a template: the metadata of a separate resource that means nothing to Heat.
//!
//! The same resource lists which servers talk to each other, according to the wiring of the software. If a blueprint
//! declares neither policies nor bandwidths, none of this is written.

use wattle_agent_core::seed::Seed;

use crate::analysis::talks::{Talk, is_said, talks};
pub(crate) use crate::model::placement::KEY;
use crate::model::placement::{Level, PlacementRule, Policy, Strength};
use crate::model::{Model, Name, Value};

use super::hot::{Hot, HotResource, Template};

/// The resource that carries the policies.
pub const CARRIER: &str = "wattle_placement";

/// Adds the resource that carries a model's policies and the bandwidths between its servers, if the author declares either.
pub(super) fn add(model: &Model, template: &mut Template) {
    let is_said = is_said(model);
    if model.placement.is_empty() && !is_said {
        return;
    }
    // Heat and deployments see only the value of such a resource, so nothing can be replaced.
    let mut carrier = HotResource::new("OS::Heat::Value".into());
    carrier.set("type".into(), "string".into());
    carrier.set("value".into(), "where servers are to be".into());
    let mut fields = Vec::new();
    if !model.placement.is_empty() {
        fields.push(("policies".into(), policies(model)));
    }
    let wires = wires(model);
    // Without wires, `wattle place` would look for them elsewhere, where no bandwidths are known.
    if is_said || !matches!(&wires, Hot::List(wires) if wires.is_empty()) {
        fields.push(("wires".into(), wires));
    }
    carrier.metadata = Some(Box::new(Hot::Map(vec![(KEY.into(), Hot::Map(fields))])));
    template.resources.insert(CARRIER.into(), carrier);
}

/// Adds the place where each policy is declared, by the policy's number.
pub(super) fn sources(model: &Model, seed: &mut Seed) {
    let known = model.placement.iter().enumerate().filter(|(_, policy)| policy.at.is_known());
    seed.sources.extend(known.map(|(number, policy)| (format!("{CARRIER}/{number}").into(), policy.at.portable())));
}

/// The policies of a model, in the form in which templates carry them.
pub(crate) fn policies(model: &Model) -> Hot {
    Hot::List(model.placement.iter().map(policy).collect())
}

fn policy(policy: &Policy) -> Hot {
    let text = |text: &str| Hot::Value(text.into());
    let members = Hot::List(policy.members.iter().map(|name| text(name)).collect());
    let word: Name = policy.rule.word().into();
    let mut fields = match &policy.rule {
        PlacementRule::Apart(level) => vec![(word, members), ("by".into(), text(level.word()))],
        PlacementRule::Near(Level::Host) => vec![(word, members)],
        PlacementRule::Near(level) => vec![(word, members), ("within".into(), text(level.word()))],
        PlacementRule::Zone(of) | PlacementRule::License(of) => vec![(word, text(of)), ("servers".into(), members)],
    };
    if let Strength::Preferred(weight) = policy.strength {
        fields.push(("preferred".into(), Hot::Value(Value::Integer(weight.into()))));
    }
    Hot::Map(fields)
}

/// The pairs of servers that talk to each other.
fn wires(model: &Model) -> Hot {
    let wire = |Talk { between: (from, to), bandwidth }: Talk<'_>| {
        let ends = [from, to].map(|name| Hot::Value((&**name).into()));
        Hot::Map(vec![
            ("between".into(), Hot::List(ends.into())),
            ("bandwidth".into(), Hot::Value(bandwidth.to_string().into())),
        ])
    };
    Hot::List(talks(model).into_iter().map(wire).collect())
}

#[cfg(test)]
mod tests {
    use crate::author::{Exports, MovedFrom as _, RawResource, Topology};
    use crate::lower::{lower, native};
    use crate::model::{Binding, Component, Expr, Reference, Source};

    use super::*;

    fn metadata(template: &Template) -> Option<String> {
        let carrier = template.resources.get(CARRIER)?;
        Some(wattle_heat::emit::to_yaml(carrier.metadata.as_ref()?).expect("emits"))
    }

    #[test]
    fn policies_and_wires_are_metadata_of_one_resource() {
        let mut t = Topology::new("demo");
        let [db, web] = ["db", "web"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
        t.apart([db, web]).by(Level::Rack);
        t.near([db, web], Level::Room).preferred(7);
        t.together([db, web]).preferred(3);
        t.zone([db], "az1");
        t.license([web], "CUSTOM_X").required();
        let mut model = t.finish(Exports::new());
        let lowered = lower(&model, &Default::default());
        let expected = "wattle.placement:
  policies:
  - apart:
    - db
    - web
    by: rack
  - near:
    - db
    - web
    within: room
    preferred: 7
  - together:
    - db
    - web
    preferred: 3
  - zone: az1
    servers:
    - db
  - license: CUSTOM_X
    servers:
    - web
";
        assert_eq!(metadata(&lowered.template).as_deref(), Some(expected));
        assert_eq!(metadata(&native::lower(&model).template).as_deref(), Some(expected));
        assert!(lowered.seed.sources["wattle_placement/0"].contains("placement.rs:"), "{:?}", lowered.seed.sources);
        model.placement.clear();
        assert_eq!(metadata(&lower(&model, &Default::default()).template), None);
    }

    #[test]
    fn servers_are_called_as_they_were_deployed() {
        let mut t = Topology::new("demo");
        let db = t.add("database", RawResource::new("OS::Nova::Server").moved_from("db"));
        let web = t.add("web", RawResource::new("OS::Nova::Server"));
        t.apart([db, web]);
        let lowered = lower(&t.finish(Exports::new()), &Default::default());
        assert!(metadata(&lowered.template).is_some_and(|text| text.contains("- db\n")), "{:?}", lowered.template);
    }

    #[test]
    fn who_reads_what_another_server_writes_talks_to_it() {
        let mut t = Topology::new("demo");
        for name in ["db", "web", "app"] {
            t.add(name, RawResource::new("OS::Nova::Server"));
        }
        let mut model = t.finish(Exports::new());
        let mut component = |server: &str, reads: &[(&str, &str)]| {
            let mut component = Component::new("x".into(), server.into(), "K".into(), Source::default());
            for (number, (from, output)) in reads.iter().enumerate() {
                let value = Expr::Leaf(Reference::Output { component: (*from).into(), output: (*output).into() });
                component.inputs.insert(format!("i{number}").into(), Binding { value, at: Source::default() });
            }
            model.components.insert(format!("{server}/x").into(), component);
        };
        component("db", &[("web/x", "name")]);
        component("web", &[("db/x", "url"), ("db/x", "port"), ("web/x", "own")]);
        component("app", &[("web/x", "url")]);
        let text = wattle_heat::emit::to_yaml(&wires(&model)).expect("emits");
        let expected = "- between:
  - web
  - db
  bandwidth: 3 Mbit/s
- between:
  - web
  - app
  bandwidth: 1 Mbit/s
";
        assert_eq!(text, expected);
    }
}
