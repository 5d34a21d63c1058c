//! Reports everything that cannot be deployed without Heat, all at once.

use std::collections::BTreeSet;

use wattle_heat::Loaded;
use wattle_heat::desired::{Output, Resource};
use wattle_heat::evaluate::{Answers, Open, Value, resumed};
use wattle_heat::template::Function;
use wattle_model::check::About;
use wattle_model::{Diagnostic, IndexMap, Label, Resource as Model, Source, Value as Known};

use crate::codes::{SIGNAL, TYPE, VALUE, WITHOUT_HEAT};
use crate::deployment::Inner;
use crate::needs::{Roles, around};
use crate::resource_types::ResourceTypes;
use crate::role::Role;
use crate::signals;
use crate::user_data;
use crate::wanted::wanted;

/// The refusals so far.
#[derive(Default)]
pub(crate) struct Refusals {
    found: Vec<Diagnostic>,
    /// The reports for each place: the members of a group are reported only once.
    said: BTreeSet<(String, u32, u32, String)>,
    /// Resources with a refusal.
    names: BTreeSet<String>,
}

impl Refusals {
    pub(crate) fn all(self) -> Vec<Diagnostic> {
        self.found
    }

    fn refuse(&mut self, about: &About, name: &str, at: &Source, what: &str, help: &str) {
        self.names.insert(name.to_owned());
        if self.said.insert((at.file.to_string(), at.line, at.column, what.to_owned())) {
            let mut refused = about.diagnostic(format!("`{name}` cannot be deployed without Heat: {what}"));
            refused.labels.push(Label { at: at.clone(), text: "here".to_owned() });
            refused.help.push(help.to_owned());
            self.found.push(refused);
        }
    }

    /// Reports a resource of an unsupported type. Does not report the resources nested in it as well.
    pub(crate) fn undriven(&mut self, name: &str, resource: &Resource) {
        if around(name).any(|stack| self.names.contains(stack)) {
            return;
        }
        let ty = resource.ty();
        let help = if ty.contains("Deployment") {
            "turn it into a component (`wattle import`), or deploy the template with Heat"
        } else if ty.contains("WaitCondition") || ty.contains("Signal") {
            "write `OS::Heat::WaitCondition` and its handle, or deploy the template with Heat"
        } else {
            "remove it, or deploy the template with Heat"
        };
        let made = resource.made_by();
        let what = if made.is_empty() || made == ty {
            format!("its type `{ty}` is not supported without Heat")
        } else {
            format!("its type `{ty}` stands for `{made}`, which is not supported without Heat")
        };
        self.refuse(&TYPE, name, &resource.at, &what, help);
    }

    /// Reports settings of a resource that only Heat implements, and references in its values that can never be
    /// resolved.
    pub(crate) fn of(
        &mut self,
        name: &str,
        resource: &Resource,
        role: Role,
        roles: &Roles<'_>,
        all: &IndexMap<String, Resource>,
    ) {
        let at = &resource.at;
        for what in resource.undecided() {
            let what = format!("`{what}` depends on what is known only once other resources exist");
            self.refuse(&WITHOUT_HEAT, name, at, &what, "give it a value that depends only on parameters and files");
        }
        if let Some(size) = resource.too_many() {
            let what = format!("it is a group of {size} members, which is too many");
            self.refuse(&WITHOUT_HEAT, name, at, &what, "split it into several groups");
        }
        if resource.rest.contains_key("external_id") {
            let what = "`external_id` names something that already exists";
            let help = "remove the resource and write its ID where it is referred to, or deploy the template with Heat";
            self.refuse(&WITHOUT_HEAT, name, at, what, help);
        }
        match resource.rest.get("deletion_policy").and_then(Value::as_text) {
            Some("delete") | None => {}
            Some(policy) if role == Role::Row || role == Role::Stack => {
                let what = format!("`deletion_policy: {policy}` keeps it when it leaves the template");
                self.refuse(&WITHOUT_HEAT, name, at, &what, "remove the policy, or deploy the template with Heat");
            }
            Some(_) => {}
        }
        if resource.made_by() == Model::SERVER
            && let Some((what, help)) = user_data::refused(resource)
        {
            self.refuse(&WITHOUT_HEAT, name, at, &what, help);
        }
        if let Some((what, help)) = signals::refused(resource, roles) {
            self.refuse(&WITHOUT_HEAT, name, at, &what, help);
        }
        if matches!(role, Role::Row | Role::Value | Role::Config(_)) {
            for (property, value) in resource.all_given() {
                if let Some((what, help)) = in_vain(value, roles, all) {
                    self.refuse(&VALUE, name, at, &format!("`{property}`: {what}"), help);
                }
            }
        }
    }

    /// Reports properties that no driver implements.
    pub(crate) fn beyond(&mut self, name: &str, resource: &Resource, resource_types: &dyn ResourceTypes) {
        let Ok(properties) = resource.only_given() else { return };
        for (what, help) in resource_types.beyond(resource.made_by(), &Known::Map(properties)) {
            self.refuse(&WITHOUT_HEAT, name, &resource.at, &what, help);
        }
    }

