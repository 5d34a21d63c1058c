//! Faults in functions and conditions throughout a template, as Heat encounters them: one list for all checks.

use std::collections::HashMap;

use crate::Loaded;
use crate::classes;
use crate::environment::Implementation;
use crate::evaluate::{Branch, Defect, Fault, Scope, Stage};
use crate::schema::is_type;
use crate::template::{Call, Context, Function, Resource, Step, Template};
use crate::yaml::{Node, Place, Tree};

/// A fault and its consequence.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) fault: Fault,
    /// Whether Heat accepts the template and fails when it creates the stack.
    pub(crate) late: bool,
}

/// How far Heat processes a value when it validates a template.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Treatment {
    /// Calls are parsed. This applies to resources whose condition is false, and to placeholders.
    Parsed,
    /// Calls are validated. Their values are needed later.
    Validated,
    /// Values are needed immediately.
    Resolved,
}

/// Whether the resource exists. A resource whose condition is unknown or invalid is not judged any further.
pub(crate) fn is_there(scope: &Scope<'_>, resource: &Resource) -> bool {
    !scope.version().has_conditions() || scope.holds(resource.condition.as_ref()) == Ok(Some(true))
}

/// Whether Heat accepts the resource as it is: a placeholder type validates nothing.
pub(crate) fn is_placeholder(loaded: &Loaded, name: &str, resource: &Resource) -> bool {
    let ty = resource.kind().and_then(|ty| loaded.implementation(name, ty, &is_type));
    matches!(ty, Some(Implementation::Type(ty)) if classes::is_placeholder(&ty))
}

/// All faults in the template.
pub(crate) fn all(scope: &Scope<'_>, nested: bool, is_placeholder: &dyn Fn(&str, &Resource) -> bool) -> Vec<Found> {
    let mut faults = Faults { scope, known: scope.known(), nested, found: Vec::new(), index: HashMap::new() };
    let template = scope.template();
    faults.conditions(template);
    for (name, resource) in &template.resources {
        faults.resource(resource, is_placeholder(name, resource));
    }
    for output in template.outputs.values() {
        let Some(value) = &output.value else { continue };
        if scope.version().has_conditions() {
            match scope.holds(output.condition.as_ref()) {
                Ok(Some(true)) => {}
                Ok(_) => continue,
                Err(fault) => {
                    faults.push(fault, false);
                    continue;
                }
            }
        }
        faults.value(value, Treatment::Validated, Context::Value);
    }
    faults.unused_conditions(template);
    faults.found
}

struct Faults<'s, 'l> {
    scope: &'s Scope<'l>,
    /// The scope for values that are needed once the stack exists: it has no substitutes for values that only the stack
    /// knows.
    known: Scope<'l>,
    /// Whether this is a nested stack, whose property values Heat does not need before it creates the stack.
    nested: bool,
    found: Vec<Found>,
    /// The index of each fault found so far, by its place or the name of a cycle, and its cause.
    index: HashMap<(Option<Place>, String), usize>,
}

impl Faults<'_, '_> {
    fn push(&mut self, fault: Fault, late: bool) {
        // A cycle is found from each of its uses.
        let key = match &fault.cause {
            Defect::CircularCondition { name } => (None, name.clone()),
            cause => (Some(fault.span.start), format!("{cause:?}")),
        };
        if let Some(&at) = self.index.get(&key) {
            self.found[at].late &= late;
        } else {
            self.index.insert(key, self.found.len());
            self.found.push(Found { fault, late });
        }
    }

    /// Definitions are parsed and validated. Values are needed only of conditions in use.
    fn conditions(&mut self, template: &Template) {
        for condition in template.conditions.values() {
            if Call::within(&condition.node, template.version(), Context::Condition).is_some() {
                self.value(&condition.node, Treatment::Validated, Context::Condition);
            }
        }
    }

    /// A condition that is not used yet fails as soon as it is used.
    fn unused_conditions(&mut self, template: &Template) {
        for (name, condition) in &template.conditions {
            let is_call = Call::within(&condition.node, template.version(), Context::Condition).is_some();
            if let Err(fault) = self.scope.condition(name, condition.name_span)
                && is_call
            {
                self.push(fault, true);
            }
        }
    }

