//! Stacks of groups. Their resources contain only values, because functions are resolved in the stack that contains the
//! group.

use wattle_model::IndexMap;

use crate::Loaded;
use crate::environment::{Implementation, Registry, Target};
use crate::evaluate::Value;
use crate::properties::Property;
use crate::resource::{How, Member, Reference, ReferenceKind, Resource};
use crate::yaml::{Node, Span};

use super::{Stack, World, maker};

impl<'n> Stack<'n> {
    pub(super) fn of_members(world: &World, parent: &Stack<'n>, members: &[Member], registry: Registry) -> Self {
        let registry = with_scaled(registry);
        let resource = |each: &Member| (each.name.clone(), member(world, parent.loaded, &registry, each));
        let resources: IndexMap<String, Resource> = members.iter().map(resource).collect();
        let nested = world.nested.clone();
        Self { loaded: parent.loaded, depth: parent.depth + 1, resources, of_members: true, registry, nested }
    }
}

/// The registry of a group's stack, in which members of the older kind are mapped to AWS instances.
pub(crate) fn with_scaled(mut registry: Registry) -> Registry {
    let amazon = Target {
        implementation: Implementation::Type("AWS::EC2::Instance".to_owned()),
        path: None,
        value: Node::null(),
        file: "".into(),
        name_span: Span::default(),
    };
    registry.types.insert(Member::SCALED.to_owned(), amazon);
    registry
}

/// The resource that implements a member. `loaded` is the template with the group.
pub(crate) fn member(world: &World, loaded: &Loaded, registry: &Registry, member: &Member) -> Resource {
    let maker = maker(world, loaded, registry, &member.name, &member.ty);
    let reference = |name: &String| Reference {
        name: name.clone(),
        kind: ReferenceKind::Name,
        span: Span::default(),
        how: How::DependsOn,
    };
    let references = member.after.iter().map(reference).collect();
    let given = |(key, value): (&String, &Value)| {
        (key.clone(), Property { value: Some(value.clone()), pending: false, pair: None })
    };
    let given = member.properties.iter().map(given).collect();
    Resource { ty: member.ty.clone(), maker, given, external: false, references }
}
