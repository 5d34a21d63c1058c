//! What a seed writes to a data space: what is there afterwards, also when it was broken off in between.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use wattle::author::{Blueprint, Exports, Topology};
use wattle::lower::Seed;
use wattle::model::{Model, Value};
use wattle::prelude::*;
use wattle_catalog::nova;
use wattle_runtime::seed::{Change, Options, SeedError, apply, delete, diff};
use wattle_runtime::space::{Plan, Source, Space};
use wattle_runtime::store::{Memory, Store};
use wattle_tests::oracle;
use wattle_tests::random::Anything;
use wattle_tests::seeds::{SECRET, Watch, essence, nodes, options, seed};

fn memory() -> Arc<dyn Store> {
    Arc::new(Memory::new())
}

fn three_tier(apps: usize) -> Model {
    three_tier::three_tier.model(serde_json::from_value(json!({ "apps": apps })).expect("settings"))
}

fn server(t: &mut Topology, name: &str) -> nova::Server {
    t.add(name, nova::Server::new().image("debian-12").flavor("m1.small"))
}

/// A stack that exports an entry, a constant, and both in one text.
fn exporter(parts: &[&str]) -> Model {
    let mut t = Topology::new("exporter");
    let host = server(&mut t, "host");
    let mut last = None;
    for part in parts {
        last = Some(t.on(host).run(*part, Anything::new().texts([*part])));
    }
    let last = last.expect("a part");
    let exports = Exports::new().entry("text", last.text).entry("joined", text!("{}:{}", last.text, last.count));
    t.finish(exports.entry("number", last.count))
}

