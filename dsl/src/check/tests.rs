//! What holds for all checks.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::Model;
use crate::view::{Format, Options, render};

use super::testing::codes;
use super::*;

/// The code of a check, and a model of which that check and no other finds something.
type Failing = (&'static str, fn() -> Model);

const FAILING: &[Failing] = &[
    ("W0101", cycle::tests::failing),
    ("W0102", unfulfilled_promise::tests::failing),
    ("W0103", doubly_fulfilled_promise::tests::failing),
    ("W0104", promise_ring::tests::failing),
    ("W0105", doubly_wired_input::tests::failing),
    ("W0106", missing_input::tests::failing),
    ("W0107", unknown_name::tests::failing),
    ("W0108", wrong_type::tests::failing),
    ("W0201", duplicate_name::tests::failing),
    ("W0202", illegal_name::tests::failing),
    ("W0203", reserved_name::tests::failing),
    ("W0204", shared_name::tests::failing),
    ("W0205", taken_identity::tests::failing),
    ("W0206", needless_move::tests::failing),
    ("W0207", illegal_move::tests::failing),
    ("W0301", foreign_handle::tests::failing),
    ("W0302", not_a_server::tests::failing),
    ("W0303", server_dependency::tests::failing),
    ("W0304", own_user_data::tests::failing),
    ("W0305", mixed_export::tests::failing),
    ("W0306", unconnected_network::tests::failing),
    ("W0307", export_of_another_stack::tests::failing),
    ("W0308", heats_function::tests::failing),
    ("W0309", conditional_server::tests::failing),
    ("W0401", unknown_property::tests::failing),
    ("W0402", property_value::tests::failing),
    ("W0403", missing_property::tests::failing),
    ("W0404", unknown_attribute::tests::failing),
    ("W0405", late_property::tests::failing),
    ("W0406", doubly_set_property::tests::failing),
    ("W0501", user_data_size::tests::failing),
    ("W0502", entry_size::tests::failing),
    ("W0503", resource_count::tests::failing),
    ("W0504", resource_size::tests::failing),
    ("W0601", secret_leak::tests::failing),
    ("W0602", secret_constant::tests::failing),
    ("W0701", unread_output::tests::failing),
    ("W0702", unused_parameter::tests::failing),
    ("W0703", unread_input::tests::failing),
    ("W0704", unused_promise::tests::failing),
    ("W0705", unwritten_output::tests::failing),
    ("W0801", parameter_default::tests::failing),
    ("W0802", unknown_constraint::tests::failing),
    ("W0803", broken_requirement::tests::failing),
    ("W0804", unjudged_requirement::tests::failing),
    ("W0805", impossible_requirement::tests::failing),
    ("W0901", imported_value::tests::failing),
    ("W0902", live_recipe::tests::failing),
    ("W0903", early_output::tests::failing),
    ("W0904", exported_secret::tests::failing),
    ("W0905", stored_secret::tests::failing),
    ("W0906", unlimited_wait::tests::failing),
    ("W0907", whole_stack::tests::failing),
    ("W0908", deployment_name::tests::failing),
    ("W0909", own_format::tests::failing),
    ("W0910", heats_requirement::tests::failing),
];

/// What is found in a model that is to be lowered for what the check with the code `code` is about.
fn found(code: &str, model: &Model) -> Vec<Diagnostic> {
    let lowering = find(code).and_then(|check| check.run.lowering).unwrap_or_default();
    check(model, &Limits { lowering, ..Limits::default() })
}

#[test]
fn every_check_finds_what_it_is_for_and_no_other_check_does() {
    for (code, failing) in FAILING {
        let codes: Vec<_> = found(code, &failing()).iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, [*code]);
    }
    let tried: Vec<_> = FAILING.iter().map(|(code, _)| *code).collect();
    let all: Vec<_> = CHECKS.iter().map(|check| check.code).collect();
    assert_eq!(tried, all, "every check, sorted by code");
}

#[test]
fn codes_are_sorted_and_unique() {
    assert!(CHECKS.is_sorted_by(|one, next| one.code < next.code));
    for check in CHECKS {
        let digits = check.code.strip_prefix('W').expect("a code");
        assert!(digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()), "{}", check.code);
    }
}

#[test]
fn every_check_is_documented_with_an_example_that_fails_and_the_same_mended() {
    for check in CHECKS {
        let fails = "# assert!(wattle::check::finds(";
        let mended = "# assert!(!wattle::check::finds(";
        assert!(check.docs.contains(fails) && check.docs.contains(mended), "{}", check.code);
        let asserted: HashSet<_> =
            check.docs.match_indices("\"W0").map(|(at, _)| &check.docs[at + 1..at + 6]).collect();
        assert_eq!(asserted, HashSet::from([check.code]));
        assert!(!check.summary.ends_with('.') && check.summary.starts_with(char::is_lowercase), "{}", check.code);
    }
}

#[test]
fn messages_are_written_the_same_way() {
    for (code, failing) in FAILING {
        for diagnostic in found(code, &failing()) {
            let texts =
                diagnostic.labels.iter().map(|label| &label.text).chain(&diagnostic.notes).chain(&diagnostic.help);
            for text in texts.chain([&diagnostic.message]) {
                assert!(!text.ends_with('.') && !text.contains('\n') && !text.is_empty(), "{code}: {text}");
                let first = text.chars().next().expect("text");
                assert!(!first.is_uppercase() || text.starts_with("Heat"), "{code}: {text}");
                assert!(!text.contains("Expr") && !text.contains("Some("), "{code}: {text}");
            }
            assert!(diagnostic.labels.first().is_some_and(|label| label.at.is_known()), "{code}");
            assert!(!diagnostic.help.is_empty() || ["W0202", "W0404", "W0107"].contains(code), "{code}");
            assert_eq!(diagnostic.severity, find(code).expect("a check").severity);
        }
    }
}

#[test]
fn what_one_lowering_cannot_express_is_no_diagnostic_for_the_other() {
    for (code, failing) in FAILING.iter().filter(|(code, _)| code.starts_with("W09")) {
        assert_eq!(codes(&failing()), Vec::<&str>::new(), "{code}");
    }
}

#[test]
fn all_diagnostics_come_at_once() {
    let mut model = duplicate_name::tests::failing();
    let other = secret_leak::tests::failing();
    model.parameters.extend(other.parameters);
    model.declarations.extend(other.declarations);
    model.components.extend(other.components);
    model.exports.extend(other.exports);
    model.resources.extend(other.resources);
    model.stack = "no stack".into();
    assert_eq!(codes(&model), ["W0201", "W0601", "W0202"]);
}

/// Goldens of every diagnostic as it is rendered: `INSTA_UPDATE=always` writes them anew, to be reviewed.
#[test]
fn diagnostics_look_as_they_did() {
    let lines: Vec<_> = (1..1_200).map(|line| format!("    line_{line}(of, the, blueprint);")).collect();
    let source: Arc<str> = lines.join("\n").into();
    for (code, failing) in FAILING {
        let found = found(code, &failing());
        insta::assert_snapshot!(*code, render(&found, Format::Full, &|_| Some(source.clone()), &Options::default()));
    }
}

#[test]
fn explanations_read_as_they_did() {
    insta::assert_snapshot!("explain-W0101", explain("W0101").expect("a check"));
    insta::assert_snapshot!("explain-W0601", explain("W0601").expect("a check"));
}
