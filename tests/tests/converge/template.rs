//! Templates of scenarios, as the engine's target.

use std::collections::{BTreeMap, BTreeSet};

use wattle::model::{IndexMap, Name, Value};
use wattle_converge::{Known, Target, Wanted};

/// A value of a property.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Property {
    Literal(Value),
    List(Vec<Property>),
    Map(IndexMap<Name, Property>),
    /// A resource's name in the cloud.
    Ref(Name),
    /// Another resource's property.
    Attr(Name, Name),
}

impl Property {
    /// The resources that it mentions.
    pub(crate) fn mentioned(&self) -> Vec<&Name> {
        match self {
            Self::Literal(_) => Vec::new(),
            Self::List(items) => items.iter().flat_map(Self::mentioned).collect(),
            Self::Map(items) => items.values().flat_map(Self::mentioned).collect(),
            Self::Ref(name) | Self::Attr(name, _) => vec![name],
        }
    }

    /// The value, given the name in the cloud and the properties of each resource.
    ///
    /// # Errors
    ///
    /// Something that it mentions does not exist.
    pub(crate) fn resolve<'a>(
        &self,
        thing: &impl Fn(&str) -> Option<(&'a Name, &'a BTreeMap<Name, Value>)>,
    ) -> Result<Value, String> {
        let found = |name: &Name| thing(name).ok_or_else(|| format!("there is no `{name}` to refer to"));
        Ok(match self {
            Self::Literal(value) => value.clone(),
            Self::List(items) => Value::List(items.iter().map(|item| item.resolve(thing)).collect::<Result<_, _>>()?),
            Self::Map(items) => {
                let entry = |(key, item): (&Name, &Self)| Ok((key.clone(), item.resolve(thing)?));
                Value::Map(items.iter().map(entry).collect::<Result<_, String>>()?)
            }
            Self::Ref(name) => Value::Str(found(name)?.0.clone()),
            Self::Attr(name, property) => {
                let found = found(name)?.1.get(property);
                found.cloned().ok_or_else(|| format!("`{name}` has no property `{property}`"))?
            }
        })
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Resource {
    pub(crate) props: BTreeMap<Name, Property>,
    pub(crate) replace_on: BTreeSet<Name>,
    pub(crate) after: Vec<Name>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Template {
    pub(crate) resources: IndexMap<Name, Resource>,
    /// Properties that cannot be changed in place, by resource. They are the same in every template of the scenario,
    /// because they depend on the resource's type.
    pub(crate) replace_on: BTreeMap<Name, BTreeSet<Name>>,
}

/// All dependencies of a resource, explicit and implied.
pub(crate) fn dependencies(resource: &Resource) -> Vec<Name> {
    let mentioned = resource.props.values().flat_map(Property::mentioned);
    let all: BTreeSet<&Name> = mentioned.chain(&resource.after).collect();
    all.into_iter().cloned().collect()
}

impl Target for Template {
    fn resources(&self) -> Vec<(Name, Vec<Name>)> {
        self.resources.iter().map(|(name, resource)| (name.clone(), dependencies(resource))).collect()
    }

    fn resolve(&self, name: &str, known: &Known<'_>) -> Result<Wanted, String> {
        let thing = |name: &str| known.thing(name).map(|thing| (&thing.phys, &thing.attributes));
        let (mut fixed, mut free) = (BTreeMap::new(), BTreeMap::new());
        let fixed_ones = self.replace_on.get(name);
        for (key, property) in &self.resources[name].props {
            let value = property.resolve(&thing)?;
            let is_fixed = fixed_ones.is_some_and(|fixed| fixed.contains(key));
            if is_fixed { &mut fixed } else { &mut free }.insert(key.clone(), value);
        }
        let digest =
            |values: &BTreeMap<Name, Value>| Name::from(Value::Map(values.clone().into_iter().collect()).to_string());
        Ok(Wanted {
            kind: "resource".into(),
            fixed: digest(&fixed),
            free: digest(&free),
            varying: BTreeMap::new(),
            shows: BTreeSet::new(),
            exclusive: BTreeSet::new(),
            turns: BTreeSet::new(),
            drains: false,
            corrects: false,
            patience: None,
            properties: Value::Map(fixed.into_iter().chain(free).collect()),
        })
    }
}
