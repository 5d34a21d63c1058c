//! The behaviour of trials, and their messages about mistakes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wattle::author::{PortType, Resource};
use wattle::model::Value;
use wattle::prelude::*;
use wattle::testing::{Failed, FailureKind, Given, Outputs, Schedule, Trial};

/// Where a service listens.
#[derive(Clone, Debug, PartialEq, PortType)]
pub struct Endpoint {
    host: IpAddr,
    port: u16,
}

/// Writes some of everything.
#[component(recipe = "tests/recipes/anything.sh")]
pub struct Source {
    /// A number.
    #[input(default = 7)]
    number: u16,
    /// A text that may be absent.
    #[input]
    note: Option<String>,
    /// A secret.
    #[input]
    password: Secret<String>,

    /// Where it is.
    #[output(dynamic)]
    endpoint: Endpoint,
    /// A share of the whole.
    #[output(dynamic)]
    share: f64,
    /// A secret.
    #[output(dynamic)]
    token: Secret<String>,
}

/// Takes its time.
#[component(recipe = "tests/recipes/anything.sh", deadline = "6h")]
pub struct Slow {
    /// Some text.
    #[output(dynamic)]
    text: String,
}

/// Reads what others write, and waits for it longer.
#[component(recipe = "tests/recipes/anything.sh")]
pub struct Patient {
    /// Some text.
    #[input]
    text: String,

    /// The same.
    #[output(dynamic)]
    same: String,
}

/// Reads what others write.
#[component(recipe = "tests/recipes/anything.sh", wait = "1h")]
pub struct Reader {
    /// Some text.
    #[input]
    text: String,

    /// The same.
    #[output(dynamic)]
    same: String,
}

fn source(it: &Given<Source>) -> Outputs<Source> {
    Outputs::<Source> {
        endpoint: Endpoint { host: [10, 0, 0, 5].into(), port: it.number },
        share: 0.5,
        token: format!("token of {}", it.password),
    }
}

fn server(t: &mut Topology, name: &str) -> Resource {
    t.add(name, RawResource::new("OS::Nova::Server"))
}

fn source_kind() -> SourceInputs<wattle::author::Wired> {
    Source::new().password(Secret::new("open sesame".to_owned()))
}

const TOKEN: Export<Secret<String>> = Export::new("chain", "token");

/// A source on one server, and two readers in a chain on two others.
fn chain() -> wattle::model::Model {
    let mut t = Topology::new("chain");
    let [one, two, three] = ["one", "two", "three"].map(|name| server(&mut t, name));
    let source = t.on(one).run("source", source_kind());
    let first = t.on(two).run("reader", Reader::new().text(text!("share {}", source.share)));
    let second = t.on(three).run("reader", Reader::new().text(first.same));
    let exports = Exports::new().entry("same", second.same).entry("endpoint", source.endpoint);
    t.finish(exports.entry(TOKEN, source.token))
}

fn trial() -> Trial {
    Trial::of_model(chain())
        .fake(|it: Given<Source>| source(&it))
        .fake(|it: Given<Reader>| Outputs::<Reader> { same: it.text.clone() })
}

/// The panic message of `run`.
fn said(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it panics");
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).expect("it says something")
}

#[test]
fn values_go_from_writers_to_readers() {
    let run = trial().run();
    run.succeeded();
    assert_eq!(run.export::<String>("same"), "share 0.5");
    assert_eq!(run.export::<Endpoint>("endpoint"), Endpoint { host: [10, 0, 0, 5].into(), port: 7 });
    let inputs = run.component("one/source").inputs::<Source>();
    assert_eq!((inputs.number, inputs.note, &*inputs.password), (7, None, "open sesame"));
    assert_eq!(run.component("one/source").outputs::<Source>().token, "token of open sesame");
    assert_eq!(run.started(), ["one/source", "two/reader", "three/reader"]);
}

#[test]
fn a_fake_that_panics_is_named() {
    let trial = Trial::of_model(chain())
        .fake(|it: Given<Source>| source(&it))
        .fake(|it: Given<Reader>| -> Outputs<Reader> { panic!("no {}", it.text) });
    let text = said(|| drop(trial.run()));
    assert!(text.starts_with("the fake of `two/reader`, at ") && text.ends_with(", panicked: no share 0.5"), "{text}");
}

