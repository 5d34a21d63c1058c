//! Values against what Heat gives; the oracle compares more (`tests/tests/templates`).

use super::*;

fn scope(version: &str, text: &str) -> Loaded {
    let text = format!(
        "heat_template_version: {version}\nparameters: {{n: {{type: number, default: 5}}, l: {{type: comma_delimited_list, default: 'a,b'}}, j: {{type: json, default: {{k: [1, 2]}}}}}}\n\
         conditions: {{yes: {{equals: [{{get_param: n}}, 5]}}, no: {{not: yes}}, loop: {{not: loop}}, both: {{and: [yes, {{not: no}}]}}}}\n\
         resources: {{s: {{type: OS::Heat::None}}}}\noutputs: {{o: {{value: {text}}}}}\n"
    );
    let loaded = Loaded::of(&text, "t.yaml");
    assert_eq!(loaded.unreadable, None, "{text}");
    loaded
}

fn evaluated(version: &str, text: &str, mode: Mode) -> Result<Value, String> {
    let loaded = scope(version, text);
    let node = loaded.template.outputs["o"].value.clone().expect("a value");
    Scope::new(&loaded, mode).value(&node).map_err(|fault| match fault.cause {
        Cause::Arguments { why, .. } => why,
        other => format!("{other:?}"),
    })
}

