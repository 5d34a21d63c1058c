//! Secrets are found in every form, and wherever the stream is cut.

use super::Mask;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use proptest::prelude::*;
use wattle::model::{Type, Value};

fn mask(secrets: &[&str]) -> Mask {
    let mut mask = Mask::default();
    secrets.iter().for_each(|secret| mask.add(&Value::from(*secret)));
    mask
}

#[test]
fn secrets_are_masked_in_all_forms() {
    let mask = mask(&["it's \"7\"\\%"]);
    for (text, masked) in [
        ("password it's \"7\"\\%!", "password ***!"),
        (r#"{"a":"it's \"7\"\\%"}"#, r#"{"a":"***"}"#),
        (r#""{\"a\":\"it's \\\"7\\\"\\\\%\"}""#, r#""{\"a\":\"***\"}""#),
        (r#"+ echo 'it'\''s "7"\%'"#, "+ echo '***'"),
        (r#"+ echo 'it'"'"'s "7"\%'"#, "+ echo '***'"),
        ("http://u:it%27s%20%227%22%5C%25@h", "http://u:***@h"),
        ("aXQncyAiNyJcJQ== aXQncyAiNyJcJQo=", "***== ***="),
        ("it's 7", "it's 7"),
    ] {
        assert_eq!(mask.text(text), masked);
    }
}

#[test]
fn short_ones_are_masked_where_they_stand_alone() {
    let mask = mask(&["", "a", "42", "true"]);
    assert_eq!(mask.text("a cat at 42, 420 or 42"), "*** cat at ***, 420 or ***");
    assert_eq!(mask.text("=a"), "=***");
}

#[test]
fn the_longest_is_masked_and_what_overlaps_it() {
    let mask = mask(&["hunter", "hunter2hunter2", "er3secret"]);
    assert_eq!(mask.text("hunter hunter2hunter2 hunter2hunter3secret."), "*** *** ***2***.");
}

#[test]
fn each_line_of_a_secret_is_masked() {
    let mask = mask(&["-----BEGIN KEY-----\nMIIEvQ\nIBADAN\n-----END KEY-----\n"]);
    assert_eq!(mask.text("> MIIEvQ\n> IBADAN\n"), "> ***\n> ***\n");
    assert_eq!(mask.text("x -----BEGIN KEY-----\nMIIEvQ\nIBADAN\n-----END KEY-----\n y"), "x *** y");
    assert_eq!(mask.text(r"-----BEGIN KEY-----\nMIIEvQ\nIBADAN\n-----END KEY-----\n"), "***");
}

#[test]
fn only_what_is_secret_by_its_type_is_masked() {
    let hidden = || Type::Hidden(Box::new(Type::STR));
    let fields = [("user".into(), Type::STR), ("password".into(), hidden())].into_iter().collect();
    let value: Value = serde_json::from_str(r#"[{"user": "postgres", "password": "hunter2"}]"#).unwrap();
    let mut mask = Mask::default();
    mask.add_secrets(&Type::List(Box::new(Type::Struct(fields))), &value);
    assert_eq!(mask.text("postgres:hunter2"), "postgres:***");
}

#[test]
fn names_of_fields_and_keys_of_maps_are_no_secrets() {
    let map = || Type::Map(Box::new(Type::STR));
    let fields = [("users".into(), map()), ("username".into(), Type::STR)].into_iter().collect();
    let value: Value = serde_json::from_str(r#"{"users": {"postgres": "tok-4711"}, "username": "hunter2"}"#).unwrap();
    for ty in [Type::Struct(fields), Type::Any, map()] {
        let mut mask = Mask::default();
        mask.add_secrets(&Type::Hidden(Box::new(ty)), &value);
        assert_eq!(mask.text("users of postgres: tok-4711, username hunter2"), "users of postgres: ***, username ***");
    }
}

#[test]
fn what_cannot_become_a_secret_is_not_held_back() {
    let mut mask = mask(&["hunter2"]);
    let mut out = Vec::new();
    mask.push(b"a hunt", &mut out);
    assert_eq!(out, b"a ");
    mask.push(b"\n", &mut out);
    assert_eq!(out, b"a hunt\n");
}

#[test]
fn an_escape_sequence_inside_hides_nothing() {
    let mask = mask(&["hunter22"]);
    for text in ["hun\u{1b}[1mter22", "hunter\u{0}22", "h\u{85}unter22", "hun\u{200b}ter22", "hunter\u{1b}[0m2\u{7f}2"]
    {
        assert_eq!(mask.text(text), "***", "{text:?}");
    }
    // A secret that has such characters itself is printed without them.
    let mask = self::mask(&["hun\u{1b}[1mter22"]);
    assert_eq!(mask.text("hun\u{1b}[1mter22 hunter22"), "*** ***");
}

#[test]
fn what_tools_make_of_a_secret_is_masked() {
    let mask = mask(&["a b/c'd&\"e\n\u{f6}"]);
    for text in [
        "a+b%2Fc%27d%26%22e%0A%C3%B6",
        "a%20b%2fc%27d%26%22e%0a%c3%b6",
        "a+b/c'd%26%22e%0a\u{f6}",
        r"a b/c'd&\u0022e\n\u00F6",
        r#"a b\/c'd&\"e\n\u00f6"#,
        "$'a b/c\\'d&\"e\\n\\303\\266'",
        r#"a\ b/c\'d\&\"e'$'\n''ö"#,
        "a b/c&#39;d&amp;&quot;e\n&ouml;\u{f6}",
        "a b/c&#x27;d&#38;&#34;e&#10;&#xF6;",
        "a b/c''d&\"\"e\n\u{f6}",
        r#"a b/c'd&\"e\n\xF6"#,
        "6120622f6327642622650AC3B6",
        "61 20 62 2f 63 27 64 26 22 65 0a c3 b6",
        "0x61, 0x20, 0x62, 0x2f, 0x63, 0x27, 0x64, 0x26, 0x22, 0x65, 0x0a, 0xc3, 0xb6",
    ] {
        let shown = mask.text(text);
        assert!(shown.contains("***") && !shown.contains('c') && !shown.contains("27"), "{text}: {shown}");
    }
}

/// The longest common part of `text` and `other`.
fn common(text: &str, other: &str) -> usize {
    let text: Vec<char> = text.chars().collect();
    let is_there = |length: usize| text.windows(length).any(|part| other.contains(&part.iter().collect::<String>()));
    (1..=text.len()).take_while(|length| is_there(*length)).last().unwrap_or(0)
}

fn percent(secret: &str, upper: bool, plus: bool) -> String {
    let one = |byte: u8| match byte {
        b' ' if plus => "+".to_owned(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte if upper => format!("%{byte:02X}"),
        byte => format!("%{byte:02x}"),
    };
    secret.bytes().map(one).collect()
}

fn html(secret: &str) -> String {
    secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

proptest! {
    #[test]
    fn encodings_are_masked(secret in "[a-z \"'&<>/%+$\\\\é\n-]{4,20}", upper: bool, plus: bool) {
        prop_assume!(secret.trim() == secret);
        let mask = mask(&[secret.as_str()]);
        let json = Value::from(secret.as_str()).to_string();
        let json = &json[1..json.len() - 1];
        let twice = Value::from(json).to_string();
        let quoted: String = secret.chars().map(|c| match c {
            '\n' => "\\n".to_owned(),
            c if c.is_ascii_alphanumeric() => c.to_string(),
            'é' => r"\303\251".to_owned(),
            c => format!("\\{c}"),
        }).collect();
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        for form in [
            secret.clone(), percent(&secret, upper, plus), html(&secret), json.to_owned(),
            twice[1..twice.len() - 1].to_owned(), quoted, secret.replace('\'', r"'\''"),
            if upper { hex.to_uppercase() } else { hex },
        ] {
            prop_assert_eq!(mask.text(&format!("=[{form}]=")), "=[***]=", "{}", form);
        }
    }

    #[test]
    fn base64_is_masked_wherever_it_is_wrapped(
        secret in "[ -~]{8,60}", before in "[ -~]{0,80}", after in "[ -~]{0,80}", width in 4usize..100, url: bool,
    ) {
        prop_assume!(secret.trim() == secret);
        let whole = format!("{before}{secret}{after}");
        let encoded = if url { URL_SAFE.encode(&whole) } else { STANDARD.encode(&whole) };
        let lines: Vec<&str> = encoded.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
        let own = STANDARD.encode([&vec![0; before.len() % 3][..], secret.as_bytes()].concat());
        let first = [0, 2, 3][before.len() % 3];
        let own = &own[first..(before.len() % 3 + secret.len()) * 8 / 6];
        let own = if url { own.replace('+', "-").replace('/', "_") } else { own.to_owned() };
        for end in ["\n", "\r\n", "\\n", "\n  "] {
            let shown = mask(&[secret.as_str()]).text(&lines.join(end)).replace(end, "");
            prop_assert!(common(&own, &shown) <= 4 || before.contains(&own) || !shown.contains(&own[4..own.len() - 1]), "{}", shown);
            prop_assert!(shown.contains("***"), "{}", shown);
        }
    }
}

#[test]
fn what_a_terminal_does_hides_nothing() {
    let secret = "p@ss-wörd-42";
    let mask = mask(&[secret]);
    let each = |with: &dyn Fn(char) -> String| secret.chars().map(with).collect::<String>();
    for text in [
        each(&|c| format!("{c}\u{1b}]0;t\u{7}")),
        each(&|c| format!("{c}\u{1b}P1$r\u{1b}\\")),
        each(&|c| format!("{c}\u{1b}(B\u{1b}[m")),
        each(&|c| format!("{c}\u{9d}8;;x\u{9c}")),
        each(&|c| format!("_\u{8}{c}")),
        each(&|c| format!("{c}\u{8}{c}")),
        each(&|c| if c == 's' { "s\r".into() } else { c.into() }),
    ] {
        let shown = mask.text(&format!("={text}="));
        assert_eq!(shown.replace('\r', ""), "=***=", "{text:?}");
    }
    // As `sed` does to a file of another system.
    let mask = self::mask(&["MIIEvQIB\nADANBgkq\n"]);
    assert_eq!(mask.text("MIIEvQIB\r\nADANBgkq\r\n."), "***.");
}

#[test]
fn what_is_encoded_twice_or_joined_is_masked() {
    let secret = "a b/c'd&\"\u{e9}-tok";
    let mask = mask(&[secret]);
    let url = |text: &str| {
        text.bytes()
            .map(|byte| match byte {
                byte if byte.is_ascii_alphanumeric() || byte == b'-' => char::from(byte).to_string(),
                byte => format!("%{byte:02X}"),
            })
            .collect::<String>()
    };
    assert_eq!(mask.text(&url(&url(secret))), "***");
    assert_eq!(mask.text(&url(&url(&url(secret)))), "***");
    assert_eq!(mask.text("a b/c&apos;d&amp;&quot;&eacute;-tok"), "***");
    assert_eq!(mask.text("a&nbsp;b &eacute; &nothing; &"), "a&nbsp;b &eacute; &nothing; &");
    let encoded = STANDARD.encode(secret.repeat(3));
    let lines: Vec<&str> = encoded.as_bytes().chunks(16).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let mask = self::mask(&[&secret.repeat(3)]);
    for (before, between, after) in [
        ("\"", "\" +\n    \"", "\";"),
        ("'", "'\n  '", "'"),
        ("[\"", "\",\n  \"", "\"]"),
        ("", "\\\n", ""),
        ("\"", "\"+\"", "\""),
    ] {
        let shown = mask.text(&format!("{before}{}{after}", lines.join(between)));
        assert_eq!(shown.replace('=', ""), format!("{before}***{after}"), "{between:?}");
    }
}

#[test]
fn base64_is_masked_in_the_narrowest_lines() {
    let secret = "correct-horse-battery";
    for before in ["", "x", "xy", "user:"] {
        let encoded = STANDARD.encode(format!("{before}{secret} and more"));
        for width in 1..16 {
            let lines: Vec<&str> =
                encoded.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
            for end in ["\n", "\r\n"] {
                let text = lines.join(end);
                let mut streamed = mask(&[secret]);
                let mut out = Vec::new();
                text.bytes().for_each(|byte| streamed.push(&[byte], &mut out));
                streamed.finish(&mut out);
                let shown = mask(&[secret]).text(&text);
                assert_eq!(String::from_utf8(out).unwrap(), shown);
                let shown: String = shown.split_whitespace().collect();
                let (left, right) = shown.split_once("***").unwrap_or_else(|| panic!("{width}: {shown}"));
                assert!(left.len() <= before.len() * 4 / 3 + 5, "{width} {before}: {shown}");
                assert!(STANDARD.encode(" and more").len() + 4 >= right.len(), "{width} {before}: {shown}");
            }
        }
    }
}

proptest! {
    #[test]
    fn where_the_stream_is_cut_makes_no_difference(
        secrets in prop::collection::vec("[ab\n]{0,7}", 0..5),
        text in "[abc \n]{0,60}",
        cuts in prop::collection::vec(0usize..60, 0..8),
    ) {
        let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let mut streamed = mask(&secrets);
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < text.len()).chain([0, text.len()]).collect();
        cuts.sort_unstable();
        let mut out = Vec::new();
        for cut in cuts.windows(2) {
            streamed.push(&text.as_bytes()[cut[0]..cut[1]], &mut out);
        }
        streamed.finish(&mut out);
        let out = String::from_utf8(out).unwrap();
        prop_assert_eq!(&out, &mask(&secrets).text(&text));
        for secret in secrets.iter().filter(|secret| secret.len() >= super::SHORT) {
            prop_assert!(!out.contains(secret), "{:?} in {:?}", secret, out);
        }
    }
}
