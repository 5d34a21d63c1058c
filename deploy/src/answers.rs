//! The attributes and references of resources, as templates read them.

use std::cell::Cell;

use wattle_converge::Thing;
use wattle_heat::evaluate::{Answers, Value};

use crate::config;
use crate::deployment::Inner;
use crate::role::Role;

/// How deeply values and texts may be nested.
const DEPTH: u32 = 100;

/// Looks up the thing of a resource, if it exists.
pub(crate) type Things<'s, 't> = &'s dyn Fn(&str) -> Option<&'t Thing>;

/// The resources, given the things that exist.
pub(crate) struct Standing<'s, 't> {
    inner: &'s Inner,
    things: Things<'s, 't>,
    depth: Cell<u32>,
}

impl<'s, 't> Standing<'s, 't> {
    pub(crate) fn new(inner: &'s Inner, things: Things<'s, 't>) -> Self {
        Self { inner, things, depth: Cell::new(0) }
    }

    fn thing(&self, name: &str) -> Result<&'t Thing, String> {
        (self.things)(name).ok_or_else(|| format!("`{name}` does not exist"))
    }

    /// Returns the result of `of`, unless that leads through too many other resources.
    fn deeper<T>(&self, name: &str, of: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        if self.depth.get() >= DEPTH {
            return Err(format!("`{name}` is nested too deeply"));
        }
        self.depth.set(self.depth.get() + 1);
        let given = of().map_err(|why| format!("`{name}`: {why}"));
        self.depth.set(self.depth.get() - 1);
        given
    }
}

impl Answers for Standing<'_, '_> {
    fn reference(&self, name: &str) -> Result<Value, String> {
        match self.inner.entry(name).map(|entry| (entry, entry.role)) {
            Some((_, Role::Row)) => {
                let thing = self.thing(name)?;
                let given = thing.attributes.get("reference");
                Ok(given.map_or_else(|| Value::Text(thing.phys.to_string()), Value::of_model))
            }
            Some((entry, Role::Config(kind))) => {
                self.deeper(name, || Ok(Value::Text(config::content(kind, &entry.resource.resolved(self)?)?)))
            }
            Some((_, Role::Nothing)) => Ok(Value::Text(name.to_owned())),
            Some((_, Role::Stack | Role::Value)) => Err(format!("`{name}` has no identity here")),
            None => Err(format!("there is no resource `{name}`")),
        }
    }

    fn attribute(&self, name: &str, attribute: &str) -> Result<Value, String> {
        let none = || Err(format!("`{name}` has no attribute `{attribute}`"));
        match self.inner.entry(name).map(|entry| (entry, entry.role)) {
            Some((_, Role::Row)) => {
                let thing = self.thing(name)?;
                thing.attributes.get(attribute).map_or_else(none, |value| Ok(Value::of_model(value)))
            }
            Some((entry, Role::Value)) if attribute == "value" => {
                self.deeper(name, || Ok(entry.resource.resolved(self)?.property("value")))
            }
            Some((_, Role::Config(_))) if attribute == "config" => self.reference(name),
            Some((_, Role::Nothing)) => Ok(Value::Null),
            Some(_) => none(),
            None => Err(format!("there is no resource `{name}`")),
        }
    }
}
