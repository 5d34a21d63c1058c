//! The messages about invalid files, and about scenarios that do not hold.

use super::scenarios;
use crate::harness::Test;
use crate::run::run;

/// The tests of the runner itself.
pub(crate) fn all() -> Vec<Test> {
    let test =
        |name: &str, run: fn() -> Result<(), String>| Test { name: format!("runner::{name}"), run: Box::new(run) };
    vec![
        test("all_that_is_wrong_with_a_file_is_reported", all_that_is_wrong_with_a_file_is_reported),
        test("what_does_not_hold_fails", what_does_not_hold_fails),
        test("one_of_two_is_done_and_not_both", one_of_two_is_done_and_not_both),
    ]
}

fn equal(is: &str, wanted: &str) -> Result<(), String> {
    if is.trim() == wanted.trim() { Ok(()) } else { Err(format!("found:\n{is}\nand not:\n{wanted}")) }
}

const WRONG: &str = r"
format: convergence-scenarios/2
extra: 1
scenarios:
  - name: first
    templates:
      v1:
        A: {props: {a: {attr: [B, b]}, c: {ref: Z}}, wrong: 1}
        B: {after: A}
      nothing: {}
    steps:
      - create: v9
      - {update: v1, at: soon}
      - {rollback: false, at: {done: [make A, create Z], seen: [Y], then: 1}}
      - {create: v1, delete: true}
      - expect: {same: {A: a0}, total: many}
      - expect: {}
    final: {reality: {X: 1}}
  - steps: []
";

fn all_that_is_wrong_with_a_file_is_reported() -> Result<(), String> {
    let problems = scenarios(WRONG).err().ok_or("nothing is wrong with it")?;
    equal(
        &problems.join("\n"),
        r"
the file: unknown key `extra`; known are `format`, `legend`, `scenarios`
the file: its format is `convergence-scenarios/2`, and `convergence-scenarios/1` is what can be read
scenario `first`: `nothing` is the empty template and cannot be another one
scenario `first`, template `v1`, `A`: unknown key `wrong`; known are `props`, `replace_on`, `after`
scenario `first`, template `v1`, `B`, `after`: expected a list, found text
scenario `first`, template `v1`, `A`: it depends on `Z`, which the template does not have
scenario `first`, template `v1`, `A`: `a` reads `b` of `B`, which has no such property
scenario `first`, step 1: there is no template `v9`; there are `nothing`, `v1`
scenario `first`, step 2, `at`: it is `idle` or a map, and not `soon`
scenario `first`, step 3: `rollback` is `true`, or the step is not there
scenario `first`, step 3, `at`: unknown key `then`; known are `done`, `one_of`, `seen`, `open`, `allocated`
scenario `first`, step 3, `at`, `done`: expected `create`, `update` or `delete` and a name, found `make A`
scenario `first`, step 3, `at`, `done`: no template has a resource `Z`
scenario `first`, step 3, `at`, `seen`: no template has a resource `Y`
scenario `first`, step 4: a step has one of `create`, `update`, `rollback`, `delete`, `expect`, `ticks`, `matches`, `total`, `count`, `remember`, `same`, `differs`; this one has 2
scenario `first`, step 5: nothing is remembered as `a0` by then
scenario `first`, step 5: expected a number of things, found text
scenario `first`, step 6: it expects nothing
scenario `first`, `final`: no template has a resource `X`
scenario 2: it has no `name`
scenario 2: it has no `steps`
",
    )?;
    let why = scenarios("[").err().ok_or("it is read")?.join("\n");
    if why.starts_with("this is not YAML: ") { Ok(()) } else { Err(why) }
}

const FALSE: &str = r"
format: convergence-scenarios/1
scenarios:
  - name: never
    templates:
      v1: {A: {}, B: {after: [A]}}
    steps:
      - create: v1
      - {delete: true, at: {done: [create B]}}
  - name: otherwise
    templates:
      v1: {A: {props: {a: 1}}}
      v2: {A: {props: {a: 2}}}
    steps:
      - create: v1
      - {expect: {matches: v2}, at: idle}
";

fn what_does_not_hold_fails() -> Result<(), String> {
    let scenarios = scenarios(FALSE).map_err(|problems| problems.join("\n"))?;
    let failures: Vec<String> = scenarios.iter().map(|scenario| run(scenario).err().unwrap_or_default()).collect();
    equal(
        &failures.join(""),
        r#"
  step 2 (`delete`): `create B` cannot come to be done: the engine has begun `create A`
  what happened:
    -- `create: v1`
       begun: create A
  step 2 (`expect`): reality does not match `v2`: `A-1` has the properties {"a":1}, and is to have {"a":2}
  what happened:
    -- `create: v1`
       begun: create A
       done:  create A
"#,
    )
}

const ONE_OF: &str = r"
format: convergence-scenarios/1
scenarios:
  - name: one_of
    templates:
      v1: {A: {}, B: {}, C: {after: [A, B]}}
    steps:
      - create: v1
      - {expect: {total: 1}, at: {one_of: [create A, create B], open: [C], allocated: {C: 1}}}
      - {expect: {total: 2, count: {A: 1, B: 1, C: 0}}, at: {done: [create A, create B]}}
      - {expect: {remember: {c0: C}}, at: idle}
      - {update: v1, at: idle}
      - {expect: {same: {C: c0}}, at: idle}
";

fn one_of_two_is_done_and_not_both() -> Result<(), String> {
    let scenarios = scenarios(ONE_OF).map_err(|problems| problems.join("\n"))?;
    scenarios.iter().try_for_each(run)
}
