//! `moved_from`: renaming leaves deployed elements unchanged.

use wattle::check;
use wattle::lower::{Options, identified, lower, native};
use wattle::model::{ElementKind, FormerName, Model, Name, Source};
use wattle::plan::{Action, Run, plan};
use wattle::prelude::*;
use wattle_catalog::nova;
use wattle_tests::random::{self, Anything};

use super::{state, state_of};

/// The codes of a model's diagnostics, without their places.
fn codes(model: &Model) -> Vec<&'static str> {
    let mut codes: Vec<_> = check::check(model, &Default::default()).into_iter().map(|found| found.code).collect();
    codes.sort_unstable();
    codes
}

/// `model` with some of its elements renamed, without `moved_from` and with it; and the number of renamed ones.
fn renamed(model: &Model, choose: impl Fn(usize) -> bool) -> (Model, Model, usize) {
    let mut model = model.clone();
    model.moved.clear();
    let mut moves: Vec<(ElementKind, Name, Name)> = Vec::new();
    let resources = model.resources.keys().map(|name| (ElementKind::Resource, name));
    let components = model.components.keys().map(|key| (ElementKind::Component, key));
    let modules = model.modules.keys().map(|name| (ElementKind::Module, name));
    for (at, (kind, name)) in resources.chain(components).chain(modules).enumerate().filter(|(at, _)| choose(*at)) {
        // An element in a module stays there, whatever the module's new name is.
        let own = name.rsplit_once('.').filter(|_| kind != ElementKind::Component).map(|(_, own)| format!(".{own}"));
        moves.push((kind, name.clone(), format!("{}-{at}x", own.as_deref().unwrap_or(name)).into()));
    }
    // Declaring the old names turns the original into the renamed model.
    let mut before = model.clone();
    before.moved = moves
        .iter()
        .map(|(kind, old, new)| FormerName::new(*kind, old.clone(), new.clone(), Source::default()))
        .collect();
    let mut after = identified(&before).into_owned();
    after.moved.clear();
    let silent = after.clone();
    let names: Vec<(Name, Name)> = model.resources.keys().cloned().zip(after.resources.keys().cloned()).collect();
    let keys: Vec<(Name, Name)> = model.components.keys().cloned().zip(after.components.keys().cloned()).collect();
    let modules: Vec<(Name, Name)> = model.modules.keys().cloned().zip(after.modules.keys().cloned()).collect();
    for (kind, old, _) in &moves {
        let pairs = match kind {
            ElementKind::Resource => &names,
            ElementKind::Module => &modules,
            _ => &keys,
        };
        let (_, new) = pairs.iter().find(|(known, _)| known == old).expect("it is there");
        after.moved.push(FormerName::new(*kind, new.clone(), old.clone(), Source::default()));
    }
    (silent, after, moves.len())
}

#[test]
fn what_is_called_otherwise_is_lowered_to_the_byte_as_it_was() {
    let (mut renames, mut anew, mut modules, mut required) = (0, 0, 0, 0);
    for number in 0..50_u32 {
        let bytes = random::bytes(number, 400);
        let model = if number % 2 == 0 { random::model(&bytes) } else { random::whole(&bytes) };
        let choices = random::bytes(number + 1000, 4096);
        let (silent, moved, count) = renamed(&model, |at| choices[at % choices.len()].is_multiple_of(3));
        if count == 0 {
            continue;
        }
        renames += count;
        modules += moved.moved.iter().filter(|moved| moved.kind == ElementKind::Module).count();
        required += model.requirements.keys().filter(|name| !moved.requirements.contains_key(*name)).count();
        // Nothing refers to the old names any more, so the diagnostics are the same.
        assert_eq!(codes(&silent), codes(&model), "{number}");
        assert_eq!(codes(&moved), codes(&model), "{number}");
        let mut cut = Options::default();
        cut.stack_resources = 5;
        for options in [Options::default(), cut] {
            let (before, after) = (lower(&model, &options), lower(&moved, &options));
            assert_eq!(before.template, after.template, "{number}");
            assert_eq!(before.nested, after.nested, "{number}");
            assert_eq!(before.seed.digest, after.seed.digest, "{number}");
            assert_eq!(before.environment, after.environment, "{number}");
            let plan = plan(Some(&state_of(&before)), &state_of(&after));
            assert!(plan.is_empty(), "{number}: {}", plan.to_text(false));
        }
        assert_eq!(native::lower(&model).template, native::lower(&moved).template, "{number}");
        let without = plan(Some(&state(&model)), &state(&silent));
        anew += without.resources.values().filter(|plan| plan.action == Action::Delete).count();
        assert!(!without.is_empty(), "{number}");
    }
    assert!(renames > 80 && anew > 40, "{renames} renames, {anew} anew");
    assert!(modules > 10 && required > 2, "{modules} modules with another name, {required} requirements in such");
}

