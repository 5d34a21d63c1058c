//! Any change of a template yields diagnostics and a graph, and never a panic.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use wattle_heat::{Graph, Loaded};
use wattle_hot::{check, model};

/// The inserted pieces: words of YAML, and words with a meaning in templates.
const PIECES: &[&str] = &[
    "",
    "",
    "~",
    "[]",
    "{}",
    "''",
    "0",
    "-1",
    "on",
    "1.5",
    "a",
    ": ",
    "- ",
    "\n",
    "\n  ",
    "  ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "*a",
    "&a ",
    "get_attr",
    "get_resource",
    "get_param",
    "get_file",
    "if",
    "repeat",
    "str_replace",
    "list_join",
    "Ref",
    "Fn::GetAtt",
    "condition",
    "conditions:\n",
    "resources:\n",
    "outputs:\n",
    "parameters:\n",
    "type:",
    "properties:",
    "depends_on: ",
    "metadata:",
    "default: ",
    "constraints:",
    "metadata: {wattle: {components: []}}",
    "OS::Heat::ResourceGroup",
    "OS::Nova::Server",
    "2013-05-23",
    "<<: ",
];

/// The same numbers on each run: Knuth's linear congruential generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

#[test]
fn templates_with_anything_changed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/templates/good");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    assert!(paths.len() > 50, "{}", paths.len());
    let mut numbers = Numbers(1);
    let (mut unreadable, mut found) = (0, 0);
    for path in &paths {
        let text = fs::read_to_string(path).unwrap();
        for _ in 0..12 {
            let mut words: Vec<_> = text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_').collect();
            for _ in 0..=numbers.below(3) {
                let (at, piece) = (numbers.below(words.len()), PIECES[numbers.below(PIECES.len())]);
                match numbers.below(3) {
                    0 => words[at] = piece,
                    1 => words.insert(at, piece),
                    _ => {
                        let other = numbers.below(words.len());
                        words.swap(at, other);
                    }
                }
            }
            let changed = words.concat();
            let loaded = Loaded::of(&changed, "template.yaml");
            unreadable += usize::from(loaded.unreadable.is_some());
            found += check(&loaded).len();
            let _ = Graph::of(&loaded);
            let _ = model::read(&loaded);
        }
    }
    assert!(unreadable > 50 && found > 500, "{unreadable} {found}");
}
