//! The model as an extended Heat template: stock Heat accepts it unchanged, and reading it yields the same model.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use proptest::prelude::*;
use wattle::author::Blueprint;
use wattle::extended;
use wattle::lower::{Options, lower};
use wattle::model::{Model, Scalar};
use wattle_heat::Loaded;
use wattle_heat::files::{Files, Missing};
use wattle_heat::parameters::Inputs;
use wattle_hot::model::Read;
use wattle_tests::oracle::Oracle;
use wattle_tests::random;
use wattle_tests::running::Stage;
use wattle_tests::skip;

fn examples() -> [Model; 3] {
    [
        hello::hello.model(Default::default()),
        three_tier::three_tier.model(Default::default()),
        connections::connections.model(Default::default()),
    ]
}

#[test]
fn stock_heat_takes_every_extended_template() {
    let mut oracle = Oracle::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut paths = Vec::new();
    let random = (0..cases(10, 50)).flat_map(|seed| {
        let choices = random::bytes(seed, 400);
        [random::model(&choices), random::whole(&choices)]
    });
    for (number, model) in examples().into_iter().chain(random).enumerate() {
        let template = extended::template(&model);
        let path = folder.path().join(format!("{number}.yaml"));
        wattle::emit::yaml(&template, &mut File::create(&path).expect("a new file")).expect("emits");
        let answer = oracle.validate(&path);
        let (stack, why) = (&model.stack, &answer["message"]);
        assert_eq!(answer["ok"], true, "Heat refuses the model {number} (`{stack}`): {}: {why}", answer["error"]);
        let resources = answer["types"].as_object().expect("types").len();
        assert_eq!(resources, model.resources.len() + 1, "of `{stack}`");
        paths.push(path);
    }
    for (number, judged) in judged(&paths).iter().enumerate() {
        assert_eq!(judged["ok"], true, "the schema refuses the model {number}: {judged}");
    }
}

/// The verdict of the JSON Schema on templates.
fn judged(templates: &[PathBuf]) -> Vec<serde_json::Value> {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/heat/run"));
    let output = command.arg("schema.py").args(templates).stderr(Stdio::inherit()).output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("text");
    let judged: Vec<_> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(judged.len(), templates.len(), "{text}");
    judged
}

/// The folder of the documented template.
fn documented() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/extended-template")
}

#[derive(Debug)]
struct Folder(PathBuf);

impl Files for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, Missing> {
        fs::read(self.0.join(path)).map_err(|error| Missing(error.to_string()))
    }
}

fn shop() -> String {
    fs::read_to_string(documented().join("shop.yaml")).expect("documented")
}

fn loaded(text: &str) -> Loaded {
    wattle_hot::load(text, "shop.yaml", &Folder(documented()), &Inputs::default())
}

fn found(text: &str) -> Vec<String> {
    let loaded = loaded(text);
    let diagnostics = wattle_hot::check(&loaded).into_iter().filter(|diagnostic| diagnostic.code != "W1104");
    let Read { model, .. } = wattle_hot::model::read(&loaded);
    let all = diagnostics.chain(wattle::check::check(&model, &wattle::check::Limits::default()));
    let line = |diagnostic: wattle::check::Diagnostic| {
        let at = &diagnostic.labels[0].at;
        format!("{} {}:{} {}", diagnostic.code, at.line, at.column, diagnostic.message)
    };
    all.map(line).collect()
}

#[test]
fn the_documented_template_is_sound_and_what_the_documentation_shows() {
    let page = fs::read_to_string(documented().with_extension("md")).expect("documentation");
    assert!(page.contains(&format!("```yaml\n{}```\n", shop())), "the page shows another template than the file");
    assert_eq!(found(&shop()), [""; 0]);
    let path = documented().join("shop.yaml");
    let answer = Oracle::start().validate(&path);
    assert_eq!(answer["ok"], true, "{answer}");
    let judged = judged(&[path]).remove(0);
    assert_eq!((&judged["ok"], &judged["parts"]), (&true.into(), &2.into()), "{judged}");
}

