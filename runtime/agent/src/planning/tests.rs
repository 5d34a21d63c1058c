use std::convert::Infallible;

use wattle_model::requirement::{Test, Tested};
use wattle_model::{Predicate, Tool, Type};

use crate::revision::Revision;
use crate::seed::{Origin, SeedEntry, SeedInput, SeedOutput, SeedParameter, SeedRecipe, When, Wire};
use crate::server_plan::Held;

use super::*;

/// A seed with one component `web/app`. Its input `url` is wired to `wire`, and `db` reads its secret output.
fn seed(ty: Type, wire: Option<Wire>) -> Seed {
    let recipe = SeedRecipe {
        tool: Tool::Shell,
        entry: "recipe.sh".into(),
        teardown: None,
        files: IndexMap::default(),
        deadline: None,
        wait: None,
    };
    let token = SeedOutput { ty: Type::Hidden(Box::new(Type::STR)), path: Vec::new(), early: false };
    let declaration = SeedDeclaration {
        recipe,
        inputs: [("url".into(), SeedInput { ty, default: Some("default".into()), path: Vec::new() })]
            .into_iter()
            .collect(),
        outputs: [("token".into(), token)].into_iter().collect(),
    };
    let component = SeedComponent {
        declaration: "App".into(),
        after: Vec::new(),
        inputs: wire.map(|wire| ("url".into(), wire)).into_iter().collect(),
        requires: Vec::new(),
    };
    let server = |components| SeedServer { order: Default::default(), publishes: IndexMap::default(), components };
    let parameter = |ty| SeedParameter { ty, default: None, constraints: Vec::new(), hidden: false };
    Seed {
        parameters: [
            ("port".into(), parameter(Type::STR)),
            ("password".into(), parameter(Type::Hidden(Box::new(Type::STR)))),
        ]
        .into_iter()
        .collect(),
        declarations: [("App".into(), declaration)].into_iter().collect(),
        servers: [
            ("web".into(), server([("app".into(), component)].into_iter().collect())),
            ("db".into(), server(IndexMap::default())),
        ]
        .into_iter()
        .collect(),
        entries: [("web/app/token".into(), SeedEntry { ty: None, readers: vec!["db".into(), "web".into()] })]
            .into_iter()
            .collect(),
        ..Seed::default()
    }
}

/// Marks each secret with the recipients that it is sealed for.
struct Marking;

impl Sealing for Marking {
    type Error = Infallible;

    fn seal(&mut self, server: Option<&Name>, value: &Value) -> Result<ValueSource, Infallible> {
        Ok(ValueSource::Leaf(Held::Sealed(format!("{value} for {server:?}"))))
    }

    fn recipients(&mut self, entry: &str, servers: &[&Name]) -> Result<Vec<String>, Infallible> {
        Ok(servers.iter().map(|server| format!("{entry} for {server}")).collect())
    }
}

fn planned(seed: &Seed) -> Result<PlannedComponent, Vec<String>> {
    Ok(plan(seed)?.components.swap_remove("app").unwrap())
}

fn plan(seed: &Seed) -> Result<ServerPlan, Vec<String>> {
    let parameters = [("port".into(), "80".into()), ("password".into(), "hidden".into())].into_iter().collect();
    let foreign = Held::Foreign { stack: "other".into(), entry: "a/b/c".into() };
    let imports = [
        (("other".into(), "known".into()), ValueSource::Constant("imported".into())),
        (("other".into(), "late".into()), ValueSource::Leaf(foreign)),
    ]
    .into_iter()
    .collect();
    let planning = Planning { seed, parameters: &parameters, imports: &imports, foreign: &IndexMap::default() };
    let plans = planning.plans(&Revision { space: None, number: 3 }, &mut Marking);
    let mut plans = plans.map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let web = plans.swap_remove("web").unwrap();
    assert_eq!(web.revision, 3);
    Ok(web)
}

fn source(wire: Wire) -> ValueSource {
    let mut planned = planned(&seed(Type::STR, Some(wire))).unwrap();
    planned.inputs.swap_remove("url").unwrap().from
}

fn import(export: &str) -> Wire {
    Wire::Leaf(Origin::Import { stack: "other".into(), export: export.into() })
}

fn parameter(name: &str) -> Wire {
    Wire::Leaf(Origin::Parameter(name.into()))
}

fn call(name: &str, parts: impl IntoIterator<Item = Wire>) -> Wire {
    Wire::Function { name: name.into(), argument: Box::new(Wire::List(parts.into_iter().collect())) }
}