#[test]
fn a_secret_of_another_type_is_not_shown() {
    let run = trial().run();
    let text = said(|| assert_eq!(run.component("one/source").input::<u16>("password"), 0));
    assert!(text.ends_with("is not an integer between 0 and 65535: its value is secret"), "{text}");
    let text = said(|| assert_eq!(run.component("one/source").output::<u16>("token"), 0));
    assert!(text.ends_with("its value is secret"), "{text}");
    let text = said(|| assert_eq!(run.export::<u16>("token"), 0));
    assert!(text.ends_with("its value is secret"), "{text}");
}

#[test]
fn the_same_seed_gives_the_same_run_and_others_give_others() {
    let mut t = Topology::new("many");
    for n in 0..8 {
        let server = server(&mut t, &format!("s{n}"));
        t.on(server).run("source", source_kind().note("noted"));
    }
    let mut trial = Trial::of_model(t.finish(Exports::new())).made_up();
    let mut stories = std::collections::BTreeSet::new();
    for seed in 0..20 {
        trial = trial.seed(seed);
        let run = trial.run();
        assert_eq!(run.story(), trial.run().story());
        stories.insert(run.started().join(" "));
    }
    assert!(stories.len() > 15, "{} orders of 20", stories.len());
    trial = trial.schedule(Schedule::Declared);
    assert_eq!(trial.run().started()[0], "s0/source");
    trial = trial.schedule(Schedule::Reversed);
    assert_eq!(trial.run().started()[0], "s7/source");
}

#[test]
fn a_recipe_that_takes_too_long_fails_and_so_do_its_readers() {
    let trial =
        Trial::of_model(chain()).fake_taking(Duration::from_hours(2), |it: Given<Source>| source(&it)).made_up();
    let run = trial.run();
    let failure = run.component("one/source").failed().failure().unwrap();
    assert_eq!(failure.kind, FailureKind::Deadline);
    assert_eq!(failure.message, "the recipe did not end within 1 h");
    run.component("three/reader").never_started().failed_because_of("one/source");
    let through: Vec<_> = run.failures()["three/reader"].through.iter().map(|name| &**name).collect();
    assert_eq!(through, ["two/reader", "three/reader"]);
}

#[test]
fn who_has_waited_long_enough_fails_by_itself() {
    let mut t = Topology::new("slow");
    let [one, two, three] = ["one", "two", "three"].map(|name| server(&mut t, name));
    let slow = t.on(one).run("slow", Slow::new());
    let first = t.on(two).run("reader", Reader::new().text(slow.text));
    let second = t.on(three).run("patient", Patient::new().text(first.same));
    let run = Trial::of_model(t.finish(Exports::new().entry("same", second.same)))
        .fake_taking(Duration::from_hours(5), |_: Given<Slow>| Outputs::<Slow> { text: "at last".into() })
        .made_up()
        .run();
    run.component("one/slow").succeeded();
    let failure = run.component("two/reader").failed().failure().unwrap();
    assert_eq!(
        (failure.kind, &*failure.message),
        (FailureKind::Wait, "waited 1 h for `one/slow/text` (its input `text`): `one/slow` runs")
    );
    run.component("three/patient").never_started().failed_because_of("two/reader");
}

#[test]
fn a_server_that_never_boots_is_named() {
    let run = trial().never_boots("one").run();
    let failure = run.component("two/reader").failed().failure().unwrap();
    assert_eq!(failure.kind, FailureKind::Wait);
    assert!(failure.message.ends_with("never started: no agent of server `one` has come up"), "{failure}");
    assert!(run.component("one/source").failure().is_none());
    assert!(!run.component("one/source").is_done());
}

#[test]
fn what_ran_when_its_agent_died_runs_again() {
    let trial = Trial::of_model(chain())
        .fake(|it: Given<Source>| Outputs::<Source> { share: f64::from(it.attempt()), ..source(&it) })
        .fake(|it: Given<Reader>| Outputs::<Reader> { same: it.text.clone() })
        .agent_dies_during("one/source");
    let run = trial.run();
    run.succeeded();
    assert_eq!(run.component("one/source").attempts(), 2);
    assert_eq!(run.component("two/reader").attempts(), 1);
    assert_eq!(run.export::<String>("same"), "share 2.0");
}

