//! References of a resource.

use crate::evaluate::{Scope, Value};
use crate::template::{Call, Context, Function, Resource, Step};
use crate::yaml::{Node, Span, Tree};

/// A reference to a resource by name.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// The name.
    pub(crate) name: String,
    /// The kind of what is written in place of the name.
    pub(crate) kind: ReferenceKind,
    /// Its place.
    pub(crate) span: Span,
    /// The kind of the reference.
    pub(crate) how: How,
}

/// The kind of what is written in place of a resource's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReferenceKind {
    /// A name.
    Name,
    /// Something else, which cannot be a name.
    Other,
    /// A list or a map, which Heat does not even look up.
    Parts,
    /// A failing function.
    Failure,
}

/// The kind of a reference.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum How {
    /// `depends_on`.
    DependsOn,
    /// `get_resource`.
    Resource,
    /// `get_attr`, with the attribute's name and the path into it, each with its place. Empty for all attributes.
    Attribute(Vec<(Value, Span)>),
}

impl Reference {
    fn of(name: &Value, span: Span, how: How) -> Self {
        let kind = match name {
            Value::Text(_) => ReferenceKind::Name,
            Value::List(_) | Value::Map(_) => ReferenceKind::Parts,
            Value::Absent => ReferenceKind::Failure,
            _ => ReferenceKind::Other,
        };
        Self { name: name.python(), kind, span, how }
    }
}

/// All references of `resource` in its properties, its metadata and `depends_on`. Of each `if`, only those in the effective
/// branch.
pub(crate) fn references(scope: &Scope<'_>, resource: &Resource) -> Vec<Reference> {
    let mut found: Vec<_> = resource
        .depends_on()
        .map(|(name, span)| Reference { name: name.to_owned(), kind: ReferenceKind::Name, span, how: How::DependsOn })
        .collect();
    for node in resource.properties.iter().chain(&resource.metadata) {
        found.extend(within(scope, node));
    }
    found
}

/// All references in `node`.
pub(crate) fn within(scope: &Scope<'_>, node: &Node) -> Vec<Reference> {
    let mut found = Vec::new();
    scope.walk(node, Context::Value, &mut |_, call, _| {
        if let Some(call) = call {
            found.extend(of_call(scope, call));
        }
        Step::Into
    });
    found
}

/// Whether `node` refers to any resource.
pub(crate) fn refers(scope: &Scope<'_>, node: &Node) -> bool {
    !within(scope, node).is_empty()
}

fn of_call(scope: &Scope<'_>, call: &Call<'_>) -> Option<Reference> {
    use Function::{
        And, Contains, Digest, Equals, Filter, FnBase64, FnGetAzs, FnJoin, FnMemberListToMap, FnReplace,
        FnResourceFacade, FnSelect, FnSplit, GetFile, GetParam, If, ListConcat, ListConcatUnique, ListJoin, MakeUrl,
        MapMerge, MapReplace, Not, Or, Repeat, ResourceFacade, StrReplace, StrReplaceStrict, StrReplaceVstrict,
        StrSplit, Yaql,
    };
    let value = |node: &Node| match scope.value(node) {
        Ok(Value::Unknown) => None,
        Ok(value) => Some(value),
        // Failing calls are reported elsewhere if Heat needs their value. It needs names everywhere.
        Err(_) => Some(Value::Absent),
    };
    match call.function {
        Function::GetResource => {
            let (name, span) = (value(call.argument)?, call.argument.span);
            Some(Reference::of(&name, span, How::Resource))
        }
        Function::Ref => {
            let (name, span) = (value(call.argument)?, call.argument.span);
            let is_resource = match &name {
                Value::Text(name) => scope.template().resources.contains_key(name),
                name => matches!(name, Value::List(_) | Value::Map(_)),
            };
            is_resource.then(|| Reference::of(&name, span, How::Resource))
        }
        // To Python, a text with one character is a list with one name.
        Function::GetAttr if call.argument.tree.as_text().is_some_and(|text| text.chars().count() == 1) => {
            Some(Reference::of(&value(call.argument)?, call.argument.span, How::Attribute(Vec::new())))
        }
        Function::GetAttr => {
            let (first, rest) = call.arguments()?.split_first()?;
            let mut path: Vec<_> = rest.iter().filter_map(|node| Some((value(node)?, node.span))).collect();
            if rest.first().is_some_and(|node| matches!(*node.tree, Tree::Null)) {
                path.clear();
            }
            Some(Reference::of(&value(first)?, first.span, How::Attribute(path)))
        }
        GetParam | ListJoin | StrReplace | ResourceFacade | GetFile | Repeat | Digest | StrSplit | MapMerge
        | MapReplace | Yaql | If | Filter | StrReplaceStrict | StrReplaceVstrict | MakeUrl | ListConcat
        | ListConcatUnique | Contains | Equals | Not | And | Or | FnGetAzs | FnSelect | FnJoin | FnSplit
        | FnReplace | FnBase64 | FnMemberListToMap | FnResourceFacade => None,
    }
}
