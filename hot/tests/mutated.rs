//! Any template is checked and evaluated within limits, and nothing panics.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use wattle_heat::Loaded;
use wattle_heat::environment::Environment;
use wattle_heat::evaluate::{Mode, Resources, Scope, Value};
use wattle_heat::parameters::Inputs;
use wattle_heat::yaml::{self, Node};
use wattle_hot::check;

/// Templates with everything that this crate reads.
const FORMS: &str = include_str!("../../tests/templates/forms.txt");

/// Pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

/// A stack whose resources all exist, or of which nothing is known.
#[derive(Debug)]
struct Stack {
    is_there: bool,
}

impl Resources for Stack {
    fn full_name(&self, resource: &str) -> String {
        resource.to_owned()
    }

    fn reference(&self, resource: &str) -> Option<Value> {
        self.is_there.then(|| Value::from(&*format!("id of {resource}")))
    }

    fn attribute(&self, _: &Scope<'_>, resource: &str, way: &[Value]) -> Option<(Value, usize)> {
        let attribute = way.first().filter(|_| self.is_there)?;
        Some((Value::List(vec![attribute.clone(), Value::Integer(7), resource.into()]), 1))
    }

    fn facade(&self, part: &str) -> Option<Value> {
        self.is_there.then(|| Value::Map([(part.to_owned(), Value::Null)].into_iter().collect()))
    }
}

/// The number of comparisons of partly known values with other results.
#[derive(Default)]
struct Held {
    /// With the result if everything unknown is omitted.
    known: usize,
    /// Of values that were open and resolved later, with the immediate result.
    later: usize,
}

impl Held {
    /// A value that is known without a stack remains the same if the rest stays open, and an open value later resolves to
    /// the same value as it would have immediately.
    fn hold(&mut self, loaded: &Loaded, node: &Node) {
        let [before, there] = [Stack { is_there: false }, Stack { is_there: true }];
        let value = |mode, node: &Node| Scope::new(loaded, mode).value(node);
        let open = value(Mode::Partial(&before), node).expect("nothing fails");
        let once = value(Mode::Partial(&there), node).expect("nothing fails");
        if let Ok(known) = value(Mode::Known, node)
            && known.is_known()
            && open.is_known()
        {
            assert_eq!((&open, &once), (&known, &known), "{node:?}");
            self.known += 1;
        }
        let mut asked = loaded.clone();
        asked.parameters.values.values_mut().for_each(|parameter| parameter.value = Value::Unknown);
        let open = Scope::new(&asked, Mode::Partial(&before)).value(node).expect("nothing fails");
        if open.is_open() && !open.is_cut() && once.is_known() {
            let written = yaml::read(&open.to_model().to_string()).expect("JSON is YAML");
            let later = value(Mode::Partial(&there), &written).expect("nothing fails");
            assert_eq!(later, once, "{node:?}");
            self.later += 1;
        }
    }
}

/// Checks `text` as the template, as a nested template, and perhaps as its environment; returns the number of diagnostics.
fn judged(text: &str, as_environment: bool) -> usize {
    judged_and_held(text, as_environment, &mut Held::default())
}

fn judged_and_held(text: &str, as_environment: bool, held: &mut Held) -> usize {
    let files: BTreeMap<_, _> = [("child.yaml".to_owned(), text.as_bytes().to_vec())].into();
    let mut inputs = Inputs::default();
    if as_environment {
        inputs.environment = Arc::new(Environment::read([("environment.yaml", text)]));
    }
    let loaded = wattle_hot::load(text, "template.yaml", &files, &inputs);
    let outputs = loaded.template.outputs.values().filter_map(|output| output.value.as_ref());
    let properties = loaded.template.resources.values().filter_map(|resource| resource.properties.as_ref());
    for value in outputs.chain(properties) {
        let _ = Scope::new(&loaded, Mode::Validation).value(value);
        held.hold(&loaded, value);
    }
    check(&loaded).len()
}

fn cases() -> Vec<&'static str> {
    FORMS.split("=== ").skip(1).filter_map(|case| case.split_once('\n')).map(|(_, text)| text).collect()
}

#[test]
fn what_stays_open_comes_to_the_same() {
    let mut held = Held::default();
    for text in cases() {
        judged_and_held(text, false, &mut held);
    }
    assert!(held.known > 400 && held.later > 30, "{} and {} values are compared", held.known, held.later);
}