#[test]
fn a_model_that_says_what_moved_is_read_as_it_was_written() {
    for number in 0..30_u32 {
        let model = random::model(&random::bytes(number, 300));
        let (_, moved, _) = renamed(&model, |at| at % 2 == 0);
        let text = wattle::emit::to_yaml(&wattle::extended::template(&moved)).expect("emits");
        let read = read(&text);
        assert_eq!(read.moved, moved.moved, "{number}");
        assert_eq!(lower(&read, &Options::default()).template, lower(&model, &Options::default()).template, "{number}");
    }
}

fn read(text: &str) -> Model {
    wattle_hot::model::read(&wattle_heat::Loaded::of(text, "model.yaml")).model
}

/// Two servers in a module, one of which passes a value to the other.
struct Cell {
    second: &'static str,
    was: Option<&'static str>,
}

impl Module for Cell {
    type Outputs = Output<String>;

    fn build(self, t: &mut Topology) -> Output<String> {
        let server = || nova::Server::new().image("debian-12").flavor("m1.small");
        let left = t.add("left", server());
        let right = match self.was {
            Some(was) => t.add(self.second, server().moved_from(was)),
            None => t.add(self.second, server()),
        };
        let first = t.on(left).run("first", Anything::new());
        let forward = t.later::<String>("said");
        let second = t.on(right).run("second", Anything::new().texts([forward]));
        t.fulfil(forward, first.text);
        t.after(second, first);
        second.text
    }
}

fn stack(add: impl FnOnce(&mut Topology) -> Output<String>) -> Model {
    let mut t = Topology::new("demo");
    let text = add(&mut t);
    let model = t.finish(Exports::new().entry("text", text));
    let errors = check::check(&model, &Default::default());
    assert!(!check::has_errors(&errors), "{errors:?}");
    model
}

#[test]
fn a_module_that_is_renamed_changes_nothing() {
    let in_cell = |second| Cell { second, was: None };
    let before = stack(|t| t.add("apps", in_cell("right")));
    let same = |after: &Model| {
        let plan = plan(Some(&state(&before)), &state(after));
        assert!(plan.is_empty(), "{}", plan.to_text(false));
        let (before, after) = (lower(&before, &Options::default()), lower(after, &Options::default()));
        assert_eq!(before.template, after.template);
        assert_eq!(before.seed.digest, after.seed.digest);
    };
    let cell = stack(|t| t.add("cell", in_cell("right").moved_from("apps")));
    same(&cell);
    // You can give the former name of its content relative to the module, or in full.
    same(&stack(|t| t.add("cell", Cell { second: "other", was: Some(".right") }.moved_from("apps"))));
    same(&stack(|t| t.add("cell", Cell { second: "other", was: Some("apps.right") }.moved_from("apps"))));
    // The seed lists the current names and their places, next to the deployed names.
    let seed = lower(&cell, &Options::default()).seed;
    assert_eq!(seed.called_now["apps.left"], "cell.left".into());
    assert!(seed.sources["apps.left"].ends_with(char::is_numeric), "{:?}", seed.sources);

    let anew = plan(Some(&state(&before)), &state(&stack(|t| t.add("cell", in_cell("right")))));
    assert_eq!(anew.resources["apps.left"].action, Action::Delete);
    assert_eq!(anew.resources["cell.left"].action, Action::Create);
    assert_eq!(anew.components["cell.left/first"].action, Run::Run);
}

