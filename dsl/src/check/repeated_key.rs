//! W0312: several key pairs have the same name.

use std::collections::HashMap;

use super::counted::{members, open, text_of};
use super::registry::check;
use super::sink::Sink;
use crate::model::{Name, Source};

/// The type of key pairs.
const KEY_PAIR: &str = "OS::Nova::KeyPair";

check! {
    /// Several key pairs have the same name. Nova identifies key pairs by name, so it refuses all but the first. A name
    /// in the definition of a group's members is reported too, if the group has several members.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// for name in ["left", "right"] {
    ///     t.add(name, RawResource::new("OS::Nova::KeyPair").property("name", "admin"));
    /// }
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0312"));
    /// ```
    ///
    /// Give each key pair its own name:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// for name in ["left", "right"] {
    ///     t.add(name, RawResource::new("OS::Nova::KeyPair").property("name", text!("admin-{}", name)));
    /// }
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0312"));
    /// ```
    CHECK: "W0312", Error, "several key pairs have the same name", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    // Names are unique per user.
    let mut known: HashMap<(String, Option<String>), (&Name, &Source)> = HashMap::new();
    let mut found = Vec::new();
    for (name, pair) in model.resources.iter().filter(|(_, resource)| &*resource.ty == KEY_PAIR) {
        // Of resources with conditions, perhaps only one will exist.
        if pair.condition.is_some() || pair.external_id.is_some() {
            continue;
        }
        let Some(binding) = pair.properties.get("name") else { continue };
        let Some(given) = text_of(&binding.value) else { continue };
        let user = pair.properties.get("user").map(|user| format!("{:?}", open(&user.value)));
        match known.get(&(given.to_owned(), user.clone())) {
            Some((first, at)) => found.push((name, given, &binding.at, *first, *at)),
            None => drop(known.insert((given.to_owned(), user), (name, &binding.at))),
        }
    }
    for (name, given, at, first, other) in found {
        let mut diagnostic = CHECK
            .diagnostic(format!("the key pairs `{name}` and `{first}` are both named `{given}`"))
            .label(at, "refused by Nova");
        if at != other {
            diagnostic = diagnostic.label(other, format!("`{first}` already has this name"));
        }
        sink.push(diagnostic.help("give each its own name, or use one key pair for both"));
    }
    for group in members(model).filter(|group| group.ty == KEY_PAIR) {
        let Some(given) = group.one_name() else { continue };
        let diagnostic = CHECK
            .diagnostic(format!("{} of `{}` are named `{given}`", group.all("key pairs"), group.name))
            .label(group.at, "refused by Nova for all but the first")
            .help(group.own_names(given, "add one key pair outside the group, for all of its members"));
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, map};
    use crate::model::Model;

    fn pairs(names: [&str; 2], users: [&str; 2]) -> Sketch {
        let mut sketch = Sketch::new();
        for (each, (name, user)) in ["left", "right"].into_iter().zip(names.into_iter().zip(users)) {
            sketch = sketch.resource(each, super::KEY_PAIR).property(each, "name", name).property(each, "user", user);
        }
        sketch
    }

    pub(in crate::check) fn failing() -> Model {
        pairs(["admin", "admin"], ["a", "a"]).model
    }

    #[test]
    fn other_names_and_those_of_other_users_are_others() {
        assert!(codes(&pairs(["one", "two"], ["a", "a"]).model).is_empty());
        assert!(codes(&pairs(["admin", "admin"], ["a", "b"]).model).is_empty());
        let mut either = failing();
        either.resources["right"].condition = Some(Box::new(false.into()));
        assert!(codes(&either).is_empty());
    }

    #[test]
    fn members_of_a_group_are_counted() {
        let group = |name: &str, count: i32| {
            let member = map([("type", super::KEY_PAIR.into()), ("properties", map([("name", name.into())]))]);
            let sketch = Sketch::new().resource("group", "OS::Heat::ResourceGroup").property("group", "count", count);
            codes(&sketch.property("group", "resource_def", member).model)
        };
        assert_eq!(group("admin", 2), ["W0312"]);
        assert!(group("admin", 1).is_empty() && group("admin-%index%", 2).is_empty());
    }
}
