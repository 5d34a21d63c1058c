//! Members of groups, according to the definition in their group.

use wattle_model::IndexMap;

use crate::environment::is_template;
use crate::limits;
use crate::properties::What;
use crate::resource::{Broken, Maker, Member, Resource, Subject};
use crate::stack::World;

use super::{OfMember, Refused, given};

/// Faults of a group's members, as Heat judges them. In a nested stack it checks names and the rules of a class, but no
/// values.
pub(super) fn of_members(world: &World, group: &Resource, depth: usize) -> Vec<Refused> {
    let Some(class) = group.class().group.filter(|_| depth <= limits::NESTED) else { return Vec::new() };
    let within = |names: &[&str]| {
        let given = names.iter().find(|name| group.given.contains_key(**name));
        given.map(|name| (*name).to_owned())
    };
    let definition = within(&["resource_def", "resource", "resource_properties", "resources"]);
    let refused = |why: String, help: &'static str, member: OfMember| Refused {
        property: definition.clone(),
        why,
        help: Some(help),
        member: Some(member),
    };
    let Some(members) = (class.members)(group, true) else {
        // A missing definition is reported separately, except for a group within another one.
        let why = "the definition of its members cannot be read".to_owned();
        let unread =
            (definition.is_some() || depth > 1).then(|| refused(why, "check their definition", OfMember::Together));
        return unread.into_iter().collect();
    };
    let all: IndexMap<String, Resource> =
        members.iter().map(|member| (member.name.clone(), made(world, member))).collect();
    let mut found: Vec<Refused> = Vec::new();
    for (name, resource) in &all {
        let ty = &resource.ty;
        match resource.maker {
            Maker::None if ty.is_empty() => {
                found.push(refused("a member has no type".to_owned(), "add one", OfMember::Together));
            }
            // Other types belong to plug-ins, or an environment maps them.
            Maker::None if !is_template(ty) && ["OS::", "AWS::"].iter().any(|own| ty.starts_with(own)) => {
                let why = format!("the type `{}` of a member does not exist", ty.escape_debug());
                let at = within(&["resources"]).or_else(|| definition.clone());
                let wrong = refused(why, "neither Heat nor its plugins define it", OfMember::Type(ty.clone()));
                found.push(Refused { property: at, help: None, ..wrong });
            }
            // Clients send templates that are the value of a `type` key, but not those in a list.
            Maker::None if is_template(ty) && !ty.contains("://") && group.made_by() == "OS::Heat::ResourceChain" => {
                let why = format!(
                    "Heat does not receive the template `{}`, from which a member is created",
                    ty.escape_debug()
                );
                let help = "map your own type to it in an environment, and use that type";
                found.push(refused(why, help, OfMember::Together));
            }
            Maker::None | Maker::Template(_) => {}
            Maker::Type(_) if resource.is_placeholder() => {}
            Maker::Type(_) => {
                let wrongs = resource.properties().wrongs(false);
                let subject = Subject { name, resource, all: &all, template: None, metadata: None, nested: true };
                if wrongs.is_empty() {
                    match subject.broken().next() {
                        Some(Ok(Broken { what, help })) => {
                            found.push(refused(format!("a member: {what}"), help, OfMember::Together));
                        }
                        Some(Err(_)) => {
                            found.push(refused(unread(resource), "check its properties", OfMember::Together));
                        }
                        None => {}
                    }
                    found.extend(of_members(world, resource, depth + 1));
                }
                for wrong in wrongs {
                    let (why, member) = match wrong.what {
                        What::Unknown { name, known } => {
                            let why = format!("a member has no property `{}`", name.escape_debug());
                            (why, OfMember::Property { ty: ty.clone(), name, known })
                        }
                        what => (format!("a member: {}", what.why()), OfMember::Together),
                    };
                    found.push(refused(why, "check their definition", member));
                }
            }
        }
    }
    // The members of a group are alike, so one of them is enough.
    found.dedup();
    found
}

/// Why the rules of a member's class cannot read its properties.
fn unread(resource: &Resource) -> String {
    let wrongs = resource.properties().wrongs(true);
    let missing = wrongs.iter().find_map(|wrong| match &wrong.what {
        What::Missing(name) if wrong.path.is_empty() || *name == wrong.path => Some(name),
        _ => None,
    });
    match missing {
        Some(name) => format!("a member lacks the property `{name}`"),
        None => "a member has a property that cannot be read".to_owned(),
    }
}

/// The resource that implements a member.
fn made(world: &World, member: &Member) -> Resource {
    // A member of the older kind is an AWS instance.
    let ty = if member.ty == Member::SCALED { "AWS::EC2::Instance" } else { &*member.ty };
    Resource {
        ty: member.ty.clone(),
        maker: world.types.get(ty).map_or(Maker::None, Maker::Type),
        given: given(&member.properties, &[]),
        external: false,
        references: Vec::new(),
    }
}
