//! Tests of properties that all checks share.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::Model;
use crate::view::{Format, Options, render};

use super::testing::codes;
use super::*;

/// The diagnostics of a model for the lowering that `about` applies to.
fn found(about: &Check, model: &Model) -> Vec<Diagnostic> {
    let lowering = about.run.lowering.unwrap_or_default();
    check(model, &Limits { lowering, ..Limits::default() })
}

#[test]
fn every_check_finds_what_it_is_for_and_no_other_check_does() {
    for (check, failing) in FAILING {
        let codes: Vec<_> = found(check, &failing()).iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, [check.code]);
    }
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
fn every_check_is_documented_with_an_example_that_fails_and_the_same_fixed() {
    for check in CHECKS {
        let fails = "# assert!(wattle::check::finds(";
        let fixed = "# assert!(!wattle::check::finds(";
        assert!(check.docs.contains(fails) && check.docs.contains(fixed), "{}", check.code);
        let asserted: HashSet<_> =
            check.docs.match_indices("\"W0").map(|(at, _)| &check.docs[at + 1..at + 6]).collect();
        assert_eq!(asserted, HashSet::from([check.code]));
        assert!(!check.summary.ends_with('.') && check.summary.starts_with(char::is_lowercase), "{}", check.code);
    }
}

#[test]
fn messages_are_written_the_same_way() {
    for (check, failing) in FAILING {
        let code = check.code;
        for diagnostic in found(check, &failing()) {
            let texts =
                diagnostic.labels.iter().map(|label| &label.text).chain(&diagnostic.notes).chain(&diagnostic.help);
            for text in texts.chain([&diagnostic.message]) {
                assert!(!text.ends_with('.') && !text.contains('\n') && !text.is_empty(), "{code}: {text}");
                let first = text.chars().next().expect("text");
                assert!(!first.is_uppercase() || text.starts_with("Heat"), "{code}: {text}");
                assert!(!text.contains("Expr") && !text.contains("Some("), "{code}: {text}");
            }
            assert!(diagnostic.labels.first().is_some_and(|label| label.at.is_known()), "{code}");
            assert!(!diagnostic.help.is_empty() || ["W0202", "W0404", "W0107"].contains(&code), "{code}");
            assert_eq!(diagnostic.severity, check.severity);
        }
    }
}

#[test]
fn what_one_lowering_cannot_express_is_no_diagnostic_for_the_other() {
    for (check, failing) in FAILING.iter().filter(|(check, _)| check.code.starts_with("W09")) {
        assert_eq!(codes(&failing()), Vec::<&str>::new(), "{}", check.code);
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

/// Goldens of every diagnostic as it is rendered: `INSTA_UPDATE=always` rewrites them for review.
#[test]
fn diagnostics_look_as_they_did() {
    let lines: Vec<_> = (1..1_200).map(|line| format!("    line_{line}(of, the, blueprint);")).collect();
    let source: Arc<str> = lines.join("\n").into();
    for (check, failing) in FAILING {
        let found = found(check, &failing());
        insta::assert_snapshot!(
            check.code,
            render(&found, Format::Full, &|_| Some(source.clone()), &Options::default())
        );
    }
}

#[test]
fn explanations_read_as_they_did() {
    insta::assert_snapshot!("explain-W0101", explain("W0101").expect("a check"));
    insta::assert_snapshot!("explain-W0601", explain("W0601").expect("a check"));
}
