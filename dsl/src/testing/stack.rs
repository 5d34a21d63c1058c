//! The template for Heat, from a test's point of view.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::lower::Lowered;
use crate::lower::hot::{HotResource, Template};
use wattle_heat::emit;

use super::world::meant;

/// The template for Heat, with its nested templates.
///
/// ```
/// # use wattle::prelude::*;
/// use wattle::testing::Trial;
///
/// /// A server.
/// #[blueprint]
/// pub fn single(t: &mut Topology) {
///     t.add("server", RawResource::new("OS::Nova::Server").property("flavor", "m1.small"));
/// }
///
/// let stack = Trial::of(single).stack();
/// assert_eq!(stack.resource("server").property("flavor"), "m1.small");
/// assert!(stack.yaml().contains("flavor: m1.small"));
/// ```
#[derive(Clone, Debug)]
pub struct StackTemplate {
    /// The templates, root first.
    templates: Vec<(Option<String>, Template)>,
}

impl StackTemplate {
    pub(super) fn of(lowered: &Lowered) -> Self {
        let nested = lowered.nested.iter().map(|(file, template)| (Some(file.clone()), template.clone()));
        Self { templates: std::iter::once((None, lowered.template.clone())).chain(nested).collect() }
    }

    /// Returns a resource by its name, in whichever template it is.
    ///
    /// # Panics
    /// If there is no resource of that name.
    #[track_caller]
    pub fn resource(&self, name: &str) -> StackResource<'_> {
        for (_, template) in &self.templates {
            if let Some((name, resource)) = template.resources.get_key_value(name) {
                return StackResource { stack: self, template, name, resource };
            }
        }
        let known: Vec<&str> =
            self.templates.iter().flat_map(|(_, template)| template.resources.keys()).map(|name| &**name).collect();
        panic!("the template has no resource `{name}`{}", meant(name, &known))
    }

    /// The names of all resources of a type (`OS::Nova::Server`), including those of nested stacks.
    pub fn resources_of(&self, ty: &str) -> Vec<&str> {
        let all = self.templates.iter().flat_map(|(_, template)| &template.resources);
        all.filter(|(_, resource)| *resource.ty == *ty).map(|(name, _)| &**name).collect()
    }

    /// The template, as it is written to `template.yaml`.
    #[expect(clippy::missing_panics_doc, reason = "only if an invariant is broken")]
    pub fn yaml(&self) -> String {
        emit::to_yaml(&self.templates[0].1).expect("INVARIANT: a sound model's template can be emitted")
    }

    /// The nested templates, by file.
    #[expect(clippy::missing_panics_doc, reason = "only if an invariant is broken")]
    pub fn nested(&self) -> impl Iterator<Item = (&str, String)> {
        let nested = self.templates.iter().filter_map(|(file, template)| Some((file.as_deref()?, template)));
        nested.map(|(file, template)| {
            (file, emit::to_yaml(template).expect("INVARIANT: a sound model's template can be emitted"))
        })
    }
}

/// A resource of a template.
#[derive(Clone, Copy, Debug)]
pub struct StackResource<'s> {
    stack: &'s StackTemplate,
    template: &'s Template,
    name: &'s str,
    resource: &'s HotResource,
}

impl<'s> StackResource<'s> {
    /// Its type, under Heat's name.
    pub fn ty(self) -> &'s str {
        &self.resource.ty
    }

    /// The value at a path in its properties, such as `networks.0.port`, as it is in the template. A parameter is
    /// `{"get_param": NAME}`.
    ///
    /// # Panics
    /// If there is no value at that path.
    #[track_caller]
    pub fn property(self, path: &str) -> Json {
        let mut parts = path.split('.');
        let first = parts.next().unwrap_or_default();
        let Some(value) = self.resource.property(first) else {
            let known: Vec<&str> = self.resource.properties.iter().map(|(name, _)| &**name).collect();
            panic!("`{}` does not set the property `{first}`{}", self.name, meant(first, &known));
        };
        let whole = serde_json::to_value(value).expect("INVARIANT: what a template holds is JSON");
        let mut at = &whole;
        let mut walked = first.to_owned();
        for part in parts {
            let next = match at {
                Json::Array(items) => part.parse::<usize>().ok().and_then(|place| items.get(place)),
                Json::Object(items) => items.get(part),
                _ => None,
            };
            let Some(next) = next else {
                panic!("the property `{walked}` of `{}` has no `{part}`: it is {at}", self.name)
            };
            walked = format!("{walked}.{part}");
            at = next;
        }
        at.clone()
    }

    /// Whether it sets this property.
    pub fn sets(self, property: &str) -> bool {
        self.resource.property(property).is_some()
    }

    /// The names of the resources that Heat creates before it: those that its properties refer to, and those in its
    /// `depends_on`.
    pub fn requires(self) -> BTreeSet<&'s str> {
        let mut found = BTreeSet::new();
        self.resource.requires(&mut |name| {
            found.insert(&**name);
        });
        found
    }

    /// Asserts that no other resource of the same template has to wait for it.
    ///
    /// # Panics
    /// If one does.
    #[track_caller]
    pub fn nothing_requires_it(self) -> Self {
        let requires = |other: &&str| *other != self.name && self.stack.resource(other).requires().contains(self.name);
        let those: Vec<&str> = self.template.resources.keys().map(|name| &**name).filter(requires).collect();
        assert!(
            those.is_empty(),
            "`{}` is required by {}",
            self.name,
            crate::names::list(those.iter().copied(), "and")
        );
        self
    }
}