#[test]
fn what_was_done_when_its_agent_died_stays_done() {
    let mut t = Topology::new("two");
    let [one, two] = ["one", "two"].map(|name| server(&mut t, name));
    let slow = t.on(one).run("slow", Slow::new());
    let patient = t.on(one).run("patient", Patient::new().text(slow.text));
    let reader = t.on(two).run("reader", Reader::new().text(patient.same));
    let run = Trial::of_model(t.finish(Exports::new().entry("same", reader.same)))
        .fake_taking(Duration::from_hours(2), |_: Given<Slow>| Outputs::<Slow> { text: "at last".into() })
        .fake_taking(Duration::from_mins(1), |it: Given<Patient>| Outputs::<Patient> { same: it.text.clone() })
        .fake(|it: Given<Reader>| Outputs::<Reader> { same: it.text.clone() })
        .agent_dies_during("one/patient")
        .run();
    let attempts = ["one/slow", "one/patient", "two/reader"].map(|name| run.component(name).attempts());
    // A component that waits on another server gives up after an hour, whatever happens to this one.
    assert_eq!(attempts, [1, 2, 0]);
    let failure = run.component("two/reader").failed().failure().unwrap();
    assert_eq!(failure.message, "waited 1 h for `one/patient/same` (its input `text`): `one/slow` runs");
}

#[test]
fn what_was_published_before_a_failure_stays() {
    let run = Trial::of_model(chain())
        .fake(|_: Given<Source>| -> Result<Outputs<Source>, Failed> {
            Err(Failed::new("the licence has expired").having_published("share", 0.25))
        })
        .made_up()
        .run();
    run.component("one/source").failed();
    run.component("two/reader").succeeded();
    assert_eq!(run.component("two/reader").input::<String>("text"), "share 0.25");
    let said = said(|| {
        run.export::<Endpoint>("endpoint");
    });
    assert_eq!(
        said,
        "the export `endpoint` has no value: `one/source/endpoint` did not arrive: one/source: the licence has expired"
    );
}

#[test]
fn values_that_no_recipe_could_write_are_errors_of_the_test() {
    let run = |share: f64, token: String| {
        said(move || {
            let trial = Trial::of_model(chain()).made_up().fake(move |it: Given<Source>| Outputs::<Source> {
                share,
                token: token.clone(),
                ..source(&it)
            });
            trial.run();
        })
    };
    let said = run(f64::NAN, String::new());
    assert!(said.contains("no recipe could write its output `share`: NaN is not finite"), "{said}");
    assert!(said.starts_with("the fake of `one/source`, at dsl/tests/testing.rs:"), "{said}");
    let said = run(1.0, "x".repeat(1_000_001));
    assert!(said.contains("1000003 bytes, but the data space takes at most 1000000"), "{said}");
    assert!(!said.contains("xxxxx"), "a secret is shown");
}

#[test]
fn a_fake_by_name_sets_all_outputs_and_no_others() {
    let run = |outputs: &'static [(&'static str, &'static str)]| {
        said(move || {
            let kind = format!("{}::Reader", module_path!());
            let outputs = move |_: &str, _: &_| {
                Ok(outputs.iter().map(|(name, value)| ((*name).into(), Value::from(*value))).collect())
            };
            Trial::of_model(chain()).made_up().fake_kind(&kind, outputs).run();
        })
    };
    assert!(run(&[]).contains("it does not set the output `same`, and a recipe that leaves it out fails"));
    assert!(run(&[("same", "x"), ("sam", "x")]).contains("declares no output `sam`; did you mean `same`?"));
}

#[test]
fn requirements_are_judged_by_those_who_read() {
    let model = |least: f64| {
        let mut t = Topology::new("required");
        let [one, two] = ["one", "two"].map(|name| server(&mut t, name));
        let source = t.on(one).run("source", source_kind());
        let reader = t.on(two).run("reader", Reader::new().text(text!("{}", source.share)));
        t.require("a fair share", source.share.at_least(least));
        t.finish(Exports::new().entry("same", reader.same))
    };
    let trial = |least| Trial::of_model(model(least)).fake(|it: Given<Source>| source(&it)).made_up();
    trial(0.5).run().succeeded();
    let run = trial(0.75).run();
    run.component("one/source").succeeded();
    let failure = run.component("two/reader").never_started().failed().failure().unwrap();
    assert_eq!(failure.kind, FailureKind::Requirement);
    assert!(failure.message.contains("the requirement `a fair share`"), "{failure}");
}

