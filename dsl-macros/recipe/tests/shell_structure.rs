//! Shell scripts with incomplete commands are refused, and none that a shell accepts.

use std::path::Path;
use std::process::{Command, Stdio};

use wattle_recipe::shell::is_other_program;
use wattle_recipe::{Tool, analyse};

/// Whether one of the shells on this machine accepts the script without a message.
fn shell_takes(source: &str) -> bool {
    ["sh", "bash"].iter().any(|shell| {
        let read = Command::new(shell).args(["-n", "-c", source]).stdin(Stdio::null()).output();
        // For some errors within `[[ ]]`, Bash only prints a message and then succeeds.
        read.is_ok_and(|read| read.status.success() && read.stderr.is_empty())
    })
}

#[test]
fn what_is_not_whole_is_an_error() {
    for (source, line, message) in [
        ("if then\n  :\nfi", 1, "there is no command between `if` and `then`"),
        ("\nif true; then\n  :\n", 2, "`if` is never closed by `fi`"),
        ("if true\necho", 1, "`if` is never closed: it lacks `then` and `fi`"),
        ("if true; then fi", 1, "there is no command between `then` and `fi`"),
        ("if true; then a; else\nfi", 2, "there is no command between `else` and `fi`"),
        ("if true; then a; else b; else c; fi", 1, "unexpected `else` after `else` of the `if` on line 1"),
        ("if a\nelse b; fi", 2, "unexpected `else` after `if` of the `if` on line 1"),
        ("echo\nfi", 2, "unexpected `fi`: nothing is open that it could belong to"),
        ("then", 1, "unexpected `then`: nothing is open that it could belong to"),
        ("for i in 1 2; do echo", 1, "`for` is never closed by `done`"),
        ("for i in 1 2\necho\ndone", 1, "`for` has no `do`"),
        ("for; do :; done", 1, "`for` does not name a variable"),
        ("while true; echo; done", 1, "unexpected `done` after `while` of the `while` on line 1"),
        ("while true\ndo\n  if x; then y\ndone", 4, "unexpected `done` in the `if` on line 3, which lacks its `fi`"),
        ("until true; do\n", 1, "`until` is never closed by `done`"),
        ("case $x in a) b ;;", 1, "`case` is never closed by `esac`"),
        ("case $x\na) b;; esac", 1, "`case` has no `in`"),
        ("case $x in a b) c;; esac", 1, "a pattern of `case` has no `)`"),
        ("a ;;", 1, "unexpected `;;`: nothing is open that it could belong to"),
        ("f() {\n  a\n", 1, "`{` is never closed by `}`"),
        ("a; }", 1, "unexpected `}`: nothing is open that it could belong to"),
        ("{ a; }; { };", 1, "there is no command between `{` and `}`"),
        ("(a; b))", 1, "unexpected `)`: nothing is open that it could belong to"),
        ("()", 1, "there is no command between `(` and `)`"),
        ("echo (a)", 1, "unexpected `(` within a command"),
        ("a &&\n", 1, "nothing follows `&&`"),
        ("a && ; b", 1, "there is no command between `&&` and `;`"),
        ("| a", 1, "there is no command before `|`"),
        ("if a; then b; fi c", 1, "unexpected `c` after the end of a command"),
        ("a >", 1, "`>` does not name a file"),
        ("f()", 1, "nothing follows `()`"),
        ("x=$(\n  if a; then b)", 2, "`if` is never closed by `fi`"),
        ("x=\"$(a; fi)\"", 1, "unexpected `fi`: nothing is open that it could belong to"),
        ("#!/bin/bash\nfor ((i = 0; i < 3; i++)); do echo $i\n", 2, "`for` is never closed by `done`"),
        ("#!/usr/bin/env bash\n[[ a == b ]] && {\n  c\n", 2, "`{` is never closed by `}`"),
    ] {
        assert!(!shell_takes(source), "{source}");
        let error = analyse(Tool::Shell, source).expect_err(source);
        assert_eq!((error.line, error.message.as_str()), (line, message), "{source}");
    }
}

#[test]
fn what_a_shell_takes_is_no_error() {
    for source in [
        "",
        "# if",
        "echo if then; echo fi done esac { }",
        "if a; then b; elif c; then d; else e; fi >x 2>&1 && f",
        "if (a) then b; fi; if { a; } then b; fi",
        "if ((a)) then b; fi",
        "if [[ a ]] then b; fi",
        "[[ a && ( b || c ) ]] || d",
        "[[ $x =~ ^(a|b)+$ ]] && c",
        "[[\n a &&\n b ]]",
        "while a; b\ndo c; done <x | d",
        "for i do a; done; for i; do a; done; for i\ndo a; done; for i in\ndo a; done",
        "for i\nin a b\ndo a; done",
        "for ((i = 0; i < $(n); i++)) do a; done",
        "for ((;;)) { a; }",
        "for x in in do; do :; done",
        "select x in a b; do c; done",
        "case x in esac; case x in a|b) ;; (c) d; esac; case $x\nin\na) b\nesac",
        "case x in if) a ;; *) b ;& c) d ;;& esac",
        "case \"$1\" in\n  [a-z]*) if a; then b; fi ;;\n  '') ;;\nesac",
        "f() { a; }; f () ( a ); f()\n{\n  a\n}\nf() if a; then b; fi",
        "function f { a; }\nfunction f() { a; }\nfunction f\n{ a; }",
        "a=(b c\n d) e=() f+=(g); local h=(i)",
        "shopt -s extglob\n",
        "{ a; } 2>&1 | { b; c; } &\nwait",
        "a &&\n\n# b\nc ||\nd",
        "! a && ! { b; } | time c",
        "a 2>&1>b; a >&2 2>/dev/null; >x; <x; >x a",
        "a <<E && b\nif\nE\nc <<-E | d\n\t(\n\tE",
        "x=`if a; then b; fi`; y=$(case a in b) c;; esac); z=\"$(for i in a; do b; done)\"",
        "x=$((1 + (2)))$( (a); (b) )",
        "a <(b; c) >(d)",
        "echo {a,b} }; echo } { !",
        "coproc a; coproc X { a; }",
        "a; b & c; d &",
        "if ! a; then b; fi; until ! a; do b; done",
        "trap 'if' EXIT",
        "((a++)); ((a)) && b",
        "exec 3<&- 4>&- {fd}>x",
        "a |\n b |& c",
        "time -p a; time { a; }",
        "((a)) || if b; then c; fi",
    ] {
        assert!(shell_takes(source), "{source}");
        analyse(Tool::Shell, source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    }
}

#[test]
fn shells_with_a_grammar_of_their_own_are_left_alone() {
    for source in ["#!/bin/zsh\nfor x (a b) c", "#!/usr/bin/fish\nif a\n b\nend", "#!/usr/bin/env -S ksh\nf() a (b)"] {
        analyse(Tool::Shell, source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    }
    analyse(Tool::Shell, "#!/bin/dash\nfi").expect_err("a shell that is known");
}

/// Every script of the repository itself.
#[test]
fn the_scripts_of_this_repository_are_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = ["catalog", "examples", "tests", "dsl", "runtime"].map(|folder| root.join(folder)).to_vec();
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the repository").flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("a file's type"));
            if kind.is_dir() && !matches!(entry.file_name().to_str(), Some(".cache" | "target")) {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "sh") {
                let source = std::fs::read_to_string(&path).expect("a script in UTF-8");
                if is_other_program(&source) {
                    continue;
                }
                let found = analyse(Tool::Shell, &source);
                assert_eq!(found.is_ok(), shell_takes(&source), "{}: {found:?}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "only {seen} scripts");
}
