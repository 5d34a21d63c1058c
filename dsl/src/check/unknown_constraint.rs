//! W0802: a custom constraint that Heat does not have.

use crate::model::Constraint;

use super::registry::check;
use super::sink::Sink;
use wattle_heat::schema::NAMED_CONSTRAINTS;

check! {
    /// A parameter names a custom constraint that Heat does not have. Heat refuses the template, unless the cloud has a
    /// plug-in that provides the constraint.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::ParameterOptions;
    /// # use wattle::model::{Constraint, Source, Type};
    /// # let mut t = Topology::new("demo");
    /// let options = ParameterOptions {
    ///     constraints: vec![Constraint::CustomConstraint("neutron.netwrk".into())],
    ///     ..ParameterOptions::default()
    /// };
    /// # let network = t.parameter::<String>("network", Type::STR, options, Source::caller());
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("network", network)), "W0802"));
    /// ```
    ///
    /// Use one of Heat's constraints:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::author::ParameterOptions;
    /// # use wattle::model::{Constraint, Source, Type};
    /// # let mut t = Topology::new("demo");
    /// let options = ParameterOptions {
    ///     constraints: vec![Constraint::CustomConstraint("neutron.network".into())],
    ///     ..ParameterOptions::default()
    /// };
    /// # let network = t.parameter::<String>("network", Type::STR, options, Source::caller());
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("network", network)), "W0802"));
    /// ```
    CHECK: "W0802", Warning, "a custom constraint that Heat does not have", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for (name, parameter) in &sink.model.parameters {
        for constraint in &parameter.constraints {
            let Constraint::CustomConstraint(constraint) = constraint.bare() else { continue };
            if NAMED_CONSTRAINTS.contains(&&**constraint) {
                continue;
            }
            let help = sink
                .suggest(constraint, NAMED_CONSTRAINTS.into_iter())
                .unwrap_or_else(|| "Heat refuses the template unless the cloud has a plugin of that name".to_owned());
            let diagnostic = CHECK
                .diagnostic(format!("Heat has no constraint `{constraint}`, which the parameter `{name}` names"))
                .label(&parameter.at, "declared here")
                .help(help);
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::NAMED_CONSTRAINTS;
    use crate::check::testing::{codes, parameter, sound};
    use crate::model::{Constraint, Model, Type};

    fn named(constraint: &str) -> Model {
        let mut model = sound().parameter("p", Type::STR).export("p", Type::STR, parameter("p")).model;
        model.parameters["p"].constraints = vec![Constraint::CustomConstraint(constraint.into())];
        model
    }

    pub(in crate::check) fn failing() -> Model {
        named("neutron.netwrk")
    }

    #[test]
    fn names_that_heat_does_not_have_are_reported() {
        for name in ["neutron.netwrk", "neutron", "", "image", "ours.rack"] {
            assert_eq!(codes(&named(name)), ["W0802"], "{name}");
        }
    }

    #[test]
    fn names_that_heat_has_are_taken() {
        assert!(NAMED_CONSTRAINTS.is_sorted());
        for name in NAMED_CONSTRAINTS {
            assert!(codes(&named(name)).is_empty(), "{name}");
        }
    }

    /// The schemas of the catalog use no others.
    #[test]
    fn every_constraint_of_a_resource_type_is_known() {
        let types = include_str!("../../../heat/schemas/resource-types.json");
        let used = types.split("\"custom\":\"").skip(1).filter_map(|rest| rest.split('"').next());
        let mut seen = 0;
        for name in used {
            assert!(NAMED_CONSTRAINTS.contains(&name), "{name}");
            seen += 1;
        }
        assert!(seen > 100, "only {seen}");
    }
}
