//! Any input to the reader yields an error with a clear message, within bounded time and memory.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Command;

use wattle_heat::yaml::{BYTES, DEPTH, Error, NODES, Place, Problem, Tree, read, read_bytes};

/// A sample of every YAML feature.
const YAML: &str = "%YAML 1.1\n%TAG !e! tag:example.org,2002:\n---\nplain: text that\n  goes on # not this\nquoted: [\"a \\u00e9\\n\\\n  b\", 'it''s']\n\
    ? complex\n: - a\n  - {b: c, ? d, 'e': f}\n  -\n    g: &g {h: 1}\n    <<: *g\nliteral: |+2\n    text\n\n\nfolded: >-\n  a\n   b\n  c\n\
    numbers: [0644, 22:22, 1_000, 0x1F, 1.5e+3, .inf, -.INF, .nan, 2021-04-16, on, ~, =: 1]\n\
    !!str tagged: !!int '3'\nverbatim: !<tag:yaml.org,2002:str> 12\né😀: \u{85}\n  \u{2028}\n...\n";
const JSON: &str =
    r#"{"a": [1, -2.5e+3, true, null, NaN, -Infinity, {}], "b\u00e9\ud83d\ude00": {"c": "\"\\\/", "d": []}}"#;

fn problem(text: &str) -> Problem {
    read(text).unwrap_err().problem
}

fn is_deep(text: &str) -> bool {
    matches!(problem(text), Problem::TooDeep)
}

/// The message is not empty, and its place is in the text.
fn assert_shown(text: &str, error: &Error) {
    let lines = text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
    assert!(!error.to_string().is_empty());
    assert!((error.span.start.line as usize) < lines, "{error:?}");
}

#[test]
fn text_that_ends_anywhere() {
    for text in [YAML, JSON] {
        read(text).unwrap_or_else(|error| panic!("{error}"));
        let mut refused = 0;
        for end in 0..text.len() {
            match read_bytes(&text.as_bytes()[..end]) {
                Ok(_) => {}
                Err(error) => {
                    assert_shown(text, &error);
                    refused += 1;
                }
            }
        }
        assert!(refused > text.len() / 4, "{refused}");
    }
}

