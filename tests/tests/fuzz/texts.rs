//! YAML, JSON, templates, environments, seeds, and user data of servers.

use std::fs;
use std::path::Path;

use wattle::emit;
use wattle::lower::Seed;
use wattle::model::Value;
use wattle_heat::environment::Environment;
use wattle_heat::yaml::{self, DEPTH, NODES, Node, Place, Span, Tree};
use wattle_heat::{Graph, Loaded};
use wattle_runtime::agent::{Identity, IdentityError};
use wattle_runtime::seed::{Options, judge};
use wattle_runtime::space::{Credential, OperatorKey};
use wattle_runtime::store::Address;
use wattle_tests::fuzz::{Read, Target};

const YAML: [&str; 34] = [
    "- ",
    ": ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "|\n",
    ">-\n",
    "|2+\n",
    "&a ",
    "*a",
    "<<: *a\n",
    "!!str ",
    "!t ",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "# c\n",
    "'",
    "\"",
    "\\x41",
    "\\U0010ffff",
    "\n  ",
    "\n    ",
    "\t",
    "~",
    "yes",
    "1_0",
    "0o7",
    "2020-01-01",
    "1:30",
    "\u{85}",
];

const HEAT: [&str; 24] = [
    "{get_param: a}",
    "{get_resource: a}",
    "{get_attr: [a, b]}",
    "{get_file: a}",
    "{if: [a, b, c]}",
    "{list_join: [',', [a]]}",
    "{repeat: {for_each: {x: [1]}, template: x}}",
    "{str_replace: {template: a, params: {a: b}}}",
    "{yaql: {expression: $, data: a}}",
    "{map_merge: [{}]}",
    "{digest: [md5, a]}",
    "{str_split: [',', a]}",
    "conditions:\n",
    "resources:\n",
    "outputs:\n",
    "parameters:\n",
    "heat_template_version: 2018-08-31\n",
    "type: OS::Nova::Server",
    "properties: ",
    "depends_on: ",
    "constraints: [{length: {min: 1}}]",
    "%index%",
    "OS::stack_id",
    "{equals: [a, a]}",
];

const JSON: [&str; 16] = [
    "[", "]", "{", "}", ",", ":", "\"\"", "null", "true", "\\u0000", "\\ud800", "\\udc00", "{\"\":", "1e400", "-",
    "\u{2028}",
];

