//! How many templates are compared with Heat. If you add one, change its number here and in `ARCHITECTURE.md`.

/// Templates in `templates/good`. Heat accepts all of them.
pub(crate) const GOOD: usize = 62;

/// Templates of the validator's own tests, in `heat/selftest`.
pub(crate) const SELFTEST: usize = 42;

/// Those of them that Heat accepts.
pub(crate) const SELFTEST_ACCEPTED: usize = 7;

/// Resources in `templates/rules.txt`.
pub(crate) const RULES: usize = 232;

/// Those of them that Heat and we accept.
pub(crate) const RULES_ACCEPTED: usize = 38;

/// Small templates in `templates/forms.txt`, which `template_forms.rs` compares.
const FORMS: usize = 1_111;

#[test]
fn the_architecture_says_how_many_there_are() {
    let forms = include_str!("../../templates/forms.txt").split("=== ").skip(1).count();
    assert_eq!(forms, FORMS);
    let graphs = GOOD + SELFTEST_ACCEPTED + RULES_ACCEPTED;
    let page = include_str!("../../../ARCHITECTURE.md").split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        format!("`tests/templates/good` has {GOOD} templates, the validator's own tests have {SELFTEST}"),
        format!(
            "`rules.txt` has {RULES} resources, and `forms.txt` {},{:03} small templates",
            FORMS / 1_000,
            FORMS % 1_000
        ),
        format!("Heat accepts {graphs} of the first three kinds"),
    ] {
        assert!(page.contains(&said), "ARCHITECTURE.md does not say: {said}");
    }
}
