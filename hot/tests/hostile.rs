//! Templates that need unlimited resources: checked within bounded time and stack.

use std::thread;

use wattle_heat::{Graph, Loaded};
use wattle_hot::{check, model};

/// The diagnostics of a template, from a thread with the same stack size as commands.
fn judged(text: &str) -> Vec<&'static str> {
    let text = format!("heat_template_version: 2021-04-16\n{text}");
    let judge = move || {
        let loaded = Loaded::of(&text, "template.yaml");
        let _ = Graph::of(&loaded);
        let _ = model::read(&loaded);
        check(&loaded).iter().map(|diagnostic| diagnostic.code).collect()
    };
    thread::Builder::new().stack_size(8 << 20).spawn(judge).expect("a thread").join().expect("no panic")
}

fn conditions(count: usize, depth: usize) -> String {
    let conditions: String =
        (0..count).map(|i| format!("  c{i}: {}c{}{}\n", "{not: ".repeat(depth), i + 1, "}".repeat(depth))).collect();
    format!("conditions:\n{conditions}  c{count}: true\nresources: {{r: {{type: OS::Heat::None, condition: c0}}}}\n")
}

#[test]
fn conditions_of_conditions() {
    // Up to Heat's own limit.
    assert_eq!(judged(&conditions(150, 1)), [""; 0]);
    for (count, depth) in [(200, 1), (2_000, 1), (150, 200)] {
        let codes = judged(&conditions(count, depth));
        assert!(codes.contains(&"W1115"), "{count} of {depth}: {codes:?}");
    }
}

#[test]
fn values_as_deep_as_can_be_read() {
    const CALLS: [(&str, &str); 11] = [
        ("[", "]"),
        ("{a: ", "}"),
        ("{list_join: ['', [", "]]}"),
        ("{if: [true, ", ", a]}"),
        ("{if: [", ", a, b]}"),
        ("{str_replace: {template: a, params: {a: ", "}}}"),
        ("{get_attr: [", "]}"),
        ("{get_param: [", "]}"),
        ("{map_merge: [", "]}"),
        ("{yaql: {expression: $, data: ", "}}"),
        ("{equals: [1, ", "]}"),
    ];
    for (open, close) in CALLS {
        let levels = 245 / open.matches(['[', '{']).count();
        let value = format!("{}a{}", open.repeat(levels), close.repeat(levels));
        judged(&format!(
            "resources:\n  r: {{type: OS::Heat::Value, properties: {{value: {value}}}, metadata: {value}}}\noutputs: {{o: {{value: {value}}}}}\n"
        ));
    }
}

#[test]
fn groups_of_groups_and_of_very_many() {
    let group = |levels: usize, count: u64| {
        let open = format!("type: OS::Heat::ResourceGroup, properties: {{count: {count}, resource_def: {{");
        format!("resources: {{r: {{{}type: OS::Heat::None{}}}}}\n", open.repeat(levels), "}}".repeat(levels))
    };
    for (levels, count) in [(60, 2), (5, 1_000_000_000)] {
        judged(&group(levels, count));
    }
}