/// A stack whose servers read exports of the other: `server -> exports`.
fn importer(readers: &[(&str, &[&'static str])]) -> Model {
    let mut t = Topology::new("importer");
    for (name, exports) in readers {
        let host = server(&mut t, name);
        let texts = exports.iter().map(|name| text!("{}", t.import(Export::<String>::new("exporter", name))));
        let texts = texts.collect::<Vec<_>>();
        t.on(host).run("part", Anything::new().texts(texts));
    }
    t.finish(Exports::new())
}

async fn plan(store: &Arc<dyn Store>, stack: &str, server: &str) -> Plan {
    Space::new(Arc::clone(store), stack).plan(server).await.expect("reads").expect("a plan")
}

/// Options whose credentials suffice for all of `seeds`.
fn options_for(seeds: &[&Seed]) -> Options {
    let mut all = options(seeds[0]);
    seeds.iter().for_each(|seed| all.credentials.complete(seed));
    all
}

#[tokio::test]
async fn a_first_seed_makes_every_node_and_a_plan_for_each_server() {
    let (store, seed) = (memory(), seed(&three_tier(2)));
    let options = options(&seed);
    let applied = apply(&store, &seed, &options).await.expect("applies");
    assert_eq!((applied.revision, applied.changes.from), (1, None));
    let space = Space::new(Arc::clone(&store), "three_tier");
    let goal = space.goal().await.expect("reads").expect("a goal");
    assert_eq!((goal.revision, &goal.digest, goal.applying), (1, &seed.digest, None));
    for entry in seed.entries.keys() {
        assert_eq!(space.peek(entry).await.expect("is there"), None);
    }
    let there = nodes(&store).await;
    for path in ["status/web/nginx", "status/web/server", "servers/web/plan", "exports/url", "importers"] {
        assert!(there.contains_key(&format!("/wattle/three_tier/{path}")), "{path}");
    }
    for (digest, content) in &seed.recipes {
        assert_eq!(space.recipe(digest).await.expect("is there"), content.bytes());
    }
    let web = plan(&store, "three_tier", "web").await;
    let nginx = &web.components["nginx"];
    assert_eq!(nginx.inputs["port"].from, Source::Value(80_u16.into()));
    assert_eq!(nginx.inputs["address"].from, Source::UserData("web-port.fixed_ips.0.ip_address".into()));
    let urls = ["app1/app/url", "app2/app/url"].map(|entry| Source::Entry(entry.into()));
    assert_eq!(nginx.inputs["backends"].from, Source::List(urls.to_vec()));
    let app = plan(&store, "three_tier", "app1").await;
    assert_eq!(&*app.components["app"].after[0], "db/catalogue");
    let Source::Sealed(sealed) = &app.components["app"].inputs["database_password"].from else { panic!("not sealed") };
    let credential = applied.credentials.get("app1").expect("made");
    let password = wattle_runtime::space::open(sealed, &credential.opener()).expect("opens");
    assert_eq!(password, Value::from(format!("{SECRET}-db_password")));
    let other = applied.credentials.get("web").expect("made");
    wattle_runtime::space::open(sealed, &other.opener()).expect_err("for another server");
}

#[tokio::test]
async fn what_has_not_changed_is_no_new_revision() {
    let (store, seed) = (memory(), seed(&three_tier(2)));
    let mut options = options_for(&[&seed]);
    apply(&store, &seed, &options).await.expect("applies");
    let before = nodes(&store).await;
    let again = apply(&store, &seed, &options).await.expect("applies");
    assert!(again.revision == 1 && again.changes.is_empty() && nodes(&store).await == before);
    // What only Heat reads.
    options.given.set("flavor", "m1.large".into());
    assert_eq!(apply(&store, &seed, &options).await.expect("applies").revision, 1);
    options.again = true;
    assert_eq!(apply(&store, &seed, &options).await.expect("applies").revision, 2);
    options.again = false;
    options.given.set("db_password", "another".into());
    let expected = diff(&store, &seed, &options).await.expect("compares");
    let changed = apply(&store, &seed, &options).await.expect("applies");
    assert_eq!((changed.revision, &changed.changes), (3, &expected));
    let text = changed.changes.to_string();
    assert!(text.contains("  ~ postgres: input `password`\n") && !text.contains("another"), "{text}");
    assert_eq!(changed.changes.servers["web"].change, Change::Unchanged);
}

#[tokio::test]
async fn what_left_the_model_is_gone_and_its_server_is_told() {
    let (store, large, small) = (memory(), seed(&three_tier(3)), seed(&three_tier(1)));
    let options = options_for(&[&large]);
    apply(&store, &large, &options).await.expect("applies");
    let expected = diff(&store, &small, &options).await.expect("compares");
    let applied = apply(&store, &small, &options).await.expect("applies");
    assert_eq!(applied.changes, expected);
    let changed = |name: &str| applied.changes.servers[name].change;
    assert_eq!(
        ["db", "app2", "app1", "web"].map(changed),
        [Change::Unchanged, Change::Gone, Change::Unchanged, Change::Changed,]
    );
    let there = nodes(&store).await;
    let gone = |path: &str| !there.contains_key(&format!("/wattle/three_tier/{path}"));
    assert!(gone("entries/app2") && gone("status/app2/app") && !gone("status/app2/server"));
    let retired = plan(&store, "three_tier", "app2").await;
    assert!(retired.retired && retired.components.is_empty() && retired.revision == 2);
    // And back again, with the credential that it had.
    let back = apply(&store, &large, &options).await.expect("applies");
    assert_eq!((back.revision, back.changes.servers["app2"].change), (3, Change::Added));
    assert!(!plan(&store, "three_tier", "app2").await.retired);
}

#[tokio::test]
async fn all_missing_and_wrong_parameters_are_told_at_once() {
    let seed = seed(&connections::connections.model(Default::default()));
    let mut options = Options::new(wattle_runtime::space::OperatorKey::generate());
    options.given.environment("parameters: {wattle_space: x, db_pasword: y}").expect("reads");
    let Err(SeedError::Parameters { faults }) = apply(&memory(), &seed, &options).await else { panic!("takes it") };
    let needed = seed.parameters.values().filter(|p| p.default.is_none() && p.ty.is_secret()).count();
    assert_eq!(faults.len(), needed + 1, "{faults:#?}");
    assert!(faults[0].contains("no parameter `db_pasword`; did you mean `db_password`?"), "{faults:#?}");
    assert!(faults[1].contains("`--parameter db_password=VALUE`"), "{faults:#?}");
}

#[tokio::test]
async fn servers_that_run_keep_their_credentials() {
    let (store, seed) = (memory(), seed(&three_tier(1)));
    let mut options = options(&seed);
    let first = apply(&store, &seed, &options).await.expect("applies");
    let lost = apply(&store, &seed, &options).await.expect_err("the credentials are not given");
    assert!(matches!(&lost, SeedError::Credentials { servers } if servers == &["app1", "db", "web"]), "{lost}");
    options.renew = true;
    let renewed = apply(&store, &seed, &options).await.expect("applies");
    assert_eq!((renewed.revision, renewed.changes.credentials.len()), (2, 3));
    options.credentials = first.credentials;
    options.renew = false;
    apply(&store, &seed, &options).await.expect_err("these are not theirs any more");
}

fn assert_same<T: PartialEq + std::fmt::Debug>(
    found: &BTreeMap<String, T>,
    expected: &BTreeMap<String, T>,
    changes: usize,
) {
    for path in found.keys().chain(expected.keys()) {
        let (found, expected) = (found.get(path), expected.get(path));
        assert_eq!(found, expected, "`{path}`, broken off after {changes} changes");
    }
}

/// Applies `last` after `first`, broken off at every change, once more, and compares with what was not broken off.
async fn broken_off(first: &[&Seed], last: &Seed) {
    let mut all = first.to_vec();
    all.push(last);
    let options = options_for(&all);
    let prepared = async || {
        let store = Watch::over(memory());
        for seed in first {
            apply(&(Arc::clone(&store) as Arc<dyn Store>), seed, &options).await.expect("applies");
        }
        store
    };
    let whole = prepared().await;
    let plain: Arc<dyn Store> = Arc::clone(&whole) as _;
    let applied = apply(&plain, last, &options).await.expect("applies");
    let (expected, rights) = (essence(&plain).await, whole.guard.accesses());
    for changes in 0.. {
        let watched = prepared().await;
        let store: Arc<dyn Store> = Arc::clone(&watched) as _;
        watched.guard.fail_after(changes);
        let broken = apply(&store, last, &options).await;
        watched.guard.mend();
        if broken.is_ok() {
            assert!(changes > 5, "nothing was broken off");
            break;
        }
        let revision =
            Space::new(Arc::clone(&store), &last.stack).goal().await.expect("reads").map(|goal| goal.revision);
        assert!(revision.unwrap_or(0) < applied.revision || changes > 5, "{changes}: told before it is there");
        let mended = apply(&store, last, &options).await.expect("applies");
        assert!((applied.revision..=applied.revision + 1).contains(&mended.revision), "{changes}: {}", mended.revision);
        assert_same(&essence(&store).await, &expected, changes);
        assert_same(&watched.guard.accesses(), &rights, changes);
        let same = apply(&store, last, &options).await.expect("applies");
        assert!(same.revision == mended.revision && same.changes.is_empty(), "{changes}");
    }
}

#[tokio::test]
async fn broken_off_anywhere_and_repeated_it_is_as_if_it_had_not_been() {
    let [small, large] = [1, 3].map(|apps| seed(&three_tier(apps)));
    broken_off(&[], &small).await;
    broken_off(&[&small], &large).await;
    broken_off(&[&large], &small).await;
}

#[tokio::test]
async fn broken_off_imports_are_completed_as_well() {
    let [one, other] = [&["a"][..], &["b", "a"]].map(|parts| seed(&exporter(parts)));
    let readers: [&[(&str, &[&str])]; 3] =
        [&[("x", &["text"]), ("y", &["joined"])], &[("x", &["joined"])], &[("z", &[])]];
    let [both, some, none] = readers.map(|readers| seed(&importer(readers)));
    broken_off(&[&one], &both).await;
    broken_off(&[&one, &both], &some).await;
    broken_off(&[&one, &both], &none).await;
    broken_off(&[&one, &both], &other).await;
}

#[tokio::test]
async fn values_of_other_stacks_are_read_with_rights_that_stay() {
    let watched = Watch::over(memory());
    let store: Arc<dyn Store> = Arc::clone(&watched) as _;
    let exporters = [&["a"][..], &["b", "a"], &["b"]].map(|parts| seed(&exporter(parts)));
    let readers = seed(&importer(&[("x", &["text", "joined"]), ("y", &[])]));
    let mut seeds: Vec<&Seed> = exporters.iter().collect();
    seeds.push(&readers);
    let options = options_for(&seeds);
    let early = apply(&store, &readers, &options).await.expect_err("nothing is exported");
    let lines = early.to_string();
    assert!(lines.lines().count() == 2 && lines.contains("apply the seed of `exporter` first"), "{lines}");
    assert!(nodes(&store).await.is_empty(), "something was written");

    apply(&store, &exporters[0], &options).await.expect("applies");
    apply(&store, &readers, &options).await.expect("applies");
    let text = || Source::Foreign { stack: "exporter".into(), entry: "host/a/text".into() };
    let part = &plan(&store, "importer", "x").await.components["part"];
    let Source::List(texts) = &part.inputs["texts"].from else { panic!("{part:?}") };
    assert!(format!("{texts:?}").contains(&format!("{:?}", text())), "{texts:?}");
    let may = |entry: &str, server: &str| {
        let [login, _] = options.credentials.get(server).expect("made").logins("importer", server);
        let access = &watched.guard.accesses()[&format!("/wattle/exporter/entries/{entry}")];
        access.grants().any(|(who, rights)| *who == login.principal() && rights.read && !rights.write)
    };
    assert!(may("host/a/text", "x") && may("host/a/count", "x"));
    assert!(!may("host/a/text", "y") && !may("host/a/token", "x"));

    // The exporter keeps the rights of its importers, and says what they cannot have any more.
    let moved = apply(&store, &exporters[1], &options).await.expect("applies");
    assert!(may("host/a/text", "x") && moved.changes.warnings.is_empty(), "{}", moved.changes);
    let gone = apply(&store, &exporters[2], &options).await.expect("applies");
    assert!(gone.changes.to_string().contains("warning: the stack `importer` reads `host/a/text`"), "{}", gone.changes);
    let followed = apply(&store, &readers, &options).await.expect("applies");
    assert!(followed.changes.to_string().contains("  ~ part: input `texts`"), "{}", followed.changes);
    assert!(may("host/b/text", "x"));

    let refused = delete(&store, "exporter", false).await.expect_err("it is read from");
    assert!(matches!(&refused, SeedError::Imported { importers, .. } if importers == &["importer"]), "{refused}");
    assert!(delete(&store, "importer", false).await.expect("deletes"));
    assert!(!may("host/b/text", "x"));
    assert!(delete(&store, "exporter", false).await.expect("deletes"));
    assert_eq!(nodes(&store).await.into_keys().collect::<Vec<_>>(), ["/wattle"]);
    assert!(!delete(&store, "exporter", false).await.expect("there is nothing to delete"));
}

#[tokio::test]
async fn a_stack_goes_as_a_whole_but_not_while_agents_act_for_it() {
    let (memory, seed) = (memory(), seed(&three_tier(2)));
    let options = options_for(&[&seed]);
    for changes in 0.. {
        let watched = Watch::over(Arc::clone(&memory));
        let store: Arc<dyn Store> = Arc::clone(&watched) as _;
        apply(&store, &seed, &options).await.expect("applies after whatever was broken off");
        watched.guard.fail_after(changes);
        if delete(&store, "three_tier", false).await.is_ok() {
            assert!(changes > 20, "nothing was broken off");
            break;
        }
        watched.guard.mend();
        if changes % 2 == 0 {
            // What is left is removed, or applied again.
            delete(&store, "three_tier", false).await.expect("deletes");
            assert_eq!(nodes(&store).await.len(), 1, "{changes}");
        }
    }
    apply(&memory, &seed, &options).await.expect("applies");
    let hold = memory.hold("/wattle/three_tier/servers/db/alive", b"{}", &Default::default()).await.expect("holds");
    let refused = delete(&memory, "three_tier", false).await.expect_err("an agent is there");
    assert_eq!(
        refused.to_string(),
        "agents still act for `db` of `three_tier`: delete the stack in Heat first, or force it"
    );
    assert!(delete(&memory, "three_tier", true).await.expect("deletes"));
    drop(hold);
}

#[tokio::test]
async fn no_secret_stands_anywhere_in_plain_text() {
    let models = [three_tier(2), connections::connections.model(Default::default())];
    let random = (0..20).map(|i| wattle_tests::random::model(&wattle_tests::random::bytes(i, 400)));
    for model in models.into_iter().chain(random) {
        let (store, seed) = (memory(), seed(&model));
        let mut options = options(&seed);
        elsewhere(&store).await;
        options.credentials.complete(&seed);
        let applied = apply(&store, &seed, &options).await.expect("applies");
        let mut hidden = vec![SECRET.to_owned(), options.key.expose()];
        for (_, credential) in applied.credentials.iter() {
            let text = credential.expose();
            hidden.extend(text.split(':').skip(1).map(str::to_owned));
        }
        let lowered = wattle::lower::lower(&model, &Default::default());
        let mut text = Vec::new();
        lowered.seed.write(&mut text).expect("writes");
        let template = wattle::emit::to_yaml(&lowered.template).expect("emits");
        let nested = lowered.nested.values().map(|template| wattle::emit::to_yaml(template).expect("emits"));
        let files = nested.chain([template, lowered.environment.to_yaml(), applied.changes.to_string()]);
        let places = files.map(|file| ("a file".to_owned(), file.into_bytes())).chain([("seed.yaml".to_owned(), text)]);
        let mut looked = 0;
        for (path, data) in nodes(&store).await.into_iter().chain(places) {
            let text = String::from_utf8_lossy(&data).into_owned();
            looked += text.len();
            for secret in &hidden {
                assert!(!text.contains(secret.as_str()), "`{path}` of `{}` shows {secret}", model.stack);
            }
        }
        assert!(looked > 1000);
    }
}

/// The stack from which random models import.
async fn elsewhere(store: &Arc<dyn Store>) {
    let mut t = Topology::new("elsewhere");
    let host = server(&mut t, "host");
    let part = t.on(host).run("part", Anything::new());
    let seed = seed(&t.finish(Exports::new().entry("url", part.text)));
    apply(store, &seed, &options(&seed)).await.expect("applies");
}

#[tokio::test]
async fn what_no_store_would_take_is_refused_by_name_before_anything_is_written() {
    let large = "x".repeat(1_100_000);
    let refuse = async |model: Model, change: &dyn Fn(&mut Seed)| {
        let (store, mut seed) = (memory(), seed(&model));
        change(&mut seed);
        let options = options(&seed);
        let refused = apply(&store, &seed, &options).await.map(|_| ()).expect_err("too large");
        assert!(matches!(refused, SeedError::TooLarge { .. }), "{refused}");
        assert!(nodes(&store).await.is_empty(), "something was written");
        refused.to_string()
    };
    let mut t = Topology::new("wide");
    let host = server(&mut t, "host");
    t.on(host).run("part", Anything::new().texts([large.clone()]));
    let message = refuse(t.finish(Exports::new()), &|_| {}).await;
    assert!(message.starts_with("the plan of the server `host` takes 1100"), "{message}");
    let recipe = |seed: &mut Seed| {
        for content in seed.recipes.values_mut() {
            *content = wattle::model::Content::Text(large.clone().into());
        }
    };
    let message = refuse(three_tier(1), &recipe).await;
    assert!(message.contains("of a recipe takes 1100") && message.contains("recipes/"), "{message}");
    let crowd = |readers: usize| {
        let mut t = Topology::new("crowd");
        let host = server(&mut t, "host");
        let source = t.on(host).run("source", Anything::new());
        for i in 0..readers {
            // What is long takes fewer.
            let host = server(&mut t, &format!("reader-{i}-{}", "x".repeat(400)));
            t.on(host).run("part", Anything::new().number(source.count).password(source.token));
        }
        t.finish(Exports::new())
    };
    let message = refuse(crowd(2500), &|_| {}).await;
    assert!(message.contains("2501 servers that may read the entry `host/source/count`"), "{message}");
    let readers = |seed: &mut Seed| {
        let readers = &mut seed.entries["host/source/token"].readers;
        *readers = vec![readers[0].clone(); 8000];
    };
    let message = refuse(crowd(1), &readers).await;
    assert!(message.contains("`host/source/token`, encrypted for 8000 servers"), "{message}");
}

#[tokio::test]
async fn what_no_other_stack_can_be_given_is_told_with_what_to_do_instead() {
    const TOKEN: Export<Secret<String>> = Export::new("exporter", "token");
    let store = memory();
    let mut t = Topology::new("exporter");
    let host = server(&mut t, "host");
    let net = t.add("net", wattle_catalog::neutron::Net::new());
    let part = t.on(host).run("part", Anything::new());
    let exporter =
        seed(&t.finish(Exports::new().entry(TOKEN, part.token).entry("net", net.attribute::<String>("name"))));
    apply(&store, &exporter, &options(&exporter)).await.expect("exports as such are sound");
    let mut t = Topology::new("importer");
    let host = server(&mut t, "host");
    let name = t.import(Export::<String>::new("exporter", "net"));
    let token = t.import(TOKEN);
    t.on(host).run("part", Anything::new().texts([text!("{}", name)]).password(token));
    let importer = seed(&t.finish(Exports::new()));
    let refused = apply(&store, &importer, &options(&importer)).await.expect_err("neither can be read");
    let SeedError::Imports { faults } = &refused else { panic!("{refused}") };
    assert!(
        faults.iter().any(|fault| fault.contains("`token`") && fault.contains("give it to both stacks as a parameter"))
    );
    assert!(faults.iter().any(|fault| fault.contains("`openstack stack output show exporter net`")), "{refused}");
}

#[tokio::test]
async fn heat_takes_the_file_of_credentials() {
    let model = three_tier(1);
    let seed = seed(&model);
    let mut options = options(&seed);
    options.credentials.complete(&seed);
    let lowered = wattle::lower::lower(&model, &Default::default());
    let folder = tempfile::tempdir().expect("a folder");
    let template = oracle::write(&lowered, folder.path(), false);
    let file = folder.path().join("credentials.yaml");
    options.credentials.write(&file, "yes: 1e3 #", "zookeeper://zk:2181").expect("writes");
    let answer = oracle::create(&[&file], &["db_password=secret"], &template);
    assert_eq!(answer["status"], "CREATE_COMPLETE", "{answer:#}");
    for (server, credential) in options.credentials.iter() {
        let user_data = answer["servers"][&**server]["userdata"].as_str().expect("user data");
        let (_, identity) = user_data.rsplit_once("content: |\n").expect("the identity comes last");
        let identity: serde_json::Value = serde_json::from_str(identity).expect("JSON");
        assert_eq!(identity["credential"], credential.expose());
        assert_eq!([&identity["stack"], &identity["space"]], ["yes: 1e3 #", "zookeeper://zk:2181"]);
    }
}