#[test]
fn functions_give_what_heat_gives() {
    for (text, expected) in [
        ("{get_param: n}", "5"),
        ("{get_param: [j, k, 1]}", "2"),
        ("{get_param: [j, k, '-1']}", "2"),
        ("{get_param: [j, x]}", ""),
        ("{get_param: [l, 0]}", "a"),
        ("{list_join: ['-', {get_param: l}, [c, {x: 1}, null]]}", r#"a-b-c-{"x": 1}-"#),
        ("{str_replace: {template: 'a ab abc', params: {a: 1, ab: 2, abc: {x: [y]}}}}", r#"1 2 {"x": ["y"]}"#),
        ("{str_replace: {template: 'a b', params: {a: b, b: true}}}", "b True"),
        ("{str_split: [',', 'x,y', 1]}", "y"),
        ("{str_split: [',', 'x,y', -2]}", "x"),
        ("{digest: [sha256, abc]}", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("{map_merge: [{a: 1}, null, {a: 2, b: 3}]}", "{'a': 2, 'b': 3}"),
        ("{map_replace: [{a: x, b: y}, {keys: {a: c}, values: {y: 1}}]}", "{'c': 'x', 'b': 1}"),
        ("{list_concat: [[1], null, [1, 2]]}", "[1, 1, 2]"),
        ("{list_concat_unique: [[1], [1.0, 2]]}", "[1, 2]"),
        ("{filter: [[1, b], [1, a, b]]}", "['a']"),
        ("{contains: [a, {get_param: l}]}", "True"),
        ("{contains: [b, abc]}", "True"),
        ("{if: [yes, 1, {list_join: 3}]}", "1"),
        ("{if: [no, 1, 2]}", "2"),
        ("{if: [both, 1, 2]}", "1"),
        ("{if: [{or: [no, yes]}, 1, 2]}", "1"),
        ("[1, {if: [no, 2]}, 3]", "[1, 3]"),
        ("{repeat: {template: 'v%', for_each: {'%': [x, y]}}}", "['vx', 'vy']"),
        (
            "{repeat: {template: {'%': '#'}, for_each: {'%': [x, y], '#': [1a, 2a]}}}",
            "[{'x': '1a'}, {'x': '2a'}, {'y': '1a'}, {'y': '2a'}]",
        ),
        ("{repeat: {template: '%#', for_each: {'%': [x, y], '#': [1a, 2a]}, permutations: false}}", "['x1a', 'y2a']"),
        ("{repeat: {template: 3, for_each: {'%': [1, 2]}}}", "[3, 3]"),
        (
            "{make_url: {scheme: http, host: '::1', port: 80, path: /a b, query: {q: 'x y/z'}, fragment: f}}",
            "http://[::1]:80/a%20b?q=x+y/z#f",
        ),
        ("{make_url: {host: h, username: u, password: 'p:'}}", "//u:p%3A@h"),
    ] {
        let known = evaluated("2021-04-16", text, Mode::Known).map(|value| value.python());
        assert_eq!(known.as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_not_known_stays_so() {
    for text in [
        "{get_attr: [s, a]}",
        "{get_resource: s}",
        "{list_join: ['', [{get_resource: s}]]}",
        "{str_replace: {template: a, params: {a: {get_attr: [s, x]}}}}",
        "{if: [{equals: [{get_param: 'OS::stack_id'}, x]}, 1, 2]}",
        "{repeat: {template: x, for_each: {a: {get_attr: [s, l]}}}}",
        "{yaql: {expression: '1', data: {}}}",
    ] {
        assert_eq!(evaluated("2021-04-16", text, Mode::Known), Ok(Value::Unknown), "{text}");
    }
    let validated = |text| evaluated("2021-04-16", text, Mode::Validation).map(|value| value.python());
    assert_eq!(validated("{list_join: ['-', [{get_resource: s}, {get_attr: [s, x]}]]}").as_deref(), Ok("s-"));
}

#[test]
fn faults_say_why() {
    for (text, why) in [
        ("{list_join: ['', [1]]}", "it joins strings, maps and lists, and an item is an integer"),
        ("{list_join: 3}", "it takes a list, of a delimiter and at least one list, not an integer"),
        ("{str_replace: {template: a}}", "it has no `params`"),
        ("{str_replace_strict: {template: a, params: {b: c}}}", "its template does not hold `b`"),
        ("{repeat: {template: x, for_each: {x: [1]}}}", "`x` is replaced in text and is an integer"),
        ("{str_split: [',', 'x,y', 2]}", "its index is 2"),
        ("{yaql: {expression: '$.a('}}", "`)` is missing"),
        ("{if: [nope, 1, 2]}", "UnknownCondition"),
        ("{if: [loop, 1, 2]}", "CircularCondition"),
        ("{get_param: nope}", "UnknownParameter"),
        ("{Ref: n}", "Removed"),
        ("{if: [{list_join: []}, 1, 2]}", "Misplaced"),
        ("{digest: [foo, x]}", "there is no algorithm"),
        ("{make_url: {port: 0}}", "its port is 0"),
    ] {
        let fault = evaluated("2021-04-16", text, Mode::Known).expect_err(text);
        assert!(fault.contains(why), "{text}: {fault}");
    }
}

#[test]
fn versions_differ() {
    assert!(evaluated("2018-08-31", "{if: [yes, 1]}", Mode::Known).is_err());
    assert!(evaluated("2014-10-16", "{list_join: ['', [a], [b]]}", Mode::Known).is_err());
    let value = |version, text| evaluated(version, text, Mode::Known).map(|value| value.python());
    assert_eq!(value("2013-05-23", "{'Fn::Join': ['-', [a, b]]}").as_deref(), Ok("a-b"));
    assert_eq!(value("2013-05-23", "{Ref: n}").as_deref(), Ok("5"));
    assert_eq!(value("2013-05-23", "{'Fn::Select': ['1', [a, b]]}").as_deref(), Ok("b"));
    assert_eq!(value("2016-04-08", "{list_concat: [[a]]}").as_deref(), Ok("{'list_concat': [['a']]}"));
}

#[test]
fn what_would_be_huge_is_not_known() {
    let ten = "[a0, a1, a2, a3, a4, a5, a6, a7, a8, a9]";
    let lists: Vec<_> = (0..12).map(|at| format!("'%{at}': {ten}")).collect();
    let text = format!("{{repeat: {{template: 'x', for_each: {{{}}}}}}}", lists.join(", "));
    assert_eq!(evaluated("2021-04-16", &text, Mode::Known), Ok(Value::Unknown));
}
