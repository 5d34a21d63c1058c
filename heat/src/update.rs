//! The effect of a stack update on a resource, according to its schema and its class.
//!
//! What lives here: the rules for one resource whose properties differ. What must not: which resources differ, and the
//! effects of a replacement on others.

use wattle_model::names;

use crate::classes;
use crate::desired::Resource;
use crate::resource::Change;

/// Heat's action on a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It changes in place.
    Update,
    /// It stays, with its identity and its addresses, but its content is lost.
    Rebuild,
    /// A new resource takes its place.
    Replace,
    /// The update fails.
    Refuse,
}

/// The effect of an update on a resource, and the alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Heat's action.
    pub action: Action,
    /// Alternatives.
    pub help: Vec<String>,
    /// Effects of a change in place, or omissions, that its wording does not mention.
    pub notes: Vec<String>,
}

/// The effect of an update on a resource with different properties.
pub fn verdict(before: &Resource, after: &Resource, changed: &[&str]) -> Verdict {
    let change = &Change { before: before.compared(), after: after.compared(), changed };
    let class = after.class();
    let without_notes = |action, help| Verdict { action, help, notes: Vec::new() };
    if let Some(name) = class.immutable.iter().find(|name| change.has(name)) {
        let help =
            format!("Heat never changes `{name}` of such a resource: rename the resource, and Heat creates a new one");
        return without_notes(Action::Refuse, vec![help]);
    }
    let fixed = |name: &&str| after.schema(name).is_some_and(|property| !property.updatable);
    let fixed: Vec<&str> = changed.iter().copied().filter(fixed).collect();
    // A replaced resource is created again, whatever is possible with the existing one.
    if let Some(help) = (class.replaces)(change) {
        return without_notes(Action::Replace, help);
    }
    if !fixed.is_empty() {
        let names = names::list(fixed.iter().copied(), "and");
        let them = if fixed.len() == 1 { "it" } else { "them" };
        let help = format!("Heat cannot change {names} in place: leave {them} unchanged");
        return without_notes(Action::Replace, vec![help]);
    }
    if let Some(help) = (class.refuses)(change) {
        return without_notes(Action::Refuse, vec![help]);
    }
    if let Some(name) = changed.iter().find(|name| is_needed(after, name)) {
        let help = format!("the service refuses to remove `{name}`: write a new value instead");
        return without_notes(Action::Refuse, vec![help]);
    }
    let mut notes = (class.notes)(change);
    let ignored: Vec<&str> = class.ignores.iter().copied().filter(|name| change.has(name)).collect();
    if !ignored.is_empty() {
        let names = names::list(ignored, "and");
        notes.push(format!("Heat records {names} but changes nothing in the service"));
    }
    match (class.rebuilds)(change) {
        Some(help) => Verdict { action: Action::Rebuild, help: vec![help], notes },
        None => Verdict { action: Action::Update, help: Vec::new(), notes },
    }
}

/// The effect of a change of a property on an existing resource of the type `ty`, in a sentence. `updatable` and `immutable`
/// are as in the property's schema.
pub fn effect(ty: &str, property: &str, updatable: bool, immutable: bool) -> &'static str {
    let class = classes::of(ty);
    let known = class.effects.iter().find(|(name, _)| *name == property);
    match known {
        _ if immutable || class.immutable.contains(&property) => "It cannot be changed.",
        Some((_, effect)) => effect,
        None if class.ignores.contains(&property) => "A change does nothing to what exists.",
        None if updatable => "Changed in place.",
        None => "A change replaces the resource.",
    }
}

/// Whether Heat accepts that a property is removed although its service refuses it. The property can be removed by calling
/// the service directly, without Heat.
pub fn is_needed(after: &Resource, property: &str) -> bool {
    after.class().needed.contains(&property) && after.compared().value(property).is_none()
}

/// Why the replacement of a resource whose properties `changed` differ fails, and what to do instead.
pub fn clash(before: &Resource, after: &Resource, changed: &[&str]) -> Option<String> {
    let change = &Change { before: before.compared(), after: after.compared(), changed };
    let second = (after.class().clashes)(change)?;
    Some(format!(
        "the update fails, because Heat creates the new one before it deletes the old one, and the service refuses a second \
         {second}: leave it out of the template for one update, and put it back for the next one"
    ))
}

/// Whether a change of this property alone replaces the resource, given its current policies.
///
/// This does not include changes that Heat refuses because of specific old and new values, such as shrinking a volume.
pub fn replaces(resource: &Resource, property: &str) -> bool {
    let (given, changed) = (resource.compared(), [property]);
    let change = &Change { before: given, after: given, changed: &changed };
    let class = resource.class();
    class.immutable.contains(&property)
        || resource.schema(property).is_some_and(|schema| !schema.updatable)
        || (class.replaces)(change).is_some()
}