    fn resource(&mut self, resource: &Resource, placeholder: bool) {
        let mut there = true;
        if self.scope.version().has_conditions() {
            match self.scope.holds(resource.condition.as_ref()) {
                Ok(holds) => there = holds == Some(true),
                Err(fault) => {
                    // Another type of value is a mistake in the definition itself.
                    let is_list = resource.condition.as_ref().is_some_and(|node| matches!(*node.tree, Tree::List(_)));
                    if !is_list {
                        self.push(fault, false);
                    }
                    there = false;
                }
            }
        }
        let judged = there && !placeholder && resource.external_id.is_none();
        let (resolved, validated) = if judged {
            (if self.nested { Treatment::Validated } else { Treatment::Resolved }, Treatment::Validated)
        } else {
            (Treatment::Parsed, Treatment::Parsed)
        };
        if there && placeholder {
            resource.properties.iter().chain(&resource.metadata).for_each(|node| self.names(node, true));
        }
        for part in [&resource.properties, &resource.update_policy] {
            match part.as_ref().map(|node| (node, &*node.tree)) {
                // Each property is resolved on its own, so that all faults are found.
                Some((node, Tree::Map(pairs))) if self.scope.template().call(node).is_none() => {
                    for pair in crate::yaml::counting(pairs) {
                        self.value(&pair.value, resolved, Context::Value);
                    }
                }
                Some((node, _)) => self.value(node, resolved, Context::Value),
                None => {}
            }
        }
        if let Some(metadata) = &resource.metadata {
            self.value(metadata, validated, Context::Value);
        }
        if let Some(policy) = &resource.deletion_policy {
            self.value(policy, Treatment::Resolved, Context::Value);
        }
        if let Some(id) = &resource.external_id {
            self.value(id, if there { Treatment::Resolved } else { Treatment::Parsed }, Context::Value);
        }
    }

    /// The targets of references are needed immediately: Heat computes dependencies before it creates anything. For a
    /// placeholder, it does not ask for attributes.
    fn names(&mut self, node: &Node, placeholder: bool) {
        let mut faults = Vec::new();
        self.scope.walk(node, Context::Value, &mut |_, call, _| {
            let named = match call {
                Some(call) if call.function == Function::GetResource => Some(call.argument),
                Some(call) if call.function == Function::GetAttr && placeholder => {
                    call.arguments().and_then(|arguments| arguments.first())
                }
                Some(call) if call.function == Function::GetAttr => Some(call.argument),
                _ => None,
            };
            faults.extend(named.and_then(|named| self.scope.value(named).err()));
            Step::Into
        });
        for fault in faults {
            self.push(fault, false);
        }
    }

    fn value(&mut self, node: &Node, treatment: Treatment, context: Context) {
        let before = self.found.len();
        let least = if treatment == Treatment::Parsed { Stage::Parsed } else { Stage::Validated };
        let mut faults = Vec::new();
        self.scope.walk(node, context, &mut |_, call, context| {
            let Some(call) = call else { return Step::Into };
            if call.function == Function::If && context == Context::Value {
                return match self.scope.branch(call) {
                    Ok(Branch::Taken(_) | Branch::Absent | Branch::Unknown) => Step::Into,
                    Err(fault) => {
                        faults.push(fault.clone());
                        Step::Over
                    }
                };
            }
            let found = self.scope.form(call, context);
            let step = if found.is_empty() { Step::Into } else { Step::Over };
            faults.extend(found.into_iter().filter(|fault| fault.stage <= least));
            step
        });
        for fault in faults {
            self.push(fault, false);
        }
        if self.found.len() > before {
            return;
        }
        if treatment != Treatment::Parsed {
            self.names(node, false);
        }
        match treatment {
            Treatment::Parsed => {}
            Treatment::Validated if context == Context::Condition => {}
            Treatment::Validated | Treatment::Resolved => {
                let late = treatment == Treatment::Validated;
                let scope = if late { &self.known } else { self.scope };
                let mut named = Vec::new();
                self.scope.walk(node, context, &mut |node, call, context| {
                    let is_name = |call: &Call<'_>| {
                        matches!(call.function, Function::GetParam | Function::GetFile | Function::Ref)
                    };
                    if call.is_some_and(is_name) && context == Context::Value {
                        named.extend(scope.value(node).err());
                    }
                    Step::Into
                });
                if named.is_empty() {
                    named.extend(scope.value(node).err());
                }
                for fault in named {
                    self.push(fault, late);
                }
            }
        }
    }
}