#[test]
fn mutated_templates_are_judged() {
    let cases = cases();
    // The parts between YAML's indicators: words, numbers, names of functions and sections.
    let words: Vec<&str> = FORMS
        .split(|sign: char| sign.is_whitespace() || "{}[],:'\"".contains(sign))
        .filter(|word| !word.is_empty() && !word.starts_with('='))
        .collect();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut found, mut clean, mut held) = (0, 0, Held::default());
    for round in 0..3_000 {
        let mut text = cases[random.below(cases.len())].to_owned();
        for _ in 0..=random.below(3) {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let Some(&at) = places.get(random.below(places.len().max(1))) else { continue };
            match random.below(4) {
                // A word of another template.
                0 | 1 => {
                    let end = text[at..].find(|sign: char| !sign.is_alphanumeric()).map_or(text.len(), |end| at + end);
                    text.replace_range(at..end, words[random.below(words.len())]);
                }
                2 => text.insert_str(at, [" ", "[", "]", "{", "}", ": ", "- ", "'", "&a ", "*a"][random.below(10)]),
                _ => {
                    let length = text[at..].chars().next().map_or(0, char::len_utf8);
                    text.replace_range(at..at + length, "");
                }
            }
        }
        match judged_and_held(&text, round % 3 == 0, &mut held) {
            0 => clean += 1,
            diagnostics => found += diagnostics,
        }
    }
    assert!(found > 1_000 && clean > 10, "{found} diagnostics, {clean} templates without any");
    assert!(held.known > 300 && held.later > 20, "{} and {} values are compared", held.known, held.later);
}

#[test]
fn what_is_deep_is_judged() {
    let nested = |open: &str, core: &str, close: &str, depth: usize| {
        format!("{}{core}{}", open.repeat(depth), close.repeat(depth))
    };
    for (open, close) in [
        ("{list_join: ['', [", "]]}"),
        ("{if: [true, ", ", x]}"),
        ("{repeat: {template: ", ", for_each: {a: [b]}}}"),
        ("[{a: ", "}]"),
        ("{str_replace: {template: a, params: {a: ", "}}}"),
        ("{not: ", "}"),
    ] {
        for depth in [40, 80, 250] {
            let value = nested(open, "x", close, depth);
            let text = format!(
                "heat_template_version: 2021-04-16\nconditions: {{c: {value}}}\nresources: {{r: {{type: OS::Heat::Value, condition: c, \
                 properties: {{value: {value}}}}}}}\noutputs: {{o: {{value: {value}}}}}\n"
            );
            judged(&text, false);
        }
    }
}

#[test]
fn conditions_that_name_each_other_far_are_judged() {
    let mut text = String::from("heat_template_version: 2021-04-16\nconditions:\n  c0: true\n");
    for at in 1..20_000 {
        writeln!(text, "  c{at}: {{not: c{}}}", at - 1).unwrap();
    }
    text.push_str("outputs: {o: {value: 1, condition: c19999}}\n");
    assert!(judged(&text, false) > 0, "Python does not go so deep");
}

#[test]
fn what_grows_is_not_computed() {
    let mut text = String::from("heat_template_version: 2021-04-16\noutputs:\n");
    let thousand = "x".repeat(1_000);
    let lists: Vec<_> = (0..8).map(|at| format!("'%{at}%': [a, b, c, d, e, f, g, h]")).collect();
    writeln!(text, "  a: {{value: {{repeat: {{template: {thousand}, for_each: {{{}}}}}}}}}", lists.join(", ")).unwrap();
    let params: Vec<_> = (0..50).map(|at| format!("x{at}: {thousand}")).collect();
    writeln!(
        text,
        "  b: {{value: {{str_replace: {{template: {thousand}, params: {{x: {thousand}, {}}}}}}}}}",
        params.join(", ")
    )
    .unwrap();
    let all = "[&a [x, x, x, x, x, x, x, x, x, x], &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a], &c [*b, *b, *b, *b, *b, *b, *b], *c]";
    writeln!(text, "  c: {{value: {{list_concat_unique: {all}}}}}").unwrap();
    judged(&text, false);
}

#[test]
fn very_many_mistakes_are_reported() {
    let mut text = String::from("heat_template_version: 2021-04-16\nparameters:\n");
    for at in 0..1_500 {
        writeln!(text, "  parameter_{at}: {{type: string, default: x}}").unwrap();
    }
    text.push_str("resources:\n");
    for at in 0..1_500 {
        writeln!(text, "  r{at}: {{type: OS::Heat::Value, properties: {{value: {{get_param: paramter_{at}}}}}}}")
            .unwrap();
    }
    assert_eq!(judged(&text, false), 1_500);
}
