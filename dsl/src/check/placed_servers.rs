//! W0313: a placement policy with invalid members.

use crate::author::FOREIGN;
use crate::model::Name;

use super::registry::check;
use super::sink::Sink;
use super::unknown_type::is_unknown;

check! {
    /// A placement policy names something that is not a server, names the same server twice, or names too few servers.
    ///
    /// `apart`, `together` and `near` need at least two servers, `zone` and `license` at least one.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let db = t.add("db", RawResource::new("OS::Nova::Server"));
    /// t.apart([db]).by(Level::Rack);
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0313"));
    /// ```
    ///
    /// Name as many servers as the policy needs:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let db = t.add("db", RawResource::new("OS::Nova::Server"));
    /// let web = t.add("web", RawResource::new("OS::Nova::Server"));
    /// t.apart([db, web]).by(Level::Rack);
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0313"));
    /// ```
    CHECK: "W0313", Error, "a placement policy with invalid members", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for policy in &model.placement {
        let (word, mut known): (_, Vec<&Name>) = (policy.rule.word(), Vec::new());
        for name in &policy.members {
            if known.contains(&name) {
                let diagnostic = CHECK.diagnostic(format!("the policy `{word}` names `{name}` twice"));
                sink.push(diagnostic.label(&policy.at, "here").help("name it once"));
                continue;
            }
            known.push(name);
            match model.resources.get(name) {
                Some(resource) if resource.is_server() || is_several(&resource.ty) || is_unknown(model, resource) => {}
                Some(resource) => {
                    let diagnostic = CHECK
                        .diagnostic(format!("the policy `{word}` names `{name}`, which is not a server"))
                        .label(&policy.at, "here")
                        .label(&resource.at, format!("`{name}` has the type `{}`", resource.ty));
                    sink.push(diagnostic.help("name servers only"));
                }
                None if &**name == FOREIGN => {
                    let diagnostic =
                        CHECK.diagnostic(format!("the policy `{word}` names a server of another topology"));
                    sink.push(diagnostic.label(&policy.at, "here").help("name servers of this topology"));
                }
                // A part of a template may contain servers.
                None if name.contains('/') => {}
                None => {
                    let near = crate::names::nearest(name, model.resources.keys().map(|name| &**name));
                    let diagnostic = CHECK
                        .diagnostic(format!("the policy `{word}` names `{name}`, which does not exist"))
                        .label(&policy.at, "here");
                    let help =
                        near.map_or_else(|| "name a server of this stack".to_owned(), crate::names::did_you_mean);
                    sink.push(diagnostic.help(help));
                }
            }
        }
        let is_open = known.iter().any(|name| model.resources.get(*name).is_some_and(|of| is_several(&of.ty)));
        let (named, fewest) = (known.len(), if is_open { 1 } else { policy.rule.fewest() });
        if named < fewest {
            let servers = if fewest == 1 { "1 server".to_owned() } else { format!("{fewest} servers") };
            let diagnostic =
                CHECK.diagnostic(format!("the policy `{word}` names {named}, but needs at least {servers}"));
            sink.push(diagnostic.label(&policy.at, "here").help("name another server, or remove the policy"));
        }
    }
}

/// Whether a resource of this type may be several servers.
fn is_several(ty: &str) -> bool {
    ty.starts_with("OS::Heat::") && ty.ends_with("Group") || ty.ends_with(".yaml")
}

#[cfg(test)]
pub(super) mod tests {
    use crate::author::{Exports, RawResource, Topology};
    use crate::check::testing::codes;
    use crate::model::Model;
    use crate::model::placement::Level;

    pub(in crate::check) fn failing() -> Model {
        let mut t = Topology::new("demo");
        let net = t.add("net", RawResource::new("OS::Nova::ServerGroup"));
        let db = t.add("db", RawResource::new("OS::Nova::Server"));
        t.near([net, db], Level::Rack);
        t.finish(Exports::new())
    }

    #[test]
    fn each_mistake_is_found() {
        let of = |say: fn(&mut Topology)| {
            let mut t = Topology::new("demo");
            say(&mut t);
            codes(&t.finish(Exports::new()))
        };
        assert_eq!(
            of(|t| {
                let db = t.add("db", RawResource::new("OS::Nova::Server"));
                t.together([db, db]);
            }),
            ["W0313", "W0313"]
        );
        assert_eq!(
            of(|t| {
                let db = Topology::new("other").add("db", RawResource::new("OS::Nova::Server"));
                t.zone([db], "az1");
            }),
            ["W0313"]
        );
        assert_eq!(
            of(|t| {
                t.license(Vec::<crate::author::Resource>::new(), "x");
            }),
            ["W0313"]
        );
    }
}