#[test]
fn the_documented_template_runs() {
    let Read { model, .. } = wattle_hot::model::read(&loaded(&shop()));
    let stage = Stage::new(&model);
    let mut up = stage.up(&["--parameter", "password=secret"]);
    up.wait_for("is up", Duration::from_mins(2));
    let page = stage.ask(&["get", "web/site/page"]).out;
    let (before, behind) = page.split_once("postgresql://").expect("an address");
    assert_eq!(before, "Shop on debian-12: 3 goods from ");
    assert!(behind.ends_with(":5432/shop at port 8080 of localhost,web\n"), "{page}");
    assert_eq!(up.interrupt(), Some(0));
}

/// The template without its conditions on `run_time`.
fn without_guards(text: &str) -> String {
    let mut plain = String::new();
    for line in text.lines().filter(|line| !line.contains("run_time:") && !line.starts_with("conditions:")) {
        let line = line.replace("{if: [run_time, ", "").replace(", null]}", "");
        plain.push_str(&line);
        plain.push('\n');
    }
    let list = "                if:\n                  - run_time\n                  - list_join";
    assert!(plain.contains(list), "{plain}");
    plain.replace(list, "                list_join").replace("                  - null\n", "")
}

#[test]
fn the_guard_is_for_stock_heat_alone() {
    let plain = without_guards(&shop());
    assert!(!plain.contains("run_time"), "{plain}");
    assert_eq!(found(&plain), [""; 0]);
    let wires = |text: &str| {
        let Read { model, diagnostics, .. } = wattle_hot::model::read(&loaded(text));
        assert_eq!(diagnostics, []);
        let lowered = lower(&model, &Options::default());
        (lowered.template, lowered.seed.servers, lowered.seed.exports)
    };
    assert_eq!(wires(&plain), wires(&shop()));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plain.yaml");
    fs::write(&path, plain).expect("written");
    assert_eq!(Oracle::start().validate(&path)["ok"], false, "stock Heat knows components");
}

#[test]
fn mistakes_are_found_all_at_once_with_their_places() {
    let text = shop()
        .replace("outputs: {url: url}", "outputs: {url: ulr}")
        .replace("deadline: 60", "deadlin: 60")
        .replace("recipes/goods.sh", "recipes/god.sh")
        .replace("port: port, goods: integer", "port: {lst: port}, goods: integer")
        .replace("[web, site, page]", "[web, site, pages]");
    assert_eq!(
        found(&text),
        [
            "W1302 34:28 there is no type `ulr`",
            "W1301 35:13 the component `db/database` has no key `deadlin`",
            "W1303 37:21 the file `recipes/god.sh` of a recipe cannot be read: No such file or directory (os error 2)",
            "W1302 53:27 there is no type `lst` with a part",
            "W0107 70:3 the export `page` refers to the output `pages`, which `web/site` does not declare",
            "W0703 39:25 the recipe of `goods` never reads the input `database`",
            "W0701 67:23 the output `page` of `site` is never read",
        ]
    );
}

#[test]
fn the_schema_and_the_page_know_every_type() {
    let schema = fs::read_to_string(documented().with_extension("schema.json")).expect("a schema");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    let mut words: Vec<&str> = Scalar::words().map(|(word, _)| word).chain(["any"]).collect();
    words.sort_unstable();
    assert_eq!(schema["$defs"]["type"]["oneOf"][0]["enum"], serde_json::json!(words));
    let page = fs::read_to_string(documented().with_extension("md")).expect("documentation");
    let types = page.split("**Types** are").nth(1).and_then(|rest| rest.split("An input").next()).expect("types");
    for word in words {
        assert!(types.contains(&format!("`{word}`")), "the page does not know the type `{word}`");
    }
}

#[test]
fn the_page_knows_every_function_that_agents_compute() {
    let page = fs::read_to_string(documented().with_extension("md")).expect("documentation");
    let functions =
        page.split("Functions are computed as soon as their arguments are known:").nth(1).expect("functions");
    let mut named: Vec<_> =
        functions.split(", as Heat").next().expect("a list").split('`').skip(1).step_by(2).collect();
    named.sort_unstable();
    assert_eq!(named, wattle_heat::template::computed());
}