/// Some of the YAML files in a folder of the tests.
fn folder(path: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("it is there").map(|file| file.expect("a file").path()).collect();
    files.sort();
    let texts = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let texts = texts.map(|path| fs::read(path).expect("reads")).filter(|text| text.len() < 6_000);
    texts.take(40).collect()
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

#[test]
fn yaml_is_a_tree_with_places_or_an_error_with_one() {
    let read = |bytes: &[u8]| {
        let end = u32::try_from(bytes.len()).expect("short");
        let is_within = |span: Span| {
            let last = Place { line: end, column: end };
            span.start <= span.end && span.end <= last || span.end.line == span.start.line && span.end.column <= end + 1
        };
        match yaml::read_bytes(bytes) {
            Ok(root) => {
                check(&root, &is_within);
                Read::Accepted
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert!(is_within(error.span), "{error:?}");
                assert!(error.context.is_none_or(|(_, span)| is_within(span)));
                Read::Refused
            }
        }
    };
    Target { name: "yaml", corpus: folder("templates/good"), words: &YAML, thinned: 1 }.try_all(read);
}

fn check(root: &Node, is_within: &dyn Fn(Span) -> bool) {
    let (mut nodes, mut left) = (0, vec![(root, 0)]);
    while let Some((node, depth)) = left.pop() {
        nodes += 1;
        assert!(nodes <= NODES && depth <= DEPTH);
        assert!(is_within(node.span), "{node:?}");
        match &*node.tree {
            Tree::List(items) => left.extend(items.iter().map(|item| (item, depth + 1))),
            Tree::Map(pairs) => {
                left.extend(pairs.iter().flat_map(|pair| [(&pair.key, depth + 1), (&pair.value, depth + 1)]));
            }
            _ => {}
        }
    }
}

/// Both of wattle's readers read a written value as the same value again.
#[test]
fn a_value_that_is_read_is_written_the_same() {
    let corpus = [
        r#"{"a": [1, -2.5, 1e30, true, null, "x\ny", {"b": {}}], "é": "\u0007", "yes": "no", "0x10": "1_000"}"#,
        r##"["2020-01-01", "~", "", " a ", "- b", "c: d", "#e", "'", "\"", "%f", "\t", "\u0085\u2028\ufeff"]"##,
        r#"{"get_param": "x", "<<": {"a": "*a"}, "=": "&a"}"#,
    ];
    let read = |bytes: &[u8]| {
        let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return Read::Refused };
        let json = emit::to_json(&value).expect("it is JSON");
        assert_eq!(serde_json::from_str::<Value>(&json).expect("our own"), value);
        let yaml = emit::to_yaml(&value).expect("it is YAML");
        let (from_yaml, from_json) = (yaml::read(&yaml), yaml::read(&json));
        match (from_yaml, from_json) {
            (Ok(from_yaml), Ok(from_json)) => assert_eq!(plain(&from_yaml), plain(&from_json), "{yaml}"),
            (Err(from_yaml), _) => panic!("{from_yaml}: {yaml}"),
            (_, Err(from_json)) => panic!("{from_json}: {json}"),
        }
        Read::Accepted
    };
    let corpus = corpus.map(|text| text.as_bytes().to_vec()).into();
    Target { name: "json", corpus, words: &JSON, thinned: 1 }.try_all(read);
}