#[test]
fn what_goes_into_a_module_stays() {
    struct Data;
    impl Module for Data {
        type Outputs = Output<String>;
        fn build(self, t: &mut Topology) -> Output<String> {
            let server = t.add("server", nova::Server::new().image("debian-12").flavor("m1.small").moved_from("db"));
            t.on(server).run("database", Anything::new().moved_from("db/db2")).text
        }
    }
    let before = stack(|t| {
        let server = t.add("db", nova::Server::new().image("debian-12").flavor("m1.small"));
        t.on(server).run("db2", Anything::new()).text
    });
    let after = stack(|t| t.add("data", Data));
    let plan = plan(Some(&state(&before)), &state(&after));
    assert!(plan.is_empty(), "{}", plan.to_text(false));
    assert_eq!(plan.components.keys().map(|key| &**key).collect::<Vec<_>>(), ["db/db2"]);
}

/// The plan from `before` to `after`, for people.
fn reported(before: &Model, after: &Model) -> String {
    plan(Some(&state(before)), &state(after)).to_text(false)
}

#[test]
fn a_name_that_nothing_was_deployed_as_is_reported_with_what_may_be_meant() {
    let of = |name: &str, was: Option<&str>, component: &str, component_was: Option<&str>| {
        stack(|t| {
            let server = nova::Server::new().image("debian-12").flavor("m1.small");
            let server = match was {
                Some(was) => t.add(name, server.moved_from(was)),
                None => t.add(name, server),
            };
            match component_was {
                Some(was) => t.on(server).run(component, Anything::new().moved_from(was)).text,
                None => t.on(server).run(component, Anything::new()).text,
            }
        })
    };
    let before = of("database", None, "install", None);
    // A typo in the former name, once for a resource and once for a component.
    let text = reported(&before, &of("db", Some("databsae"), "install", None));
    assert!(
        text.contains("name: `db` is declared to have been `databsae`, but nothing was deployed under that name"),
        "{text}"
    );
    assert!(text.contains("help: if it was called `database`, `.moved_from(\"database\")` keeps it"), "{text}");
    let text = reported(&before, &of("database", None, "setup", Some("instal")));
    let meant = "name: `database/setup` is declared to have been `instal`, but nothing was deployed under that name: did you mean `install`?";
    assert!(text.contains(meant), "{text}");
    // Elements that were deployed under their declared former name are not mentioned, nor are those of a new stack.
    for after in [of("db", Some("database"), "setup", Some("install")), of("database", None, "setup", None)] {
        let text = reported(&before, &after);
        assert!(!text.contains("is said"), "{text}");
    }
    let first = plan(None, &state(&of("db", Some("databsae"), "setup", Some("x"))));
    assert!(!first.to_text(false).contains("is said"), "{}", first.to_text(false));
}

#[test]
fn what_comes_and_goes_under_another_name_says_how_it_would_stay() {
    let cell = |name: &str| stack(|t| t.add(name, Cell { second: "right", was: None }));
    let text = reported(&cell("apps"), &cell("cell"));
    let help = "help: if the module `cell` was called `apps`, `.moved_from(\"apps\")` keeps everything in it";
    assert_eq!(text.matches(help).count(), 2, "{text}");
    let lone = |name: &str| {
        stack(|t| {
            let server = t.add(name, nova::Server::new().image("debian-12").flavor("m1.small"));
            t.on(server).run("it", Anything::new()).text
        })
    };
    let text = reported(&lone("db"), &lone("data"));
    assert!(text.contains("help: if it was called `db`, `.moved_from(\"db\")` keeps it"), "{text}");
}
