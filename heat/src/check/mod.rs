//! The checks: everything that Heat refuses about a template, reported all at once, each with its place and a way to fix
//! it.
//!
//! What lives here: one file per check with its code, documentation, function and tests; the registry. What must not: I/O,
//! or how a diagnostic looks. What Heat accepts is at most a warning. One mistake yields one diagnostic: a check does not
//! report what another one has already found.
//!
//! Codes: W10xx for sections, syntax and YAML; W11xx for parameters, conditions and functions; W12xx for resources,
//! properties, references and cycles.

mod everything;
mod judge;
mod nested;
mod registry;
mod sink;

mod class_rule;
mod constraint_form;
mod deep_nesting;
mod dependency_cycle;
mod duplicate_key;
mod environment_form;
mod function_arguments;
mod illegal_name;
mod late_fault;
mod later_function;
mod missing_file;
mod missing_property;
mod missing_value;
mod output_definition;
mod parameter_declaration;
mod parameter_group;
mod parameter_value;
mod property_value;
mod removed_function;
mod resource_definition;
mod shared_name;
mod unknown_attribute;
mod unknown_condition;
mod unknown_given;
mod unknown_parameter;
mod unknown_property;
mod unknown_reference;
mod unknown_section;
mod unknown_type;
mod unknown_version;
mod unreadable;
mod yaml_word;

use std::collections::HashMap;

use wattle_model::check::{About, sorted as in_order};
use wattle_model::{Diagnostic, Severity, Source};

use crate::Loaded;
use crate::template::{Map, Template};

pub use nested::each as each_nested;
pub use property_value::refused as property_refused;
pub use registry::{Check, Look, Run};
pub use sink::Sink;
pub use unknown_type::is_of_a_cloud;

/// Every check, by code.
pub static CHECKS: &[&Check] = &[
    &unreadable::UNREADABLE,
    &unknown_version::UNKNOWN_VERSION,
    &unknown_section::UNKNOWN_SECTION,
    &duplicate_key::DUPLICATE_KEY,
    &yaml_word::YAML_WORD,
    &resource_definition::RESOURCE_DEFINITION,
    &output_definition::OUTPUT_DEFINITION,
    &environment_form::ENVIRONMENT_FORM,
    &missing_file::MISSING_FILE,
    &parameter_declaration::PARAMETER_DECLARATION,
    &constraint_form::CONSTRAINT_FORM,
    &parameter_value::PARAMETER_VALUE,
    &missing_value::MISSING_VALUE,
    &unknown_given::UNKNOWN_GIVEN,
    &parameter_group::PARAMETER_GROUP,
    &shared_name::SHARED_NAME,
    &function_arguments::FUNCTION_ARGUMENTS,
    &removed_function::REMOVED_FUNCTION,
    &later_function::LATER_FUNCTION,
    &unknown_parameter::UNKNOWN_PARAMETER,
    &unknown_condition::UNKNOWN_CONDITION,
    &late_fault::LATE_FAULT,
    &unknown_type::UNKNOWN_TYPE_OF_RESOURCE,
    &unknown_property::UNKNOWN_PROPERTY,
    &property_value::PROPERTY_VALUE,
    &missing_property::MISSING_PROPERTY,
    &unknown_reference::UNKNOWN_REFERENCE,
    &unknown_attribute::UNKNOWN_ATTRIBUTE,
    &class_rule::CLASS_RULE,
    &dependency_cycle::DEPENDENCY_CYCLE,
    &deep_nesting::DEEP_NESTING,
    &illegal_name::ILLEGAL_NAME,
];

/// The descriptions of all checks of Heat's rules.
pub fn all() -> impl Iterator<Item = &'static About> {
    CHECKS.iter().map(|check| &check.about)
}

/// Whether a file is a HOT template, or a template in an unknown version of another format.
fn is_judged(template: &Template) -> bool {
    let other = |key: &str, known: &str| {
        template.root.get(key).is_some_and(|version| version.tree.as_text().is_some_and(|version| version != known))
    };
    template.root.get("heat_template_version").is_some()
        || other("AWSTemplateFormatVersion", "2010-09-09")
        || other("HeatTemplateFormatVersion", "2012-12-12")
}

/// A template to check.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'c> {
    /// The template.
    pub loaded: &'c Loaded,
    /// A template with the resources to check instead, if the template contains more than Heat reads: the same one without
    /// the additional parts.
    pub stock: Option<&'c Loaded>,
    /// The name of a condition that never holds, with which the template hides content from Heat.
    pub never: Option<&'c str>,
}

/// Everything that Heat would refuse about a template and those nested in it, sorted by severity, place and code.
pub fn check(loaded: &Loaded) -> Vec<Diagnostic> {
    sorted(diagnostics(Judged { loaded, stock: None, never: None }))
}

/// The same, unsorted and with duplicates.
pub fn diagnostics(judged: Judged<'_>) -> Vec<Diagnostic> {
    let Judged { loaded, stock, never } = judged;
    let mut found = judge::all(stock.unwrap_or(loaded));
    let mut look = |mut sink: Sink<'_>, looks: &dyn Fn(&Run) -> Option<Look>| {
        CHECKS.iter().filter_map(|check| looks(&check.run)).for_each(|run| run(&mut sink));
        found.extend(sink.found);
    };
    look(Sink::with(loaded, never), &|run| match run {
        Run::Whole(run) | Run::Each(run) | Run::Sent(run) => Some(*run),
        Run::Resources => None,
    });
    for (path, nested) in &loaded.library.templates {
        if let Some(sent) = loaded.nested("", path, Map::default())
            && is_judged(&nested.template)
        {
            let mut sink = Sink::new(&sent);
            sink.is_sent = true;
            look(sink, &|run| if let Run::Sent(run) = run { Some(*run) } else { None });
        }
    }
    nested::each(loaded, &mut |nested| {
        look(Sink::new(nested), &|run| if let Run::Each(run) | Run::Sent(run) = run { Some(*run) } else { None });
    });
    found
}

/// Sorts diagnostics by severity, place and code, and removes duplicates. If Heat refuses something, other messages about
/// the same place become its explanation.
pub fn sorted(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    join(in_order(found))
}

/// Joins diagnostics, so that one mistake yields one diagnostic: if Heat refuses something, warnings about how Heat reads
/// the same place become its explanation.
fn join(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let (mut errors, warnings): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| one.severity == Severity::Error);
    let mut refused: HashMap<Source, usize> = HashMap::new();
    for (index, error) in errors.iter().enumerate() {
        refused.extend(error.place().filter(|at| !refused.contains_key(at)).map(|at| (at.clone(), index)));
    }
    for warning in warnings {
        match warning.place().and_then(|at| refused.get(at)) {
            None => errors.push(warning),
            Some(index) if errors[*index].notes.contains(&warning.message) => {}
            Some(index) => errors[*index].notes.push(warning.message),
        }
    }
    errors
}
