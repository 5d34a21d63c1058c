//! A resource in its stack, as the rules of its class see it.

use std::collections::BTreeSet;

use wattle_model::IndexMap;

use crate::Loaded;
use crate::evaluate::{Mode, Scope, Value};
use crate::properties::{Addition, Refused, is_true};

use super::values::{is_there, map, same};
use super::{Broken, Resource, Ruled};

/// A resource in its stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'s> {
    pub(crate) name: &'s str,
    pub(crate) resource: &'s Resource,
    /// All resources of its stack.
    pub(crate) all: &'s IndexMap<String, Resource>,
    /// The template that contains it. `None` for a member of a group, which is not written anywhere.
    pub(crate) template: Option<&'s Loaded>,
    /// Its metadata, if it is not in a template.
    pub(crate) metadata: Option<&'s Value>,
    /// Whether its stack is nested in another one, where Heat does not judge values.
    pub(crate) nested: bool,
}

impl<'s> Subject<'s> {
    /// The value of a property. Heat refuses the resource if it cannot be read.
    pub(crate) fn own(self, key: &str) -> Result<Value, Refused> {
        self.resource.properties().get(key)
    }

    /// Whether the property is given, in Heat's sense: null is not, an empty value is.
    pub(crate) fn has(self, key: &str) -> Result<bool, Refused> {
        Ok(is_there(&self.own(key)?))
    }

    /// Python's truth value of the property.
    pub(crate) fn is(self, key: &str) -> Result<bool, Refused> {
        Ok(is_true(&self.own(key)?))
    }

    pub(crate) fn text(self, key: &str) -> Result<String, Refused> {
        Ok(self.own(key)?.as_text().unwrap_or_default().to_owned())
    }

    /// The maps in a list.
    pub(crate) fn maps(self, key: &str) -> Result<Vec<IndexMap<String, Value>>, Refused> {
        Ok(match self.own(key)? {
            Value::List(items) => items.into_iter().map(map).collect(),
            _ => Vec::new(),
        })
    }

    /// The names of all properties of its type.
    pub(crate) fn keys(self) -> impl Iterator<Item = &'s str> {
        self.resource.properties().schema.keys().map(|key| &**key)
    }

    /// The value of its metadata, if it is written and can be read.
    pub(crate) fn metadata(self) -> Option<Value> {
        let Some(loaded) = self.template else { return self.metadata.cloned() };
        let metadata = loaded.template.resources.get(self.name)?.metadata.as_ref()?;
        Scope::new(loaded, Mode::Validation).value(metadata).ok()
    }

    /// The violated rules of its class, in Heat's order. Heat reports the first.
    pub(crate) fn broken(self) -> impl Iterator<Item = Result<Broken, Refused>> {
        let class = self.resource.class();
        let added = class.adds.iter().filter_map(move |addition| self.given_twice(addition).transpose());
        added.chain(class.validates.iter().filter_map(move |rule| rule(self).transpose()))
    }

    /// Heat adds the first property to the list that is the other property, and then adds it again to each item of that
    /// list, which is not a list. This fails even if the given list is empty or null.
    fn given_twice(self, addition: &Addition) -> Ruled {
        let Addition { to, from, .. } = *addition;
        if !self.resource.given.contains_key(to) || !self.is(from)? {
            return Ok(None);
        }
        let what = format!("`{from}` and `{to}` exclude each other");
        Ok(Some(Broken { what, help: "remove the first one, and add its value to the list" }))
    }

    /// Whether its type does not have the deletion `policy`.
    pub(crate) fn kept(self, policy: &str) -> Option<Broken> {
        (policy.eq_ignore_ascii_case("snapshot") && !self.resource.class().snapshots).then(|| Broken {
            what: "it cannot be kept as a snapshot, because its type does not support snapshots".to_owned(),
            help: "write `Delete` or `Retain`",
        })
    }

    /// Its explicit requirements in the template.
    pub(crate) fn requires(self) -> BTreeSet<&'s str> {
        let referring = (!self.resource.external).then_some(&self.resource.references);
        let names = referring.into_iter().flatten().filter_map(|reference| self.all.get_key_value(&reference.name));
        names.map(|(name, _)| &**name).collect()
    }

    /// The other resources of the type, including those that refer to one.
    pub(crate) fn others(self, ty: &'static str) -> impl Iterator<Item = (&'s str, &'s Resource)> {
        self.all.iter().filter(move |(_, resource)| resource.is(ty)).map(|(name, resource)| (&**name, resource))
    }

    /// The other resources of the type whose property `key` is `value`.
    pub(crate) fn others_with(self, ty: &'static str, key: &str, value: &Value) -> Vec<&'s str> {
        let is = |resource: &Resource| resource.properties().get(key).is_ok_and(|other| same(&other, value));
        self.others(ty).filter(|(_, resource)| is(resource)).map(|(name, _)| name).collect()
    }
}
