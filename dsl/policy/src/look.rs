//! What policies examine: the resources that will exist, including members of groups, and what is known of a value.

use wattle_model::{Diagnostic, Expr, IndexMap, Model, Name, Reference, Resource, Source, Value};

use crate::codes::UNSEEN;

/// A resource, or the definition that a group gives for each of its members.
pub(crate) struct Seen<'m> {
    /// Its name in messages: `db`, or `each member of workers`.
    pub(crate) name: String,
    pub(crate) ty: &'m str,
    pub(crate) at: &'m Source,
    properties: Properties<'m>,
}

enum Properties<'m> {
    OfResource(&'m IndexMap<Name, wattle_model::Binding>),
    /// The properties of a group's members, as one value of the group.
    OfMember(Option<Node<'m>>),
}

impl<'m> Seen<'m> {
    /// The value of a property, and where it is given.
    pub(crate) fn property(&self, name: &str) -> Option<(Node<'m>, &'m Source)> {
        match &self.properties {
            Properties::OfResource(all) => all.get(name).map(|binding| (Node::Expr(&binding.value), &binding.at)),
            Properties::OfMember(all) => Some(((*all)?.key(name)?, self.at)),
        }
    }
}

/// Every resource that may be created: none that exists already, and none whose condition is false.
pub(crate) fn seen(model: &Model) -> impl Iterator<Item = Seen<'_>> {
    made(model).flat_map(|(name, of)| {
        let properties = Properties::OfResource(&of.properties);
        let own = Seen { name: format!("`{name}`"), ty: &of.ty, at: &of.at, properties };
        std::iter::once(own).chain(member(name, of))
    })
}

fn made(model: &Model) -> impl Iterator<Item = (&Name, &Resource)> {
    let is_false = |condition: &Expr| condition.constant() == Some(&Value::Boolean(false));
    let is_made = move |of: &Resource| of.external_id.is_none() && !of.condition.as_deref().is_some_and(is_false);
    model.resources.iter().filter(move |(_, of)| is_made(of))
}

fn member<'m>(name: &str, group: &'m Resource) -> Option<Seen<'m>> {
    let property = match &*group.ty {
        "OS::Heat::ResourceGroup" => "resource_def",
        "OS::Heat::AutoScalingGroup" => "resource",
        _ => return None,
    };
    let binding = group.properties.get(property)?;
    let definition = Node::Expr(&binding.value);
    let ty = definition.key("type")?.known().text()?;
    let properties = Properties::OfMember(definition.key("properties"));
    Some(Seen { name: format!("each member of `{name}`"), ty, at: &binding.at, properties })
}

/// Templates within the template, which no policy examines.
pub(crate) fn unseen(model: &Model) -> Vec<Diagnostic> {
    let is_template = |ty: &str| {
        ty == "OS::Heat::Stack" || [".yaml", ".yml", ".json", ".template"].iter().any(|ending| ty.ends_with(ending))
    };
    let nested = seen(model).filter(|one| is_template(one.ty));
    let diagnostic = |one: Seen<'_>| {
        UNSEEN
            .diagnostic(format!("{} is a stack of a separate template, which policies do not check", one.name))
            .label(one.at, "added here")
            .help("check that template separately: `wattle check TEMPLATE --policy FILE`")
    };
    nested.map(diagnostic).collect()
}

/// A value, or a part of one.
#[derive(Clone, Copy)]
pub(crate) enum Node<'m> {
    Expr(&'m Expr),
    Value(&'m Value),
}

/// What is known of a value.
#[derive(Clone, Copy)]
pub(crate) enum Known<'m> {
    /// Its value is known.
    Value(&'m Value),
    /// It is the value of this parameter.
    Parameter(&'m str),
    /// It is computed.
    Open,
}

impl<'m> Known<'m> {
    pub(crate) fn text(self) -> Option<&'m str> {
        match self {
            Self::Value(value) => value.as_str(),
            _ => None,
        }
    }
}

impl<'m> Node<'m> {
    /// The value of a map under this key.
    pub(crate) fn key(self, name: &str) -> Option<Self> {
        match self {
            Self::Expr(Expr::Map(items)) => items.get(name).map(Self::Expr),
            Self::Expr(Expr::Constant(value)) | Self::Value(value) => match value {
                Value::Map(items) => items.get(name).map(Self::Value),
                _ => None,
            },
            Self::Expr(_) => None,
        }
    }

    /// The keys of a map. `None` if the value is not known to be a map.
    pub(crate) fn keys(self) -> Option<Vec<&'m str>> {
        match self {
            Self::Expr(Expr::Map(items)) => Some(items.keys().map(|key| &**key).collect()),
            Self::Expr(Expr::Constant(Value::Map(items))) | Self::Value(Value::Map(items)) => {
                Some(items.keys().map(|key| &**key).collect())
            }
            Self::Expr(_) | Self::Value(_) => None,
        }
    }

    /// The items of a list. `None` if the value is not known to be a list.
    pub(crate) fn items(self) -> Option<Vec<Self>> {
        match self {
            Self::Expr(Expr::List(items)) => Some(items.iter().map(Self::Expr).collect()),
            Self::Expr(Expr::Constant(Value::List(items))) | Self::Value(Value::List(items)) => {
                Some(items.iter().map(Self::Value).collect())
            }
            Self::Expr(_) | Self::Value(_) => None,
        }
    }

    pub(crate) fn known(self) -> Known<'m> {
        match self {
            Self::Expr(Expr::Constant(value)) | Self::Value(value) => Known::Value(value),
            Self::Expr(Expr::Leaf(Reference::Parameter(name))) => Known::Parameter(name),
            Self::Expr(_) => Known::Open,
        }
    }
}
