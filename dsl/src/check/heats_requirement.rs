//! W0910: a requirement that Heat cannot check.

use crate::model::{Name, Requirement};
use crate::requirement::{self, When};

use super::registry::check;
use super::sink::Sink;
use super::unjudged_requirement::run_time_values;

check! {
    /// A requirement is about values that exist only at run time, or about parameters in a way that Heat's constraints
    /// cannot express, but the model is lowered for Heat's own agents (`--lowering heat-native`). Wattle's agents and
    /// `wattle seed apply` would check such a requirement. Here, nothing does.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// #[derive(Parameters)]
    /// struct Settings {
    ///     /// Nodes of the cluster.
    ///     #[parameter]
    ///     nodes: Parameter<u32>,
    ///     /// Nodes that vote.
    ///     #[parameter]
    ///     voters: Parameter<u32>,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// t.require("voters are nodes", p.voters.at_most(p.nodes));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0910"));
    /// ```
    ///
    /// Heat can check many requirements that compare one parameter with constants: bounds, lengths, patterns, and a
    /// choice of values.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[derive(Parameters)]
    /// # struct Settings { #[parameter] nodes: Parameter<u32>, #[parameter] voters: Parameter<u32> }
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// t.require("voters", p.voters.between(3, 7));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0910"));
    /// ```
    CHECK: "W0910", Warning, "a requirement that Heat cannot check", run, only HeatNative
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for (name, requirement) in &model.requirements {
        let Some(why) = why(sink, name, requirement) else { continue };
        let diagnostic = CHECK
            .diagnostic(format!("nothing checks the requirement `{name}`: {why}"))
            .label(&requirement.at, "Heat has no constraint for this")
            .help("test it in a recipe, or require something of one parameter that Heat's constraints can express");
        sink.push(diagnostic);
    }
}

fn why(sink: &Sink<'_, '_>, name: &Name, requirement: &Requirement) -> Option<String> {
    match requirement::when(sink.model, &requirement.predicate) {
        When::Check => None,
        When::Apply if requirement::of_heat(sink.model, name, requirement).whole => None,
        When::Apply => Some("Heat's constraints cannot express it".to_owned()),
        When::RunTime => Some(format!("Heat checks only parameters, not {}", run_time_values(sink, name))),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::broken_requirement::tests::tested;
    use crate::check::testing::{native_codes, output, parameter, sound};
    use crate::model::{Model, Test, Type};

    pub(in crate::check) fn failing() -> Model {
        let sketch = sound().parameter("one", Type::STR).parameter("other", Type::STR);
        sketch.require("two", tested(parameter("one"), Test::IsNot(parameter("other")))).model
    }

    #[test]
    fn what_is_judged_at_run_time_is_not_judged_by_heat() {
        let url = tested(output("db/db2", "url"), Test::Matches("jdbc:.*".into()));
        assert_eq!(native_codes(&sound().require("url", url).model), ["W0910"]);
        let port = tested(parameter("one"), Test::Length { min: Some(3), max: None });
        assert!(native_codes(&sound().parameter("one", Type::STR).require("port", port).model).is_empty());
    }
}