#[test]
fn text_with_any_byte_changed() {
    let mut refused = 0;
    for index in 0..YAML.len() {
        for byte in [0, b'\t', b'\n', b'"', b'\'', b'[', b'}', b':', b'-', b'*', b'!', 0x80, 0xFF] {
            let mut bytes = YAML.as_bytes().to_owned();
            bytes[index] = byte;
            if let Err(error) = read_bytes(&bytes) {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(refused > YAML.len(), "{refused}");
}

#[test]
fn what_is_no_text() {
    let place = |bytes: &[u8]| {
        let error = read_bytes(bytes).unwrap_err();
        (error.problem, error.span.start)
    };
    assert_eq!(place(b"\x7FELF\x02\x01\x01\0"), (Problem::Unprintable('\x7F'), Place { line: 0, column: 0 }));
    assert_eq!(place(b"\x89PNG\r\n\x1A\n"), (Problem::NotUtf8, Place { line: 0, column: 0 }));
    assert_eq!(place(b"a: b\nc: \xC3\xA9 \xE9\n"), (Problem::NotUtf8, Place { line: 1, column: 5 }));
    assert_eq!(place(b"a: \0"), (Problem::Unprintable('\0'), Place { line: 0, column: 3 }));
    assert_eq!(place(b"\xFF\xFEa\0:\0"), (Problem::Utf16, Place::default()));
    assert_eq!(place(b"\xFE\xFF\0a\0:"), (Problem::Utf16, Place::default()));
    let marked = read_bytes(b"\xEF\xBB\xBFa: b").unwrap();
    assert_eq!(marked.get("a").unwrap().span.start, Place { line: 0, column: 3 });
}

#[test]
fn a_hundred_megabytes() {
    let long = "a: b\n".repeat(20 << 20);
    assert!(long.len() > BYTES);
    assert_eq!(problem(&long), Problem::TooLong { bytes: long.len() });
    assert_eq!(read_bytes(long.as_bytes()).unwrap_err().problem, Problem::TooLong { bytes: long.len() });
}

#[test]
fn a_hundred_thousand_deep() {
    for open in ["[", "{a: ", "{\"a\":", "- ", "? ", "[[],", "[\n"] {
        assert!(is_deep(&open.repeat(100_000)), "{open}");
    }
    for (open, close) in [("[", "]"), ("{a: ", "}"), ("{\"a\":", "}"), ("- ", ""), ("[\n", "]")] {
        let nested = |levels: usize| format!("{}1{}", open.repeat(levels), close.repeat(levels));
        read(&nested(DEPTH)).unwrap_or_else(|error| panic!("{open}: {error}"));
        assert!(is_deep(&nested(DEPTH + 1)), "{open}");
    }
    let indented: String = (0..1_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    assert!(is_deep(&indented));
}

#[test]
fn aliases_make_nothing_deeper_than_it_may_be() {
    let nested = |levels: usize, inner: &str| format!("{}{inner}{}", "[".repeat(levels), "]".repeat(levels));
    let half = DEPTH / 2;
    let chain = |levels: usize| format!("- &a {}\n- {}", nested(half - 1, "1"), nested(levels, "*a"));
    read(&chain(half)).unwrap();
    assert!(is_deep(&chain(half + 1)));
}

#[test]
fn laughs_by_the_billion() {
    use std::fmt::Write as _;
    let laughs = |first: &str, next: &dyn Fn(usize) -> String| {
        let mut text = format!("a0: &a0 {first}\n");
        for level in 1..10 {
            writeln!(text, "a{level}: &a{level} {}", next(level - 1)).unwrap();
        }
        text
    };
    let list = |level: usize| format!("[{}]", vec![format!("*a{level}"); 10].join(","));
    assert_eq!(problem(&laughs("lol", &list)), Problem::TooMany);
    let map =
        |level: usize| format!("{{{}}}", (0..10).map(|key| format!("{key}: *a{level}")).collect::<Vec<_>>().join(","));
    assert_eq!(problem(&laughs("lol", &map)), Problem::TooMany);
    let merge = |level: usize| format!("{{<<: [{}]}}", vec![format!("*a{level}"); 10].join(","));
    assert_eq!(problem(&laughs("{lol: lol}", &merge)), Problem::TooMany);
    // Few values, each of which is long.
    let long = format!("- &a {}\n{}", "lol".repeat(1 << 20), "- *a\n".repeat(1_000));
    assert_eq!(problem(&long), Problem::TooMany);
}

#[test]
fn an_alias_within_what_it_names() {
    for text in ["&a [*a]", "&a {b: *a}", "&a [&b [*b], *a]", "a: &a\n  b:\n    <<: *a\n"] {
        assert!(matches!(problem(text), Problem::CyclicAlias(_)), "{text}");
    }
}

#[test]
fn equal_keys_are_all_there() {
    for text in ["a: 1\nb: 2\na: 3\n", "{\"a\": 1, \"b\": 2, \"a\": 3}"] {
        let node = read(text).unwrap();
        let Tree::Map(pairs) = &*node.tree else { panic!("a map") };
        let keys: Vec<_> = pairs.iter().map(|pair| pair.key.tree.as_text().unwrap()).collect();
        assert_eq!(keys, ["a", "b", "a"]);
        assert!(matches!(*node.get("a").unwrap().tree, Tree::Integer(3)));
    }
}

/// The input that needs the most memory: the maximum number of values, each as small as possible.
#[test]
fn as_much_as_there_can_be_fits_into_little_memory() {
    const CHILD: &str = "WATTLE_TEST_IN_LITTLE_MEMORY";
    const KILOBYTES: usize = 1 << 20;
    if std::env::var_os(CHILD).is_none() {
        let name = "as_much_as_there_can_be_fits_into_little_memory";
        let child = Command::new("sh")
            .args(["-c", &format!("ulimit -v {KILOBYTES}; exec \"$0\" --exact {name}")])
            .arg(std::env::current_exe().unwrap())
            .env(CHILD, "1")
            .output()
            .unwrap();
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
        return;
    }
    let values = usize::try_from(NODES).unwrap();
    // Including the map itself.
    read(&"a:\n".repeat(values / 2 - 1)).unwrap_or_else(|error| panic!("{error}"));
}