    /// Reports signals that nothing could send.
    pub(crate) fn signals(&mut self, roles: &Roles<'_>) {
        for (name, what, help) in signals::in_vain(roles) {
            self.refuse(&SIGNAL, name, &roles[name].0.at, &what, help);
        }
    }

    /// Reports references in the template's own outputs that can never be resolved.
    pub(crate) fn of_output(
        &mut self,
        name: &str,
        output: &Output,
        roles: &Roles<'_>,
        all: &IndexMap<String, Resource>,
        loaded: &Loaded,
    ) {
        if let (Some((what, help)), Some(written)) =
            (in_vain(&output.value, roles, all), loaded.template.outputs.get(name))
        {
            self.refuse(&VALUE, name, &loaded.template.at(written.name_span), &what, help);
        }
    }

    /// Reports rows with known values that are wrong, and rows that wait for nothing but cannot be computed even so.
    pub(crate) fn in_vain(&mut self, inner: &Inner) {
        for (name, entry) in inner.rows().filter(|(name, _)| !self.names.contains(&***name)).collect::<Vec<_>>() {
            let mut waits = false;
            for (_, value) in entry.resource.all_given() {
                value.references(&mut |_, _| waits = true);
            }
            let read = entry.resource.only_given().map(drop);
            let read = read.and_then(|()| if waits { Ok(()) } else { wanted(inner, name, &|_| None).map(drop) });
            if let Err(why) = read {
                self.refuse(&VALUE, name, &entry.resource.at, &why, "give it a value that the property accepts");
            }
        }
    }
}

/// The reason why a value will never be known, and advice.
fn in_vain(value: &Value, roles: &Roles<'_>, all: &IndexMap<String, Resource>) -> Option<(String, &'static str)> {
    let mut found = None;
    value.each(&mut |part| {
        if found.is_none() {
            found = refers_in_vain(part, roles, all);
        }
    });
    if found.is_none() && value.is_cut() {
        found = Some(("it is too large, or nested too deeply".to_owned(), "make it smaller, or nest it less deeply"));
    }
    let mut refers = false;
    value.references(&mut |_, _| refers = true);
    if found.is_none() && !refers {
        found = resumed(wattle_heat::template::Version::default(), value, &Nobody)
            .err()
            .map(|why| (why, "write what can be computed before anything is created"));
    }
    found
}

fn refers_in_vain(part: &Value, roles: &Roles<'_>, all: &IndexMap<String, Resource>) -> Option<(String, &'static str)> {
    let Value::Open(open) = part else { return None };
    let (name, attribute) = match &**open {
        Open::Call(Function::GetParam, Value::Text(name)) if name.starts_with("OS::") => {
            return Some((format!("only Heat knows `{name}`"), "use a parameter of the template instead"));
        }
        Open::Call(Function::GetParam, Value::Text(name)) => {
            return Some((format!("the parameter `{name}` has no value"), "give it a value"));
        }
        Open::Call(Function::GetResource, Value::Text(name)) => (name, None),
        Open::Call(Function::GetAttr, Value::List(way)) => match way.as_slice() {
            [Value::Text(name)] => (name, Some("all attributes")),
            [Value::Text(name), Value::Text(attribute), ..] => (name, Some(&**attribute)),
            _ => return None,
        },
        _ => return None,
    };
    if let (Some((resource, _)), Some(attribute)) = (roles.get(&**name), attribute)
        && signals::unknown(resource, attribute)
    {
        let help = "signal with its attribute `curl_cli`, and read `data` of the wait condition";
        return Some((format!("only Heat knows `{attribute}` of `{name}`"), help));
    }
    match (roles.get(&**name).map(|(_, role)| *role), attribute) {
        (None, _) if all.contains_key(name) => None,
        (None, _) => Some((format!("there is no resource `{name}`"), "refer to one that exists")),
        (Some(Role::Stack), None) => Some((
            format!("`{name}` is a stack, which has no identity here"),
            "refer to a resource in it, or give it an output `OS::stack_id`",
        )),
        (Some(Role::Stack), Some(attribute)) => Some((
            format!("only Heat knows `{attribute}` of the stack `{name}`"),
            "give the stack an output, and read that",
        )),
        (Some(Role::Value), None) => {
            Some((format!("`{name}` is a value, which has no identity here"), "read its attribute `value`"))
        }
        (Some(Role::Value), Some(attribute)) if attribute != "value" => {
            Some((format!("only Heat knows `{attribute}` of the value `{name}`"), "read its attribute `value`"))
        }
        (Some(Role::Config(_)), Some(attribute)) if attribute != "config" => {
            Some((format!("only Heat knows `{attribute}` of `{name}`"), "refer to it with `get_resource`"))
        }
        _ => None,
    }
}

/// A source of answers without any resources.
struct Nobody;

impl Answers for Nobody {
    fn reference(&self, name: &str) -> Result<Value, String> {
        Err(format!("there is no resource `{name}`"))
    }

    fn attribute(&self, name: &str, _: &str) -> Result<Value, String> {
        Err(format!("there is no resource `{name}`"))
    }
}