/// A tree as text, without places and the original notation.
fn plain(node: &Node) -> String {
    match &*node.tree {
        Tree::List(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(", ")),
        Tree::Map(pairs) => {
            let pairs = pairs.iter().map(|pair| format!("{}: {}", plain(&pair.key), plain(&pair.value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        other => other.as_text().map_or_else(|| format!("{other:?}"), |text| format!("{text:?}")),
    }
}

#[test]
fn templates_are_checked_whatever_they_say() {
    let read = |bytes: &[u8]| {
        let Some(text) = text(bytes) else { return Read::Refused };
        let loaded = Loaded::of(text, "template.yaml");
        let diagnostics = wattle_hot::check(&loaded);
        assert!(diagnostics.iter().all(|diagnostic| !diagnostic.message.is_empty()));
        let _ = Graph::of(&loaded);
        let _ = wattle_hot::model::read(&loaded);
        if yaml::read_bytes(bytes).is_ok() { Read::Accepted } else { Read::Refused }
    };
    let words = [&YAML[..], &HEAT].concat();
    Target { name: "templates", corpus: folder("templates/good"), words: &words, thinned: 40 }.try_all(read);
}

#[test]
fn environments_are_read_whatever_they_say() {
    let corpus = [
        "parameters:\n  a: 1\n  b: {c: [d]}\nparameter_defaults: {e: f}\nresource_registry:\n  OS::X: a.yaml\n  resources: {s: {hooks: pre-create}}\n",
        "parameters: {wattle_stack: \"x\", wattle_credentials: {\"db\": \"wattle1:x:y\"}}\nencrypted_param_names: []\nevent_sinks: []\n",
    ];
    let read = |bytes: &[u8]| {
        let Some(text) = text(bytes) else { return Read::Refused };
        let environment = Environment::read([("one.yaml", text), ("two.yaml", text)]);
        for (name, given) in environment.values() {
            assert!(environment.given(name).is_some());
            let _ = given.value.constant();
        }
        let _ = wattle::cli::values(&environment);
        if yaml::read_bytes(bytes).is_ok() { Read::Accepted } else { Read::Refused }
    };
    let corpus = corpus.map(|text| text.as_bytes().to_vec()).into();
    Target { name: "environments", corpus, words: &YAML, thinned: 2 }.try_all(read);
}

#[test]
fn a_seed_that_is_read_is_written_the_same() {
    let written = |seed: &Seed| {
        let mut text = Vec::new();
        seed.write(&mut text).expect("it is written");
        String::from_utf8(text).expect("it is text")
    };
    let read = |bytes: &[u8]| {
        let Some(Ok(seed)) = text(bytes).map(Seed::read) else { return Read::Refused };
        let once = written(&seed);
        let again = Seed::read(&once).unwrap_or_else(|error| panic!("{error}: {once}"));
        assert_eq!(written(&again), once);
        let _ = (seed.changed_files().len(), seed.compute_digest());
        let _ = judge(&seed, &Options::new(OperatorKey::generate()));
        Read::Accepted
    };
    let words = [
        &YAML[..],
        &["entry: ", "parameter: ", "constant: ", "secret", "list: ", "{function: ", "format: wattle-seed/1\n"],
    ]
    .concat();
    let corpus = crate::seeds().iter().map(|seed| written(seed).into_bytes()).collect();
    Target { name: "seeds", corpus, words: &words, thinned: 4 }.try_all(read);
}

#[test]
fn user_data_are_an_identity_or_say_why_not() {
    let credential = Credential::generate(OperatorKey::generate().signer().authority());
    let secret = credential.expose();
    let whole = |space: &str| {
        serde_json::json!({
            "stack": "shop", "server": "db", "space": space, "credential": secret, "ca": "",
            "networks": {"backbone": "c3f2"}, "values": {"volume.size": 10, "port.fixed_ips": [{"ip_address": "10.0.0.1"}]},
        })
    };
    let corpus = ["zookeeper+tls://zk1:2281,[::1]:2281", "unix:/run/x", "zookeeper://10.0.0.1:1?insecure"];
    let corpus = corpus.map(|space| whole(space).to_string().into_bytes()).into();
    let words = [
        &JSON[..],
        &["wattle1:", "wattle2:", "zookeeper://", "unix:", "?ca=x", "?insecure", "[::1]", ":2181", "AGE-SECRET-KEY-1"],
    ];
    let odd = serde_json::json!({
        "stack": "shop", "server": "db", "space": "unix:/x", "credential": [secret], "networks": {}, "values": {},
    });
    let reported = Identity::parse(&odd.to_string(), Path::new("identity.json")).expect_err("it is a list").to_string();
    assert!(reported.contains("expected text, found a list"), "{reported}");
    // Nor does the message quote the key if there is nothing else.
    let reported =
        Identity::parse(&format!("{secret:?}"), Path::new("identity.json")).expect_err("it is text").to_string();
    assert!(reported.contains("expected a map at line 1") && !reported.contains(&secret), "{reported}");
    let key = secret.split(':').nth(1).expect("a key");
    let read = |bytes: &[u8]| {
        let Some(text) = text(bytes) else { return Read::Refused };
        match Identity::parse(text, Path::new("identity.json")) {
            Ok(identity) => {
                // What is written is read back as the same.
                let space = identity.space.to_string();
                assert_eq!(space.parse::<Address>().map(|space| space.to_string()), Ok(space));
                let credential = identity.credential.expose();
                assert_eq!(credential.parse::<Credential>().expect("our own").expose(), credential);
                Read::Accepted
            }
            Err(error) => {
                let is_of_key =
                    matches!(error, IdentityError::Field { field: "credential", .. } | IdentityError::Json { .. });
                assert!(!(is_of_key && error.to_string().contains(key)), "the key is shown: {error}");
                Read::Refused
            }
        }
    };
    Target { name: "user data", corpus, words: &words.concat(), thinned: 1 }.try_all(read);
}
