//! Values compared with Heat's results; the oracle compares more (`tests/tests/templates`).

use wattle_heat::Loaded;
use wattle_heat::evaluate::{Defect, Mode, Resources, Scope, Value};

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
        Defect::Arguments { why, .. } => why,
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
        "{yaql: {expression: now(), data: {}}}",
        "{yaql: {expression: $.data.first(), data: {get_attr: [s, a]}}}",
    ] {
        assert_eq!(evaluated("2021-04-16", text, Mode::Known), Ok(Value::Unknown), "{text}");
    }
    let validated = |text| evaluated("2021-04-16", text, Mode::Validation).map(|value| value.python());
    assert_eq!(validated("{list_join: ['-', [{get_resource: s}, {get_attr: [s, x]}]]}").as_deref(), Ok("s-"));
}

#[test]
fn faults_say_why() {
    for (text, why) in [
        ("{list_join: ['', [1]]}", "it joins strings, maps and lists, but an item is an integer"),
        ("{list_join: 3}", "it takes a list of a delimiter and at least one list, not an integer"),
        ("{str_replace: {template: a}}", "it has no `params`"),
        ("{str_replace_strict: {template: a, params: {b: c}}}", "its template does not contain `b`"),
        ("{repeat: {template: x, for_each: {x: [1]}}}", "`x` is replaced in text, but is an integer"),
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

/// Resources in a nested stack, with one known attribute and one known identity.
#[derive(Debug)]
struct Some;

impl Resources for Some {
    fn full_name(&self, resource: &str) -> String {
        format!("part/{resource}")
    }

    fn reference(&self, resource: &str) -> Option<Value> {
        (resource == "net").then(|| "4711".into())
    }

    fn attribute(&self, scope: &Scope<'_>, resource: &str, way: &[Value]) -> Option<(Value, usize)> {
        let value = match (resource, way.first()?.as_text()?) {
            ("net", "mtu") => Value::Integer(1500),
            ("told", "value") => {
                scope.value(&wattle_heat::yaml::read("{a: {get_attr: [s, a]}}").expect("YAML")).ok()?
            }
            _ => return None,
        };
        Option::Some((value, 1))
    }

    fn facade(&self, part: &str) -> Option<Value> {
        (part == "metadata").then(|| "said".into())
    }
}

fn partly(text: &str) -> String {
    let text = format!(
        "heat_template_version: 2021-04-16\n\
         parameters: {{word: {{type: string, hidden: true, default: hunter2}}, login: {{type: json, hidden: true, default: {{a: hunter2}}}},\n\
         \x20 open: {{type: string}}, n: {{type: number, default: 5}}}}\n\
         conditions: {{five: {{equals: [{{get_param: n}}, 5.0]}}, open: {{equals: [{{get_param: open}}, x]}}, not: {{not: open}}, loop: {{not: loop}}}}\n\
         resources: {{s: {{type: OS::Heat::None}}}}\noutputs: {{o: {{value: {text}}}}}\n"
    );
    let loaded = Loaded::of(&text, "t.yaml");
    assert_eq!(loaded.unreadable, None, "{text}");
    let node = loaded.template.outputs["o"].value.clone().expect("a value");
    let value = Scope::new(&loaded, Mode::Partial(&Some)).value(&node).expect("nothing fails");
    value.to_model().to_string()
}

#[test]
fn what_is_not_known_stays_an_expression() {
    for (text, expected) in [
        // Known values are inserted.
        ("{list_join: ['-', [{get_resource: net}, a]]}", r#""4711-a""#),
        ("[{get_attr: [net, mtu]}, {get_attr: [s, mtu]}]", r#"[1500,{"get_attr":["part/s","mtu"]}]"#),
        ("{resource_facade: metadata}", r#""said""#),
        ("{resource_facade: update_policy}", r#"{"resource_facade":"update_policy"}"#),
        ("{if: [five, {get_resource: s}, 2]}", r#"{"get_resource":"part/s"}"#),
        ("[1, {if: [{not: five}, 2]}]", "[1]"),
        // Unknown calls remain, with all known values in their arguments, in the order in which they are written.
        (
            "{list_join: ['-', [{get_attr: [s, a, {get_param: n}]}]]}",
            r#"{"list_join":["-",[{"get_attr":["part/s","a",5]}]]}"#,
        ),
        (
            "{str_replace: {params: {x: {get_param: n}, y: {get_param: open}}, template: xy}}",
            r#"{"str_replace":{"params":{"x":5,"y":{"get_param":"open"}},"template":"xy"}}"#,
        ),
        (
            "{repeat: {template: x, for_each: {x: {get_attr: [s, a]}}, permutations: false}}",
            r#"{"repeat":{"template":"x","for_each":{"x":{"get_attr":["part/s","a"]}},"permutations":false}}"#,
        ),
        ("{map_merge: [{a: {get_param: open}}, {a: 1}]}", r#"{"a":1}"#),
        ("{yaql: {expression: $.data, data: {get_param: n}}}", "5"),
        ("{yaql: {expression: $.data.b, data: {a: {get_param: open}, b: {get_param: n}}}}", "5"),
        (
            "{yaql: {expression: $.data, data: {get_param: open}}}",
            r#"{"yaql":{"expression":"$.data","data":{"get_param":"open"}}}"#,
        ),
        ("{if: [not, {get_param: n}]}", r#"{"if":[{"not":{"equals":[{"get_param":"open"},"x"]}},5]}"#),
        ("{if: [{and: [five, open]}, 1, 2]}", r#"{"if":[{"and":[true,{"equals":[{"get_param":"open"},"x"]}]},1,2]}"#),
        // A path into an unknown value, or into the part of another template.
        ("{get_attr: [told, value, a]}", r#"{"get_attr":["part/s","a"]}"#),
        ("{get_attr: [told, value, a, b]}", r#"{"get_attr":[{"a":{"get_attr":["part/s","a"]}},"a","b"]}"#),
        // Hidden values are neither shown nor used in computations.
        ("{get_param: word}", r#""(secret)""#),
        ("{get_param: [login, a]}", r#""(secret)""#),
        ("{list_join: ['', [{get_param: word}]]}", r#"{"list_join":["",["(secret)"]]}"#),
        ("{if: [{equals: [{get_param: word}, hunter2]}, 1, 2]}", r#"{"if":[{"equals":["(secret)","hunter2"]},1,2]}"#),
        // Calls that Heat would refuse.
        ("{list_join: [',', [{get_param: n}]]}", r#"{"list_join":[",",[5]]}"#),
        ("{list_join: {get_param: n}}", r#"{"list_join":5}"#),
        ("{get_param: nobody}", r#"{"get_param":"nobody"}"#),
        ("{Ref: n}", r#"{"Ref":"n"}"#),
        ("{if: [loop, {get_param: n}, 2]}", r#"{"if":[{"not":"loop"},5,2]}"#),
    ] {
        assert_eq!(partly(text), expected, "{text}");
    }
}

#[test]
fn however_much_is_not_known_it_ends() {
    let deep = (0..180).fold("{get_param: open}".to_owned(), |inner, _| format!("{{not: {inner}}}"));
    assert!(partly(&format!("{{if: [{deep}, 1, 2]}}")).len() > 100);
    let wide = format!(
        "[{}]",
        vec!["{list_concat: [{repeat: {template: '%', for_each: {'%': [a, b, c]}}}]}"; 2_000].join(", ")
    );
    let nested = (0..45).fold(wide, |inner, _| format!("{{map_merge: [{{a: {inner}}}]}}"));
    assert!(partly(&nested).len() > 1_000);
}

/// Functions of time or chance have no value here, but invalid calls of them are detected. `tests/tests/yaql` compares this
/// with Heat.
#[test]
fn yaql_tells_functions_from_methods_that_have_no_value() {
    let of = |expression: &str| {
        let text = format!("{{yaql: {{expression: \"{expression}\", data: {{a: x, l: [1]}}}}}}");
        evaluated("2021-04-16", &text, Mode::Known)
    };
    for (expression, why) in [
        ("format('{0}', 1)", "YAQL has no function `format`"),
        ("$.data.a.format(1)", "`format` does not take a string and an integer"),
        ("now().year()", "YAQL has no method `year`"),
        ("$.data.l.datetime()", "YAQL has no method `datetime`"),
        ("$.data.l.random()", "YAQL has no method `random`"),
        ("random(1)", "`random` does not take an integer"),
    ] {
        let refused = of(expression).expect_err(expression);
        assert!(refused.contains(why), "{expression}: {refused}");
    }
    for expression in
        ["now().year", "now().format('%Y')", "random()", "random(1, 2)", "datetime(2015, 2, 3)", "isDatetime(1)"]
    {
        assert!(matches!(of(expression), Ok(Value::Unknown | Value::Open(_))), "{expression}: {:?}", of(expression));
    }
}
