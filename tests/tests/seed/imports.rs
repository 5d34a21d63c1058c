//! Values of other stacks.

use std::sync::Arc;

use wattle::author::{Exports, Topology};
use wattle::lower::Seed;
use wattle::prelude::*;
use wattle_runtime::seed::{SeedError, apply, delete};
use wattle_runtime::space::{Held, ValueSource};
use wattle_runtime::store::Store;
use wattle_tests::random::Anything;
use wattle_tests::seeds::{Watch, nodes, seed};

use super::{exporter, importer, memory, options_for, plan, server};

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
    let text = || ValueSource::Leaf(Held::Foreign { stack: "exporter".into(), entry: "host/a/text".into() });
    let part = &plan(&store, "importer", "x").await.components["part"];
    let ValueSource::List(texts) = &part.inputs["texts"].from else { panic!("{part:?}") };
    assert!(format!("{texts:?}").contains(&format!("{:?}", text())), "{texts:?}");
    let may = |entry: &str, server: &str| {
        let login = options.credentials.get(server).expect("made").key().login("importer", server);
        let access = &watched.guard.accesses()[&format!("/wattle/exporter/entries/{entry}")];
        access.grants().any(|(who, rights)| *who == login.principal() && rights.read && !rights.write)
    };
    assert!(may("host/a/text", "x") && may("host/a/count", "x"));
    assert!(!may("host/a/text", "y") && !may("host/a/token", "x"));

    // The exporter keeps the rights of its importers, and warns when an export that they read is gone.
    let moved = apply(&store, &exporters[1], &options).await.expect("applies");
    assert!(may("host/a/text", "x") && moved.changes.warnings.is_empty(), "{}", moved.changes);
    let gone = apply(&store, &exporters[2], &options).await.expect("applies");
    assert!(gone.changes.to_string().contains("warning: the stack `importer` reads `host/a/text`"), "{}", gone.changes);
    let followed = apply(&store, &readers, &options).await.expect("applies");
    assert!(followed.changes.to_string().contains("  ~ part: input `texts`"), "{}", followed.changes);
    assert!(may("host/b/text", "x"));

    let refused = delete(&store, "exporter", &options.key, false).await.expect_err("it is read from");
    assert!(matches!(&refused, SeedError::Imported { importers, .. } if importers == &["importer"]), "{refused}");
    assert!(delete(&store, "importer", &options.key, false).await.expect("deletes"));
    assert!(!may("host/b/text", "x"));
    assert!(delete(&store, "exporter", &options.key, false).await.expect("deletes"));
    assert_eq!(nodes(&store).await.into_keys().collect::<Vec<_>>(), ["/wattle"]);
    assert!(!delete(&store, "exporter", &options.key, false).await.expect("there is nothing to delete"));
}

#[tokio::test]
async fn what_no_other_stack_can_be_given_is_reported_with_what_to_do_instead() {
    const TOKEN: Export<Secret<String>> = Export::new("exporter", "token");
    let store = memory();
    let mut t = Topology::new("exporter");
    let host = server(&mut t, "host");
    let net = t.add("net", wattle_catalog::neutron::Net::new());
    let part = t.on(host).run("part", Anything::new());
    let exporter =
        seed(&t.finish(Exports::new().entry(TOKEN, part.token).entry("net", net.attribute::<String>("name"))));
    let operator = options_for(&[&exporter]);
    apply(&store, &exporter, &operator).await.expect("exports as such are sound");
    let mut t = Topology::new("importer");
    let host = server(&mut t, "host");
    let name = t.import(Export::<String>::new("exporter", "net"));
    let token = t.import(TOKEN);
    t.on(host).run("part", Anything::new().texts([text!("{}", name)]).password(token));
    let importer = seed(&t.finish(Exports::new()));
    let refused = apply(&store, &importer, &operator).await.expect_err("neither can be read");
    let SeedError::Imports { faults } = &refused else { panic!("{refused}") };
    assert!(
        faults.iter().any(|fault| fault.contains("`token`") && fault.contains("give it to both stacks as a parameter"))
    );
    assert!(faults.iter().any(|fault| fault.contains("`openstack stack output show exporter net`")), "{refused}");
}

#[tokio::test]
async fn an_import_of_another_type_than_the_export_is_refused() {
    let store = memory();
    let exports = seed(&exporter(&["a"]));
    let reading = |import: &dyn Fn(&mut Topology) -> Exports| {
        let mut t = Topology::new("importer");
        server(&mut t, "host");
        let exports = import(&mut t);
        seed(&t.finish(exports))
    };
    let wrong = reading(&|t| {
        let text = t.import(Export::<bool>::new("exporter", "text"));
        let joined = t.import(Export::<String>::new("exporter", "joined"));
        let number = t.import(Export::<u8>::new("exporter", "number"));
        Exports::new().entry("text", text).entry("joined", joined).entry("number", number)
    });
    let right = reading(&|t| {
        let number = t.import(Export::<u32>::new("exporter", "number"));
        let again = t.import(Export::<f64>::new("exporter", "number"));
        Exports::new().entry("number", number).entry("again", again)
    });
    let options = options_for(&[&exports, &wrong, &right]);
    apply(&store, &exports, &options).await.expect("applies");
    let refused = apply(&store, &wrong, &options).await.expect_err("of other types");
    let SeedError::Imports { faults } = &refused else { panic!("{refused}") };
    assert_eq!(faults.len(), 2, "{faults:#?}");
    let reported = "the export `text` of the stack `exporter` cannot be read (tests/tests/seed/imports.rs:";
    let why = "): `exporter` exports a string, and this stack imports a boolean: let both use the same constant";
    assert!(faults[0].starts_with(reported) && faults[0].ends_with(why), "{faults:#?}");
    assert!(faults[1].contains("`number`") && faults[1].contains("an integer between 0 and 255"), "{faults:#?}");
    apply(&store, &right, &options).await.expect("what is wider takes it");

    // Data from an older version lack this information.
    let mut old = wrong;
    old.imports.clear();
    apply(&store, &old, &options).await.expect("as before");
}

#[tokio::test]
async fn a_misspelt_import_is_shown_with_its_place_and_with_what_was_meant() {
    let store: Arc<dyn Store> = memory();
    let exports = seed(&exporter(&["a"]));
    let reader = |stack, export| {
        let mut t = Topology::new("importer");
        let host = server(&mut t, "x");
        let text = t.import(Export::<String>::new(stack, export));
        t.on(host).run("part", Anything::new().texts([text!("{}", text)]));
        seed(&t.finish(Exports::new()))
    };
    let [wrong, strange, other] = [("exporter", "txet"), ("exporter", "password"), ("exportr", "text")]
        .map(|(stack, export)| reader(stack, export));
    let options = options_for(&[&exports, &wrong, &strange, &other]);
    apply(&store, &exports, &options).await.expect("applies");
    for (reader, said) in [
        (&wrong, "`exporter` exports no `txet`; did you mean `text`?"),
        (&strange, "`exporter` exports no `password`: add it there, and apply its seed first"),
        (&other, "apply the seed of `exportr` first, and make sure that it exports `text`; did you mean `exporter`?"),
    ] {
        let refused = apply(&store, reader, &options).await.expect_err("it is not exported").to_string();
        assert!(refused.contains(said) && refused.contains("seed/imports.rs:"), "{refused}");
    }
}
