//! What policies examine: the resources that will exist, including members of groups, and what is known of a value.

use wattle_heat::environment::is_template;
use wattle_heat::schema::is_type;
use wattle_model::{Diagnostic, Expr, IndexMap, Model, Name, Reference, Resource, Source, Value};

use crate::codes::UNSEEN;

/// Types of groups, and the property that defines each of their members.
const GROUPS: [(&str, &str); 2] =
    [("OS::Heat::ResourceGroup", "resource_def"), ("OS::Heat::AutoScalingGroup", "resource")];

/// The group whose property `resources` lists the types of its members.
const CHAIN: &str = "OS::Heat::ResourceChain";

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

    /// The definitions of its members, if it is a group. `None` if they are known only at deployment.
    fn members(&self) -> Option<Vec<Self>> {
        let member = |ty: Node<'m>, properties, at| {
            let name = format!("each member of {}", self.name.trim_start_matches("each member of "));
            Some(Seen { name, ty: ty.known().text()?, at, properties: Properties::OfMember(properties) })
        };
        if self.ty == CHAIN {
            let (types, at) = self.property("resources")?;
            let properties = self.property("resource_properties").map(|(node, _)| node);
            return types.items()?.into_iter().map(|ty| member(ty, properties, at)).collect();
        }
        let Some((_, property)) = GROUPS.iter().find(|(ty, _)| *ty == self.ty) else { return Some(Vec::new()) };
        let (definition, at) = self.property(property)?;
        Some(vec![member(definition.key("type")?, definition.key("properties"), at)?])
    }

    /// Why policies do not see what it creates, and what helps. `None` if they do.
    fn unseen(&self) -> Option<(&'static str, &'static str)> {
        const SEPARATELY: &str = "check that template separately: `wattle check TEMPLATE --policy FILE`";
        if ["OS::Heat::Stack", "AWS::CloudFormation::Stack"].contains(&self.ty) || is_template(self.ty) {
            return Some(("is a stack of a separate template, which policies do not check", SEPARATELY));
        }
        if !is_type(self.ty) {
            return Some((
                "has a type that is not one of Heat's, so policies do not check what it creates",
                SEPARATELY,
            ));
        }
        self.members().is_none().then_some((
            "has members that are known only at deployment, so policies do not check them",
            "write the types of its members into the template",
        ))
    }
}

/// Every resource that may be created: none that exists already, and none whose condition is false.
pub(crate) fn seen(model: &Model) -> impl Iterator<Item = Seen<'_>> {
    made(model).flat_map(|(name, of)| {
        let properties = Properties::OfResource(&of.properties);
        let mut all = vec![Seen { name: format!("`{name}`"), ty: &of.ty, at: &of.at, properties }];
        // Members may be groups themselves.
        let mut next = 0;
        while let Some(one) = all.get(next) {
            let members = one.members().unwrap_or_default();
            all.extend(members);
            next += 1;
        }
        all
    })
}

fn made(model: &Model) -> impl Iterator<Item = (&Name, &Resource)> {
    let is_false = |condition: &Expr| condition.constant() == Some(&Value::Boolean(false));
    let is_made = move |of: &Resource| of.external_id.is_none() && !of.condition.as_deref().is_some_and(is_false);
    model.resources.iter().filter(move |(_, of)| is_made(of))
}

/// What policies do not examine: templates within the template, and members that are not known yet.
pub(crate) fn unseen(model: &Model) -> Vec<Diagnostic> {
    let diagnostic = |one: Seen<'_>| {
        let (why, help) = one.unseen()?;
        Some(UNSEEN.diagnostic(format!("{} {why}", one.name)).label(one.at, "added here").help(help))
    };
    seen(model).filter_map(diagnostic).collect()
}

/// The model in which each resource, and each member of a group, has the type that `implementation` gives for its name and type.
pub(crate) fn implemented(model: &Model, implementation: &dyn Fn(&str, &str) -> Option<String>) -> Model {
    let mut model = model.clone();
    for (name, of) in &mut model.resources {
        if let Some(ty) = implementation(name, &of.ty) {
            of.ty = ty.into();
        }
        let group = GROUPS.into_iter().chain([(CHAIN, "resources")]).find(|(ty, _)| **ty == *of.ty);
        let definition = group.and_then(|(_, property)| of.properties.get_mut(property));
        for ty in definition.into_iter().flat_map(|definition| types(&mut definition.value)) {
            // Groups name their members by number.
            if let Some(implemented) = implementation("0", ty) {
                *ty = implemented.into();
            }
        }
    }
    model
}

/// The types in the definition of a group's members: a map with one, or a list.
fn types(definition: &mut Expr) -> Vec<&mut Name> {
    fn text(value: &mut Value) -> Option<&mut Name> {
        if let Value::Str(text) = value { Some(text) } else { None }
    }
    fn constant(expr: &mut Expr) -> Option<&mut Name> {
        if let Expr::Constant(value) = expr { text(value) } else { None }
    }
    match definition {
        Expr::Map(items) => items.get_mut("type").and_then(constant).into_iter().collect(),
        Expr::List(items) => items.iter_mut().filter_map(constant).collect(),
        Expr::Constant(Value::Map(items)) => items.get_mut("type").and_then(text).into_iter().collect(),
        Expr::Constant(Value::List(items)) => items.iter_mut().filter_map(text).collect(),
        _ => Vec::new(),
    }
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

    /// Whether it is the identity of a resource of the model.
    pub(crate) fn is_resource(self) -> bool {
        matches!(self, Self::Expr(Expr::Leaf(Reference::Resource(_))))
    }

    pub(crate) fn known(self) -> Known<'m> {
        match self {
            Self::Expr(Expr::Constant(value)) | Self::Value(value) => Known::Value(value),
            Self::Expr(Expr::Leaf(Reference::Parameter(name))) => Known::Parameter(name),
            Self::Expr(_) => Known::Open,
        }
    }
}