#[test]
fn what_is_missing_or_misspelt_is_reported_at_once_with_what_mends_it() {
    let said = said(|| {
        Trial::of_model(chain()).never_boots("thre").failing("one/sorce", "x").agent_dies_during("two/reader").run();
    });
    let kind = |kind: &str, outputs: &str, of: &str| {
        format!("    .fake(|it: Given<{kind}>| Outputs::<{kind}> {{ {outputs} }})  // {of}")
    };
    let expected = [
        "`chain` cannot be run:",
        "components without a fake; give each component type one, or add `.made_up()` for all:",
        &kind("Source", "endpoint: todo!(), share: todo!(), token: todo!()", "one/source"),
        &kind("Reader", "same: todo!()", "two/reader and 1 more"),
        "no server is called `thre` that runs components; did you mean `three`?",
        "no component is called `one/sorce`; did you mean `one/source`?",
    ];
    assert_eq!(said, expected.join("\n"));
}

#[test]
fn assertions_say_what_was_expected_what_happened_and_why() {
    let run = trial().run();
    let not_after = said(|| {
        run.component("one/source").started_after("two/reader");
    });
    assert!(not_after.starts_with("`one/source` was not started after `two/reader` had ended"), "{not_after}");
    assert!(not_after.contains("\n  `one/source` (declared at dsl/tests/testing.rs:"), "{not_after}");
    assert!(not_after.contains("waits for no component"), "{not_after}");
    assert!(not_after.contains("the run, of seed 0:\n"), "{not_after}");

    let no_wait = said(|| {
        run.component("one/source").waits_for("three/reader");
    });
    assert!(no_wait.contains("it is the other way round: `three/reader` waits for `one/source`"), "{no_wait}");

    let wait = said(|| {
        run.component("three/reader").does_not_wait_for("one/source");
    });
    let expected = [
        "`three/reader` waits for `one/source`",
        "  `three/reader` waits for `two/reader`: its input `text` reads `same`",
        "  `two/reader` waits for `one/source`: its input `text` reads `share`",
    ];
    assert_eq!(wait, expected.join("\n"));

    let run = trial().failing("one/source", "the disk is full").run();
    let failed = said(|| {
        run.succeeded();
    });
    assert!(
        failed.contains("failed: the disk is full\n    and because of it, `two/reader` and `three/reader`"),
        "{failed}"
    );
    let input = said(|| {
        run.component("two/reader").input::<String>("text");
    });
    assert!(input.starts_with("`two/reader` has no inputs: `two/reader` is not done"), "{input}");
}

#[test]
fn a_model_with_errors_is_not_tried() {
    let mut model = chain();
    model.resources.clear();
    let said = said(|| drop(Trial::of_model(model)));
    assert!(said.starts_with("`chain` cannot be tried: "), "{said}");
    assert!(said.contains("error[W0107]"), "{said}");
}

#[test]
fn every_port_type_comes_back_from_data() {
    fn back<T: PortType + Clone + PartialEq + std::fmt::Debug>(value: &T) {
        let data = value.clone().into_value();
        assert_eq!(T::port_type().refuse(&data), None);
        assert_eq!(T::from_value(data).as_ref(), Some(value));
        assert_eq!(T::from_value(Value::Null), None);
    }
    back(&true);
    back(&u64::MAX);
    back(&i64::MIN);
    back(&0.1_f32);
    back(&0.1_f64);
    back(&"text".to_owned());
    back(&IpAddr::from([10, 0, 0, 5]));
    back(&Ipv4Addr::LOCALHOST);
    back(&Ipv6Addr::LOCALHOST);
    back(&"http://example.com/".parse::<Url>().unwrap());
    back(&Duration::from_secs(90));
    back(&Duration::from_millis(1_500));
    back(&vec![vec![1_u8], vec![]]);
    back(&BTreeMap::from([("a".to_owned(), Endpoint { host: [10, 0, 0, 5].into(), port: 1 })]));
    assert_eq!(u8::from_value(256_u16.into()), None);
    assert_eq!(f64::from_value(2_u8.into()), Some(2.0));
}
