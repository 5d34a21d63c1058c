//! The servers that policies and wires name. A name that can never exist is reported, but not that of something that
//! only does not exist now.

use std::collections::BTreeSet;

use wattle_heat::desired::Resource;
use wattle_heat::files::join;
use wattle_heat::template::{self, Template};
use wattle_heat::{Desired, Loaded};
use wattle_model::{Diagnostic, Source};
use wattle_words::names::{did_you_mean, list, nearest};

use crate::codes::POLICY;

use super::servers::{SERVER, Servers, may_have_servers};

/// The context for looking up names.
#[derive(Clone, Copy)]
pub(super) struct Names<'n> {
    pub(super) loaded: &'n Loaded,
    pub(super) desired: &'n Desired,
    pub(super) servers: &'n Servers,
}

/// The types of groups whose members have numbers.
const NUMBERED: [&str; 2] = ["OS::Heat::ResourceGroup", "OS::Heat::ResourceChain"];

/// Types that contain the resources in their properties.
const CONTAINERS: [&str; 6] = [
    "OS::Heat::ResourceGroup",
    "OS::Heat::ResourceChain",
    "OS::Heat::AutoScalingGroup",
    "OS::Heat::InstanceGroup",
    "AWS::AutoScaling::AutoScalingGroup",
    "OS::Heat::Stack",
];

impl<'n> Names<'n> {
    /// The servers that a member of `of` names; none if it names nothing that could be a server, which is reported. A
    /// resource that may exist at another time may be named although it has no servers now: one whose condition does
    /// not hold, a group without members, and a member of a group whose members are not known yet.
    pub(super) fn members(
        self,
        (name, at): &(String, Source),
        of: &str,
        found: &mut Vec<Diagnostic>,
    ) -> Option<Vec<usize>> {
        let named = self.servers.named(name);
        if !named.is_empty() {
            return Some(named);
        }
        let report = |what: String, label: String| POLICY.about.diagnostic(format!("{of}: {what}")).label(at, label);
        let alike = self.servers.ending_in(name);
        if !alike.is_empty() {
            let what = format!("`{name}` can mean {}", list(alike, "or"));
            found.push(report(what, "here".to_owned()).help("write the full name"));
            return None;
        }
        let (what, label) = match self.desired.resources.get(name) {
            Some(there) if there.is_group() || there.is_stack => {
                if self.may_have(there) {
                    return Some(Vec::new());
                }
                (format!("there are no servers in `{name}`"), format!("it is an `{}`", there.ty()))
            }
            Some(other) => (format!("`{name}` is not a server"), format!("it is an `{}`", other.ty())),
            None => match self.absent(name) {
                Absent::Possible => return Some(Vec::new()),
                Absent::Other(ty) => (format!("`{name}` is not a server"), format!("it is an `{ty}`")),
                Absent::Unknown => (format!("there is no server `{name}`"), "here".to_owned()),
            },
        };
        let full = self.servers.all.iter().map(|one| &*one.asks.name);
        let around = full.clone().flat_map(|name| name.match_indices('/').map(|(end, _)| &name[..end]));
        let near = nearest(name, full.chain(around).collect::<BTreeSet<_>>());
        found.push(report(what, label).help_if(near.map(did_you_mean)));
        None
    }

    /// Whether a group or a nested stack without servers may have some at another time.
    fn may_have(self, there: &Resource) -> bool {
        let own = || self.template(&there.at.file).and_then(|template| self.nested(template, there.ty()));
        if there.is_group() { may_have_servers(there) } else { own().is_none_or(|own| self.has_servers(own, 0)) }
    }

    /// What is known about a name that no resource has now.
    fn absent(self, name: &str) -> Absent<'n> {
        let parts: Vec<&str> = name.split('/').collect();
        let around = (1..parts.len()).rev().find_map(|end| {
            let around = self.desired.resources.get(&parts[..end].join("/"))?;
            Some((around, &parts[end..]))
        });
        let Some((around, rest)) = around else { return self.written(&self.loaded.template, &parts) };
        if around.is_group() {
            let is_number = rest[0].bytes().all(|byte| byte.is_ascii_digit());
            let is_open = around.has_open_members() && (is_number || !NUMBERED.contains(&around.made_by()));
            return if is_open { Absent::Possible } else { Absent::Unknown };
        }
        match self.template(&around.at.file).and_then(|template| self.nested(template, around.ty())) {
            Some(own) => self.written(own, rest),
            None => Absent::Unknown,
        }
    }

    /// The definition of a resource in a template, or in one of the stacks nested in it.
    fn written(self, template: &'n Template, parts: &[&str]) -> Absent<'n> {
        let Some(definition) = template.resources.get(parts[0]) else { return Absent::Unknown };
        let Some(ty) = definition.kind() else { return Absent::Possible };
        match (&parts[1..], self.nested(template, ty)) {
            ([], _) if self.is_server(template, definition, 0) => Absent::Possible,
            ([], _) => Absent::Other(ty),
            (rest, Some(nested)) => self.written(nested, rest),
            (_, None) if CONTAINERS.contains(&ty) => Absent::Possible,
            (_, None) => Absent::Unknown,
        }
    }

    /// Whether a resource is a server, or may contain some.
    fn is_server(self, template: &Template, definition: &template::Resource, depth: usize) -> bool {
        let Some(ty) = definition.kind() else { return true };
        match self.nested(template, ty) {
            Some(nested) => self.has_servers(nested, depth + 1),
            None if CONTAINERS.contains(&ty) => {
                let text = definition.node.constant().to_string();
                text.contains(SERVER) || text.contains(".yaml")
            }
            // The author of a mapped type knows what it is.
            None => ty == SERVER || !["OS::", "AWS::"].iter().any(|known| ty.starts_with(known)),
        }
    }

    fn has_servers(self, template: &Template, depth: usize) -> bool {
        // Templates may be nested in themselves.
        depth > 8 || template.resources.values().any(|one| self.is_server(template, one, depth))
    }

    /// The template in a file.
    fn template(self, file: &str) -> Option<&'n Template> {
        if *self.loaded.template.file == *file {
            return Some(&self.loaded.template);
        }
        self.loaded.library.templates.get(file).map(|nested| &*nested.template)
    }

    /// The template that a type in `template` is mapped to.
    fn nested(self, template: &Template, ty: &str) -> Option<&'n Template> {
        self.template(&join(&template.file, ty)).or_else(|| self.template(ty))
    }
}

/// The knowledge about a name that no resource has.
enum Absent<'n> {
    /// It may be a server at another time.
    Possible,
    /// It is something else, of this type.
    Other(&'n str),
    /// It does not exist.
    Unknown,
}
