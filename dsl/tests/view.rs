//! The output of each rendering.

use std::sync::Arc;

use insta::assert_snapshot;

use wattle::check::{Diagnostic, Severity};
use wattle::model::Source;

use wattle::view::{Format, Options, render, summary};

const LIB: &str = r#"
pub fn connections(t: &mut Topology, p: Settings) -> Exports {
    let net = t.add("backbone", neutron::Net::new());
    let db = t.add("db", nova::Server::new().image(p.image).network(net));
    let db2 = t.on(db).run("db2", Db2::new().databases(DATABASES).owner(apps.owner));
    let apps = t.add(
        "apps",
        WebSphereCell { nodes: 2, database: db2.jdbc_base },
    );
    Exports::new().entry("url", apps.url)
}
"#;

const CELL: &str = "impl Module for Cell {\n    fn build(self, t: &mut Topology) {\n        t.on(manager).run(\"was\", Was::new().jdbc(self.database));\n    }\n}\n";

fn read(file: &str) -> Option<Arc<str>> {
    match file {
        "src/lib.rs" => Some(LIB.into()),
        "src/cell.rs" => Some(CELL.into()),
        _ => None,
    }
}

fn diagnostic(severity: Severity, code: &'static str, message: &str) -> Diagnostic {
    Diagnostic { code, severity, message: message.into(), labels: Vec::new(), notes: Vec::new(), help: Vec::new() }
}

fn diagnostics() -> Vec<Diagnostic> {
    let at = |file, line, column| Source::new(file, line, column);
    vec![
        diagnostic(
            Severity::Error,
            "W0101",
            "2 components wait for each other: `db/db2` waits for itself through the other",
        )
        .label(
            &at("src/lib.rs", 5, 67),
            "`db/db2` waits for the output `owner` of `apps.manager/was` in its input `owner`",
        )
        .label(
            &at("src/cell.rs", 3, 45),
            "`apps.manager/was` waits for the output `jdbc_base` of `db/db2` in its input `jdbc`",
        )
        .label(&at("src/lib.rs", 6, 18), "of this module")
        .note("a cycle is closed by data")
        .help("break the cycle: use a value that is known earlier, or a separate component"),
        diagnostic(Severity::Error, "W0102", "`db` is named twice")
            .label(&at("generated.rs", 7, 3), "the second `db`")
            .label(&at("generated.rs", 4, 3), "the first `db`"),
        diagnostic(Severity::Warning, "W0203", "the parameter `image` is never used")
            .label(&Source::default(), "declared by a tool"),
        diagnostic(Severity::Warning, "W0204", "a name with a\nnewline and \u{1b}[31m an escape")
            .label(&at("src/lib.rs", 99, 1), "past the end"),
    ]
}

fn rendered(format: Format, color: bool) -> String {
    render(&diagnostics(), format, &read, &Options { color, ..Options::default() })
}

#[test]
fn full() {
    assert_snapshot!(rendered(Format::Full, false));
}

#[test]
fn full_in_color() {
    assert_snapshot!(rendered(Format::Full, true).replace('\u{1b}', "ESC"));
}

#[test]
fn concise() {
    assert_snapshot!(rendered(Format::Concise, false));
}

#[test]
fn json() {
    assert_snapshot!(rendered(Format::Json, true));
}

#[test]
fn summaries_count() {
    assert_eq!(summary(&diagnostics()).as_deref(), Some("2 errors, 2 warnings"));
    assert_eq!(summary(&diagnostics()[..1]).as_deref(), Some("1 error"));
    assert_eq!(summary(&diagnostics()[2..3]).as_deref(), Some("1 warning"));
    assert_eq!(summary(&[]), None);
}

#[test]
fn windows_line_ends_and_a_last_line_without_one_are_read() {
    let read = |_: &str| Some(Arc::from("a\r\nt.add(x)\r\nlast(y)"));
    let diagnostic = diagnostic(Severity::Error, "W0001", "wrong")
        .label(&Source::new("a.rs", 2, 3), "here")
        .label(&Source::new("a.rs", 3, 1), "and here");
    assert_snapshot!(render(&[diagnostic], Format::Full, &read, &Options::default()), @r"
    error[W0001]: wrong
     --> a.rs:2:3
      |
    2 | t.add(x)
      |   ^^^^^^ here
    3 | last(y)
      | ------- and here
    ");
}