#[test]
fn what_is_known_is_put_in_and_all_else_stays() {
    assert_eq!(source(parameter("port")), "80".into());
    assert_eq!(source(import("known")), "imported".into());
    assert!(matches!(source(import("late")), ValueSource::Leaf(Held::Foreign { .. })));
    let entry = Wire::Leaf(Origin::Entry("db/pg/url".into()));
    assert_eq!(source(entry.clone()), ValueSource::Leaf(Held::Entry("db/pg/url".into())));
    let text = ValueSource::Text(vec!["80".into(), ValueSource::Leaf(Held::Entry("db/pg/url".into()))]);
    assert_eq!(source(Wire::Text(vec![parameter("port"), entry])), text);
    let default = planned(&seed(Type::STR, None)).unwrap();
    assert_eq!(default.inputs["url"].from, "default".into());
}

#[test]
fn a_plan_names_the_other_servers_that_it_reads_from() {
    let entry = |name: &str| Wire::Leaf(Origin::Entry(name.into()));
    let read = Wire::Text(vec![entry("db/pg/url"), entry("web/other/x"), entry("cache/server/id"), import("late")]);
    let mut seed = seed(Type::STR, Some(read));
    let component = &mut seed.servers["web"].components["app"];
    component.after = vec!["web/first".into(), "queue/mq".into()];
    component.requires.push("enough".into());
    let operand = |from| Operand { name: None, from };
    let test = Test::Is(operand(1.into()));
    let tested = Tested { value: Some(operand(entry("judged/by/size"))), test, secret: false };
    let (predicate, because, at) = (Predicate::Tested(tested), String::new(), String::new());
    let requirement = SeedRequirement { when: When::RunTime, heat: false, predicate, because, at };
    seed.requirements.insert("enough".into(), requirement);
    let mut writers = plan(&seed).unwrap().writers;
    writers.sort_unstable_keys();
    let names: Vec<&str> = writers.keys().map(|name| &**name).collect();
    assert_eq!(names, ["cache", "db", "judged", "queue"]);
    assert!(writers.values().all(|writer| writer.revision == 3));
}

#[test]
fn functions_of_what_is_known_are_computed() {
    let joined = |last| call("list_join", ["-".into(), Wire::List(vec![parameter("port"), last])]);
    assert_eq!(source(joined("x".into())), "80-x".into());
    assert_eq!(source(joined(import("known"))), "80-imported".into());
    assert!(matches!(source(joined(import("late"))), ValueSource::Function { .. }));
    let wrong = call("str_split", [1.into()]);
    assert_eq!(source(call("if", [true.into(), import("late"), wrong.clone()])), source(import("late")));
    let faults = planned(&seed(Type::STR, Some(wrong))).unwrap_err();
    assert!(matches!(&*faults, [fault] if fault.starts_with("the input `url` of `web/app`: ")), "{faults:?}");
}

#[test]
fn secrets_are_sealed_for_the_server_that_reads_them() {
    let sealed = |text: &str| ValueSource::Leaf(Held::Sealed(format!("\"{text}\" for Some(\"web\")")));
    assert_eq!(source(parameter("password")), sealed("hidden"));
    let upper = Wire::Function {
        name: "digest".into(),
        argument: Box::new(Wire::List(vec!["md5".into(), parameter("password")])),
    };
    assert!(matches!(source(upper), ValueSource::Leaf(Held::Sealed(_))));
    let all = planned(&seed(Type::Hidden(Box::new(Type::STR)), Some(parameter("port")))).unwrap();
    assert_eq!(all.inputs["url"].from, sealed("80"));
    // The writer comes first, and no recipient comes twice.
    assert_eq!(all.outputs["token"].recipients, ["web/app/token for web", "web/app/token for db"]);
}

#[test]
fn all_that_is_wrong_is_reported() {
    let mut seed = seed(Type::STR, Some(call("str_split", [1.into()])));
    seed.servers["web"].components["app"].requires.push("enough".into());
    let mut other = seed.servers["web"].components["app"].clone();
    other.declaration = "Other".into();
    seed.servers["db"].components.insert("pg".into(), other);
    let faults = planned(&seed).unwrap_err();
    assert_eq!(faults.len(), 3);
    assert_eq!(faults[1], "the component `web/app`: the seed is damaged: there is no requirement `enough`");
    assert_eq!(faults[2], "the component `db/pg`: the seed is damaged: there is no declaration `Other`");
}
