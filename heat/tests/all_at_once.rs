//! Any number of faults is reported completely, in few words.

use wattle_heat::check::check;
use wattle_heat::{Graph, Loaded};
use wattle_model::Diagnostic;

fn found(resources: &str) -> Vec<Diagnostic> {
    check(&Loaded::of(&format!("heat_template_version: 2021-04-16\nresources:\n{resources}"), "template.yaml"))
}

fn codes(found: &[Diagnostic]) -> Vec<&str> {
    found.iter().map(|diagnostic| diagnostic.code).collect()
}

fn size(found: &[Diagnostic]) -> usize {
    let texts = |one: &Diagnostic| {
        let labels = one.labels.iter().map(|label| label.text.len()).sum::<usize>();
        one.message.len() + labels + one.notes.iter().chain(&one.help).map(String::len).sum::<usize>()
    };
    found.iter().map(texts).sum()
}

#[test]
fn a_long_cycle_is_shown_by_its_first_and_last_hops() {
    let hop = |at: usize| {
        let next = (at + 1) % 3_000;
        format!("  r{at}: {{type: OS::Heat::Value, properties: {{value: {{get_attr: [r{next}, value]}}}}}}\n")
    };
    let found = found(&(0..3_000).map(hop).collect::<String>());
    assert_eq!(codes(&found), ["W1208"]);
    assert!(found[0].message.starts_with("3000 resources wait for each other"), "{found:?}");
    assert_eq!(found[0].labels.len(), 16);
    assert_eq!(found[0].labels[15].text, "`r2999` reads the attribute `value` of `r0`");
    assert_eq!(found[0].notes, ["2984 further places between the first 12 and the last 4 are not shown"]);
}

#[test]
fn a_long_value_is_shown_by_its_ends() {
    for (value, least) in
        [("7".repeat(5_000), 1), (format!("\"{}\"", "x".repeat(100_000)), 1), (format!("[{}]", "a, ".repeat(9_000)), 1)]
    {
        let found = found(&format!(
            "  a: {{type: OS::Neutron::Subnet, properties: {{network: x, cidr: 10.0.0.0/24, ip_version: {value}}}}}\n"
        ));
        assert!(found.len() >= least && size(&found) < 5_000, "{}: {found:?}", size(&found));
    }
}

#[test]
fn an_unknown_type_hides_nothing_of_what_is_in_it() {
    let found = found(
        "  a:\n    type: OS::Nova::Sever\n    properties:\n      image: {get_resource: nowhere}\n      \
         name: {get_param: nothing}\n      flavor: {list_join: x}\n",
    );
    assert_eq!(codes(&found), ["W1201", "W1205", "W1114", "W1110"], "{found:#?}");
}

#[test]
fn properties_of_a_misspelt_type_are_those_of_the_one_that_was_meant() {
    let properties = "properties: {flavor: [1], iamge: x, networks: [{network: n}]}";
    let found_of = |ty: &str| found(&format!("  a: {{type: {ty}, {properties}}}\n"));
    let of_server = found_of("OS::Nova::Sever");
    assert_eq!(codes(&of_server), ["W1201", "W1203", "W1202"], "{of_server:#?}");
    assert!(of_server[2].labels[0].text.contains("`OS::Nova::Server`"), "{of_server:#?}");
    assert_eq!(codes(&found("  a: {type: OS::Neutron::Prot}\n")), ["W1201"]);
    // Types of a specific cloud are not typos.
    for ty in ["My::Nova::Server", "OS::Mine::Server", "OS::Nova::Anything"] {
        assert_eq!(codes(&found_of(ty)), ["W1201"], "{ty}");
    }
}

#[test]
fn what_is_no_map_is_one_mistake() {
    let found = found("  s: {type: OS::Heat::Value, properties: [value, 3]}\n");
    assert_eq!(codes(&found), ["W1006"], "{found:?}");
    let found = check(&Loaded::of("- hosts: localhost\n  tasks: []\n", "playbook.yaml"));
    assert_eq!(codes(&found), ["W1003"], "{found:?}");
}

#[test]
fn what_is_no_condition_is_one_mistake() {
    for (definition, code) in [("d", "W1115"), ("[a]", "W1115"), ("3", "W1115"), ("{get_attr: [a, b]}", "W1111")] {
        let text = format!("heat_template_version: 2021-04-16\nconditions: {{c: {definition}}}\nresources: {{}}\n");
        let found = check(&Loaded::of(&text, "template.yaml"));
        assert_eq!(codes(&found), [code], "{definition}: {found:?}");
    }
}

#[test]
fn repeat_over_what_a_function_gives_is_explained() {
    let repeat = |argument: &str| {
        let found = found(&format!("  a: {{type: OS::Heat::Value, properties: {{value: {{repeat: {argument}}}}}}}\n"));
        assert_eq!(codes(&found), ["W1110"], "{found:?}");
        found[0].message.clone()
    };
    let list = "{str_split: [',', 'a,b']}";
    assert_eq!(
        repeat(&format!("{{template: x, for_each: {list}}}")),
        "`repeat`: its `for_each` must be a map of lists, each under the text in `template` that its items replace, but this \
         gives a list"
    );
    assert_eq!(repeat(list), "`repeat`: it takes a map with `template` and `for_each`, not a call of another function");
}

#[test]
fn what_is_no_yaml_of_heats_is_called_by_its_name() {
    let help = |line: &str| found(&format!("  a: {line}\n"))[0].help.join("\n");
    for line in
        ["{{ flavor }}", "{{ a }}-{{ b }}", "{% if a %}", "{# a #}", "b\n  {% endif %}", "b\n  c{{ i }}: {% d %}"]
    {
        assert!(help(line).contains("Jinja"), "{line}: {}", help(line));
    }
    assert!(!help("{{a: b}: c}").contains("Jinja"), "{}", help("{{a: b}: c}"));
    for (line, hot) in [("!Ref b", "get_resource"), ("!GetAtt b.c", "get_attr"), ("!Sub x", "str_replace")] {
        assert!(help(line).contains(hot), "{line}: {}", help(line));
    }
    assert!(help("!mine b").contains("quote"));
}

#[test]
fn a_graph_says_which_members_it_leaves_out() {
    let graph = |count: usize| {
        let group = format!(
            "heat_template_version: 2021-04-16\nresources:\n  many:\n    type: OS::Heat::ResourceGroup\n    \
             properties: {{count: {count}, resource_def: {{type: OS::Heat::RandomString}}}}\n"
        );
        Graph::of(&Loaded::of(&group, "template.yaml"))
    };
    assert_eq!(graph(20_000).all_cut(), [("many".to_owned(), 20_000)]);
    assert_eq!(graph(20_000).nested["many"].graph.len(), wattle_heat::graph::MEMBERS);
    assert!(graph(10_000).all_cut().is_empty());
}