#[test]
fn the_schema_refuses_what_is_no_extended_template() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mistakes = [
        ("outputs: {url: url}", "outputs: {url: ulr}"),
        ("outputs: {url: url}", "outputs: {url: {type: url, dynamc: true}}"),
        ("deadline: 60", "deadlin: 60"),
        ("deadline: 60", "deadline: 30m1h"),
        ("deadline: 60", "deadline: 0"),
        ("recipe: recipes/goods.sh", "recipe: {tool: sh, entry: recipes/goods.sh}"),
        ("- name: goods", "- title: goods"),
        ("port: port, goods: integer", "port: {list: port, map: port}, goods: integer"),
        ("port: port, goods: integer", "port: {integer: {least: 1}}, goods: integer"),
        ("        components:\n          site:", "        component:\n          site:"),
        ("            deadline: 60", "            listens: [{tpc: 80}]"),
        ("            deadline: 60", "            listens: [{tcp: 0}]"),
    ];
    let paths: Vec<PathBuf> = (0..mistakes.len()).map(|i| folder.path().join(format!("{i}.yaml"))).collect();
    for ((right, wrong), path) in mistakes.iter().zip(&paths) {
        let text = shop();
        assert!(text.contains(right), "{right}");
        fs::write(path, text.replace(right, wrong)).expect("written");
    }
    let judged = judged(&paths);
    for ((_, wrong), judged) in mistakes.iter().zip(judged) {
        assert_eq!(judged["ok"], false, "the schema takes `{wrong}`");
    }
}

/// The model as read from its own template.
fn read_back(model: &Model) -> Model {
    let text = wattle::emit::to_yaml(&extended::template(model)).expect("emits");
    let loaded = Loaded::of(&text, "model.yaml");
    let read = wattle_hot::model::read(&loaded);
    assert_eq!(read.diagnostics, [], "{text}");
    read.model
}

/// Asserts that reading the model's template yields the same model, with its places, and identical files.
fn assert_same(model: &Model) {
    let read = read_back(model);
    assert_parts(&read, model);
    let [before, after] = [model, &read].map(|model| {
        let lowered = lower(model, &Options::default());
        let template = |template| wattle::emit::to_yaml(template).expect("emits");
        let mut seed = Vec::new();
        lowered.seed.write(&mut seed).expect("emits");
        let nested: Vec<_> = lowered.nested.iter().map(|(name, nested)| (name.clone(), template(nested))).collect();
        let seed = String::from_utf8(seed).expect("text");
        let files: Vec<_> =
            [("environment.yaml".to_owned(), lowered.environment.to_yaml()), ("seed.yaml".into(), seed)]
                .into_iter()
                .chain(nested)
                .chain([("template.yaml".into(), template(&lowered.template))])
                .collect();
        files
    });
    for ((name, before), (_, after)) in before.iter().zip(&after) {
        let differing = before.lines().zip(after.lines()).position(|(before, after)| before != after);
        let line = |text: &str| text.lines().nth(differing.unwrap_or_default()).map(str::to_owned);
        assert!(before == after, "{name}: {:?} became {:?} (line {differing:?})", line(before), line(after));
    }
    assert_eq!(before.len(), after.len());
}

/// Asserts that the models are equal, part by part, because messages about whole models are too long to read.
fn assert_parts(read: &Model, model: &Model) {
    macro_rules! same {
        ($($part:ident),*) => {$( assert_eq!(read.$part, model.$part, stringify!($part)); )*};
    }
    same!(stack, description, at, version, parameters, parameter_groups, conditions, resources, declarations);
    same!(components, after, forward_references, imports, exports, outputs, files, modules);
    assert_eq!(read, model);
}

#[test]
fn every_example_is_read_back_as_it_was() {
    examples().iter().for_each(assert_same);
}

/// The number of cases: a few, or many in the full test run.
fn cases(few: u32, many: u32) -> u32 {
    if skip::everything(&format!("{} further random models as extended templates", many - few)) { many } else { few }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(40, 256), ..ProptestConfig::default() })]

    #[test]
    fn random_models_are_read_back_as_they_were(choices in prop::collection::vec(any::<u8>(), 0..400)) {
        assert_same(&random::model(&choices));
        let whole = random::whole(&choices);
        let found = wattle::check::check(&whole, &wattle::check::Limits::default());
        prop_assert!(!wattle::check::has_errors(&found), "{found:#?}");
        assert_same(&whole);
    }
}
