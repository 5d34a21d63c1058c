//! What a class of Heat's does beyond the schema of its type.

use wattle_model::{IndexMap, Name, PropertySchema, Schema};

use crate::properties::{Addition, Refused, Translation};

use super::{Change, Given, Member, Resource, Subject};

/// What a class does beyond the schema of its type. One that does nothing else is [`Class::PLAIN`].
#[expect(clippy::struct_excessive_bools, reason = "each is a question that Heat's code answers by class")]
pub(crate) struct Class {
    /// The name of its type.
    pub(crate) ty: &'static str,
    /// What `get_resource` gives before the resource is made.
    pub(crate) refers: Refers,
    /// Properties that Heat reads under another name.
    pub(crate) translates: &'static [Translation],
    /// Properties whose value Heat adds to another one, a list.
    pub(crate) adds: &'static [Addition],
    /// Another schema, where the properties of the resource ask for one.
    pub(crate) schema: fn(&Resource, &Schema) -> Option<Schema>,
    /// What Heat makes before it though the template does not say so (`add_dependencies`).
    pub(crate) depends: for<'s> fn(Subject<'s>) -> Found<'s>,
    /// What it asks of its properties together (`validate`), in Heat's order: the first rule that is broken is reported.
    pub(crate) validates: &'static [fn(Subject<'_>) -> Ruled],
    /// The schema of its `update_policy`.
    pub(crate) update_policy: fn() -> IndexMap<Name, PropertySchema>,
    /// Whether it can be kept as a snapshot when it is deleted.
    pub(crate) snapshots: bool,
    /// Whether any name is an attribute of it: those of what it holds.
    pub(crate) any_attribute: bool,
    /// What a group makes.
    pub(crate) group: Option<Group>,
    /// Properties whose change Heat refuses (`immutable`).
    pub(crate) immutable: &'static [&'static str],
    /// Whether Heat refuses a change only when it carries it out (`handle_update`), and if it does, what could be done.
    pub(crate) refuses: fn(&Change<'_>) -> Option<String>,
    /// Properties that Heat cannot take away again: it sends nothing for them, and the service takes that for no value.
    pub(crate) needed: &'static [&'static str],
    /// Whether a change that keeps it loses what was on it, and if it does, how that would be kept.
    pub(crate) rebuilds: fn(&Change<'_>) -> Option<String>,
    /// Properties of which Heat takes another value and does nothing about it.
    pub(crate) ignores: &'static [&'static str],
    /// Properties of which a policy beside them says what another value does.
    pub(crate) varies: &'static [&'static str],
    /// Whether it does nothing about a change because of what else is given.
    pub(crate) disregards: fn(&Change<'_>) -> bool,
    /// What a change in place brings about that its words do not say.
    pub(crate) notes: fn(&Change<'_>) -> Vec<String>,
    /// Whether Heat replaces it for a change that its schema takes in place, and if it does, how it would be kept.
    pub(crate) replaces: fn(&Change<'_>) -> Option<Vec<String>>,
    /// Whether Heat replaces it whenever its stack is updated.
    pub(crate) always_replaced: fn(Given<'_>) -> bool,
    /// Whether Heat updates it whenever its stack is updated, and that does something.
    pub(crate) always_updated: fn(Given<'_>) -> bool,
    /// Whether a change of its metadata replaces it.
    pub(crate) replaced_by_metadata: bool,
    /// Whether others refer to it by the name that it is given: another one of that name is the same to them.
    pub(crate) referred_by_name: bool,
}

impl Class {
    /// One that does nothing beyond its schema.
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
        ignores: &[],
        varies: &[],
        disregards: |_| false,
        notes: |_| Vec::new(),
        replaces: |_| None,
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

/// What stands for a resource that is not made yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refers {
    /// Its name.
    Name,
    /// Nothing at all.
    Nothing,
    /// The text "None".
    None,
}

/// A class whose resources are stacks of their own.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    /// Its members, if they can be known. With `all`, as when Heat validates, they have the properties too whose values
    /// are not known yet, and of members that are all alike there is the first one.
    pub(crate) members: fn(&Resource, bool) -> Option<Vec<Member>>,
    /// What an attribute of the group, given with what follows it in the call, asks of a member. Nothing if it is the
    /// group's own.
    pub(crate) asked: fn(&Schema, &str, Option<String>) -> Option<Asked>,
}

/// An attribute of a group's members.
pub(crate) struct Asked {
    /// The member; any, if none.
    pub(crate) member: Option<String>,
    /// Its attribute.
    pub(crate) attribute: String,
}

/// The resources that a rule finds, by name.
pub(crate) type Found<'s> = Result<Vec<&'s str>, Refused>;

/// What is wrong, and how to fix it.
pub(crate) struct Broken {
    pub(crate) what: String,
    pub(crate) help: &'static str,
}

/// What a rule says of a resource. Heat refuses one that has a property that the rule cannot read.
pub(crate) type Ruled = Result<Option<Broken>, Refused>;
