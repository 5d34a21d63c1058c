//! `check --policy`.

use super::blueprint::Demo;
use super::{Scratch, demo, run_with};
use crate::manners::Exit;
use crate::model::{Diagnostic, Model, Severity};
use crate::policy::{ALL, Policy};

#[test]
fn what_is_against_a_policy_is_reported_with_the_rest() {
    let scratch = Scratch::new("policy");
    let team = scratch.write("team.yaml", "tags: {required: [owner]}\n");
    let ran = demo(&["check", "--policy", &team, "--format", "concise"]);
    assert_eq!(ran.exit, Exit::Failed, "{ran}");
    assert!(ran.out.contains("error[W1501]: ") && ran.out.contains("lacks the label `owner`"), "{ran}");
    // A mere warning lets the model pass, unless warnings are errors.
    let company = scratch.write("company.yaml", "tags: {required: [owner], severity: warning}\n");
    let ran = demo(&["check", "--policy", &company, "--format", "concise"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran}");
    assert!(ran.out.contains("warning[W1501]: "), "{ran}");
    assert_eq!(demo(&["check", "--policy", &company, "--deny-warnings"]).exit, Exit::Failed);
    // Both policies hold.
    let ran = demo(&["check", "--policy", &company, "--policy", &team, "--format", "concise"]);
    assert!(ran.out.contains("warning[W1501]: ") && ran.out.contains("error[W1501]: "), "{ran}");
}

#[test]
fn a_team_has_policies_of_its_own() {
    fn nothing(model: &Model) -> Vec<Diagnostic> {
        vec![Diagnostic::new("ACME1", Severity::Error, "nothing may be deployed").label(&model.at, "this")]
    }
    let scratch = Scratch::new("own-policy");
    let team = scratch.write("team.yaml", "nothing:\n");
    let known = [ALL, &[Policy::own("nothing", nothing)]].concat();
    let ran = run_with(&Demo, &["check", "--policy", &team], &known, false);
    assert_eq!(ran.exit, Exit::Failed, "{ran}");
    assert!(
        ran.out.contains("error[ACME1]: nothing may be deployed")
            && ran.out.contains("required by the policy `nothing`"),
        "{ran}"
    );
    // It is unknown elsewhere.
    let ran = demo(&["check", "--policy", &team]);
    assert_eq!(ran.exit, Exit::Usage, "{ran}");
    assert!(ran.err.contains("there is no policy `nothing`"), "{ran}");
}

#[test]
fn a_policy_that_is_not_there_is_no_policy_that_is_kept() {
    let scratch = Scratch::new("no-policy");
    let ran = demo(&["check", "--policy", &format!("{}/none.yaml", scratch.path())]);
    assert_eq!(ran.exit, Exit::Usage, "{ran}");
    let typo = scratch.write("typo.yaml", "# Ours.\nimage: {allowed: [debian-12]}\n");
    let ran = demo(&["check", "--policy", &typo]);
    assert!(ran.err.contains("did you mean `images`?") && ran.err.contains(&format!("at {typo}:2:1")), "{ran}");
    assert!(demo(&["explain", "W1502"]).out.starts_with("W1502 (error)"));
}
