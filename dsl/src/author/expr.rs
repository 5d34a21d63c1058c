//! Turns what an author wires into the model's form, in which handles are names.

use std::convert::Infallible;

use crate::model::{Expr, Reference, Step, Value};

use super::expression::{Expression, Handle};
use super::handle::{Attribute, Id, Output, OutputSource, Segment};
use super::topology::Topology;

impl Topology {
    /// Returns the model's form of an expression. Handles of another topology become [`Reference::Foreign`].
    pub(super) fn lower(&self, expression: &Expression) -> Expr {
        let Ok(expr) = expression.rebuild::<_, Infallible>(&mut |part| {
            Ok(match part {
                Expression::Leaf(handle) => Some(self.lower_handle(handle)),
                Expression::Function { name, argument } => Some(Expr::function(name.clone(), self.lower(argument))),
                Expression::Constant(_) | Expression::Text(_) | Expression::List(_) | Expression::Map(_) => None,
            })
        });
        expr.joined()
    }

    fn lower_handle(&self, handle: &Handle) -> Expr {
        match handle {
            Handle::Bound(binding) => binding.value.clone(),
            Handle::Parameter(parameter) => self.named(parameter.id, "parameter", |i| {
                Some(Expr::parameter(self.model.parameters.get_index(i)?.0.clone()))
            }),
            Handle::Resource(resource) => self
                .named(resource.id, "resource", |i| Some(Expr::resource(self.model.resources.get_index(i)?.0.clone()))),
            Handle::Attribute(attribute) => self.lower_attribute(attribute),
            Handle::Output(output) => self.lower_output(*output),
            Handle::Condition(condition) => self.named(condition.id, "condition", |i| {
                Some(Value::Str(self.model.conditions.get_index(i)?.0.clone()).into())
            }),
            Handle::NameOf(subject) => match self.lower_handle(subject) {
                Expr::Leaf(Reference::Parameter(name) | Reference::Resource(name)) => Value::Str(name).into(),
                other => other,
            },
        }
    }

    fn lower_attribute(&self, attribute: &Attribute<()>) -> Expr {
        let step = |segment: &Segment| match segment {
            Segment::Key(key) => Some(Step::Key((*key).into())),
            Segment::Index(index) => Some(Step::Index(*index)),
            Segment::Resource(resource) => self.resource_name(*resource).map(Step::Resource),
        };
        self.named(attribute.id, "attribute", |i| {
            let path = attribute.path.iter().flatten().map(step).collect::<Option<_>>()?;
            Some(Expr::attribute(self.model.resources.get_index(i)?.0.clone(), self.shared(attribute.name), path))
        })
    }

    fn lower_output(&self, output: Output<()>) -> Expr {
        let at = |index| Id { topology: output.topology, index };
        match output.source {
            OutputSource::Component { component, output } => self.named(at(component), "output", |i| {
                let (key, component) = self.model.components.get_index(i)?;
                let declaration = self.model.declarations.get(&component.declaration)?;
                let (name, _) = declaration.outputs.get_index(output as usize)?;
                Some(Expr::output(key.clone(), name.clone()))
            }),
            OutputSource::ForwardReference(index) => self.named(at(index), "forward reference", |i| {
                Some(Expr::forward_reference(self.model.forward_references.get_index(i)?.0.clone()))
            }),
            OutputSource::Import(index) => self.named(at(index), "import", |i| {
                let import = self.model.imports.get(i)?;
                Some(Expr::import(import.stack.clone(), import.export.clone()))
            }),
        }
    }

    /// Returns what `find` returns for a handle of this topology, and [`Reference::Foreign`] for any other handle.
    fn named(&self, id: Id, what: &str, find: impl FnOnce(usize) -> Option<Expr>) -> Expr {
        let own = if id.topology == self.id { find(id.index as usize) } else { None };
        own.unwrap_or_else(|| Expr::foreign(what))
    }
}
