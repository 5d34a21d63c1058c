//! Parameters: how values that are chosen at deployment are declared.

use crate::model::{self, Constraint, ElementKind, Source, Type, Value};

use super::handle::{Id, Parameter};
use super::topology::{Topology, insert};

/// A struct of [`Parameter`]s. Implemented by `#[derive(Parameters)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare parameters",
    label = "not a struct of parameters",
    note = "add `#[derive(Parameters)]` to `{Self}`"
)]
pub trait Parameters {
    /// Declares every parameter and returns their handles.
    fn declare(t: &mut Topology) -> Self;
}

#[diagnostic::do_not_recommend]
impl Parameters for () {
    fn declare(_: &mut Topology) -> Self {}
}

/// What a parameter declares besides its name and type.
#[derive(Default)]
pub struct ParameterOptions {
    /// Its label in forms.
    pub label: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// The value if none is given.
    pub default: Option<Value>,
    /// What a value must satisfy.
    pub constraints: Vec<Constraint>,
    /// Whether Heat must not show its value, even though its type is not secret.
    pub hidden: bool,
    /// Whether its value cannot change after the stack was created.
    pub immutable: bool,
    /// Words by which tools find it.
    pub tags: &'static [&'static str],
}

impl Topology {
    /// Declares a parameter, as `#[derive(Parameters)]` does for each field.
    pub fn parameter<T>(&mut self, name: &str, ty: Type, options: ParameterOptions, at: Source) -> Parameter<T> {
        let mut parameter = model::Parameter::new(ty, at);
        options.label.clone_into(&mut parameter.label);
        options.description.clone_into(&mut parameter.description);
        parameter.default = options.default;
        parameter.constraints = options.constraints;
        parameter.hidden = options.hidden;
        parameter.immutable = options.immutable;
        parameter.tags = options.tags.iter().map(|tag| (*tag).into()).collect();
        let (model, name) = (&mut self.model, name.to_owned());
        let index =
            insert(&mut model.parameters, &mut model.duplicates, ElementKind::Parameter, name, parameter, |p| &p.at);
        Parameter::new(Id { topology: self.id, index })
    }
}
