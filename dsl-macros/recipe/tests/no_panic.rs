//! No text makes an analysis panic, and the result depends only on the text.

use proptest::prelude::*;
use wattle_recipe::{Tool, analyse, analyse_all, chef_recipe_path, never_read, never_written, suggest};

/// Meaningful fragments for one tool or another, so that random texts get past the first token.
const SCRAPS: [&str; 96] = [
    "$",
    "${",
    "}",
    "$(",
    ")",
    "(",
    "((",
    "))",
    "`",
    "'",
    "\"",
    "\\",
    "\n",
    " ",
    "\t",
    "#",
    "<<EOF\n",
    "<<-'EOF'\n",
    "EOF\n",
    "<<<",
    ">",
    ">>",
    ">&2",
    "|",
    "&&",
    ";",
    ";;",
    "case x in ",
    "esac",
    "for n in ",
    "; do ",
    "; done",
    "f() ",
    "{ ",
    "function f ",
    "wattle set ",
    "wattle get ",
    "heat_outputs_path",
    ".url",
    "port",
    "=",
    "+=",
    "export ",
    "eval ",
    "bash -c ",
    "tee ",
    "read ",
    "shift",
    "$@",
    "$1",
    "${!x}",
    "- ",
    ": ",
    "a:\n",
    "  ",
    "[",
    "]",
    "{",
    ", ",
    "|\n",
    "&a ",
    "*a",
    "!t ",
    "---\n",
    "{{ ",
    " }}",
    "{% ",
    " %}",
    "{# ",
    "set_stats",
    "data",
    "loop",
    "item",
    "copy",
    "dest",
    "shell",
    "$facts['",
    "'] ",
    "=> ",
    "file { ",
    "@(\"X\")\n",
    "lookup(",
    "include ",
    "each |$n| ",
    "node",
    "['db2']",
    "[:url]",
    "default",
    ".merge!(",
    " do |x|\n",
    "end\n",
    "\"#{",
    "<%= ",
    "-%>",
    "\u{e9}\u{1f980}",
    "\0\u{1}",
];

fn scraps() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![6 => proptest::sample::select(&SCRAPS[..]).prop_map(str::to_owned), 1 => "\\PC{0,3}"],
        0..40,
    )
    .prop_map(|scraps| scraps.concat())
}

fn check(source: &str) {
    for tool in Tool::ALL {
        let analysis = analyse(tool, source);
        assert_eq!(analysis, analyse(tool, source));
        match analysis {
            Ok(analysis) => {
                let lines = u32::try_from(source.lines().count()).expect("short") + 1;
                assert!(analysis.writes.values().chain(analysis.reads.values()).all(|line| (1..=lines).contains(line)));
                let written = analysis.writes.keys().map(String::as_str);
                assert!(never_written(&analysis, written).is_empty());
                assert!(never_read(&analysis, analysis.reads.keys().map(String::as_str)).is_empty());
                let _ = suggest(&analysis, "url", []);
            }
            Err(error) => assert!(error.line >= 1 && !error.message.is_empty(), "{error:?}"),
        }
    }
    for path in ["a.erb", "a.epp", "a.j2", "a.txt"] {
        assert!(analyse_all(Tool::Shell, [(path, source)]).is_ok());
    }
    let _ = chef_recipe_path(source);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scraps_of_recipes_do_not_panic(source in scraps()) {
        check(&source);
    }

    #[test]
    fn any_text_does_not_panic(source in any::<String>()) {
        check(&source);
    }
}
