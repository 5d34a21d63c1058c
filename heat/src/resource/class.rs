//! The behaviour of one of Heat's classes beyond the schema of its type.

use wattle_model::{IndexMap, Name, PropertySchema, Schema};

use crate::properties::{Addition, Refused, Translation};

use super::{Change, Given, Member, Resource, Subject};

/// The behaviour of a class beyond the schema of its type. A class without any is [`Class::PLAIN`].
#[expect(clippy::struct_excessive_bools, reason = "each is a decision that Heat's code makes by class")]
pub(crate) struct Class {
    /// The name of its type.
    pub(crate) ty: &'static str,
    /// The result of `get_resource` before the resource is created.
    pub(crate) refers: Refers,
    /// Properties that Heat reads under another name.
    pub(crate) translates: &'static [Translation],
    /// Properties whose value Heat adds to another property, which is a list.
    pub(crate) adds: &'static [Addition],
    /// Another schema, if the properties of the resource require one.
    pub(crate) schema: fn(&Resource, &Schema) -> Option<Schema>,
    /// Resources that Heat creates before it although the template does not require it (`add_dependencies`).
    pub(crate) depends: for<'s> fn(Subject<'s>) -> Found<'s>,
    /// Its requirements on combinations of properties (`validate`), in Heat's order. The first violated rule is reported.
    pub(crate) validates: &'static [fn(Subject<'_>) -> Ruled],
    /// The schema of its `update_policy`.
    pub(crate) update_policy: fn() -> IndexMap<Name, PropertySchema>,
    /// Whether it can be saved as a snapshot when it is deleted.
    pub(crate) snapshots: bool,
    /// Whether any name is an attribute of it, because its attributes are those of its content.
    pub(crate) any_attribute: bool,
    /// The members that a group creates.
    pub(crate) group: Option<Group>,
    /// Properties that cannot be changed (`immutable`).
    pub(crate) immutable: &'static [&'static str],
    /// Whether Heat refuses a change only while carrying it out (`handle_update`), and what to do instead.
    pub(crate) refuses: fn(&Change<'_>) -> Option<String>,
    /// Properties that Heat cannot unset: it sends null for them, which the service does not accept.
    pub(crate) needed: &'static [&'static str],
    /// Whether a change that keeps the resource loses its content, and how to keep that.
    pub(crate) rebuilds: fn(&Change<'_>) -> Option<String>,
    /// The effect of a change of these properties, in a sentence, where the schema does not tell it.
    pub(crate) effects: &'static [(&'static str, &'static str)],
    /// Properties whose changes Heat accepts without acting on them.
    pub(crate) ignores: &'static [&'static str],
    /// Properties for which a policy in the same resource determines the effect of a change.
    pub(crate) varies: &'static [&'static str],
    /// Whether it ignores a change because of other properties.
    pub(crate) disregards: fn(&Change<'_>) -> bool,
    /// Effects of a change in place that its wording does not mention.
    pub(crate) notes: fn(&Change<'_>) -> Vec<String>,
    /// Whether Heat replaces it for a change that the schema allows in place, and how to keep it.
    pub(crate) replaces: fn(&Change<'_>) -> Option<Vec<String>>,
    /// The thing of which its service refuses a second one, if a change replaces the resource: Heat creates the new one
    /// before it deletes the old one.
    pub(crate) clashes: fn(&Change<'_>) -> Option<&'static str>,
    /// Whether Heat replaces it on every update of the stack.
    pub(crate) always_replaced: fn(Given<'_>) -> bool,
    /// Whether Heat updates it on every update of the stack, with an effect.
    pub(crate) always_updated: fn(Given<'_>) -> bool,
    /// Whether a change of its metadata replaces it.
    pub(crate) replaced_by_metadata: bool,
    /// Whether others refer to it by its given name, so that they treat another resource with that name as the same one.
    pub(crate) referred_by_name: bool,
}

impl Class {
    /// A class without behaviour beyond its schema.
    pub(crate) const PLAIN: Self = Self {
        ty: "",
        refers: Refers::Name,
        translates: &[],
        adds: &[],
        schema: |_, _| None,
        depends: |_| Ok(Vec::new()),
        validates: &[],
        update_policy: IndexMap::default,
        snapshots: false,
        any_attribute: false,
        group: None,
        immutable: &[],
        refuses: |_| None,
        needed: &[],
        rebuilds: |_| None,
        effects: &[],
        ignores: &[],
        varies: &[],
        disregards: |_| false,
        notes: |_| Vec::new(),
        replaces: |_| None,
        clashes: |_| None,
        always_replaced: |_| false,
        always_updated: |_| false,
        replaced_by_metadata: false,
        referred_by_name: false,
    };
}

impl std::fmt::Debug for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.ty)
    }
}

/// The value of a reference to a resource that has not been created yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refers {
    /// Its name.
    Name,
    /// Null.
    Nothing,
    /// The text "None".
    None,
}

/// A class whose resources are separate stacks.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    /// Its members, if they can be known. With `all`, as in Heat's validation, they include properties with unknown values,
    /// and of members that are all alike only the first is listed.
    pub(crate) members: fn(&Resource, bool) -> Option<Vec<Member>>,
    /// The member's attribute that an attribute of the group stands for, given the next part of the path in the call.
    /// `None` if the group has the attribute itself.
    pub(crate) asked: fn(&Schema, &str, Option<String>) -> Option<Asked>,
}

/// An attribute of a group's members.
pub(crate) struct Asked {
    /// The member. `None` for any.
    pub(crate) member: Option<String>,
    /// Its attribute.
    pub(crate) attribute: String,
}

/// The resources that a rule finds, by name.
pub(crate) type Found<'s> = Result<Vec<&'s str>, Refused>;

/// A violated rule, and how to fix it.
pub(crate) struct Broken {
    pub(crate) what: String,
    pub(crate) help: &'static str,
}

/// The result of a rule for a resource. Heat refuses a resource if the rule cannot read one of its properties.
pub(crate) type Ruled = Result<Option<Broken>, Refused>;