/// Whether Heat accepts another value of a property without acting on it.
pub fn is_ignored(resource: &Resource, property: &str) -> bool {
    let (given, changed) = (resource.compared(), [property]);
    let class = resource.class();
    class.ignores.contains(&property) || (class.disregards)(&Change { before: given, after: given, changed: &changed })
}

/// Properties for which a policy in the same resource determines the effect of a change. For these, the results of
/// [`replaces`] and [`is_ignored`] differ from template to template.
pub fn varies(resource: &Resource) -> &'static [&'static str] {
    resource.class().varies
}

/// Whether Heat replaces such a resource on every update.
pub fn is_always_replaced(resource: &Resource) -> bool {
    (resource.class().always_replaced)(resource.compared())
}

/// Whether Heat updates such a resource on every update, with an effect.
pub fn is_always_updated(resource: &Resource) -> bool {
    (resource.class().always_updated)(resource.compared())
}

/// Whether a change of its metadata replaces such a resource.
pub fn is_replaced_by_metadata(resource: &Resource) -> bool {
    resource.class().replaced_by_metadata
}

/// Whether references to such a resource stay the same after it is replaced, because others refer to it by its given name.
pub fn keeps_reference(before: &Resource, after: &Resource) -> bool {
    let name = after.compared().text("name");
    let is_named = before.ty() == after.ty() && after.class().referred_by_name;
    is_named && name.is_some() && name == before.compared().text("name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Loaded;
    use crate::desired::{Desired, Facts};

    /// The effect of an update on a resource of the type `ty` whose properties `changed` differ.
    fn of(ty: &str, before: &str, after: &str, changed: &[&str]) -> Verdict {
        let stack = |properties: &str| {
            let text = format!(
                "heat_template_version: 2021-04-16\nresources:\n  r:\n    type: {ty}\n    properties: {{{properties}}}\n"
            );
            Desired::of(&Loaded::of(&text, "template.yaml"), &Facts::default())
        };
        let [before, after] = [before, after].map(stack);
        verdict(&before.resources["r"], &after.resources["r"], changed)
    }

    /// The notes on a cluster whose properties change.
    fn notes(before: &str, after: &str, changed: &[&str]) -> Vec<String> {
        let [before, after] = [before, after].map(|properties| format!("cluster_template: t, {properties}"));
        of("OS::Magnum::Cluster", &before, &after, changed).notes
    }

    #[test]
    fn an_effect_in_words_is_the_verdict() {
        let server = "OS::Nova::Server";
        for (ty, property, action, words) in [
            (server, "image", Action::Rebuild, "its disk is lost"),
            (server, "user_data", Action::Replace, "replaces the server"),
            (server, "flavor", Action::Update, "resizes the server"),
            (server, "metadata", Action::Update, "Changed in place"),
            (server, "key_name", Action::Replace, "replaces the resource"),
            (server, "image_update_policy", Action::Update, "does nothing"),
            ("OS::Cinder::Volume", "backup_id", Action::Rebuild, "overwrites the volume"),
            ("OS::Neutron::NetworkGateway", "devices", Action::Rebuild, "recreates the gateway"),
            ("OS::Neutron::Trunk", "port", Action::Refuse, "cannot be changed"),
        ] {
            let value = |text: &str| match property {
                "metadata" => format!("{property}: {{a: {text}}}"),
                "devices" => format!("{property}: [{{id: {text}, interface_name: eth0}}]"),
                _ => format!("{property}: {text}"),
            };
            assert_eq!(of(ty, &value("x"), &value("y"), &[property]).action, action, "{ty} {property}");
            let schema = crate::schema::schema(ty).expect("a type");
            let schema = &schema.properties[property];
            let effect = effect(ty, property, schema.updatable, false);
            assert!(effect.contains(words), "{ty} {property}: {effect}");
        }
        // Each property with words of its own exists.
        for ty in crate::schema::types() {
            let class = classes::of(ty);
            assert!(
                class
                    .effects
                    .iter()
                    .all(|(name, _)| crate::schema::schema(ty).expect("it").properties.contains_key(*name))
            );
        }
    }

    #[test]
    fn a_cluster_that_shrinks_loses_nodes() {
        let deletes = |nodes: &str| vec![format!("Magnum deletes {nodes}")];
        let three = deletes("3 nodes of the cluster, with everything that is stored on them");
        assert_eq!(notes("node_count: 5", "node_count: 2", &["node_count"]), three);
        assert_eq!(
            notes("node_count: 4", "create_timeout: 90", &["create_timeout", "node_count"]),
            three,
            "the default is one"
        );
        let one = deletes("one master of the cluster, with everything that is stored on it");
        assert_eq!(notes("master_count: 3", "master_count: 2", &["master_count"]), one);
        assert_eq!(notes("node_count: 2", "node_count: 5", &["node_count"]), [""; 0]);
        assert_eq!(notes("node_count: 2", "node_count: {get_attr: [r, x]}", &["node_count"]), [""; 0]);
    }
}
