//! Messages about unreadable text, as its author sees them.

use wattle_heat::yaml::{self, Error, Span};

/// Common mistakes of authors, one per text.
const TEXTS: &[&str] = &[
    // Indentation.
    "resources:\n\tserver:\n\t\ttype: a\n",
    "resources:\n  server:\n\ttype: a\n",
    "a: |\n\ttext\n",
    "a: one\n\ttwo\n",
    "resources:\n  server:\n    type: a\n   properties: {}\n",
    "resources:\n  server:\n    type: a\n      properties: {}\n",
    "list:\n  - a\n - b\n",
    "list:\n  - a\n  b: c\n",
    "map:\n  a: b\n  - c\n",
    "  a: b\nc: d\n",
    // Colons.
    "resources:\n  server:\n    type:OS::Heat::None\n    properties: {}\n",
    "resources:\n  server:\n    type: a\n    properties\n  other:\n    type: a\n",
    "description: wordpress: a blog\n",
    "description: a blog\n  that says: hello\n",
    "a: http://example.org:80/\n  b: c\n",
    "\"a\nb\": c\n",
    "a: {b:}\n",
    "a: [b:c, d:]\n",
    ": a\n",
    "[a]: b: c\n",
    // Quotes.
    "a: \"text\nb: c\n",
    "a: 'it's'\nb: c\n",
    "a: 'text\nb: 'c'\n",
    "a: \"b\" c\n",
    "a: \"C:\\Windows\"\n",
    "a: \"\\x4\"\n",
    "a: \"\\ud83d\\ude00\"\n",
    // Characters that cannot begin anything.
    "a: %b\n",
    "%b: a\n",
    "a: @b\n",
    "a: `b`\n",
    "a: [|, b]\n",
    "a: *\n",
    "a: *.example.org\n",
    "a: &\n",
    "a: &b.c d\n",
    "a: !<b\n",
    "a: !b!c d\n",
    "a: !Ref b\n",
    "a: - b\n",
    "a: ? b\n",
    // Brackets.
    "a: [b, c\n",
    "a: [b, c\nd: e\n",
    "a: {b: c\n",
    "a: [b c]]\n",
    "a: [b, {c: d]}\n",
    "a: ]\n",
    "a: , b\n",
    "a: {get_attr: [b, c}\n",
    "a: {{ b }}\n",
    "a: {{ b }}/c\n",
    // Multi-line text.
    "a: | b\n",
    "a: |0\n  b\n",
    "a: >x\n  b\n",
    // Several documents, directives.
    "a: b\n---\nc: d\n",
    "a: b\n...\nc: d\n",
    "%YAML 3.0\n---\na: b\n",
    "%YAML\n---\na: b\n",
    // Values.
    "a: *b\n",
    "a: &a [*a]\n",
    "a: &x b\nc: &x d\n",
    "? [a]\n: b\n",
    "a: <<\n",
    "a: =\n",
    "<<: b\n",
    "a: !!int b\n",
    "a: 100000000000000000000000000000000000000000\n",
    "a: 0_x\nb: 0x_\n",
    "a: !!set {b}\n",
    "a: !!binary aGk=\n",
    "a: !!omap [b]\n",
    "a: \u{7}\n",
    "{\"a\": \"\\ud83d\"}",
    "{\"a\": 1,, \"b\": 2}",
    "{\"a\": 1\n\"b\": 2}",
];

fn marked(text: &str, span: Span) -> String {
    let line = text.lines().nth(span.start.line as usize).unwrap_or_default();
    let width = if span.end.line == span.start.line { (span.end.column - span.start.column).max(1) } else { 1 };
    let blanks: String =
        line.chars().take(span.start.column as usize).map(|c| if c == '\t' { c } else { ' ' }).collect();
    let blanks = format!("{blanks:0$}", span.start.column as usize);
    format!("{:>3} | {line}\n    | {blanks}{}\n", span.start.line + 1, "^".repeat(width as usize))
}

fn shown(text: &str, error: &Error) -> String {
    let mut shown = format!("{}\n{}", error.problem, marked(text, error.span));
    if let Some((context, span)) = &error.context {
        shown += &format!("{context}\n{}", marked(text, *span));
    }
    if let Some(help) = error.help() {
        shown += &format!("help: {help}\n");
    }
    shown
}

#[test]
fn what_is_wrong_where_and_how_to_fix_it() {
    let all: Vec<_> = TEXTS
        .iter()
        .map(|text| match yaml::read(text) {
            Ok(_) => panic!("{text:?} is read"),
            Err(error) => shown(text, &error),
        })
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}
