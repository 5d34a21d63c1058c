//! Commands after whose failure a shell recipe goes on.

use wattle_recipe::{Unnoticed, Why, goes_on_after};

fn first(source: &str) -> Option<(String, u32)> {
    whole(&[("x.sh", source)])
}

fn whole(files: &[(&str, &str)]) -> Option<(String, u32)> {
    goes_on_after("x.sh", files.iter().copied()).map(|Unnoticed { program, line, .. }| (program, line))
}

#[test]
fn a_command_that_may_fail_unnoticed_is_found() {
    for (source, line) in [
        ("#!/bin/sh\napt-get install -y nginx\necho done\n", 2),
        ("apt-get update && apt-get install -y nginx\necho done\n", 1),
        ("curl -o x http://x | tar x\necho done\n", 1),
        ("cd /opt/app\nmake\n", 1),
        ("if [ -e x ]; then\n  tar xf x\nfi\necho done\n", 2),
        ("for x in a b; do\n  tar xf $x\ndone\necho done\n", 2),
        ("case $x in\na) tar xf x ;;\nesac\necho done\n", 2),
        ("f() {\n  tar xf x\n  echo\n}\nf\n", 2),
        ("x=$(wattle get port)\necho $x\n", 1),
        ("x=1 tar xf x\necho\n", 1),
        ("set -u\ntar xf x\necho\n", 2),
        ("set -o pipefail\ntar xf x\necho\n", 2),
        ("sudo tar xf x >log 2>&1\necho\n", 1),
        ("{ tar xf x; }\necho\n", 1),
        ("echo\ntar xf x; echo\n", 2),
        ("tar xf x\nexit 0\n", 1),
        ("f() {\n  tar xf x\n}\nf\necho\n", 4),
        ("f() { cd x && tar xf x; }\nif [ x ]; then\n  f\nfi\necho\n", 3),
    ] {
        assert_eq!(first(source).map(|(_, line)| line), Some(line), "{source}");
    }
    assert_eq!(first("echo\n/usr/bin/tar xf x\necho\n"), Some(("tar".into(), 2)));
}

#[test]
fn what_is_asked_or_comes_last_is_none() {
    for source in [
        "tar xf x\n",
        "#!/bin/sh\necho begins\n\ntar xf x\n",
        "if tar xf x; then echo; fi\necho\n",
        "if ! tar xf x; then exit 1; fi\necho\n",
        "while tar xf x; do echo; done\necho\n",
        "tar xf x || exit 1\necho\n",
        "tar xf x || {\n  echo; exit 1\n}\necho\n",
        "cd x && tar xf x || exit\necho\n",
        "tar xf x\n[ $? -eq 0 ] || exit 1\necho\n",
        "tar xf x\nstatus=$?\necho\n",
        "tar xf x\nexit\n",
        "{ cd x; } || exit\necho\n",
        "(tar xf x) || exit\necho\n",
        "if [ -e x ]; then tar xf x; fi || exit\necho\n",
        "f() {\n  tar xf x\n}\nf || exit\necho\n",
        "#!/bin/sh -e\ntar xf x\necho\n",
        "#!/bin/bash -eu\ntar xf x\necho\n",
        "#!/usr/bin/env -S bash -e\ntar xf x\necho\n",
        "set -e\ntar xf x\necho\n",
        "set -euo pipefail\ntar xf x\necho\n",
        "set -u -e\ntar xf x\necho\n",
        "set -o errexit\ntar xf x\necho\n",
        "trap 'exit 1' ERR\ntar xf x\necho\n",
        "eval \"$x\"\ntar xf x\necho\n",
        ". ./elsewhere.sh\ntar xf x\necho\n",
        "tar xf x &\nwait\necho\n",
        "rm -rf x\nsystemctl stop x\ngrep -q x y\nx=$(hostname)\ncat >x <<END\nx\nEND\necho\n",
        "x=$(tar tf x || echo)\necho\n",
        "! tar xf x\necho\n",
        "x='y z'\nexport y\nz=\"a b\"\necho\n",
        "cd x &&\n  tar xf x ||\n  make\necho\n",
        "[ x ] || make\ntar xf x\nexit 1\n",
        "#!/usr/bin/env python3\nimport os\nprint(os)\n",
        "if [ x ]; then\n  tar xf x\nfi\n",
        "if [ x ]; then\n  echo\nelse\n  tar xf x\nfi\n",
    ] {
        assert_eq!(first(source), None, "{source}");
    }
    let guarded = [("x.sh", ". ./lib.sh\ntar xf x\necho\n"), ("lib.sh", "set -e\n")];
    assert_eq!(whole(&guarded), None);
    let sourced = [("x.sh", ". ./lib.sh\ntar xf x\necho\n"), ("lib.sh", "own=1\n")];
    assert_eq!(whole(&sourced), Some(("tar".into(), 2)));
}

#[test]
fn what_a_script_no_longer_notices_is_found() {
    let found = |source: &str| goes_on_after("x.sh", [("x.sh", source)]).map(|one| (one.line, one.why));
    for (source, line) in [
        ("set -e\nset +e\ntar xf x\necho\n", 3),
        ("set -eu\necho\nset +e\ntar xf x\nset -e\necho\n", 4),
        ("#!/bin/bash -e\nset +o errexit\ntar xf x\necho\n", 3),
        ("set -e\n(\nset +e\ntar xf x\necho\n)\n", 4),
    ] {
        assert_eq!(found(source), Some((line, Why::NoLongerCounts)), "{source}");
    }
    for source in [
        "set -e\nset +e\ntar xf x\nstatus=$?\nset -e\n",
        "set -e\nset +e\ntar xf x || true\nset -e\ntar xf y\necho\n",
        "set -e\n(\nset +e\necho\n)\ntar xf x\necho\n",
        "set -e\nset +e\n. ./venv/bin/activate\nset -e\ntar xf x\necho\n",
        "set +u\nset -e\ntar xf x\necho\n",
    ] {
        assert_eq!(found(source), None, "{source}");
    }
}

#[test]
fn what_a_pipe_swallows_is_found() {
    let found = |source: &str| goes_on_after("x.sh", [("x.sh", source)]).map(|one| (one.line, one.why));
    for (source, line) in [
        ("set -e\ncurl -fsS http://x | sh\n", 2),
        ("set -e\nmake install 2>&1 | tee log\n", 2),
        ("set -eu\npg_dump x | sed s/a/b/ >y\necho\n", 2),
        ("tar xf x | true\n", 1),
        ("set -e\nfalse | true\n", 2),
        ("set -e\nwget -qO- http://x | sudo bash -s -- x\n", 2),
    ] {
        assert_eq!(found(source), Some((line, Why::Piped)), "{source}");
    }
    for source in [
        "set -euo pipefail\ncurl http://x | sh\n",
        "#!/bin/bash -e -o pipefail\ncurl http://x | sh\n",
        "set -e\ncurl http://x | tar x\n",
        "set -e\nps aux | grep x | wc -l\n",
        "set -e\nif curl http://x | tee y; then echo; fi\n",
        "set -e\nmake | tee log\n[ ${PIPESTATUS[0]} = 0 ]\n",
        "set -e\ncat x | sh\nls | while read x; do echo; done\n",
        "set -e\n. ./elsewhere.sh\ncurl http://x | sh\n",
    ] {
        assert_eq!(found(source), None, "{source}");
    }
}

#[test]
fn what_is_asked_about_as_a_whole_is_found() {
    let found = |source: &str| goes_on_after("x.sh", [("x.sh", source)]).map(|one| (one.line, one.why));
    let asked = |line, function: Option<(&str, u32)>| {
        let function = function.map(|(name, line)| (name.to_owned(), line));
        Some((line, Why::Asked { function }))
    };
    let f = "set -e\nf() {\n  tar xf x\n  echo\n}\n";
    for call in [
        "f || exit",
        "f || echo failed",
        "if f; then echo; fi",
        "if ! f; then exit 1; fi",
        "if [ x ] && f; then exit 1; fi",
        "while f; do echo; done",
        "until f; do sleep 1; done",
        "! f",
        "f && echo",
        "x=1 f || exit",
        "{ f; } || exit",
        "if [ x ]; then f; fi || exit",
        "g() { f; }; g || exit",
    ] {
        let name = if call.starts_with('g') { "g" } else { "f" };
        assert_eq!(found(&format!("{f}{call}\necho\n")), asked(3, Some((name, 6))), "{call}");
    }
    for (source, line) in [
        ("set -e\n( tar xf x; make ) || exit\n", 2),
        ("set -e\n{\n  cd x && tar xf x\n  make\n} || exit\n", 3),
        ("set -e\nif (cd x; make); then echo; fi\necho\n", 2),
        ("set -e\nif tar xf x; make; then echo; fi\n", 2),
        ("set -e\n! { tar xf x; make; }\necho\n", 2),
        ("set -e\nif [ x ]; then\n  tar xf x\n  echo\nfi || exit\n", 3),
    ] {
        assert_eq!(found(source), asked(line, None), "{source}");
    }
    let inner = "set -e\nf() {\n  set -e\n  x=$(tar tf x)\n  echo $x\n}\nf && echo\n";
    assert_eq!(found(inner), asked(4, Some(("f", 7))), "a `set -e` of its own does not apply either");
}

#[test]
fn what_counts_although_something_is_asked_is_none() {
    for source in [
        "set -e\nf() {\n  tar xf x\n  echo\n}\nf\n",
        "set -e\nf() {\n  tar xf x\n  echo\n}\nf || true\nf && f || :\n",
        "set -e\nf() {\n  tar xf x\n  echo\n}\n[ x ] && f\n[ x ] || f\nf | tee x\n",
        "set -e\nf() {\n  tar xf x\n  echo\n}\nif f | grep -q x; then echo; fi\nf | cat || exit\n",
        "set -e\nf() {\n  make\n  return 1\n}\nf || exit\n",
        "set -e\nf() {\n  x='y z'\n  echo \"$x\"\n}\nf || exit\n",
        "set -e\n(umask 77 && make) &&\n  [ x ] && echo\n",
        "set -e\n{ [ x ] || (cd x && make); } && echo\necho\n",
        "set -e\n(umask 77 && make) &&\n  { echo; echo; } && echo\n",
        "set -e\n(umask 77 && make) &&\n  (echo; echo) &&\n  ! [ x ]\n",
        "set -e\nask() {\n  make\n  echo\n}\nf() {\n  if ask | grep -q x; then return; fi\n  return 1\n}\nf || exit\n",
        "set -e\n. ./elsewhere.sh\nf() {\n  make\n  echo\n}\nf || exit\n",
        "set -e\nf() {\n  cd x ||\n    die\n  echo\n}\nf || exit\n",
        "set -e\nf() { tar xf x; }\nf || exit\n",
        "set -e\nf() {\n  tar xf x || return\n  cd x && make\n}\nf || exit\n",
        "set -e\nf() {\n  curl http://x >y\n  grep -q x y\n}\nif f; then echo; fi\n",
        "set -e\nf() {\n  curl http://x >y\n  [ -s y ]\n}\nif f; then echo; fi\n",
        "set -e\nf() {\n  x=$(curl http://x)\n  if [ \"$x\" = y ]; then return 0; fi\n  return 1\n}\nif f; then echo; fi\n",
        "set -e\nf() {\n  tar xf x\n  return $?\n}\nif f; then echo; fi\n",
        "set -e\nf() {\n  for i in 1 2 3; do\n    curl http://x && return 0\n    sleep 1\n  done\n  return 1\n}\nf || exit\n",
        "set -e\n(cd x && make) || exit\n{ tar xf x; } || exit\n",
        "set -e\nif cd x && make; then echo; fi\nif (cd x && make); then echo; fi\nif { make; }; then echo; fi\n",
        "set -e\nwhile curl http://x; do echo; done\n",
        "set -e\nif [ x ]; then\n  tar xf x\n  echo\nfi\n",
    ] {
        assert_eq!(first(source), None, "{source}");
    }
}

#[test]
fn what_a_declaration_hides_is_found() {
    let found = |source: &str| goes_on_after("x.sh", [("x.sh", source)]).map(|one| (one.program, one.line, one.why));
    let hidden = |line, by: &str| {
        let why = Why::Substituted { name: "x".to_owned(), by: by.to_owned() };
        Some(("wattle".to_owned(), line, why))
    };
    for by in ["export", "readonly", "declare", "typeset"] {
        assert_eq!(found(&format!("set -e\n{by} x=$(wattle get port)\necho $x\n")), hidden(2, by));
        assert_eq!(found(&format!("{by} x=`wattle get port`\n")), hidden(1, by));
    }
    for (source, line, by) in [
        ("set -e\nf() {\n  local x=$(wattle get port)\n  echo $x\n}\nf\n", 3, "local"),
        ("set -e\nf() {\n  local -r x=\"http://$(wattle get port)/\" || return\n}\nf\n", 3, "local"),
        ("set -e\nexport y=1 x=\"$(wattle get port)\"\n", 2, "export"),
        ("set -e\nx=$(wattle get port) make\n", 2, "make"),
    ] {
        assert_eq!(found(source), hidden(line, by), "{source}");
    }
    for source in [
        "set -e\nlocal x\nx=$(wattle get port)\nexport x\n",
        "set -e\nexport x=$(hostname) y=$(cd x && pwd) z=$(ps | awk x) w=$(command -v x)\n",
        "set -e\nexport x=$(wattle get port || echo 80)\n",
        "set -e\nexport x=$(wattle get port)\nif [ -z \"$x\" ]; then exit 1; fi\n",
        "set -e\nexport x=$(wattle get port)\n: \"${x:?}\"\n",
        "set -e\nexport x=$(wattle get port)\ncase $x in\n'') exit 1 ;;\nesac\n",
    ] {
        assert_eq!(first(source), None, "{source}");
    }
}

#[test]
fn what_a_shell_of_its_own_does_not_notice_is_found() {
    let found = |source: &str| goes_on_after("x.sh", [("x.sh", source)]).map(|one| (one.program, one.line, one.why));
    for (source, line) in [
        ("set -e\nsh -c 'tar xf x; echo'\n", 2),
        ("set -e\nbash -c '\n  cd x\n  tar xf x\n  echo\n'\n", 3),
        ("set -e\nsudo -u x sh -c \"tar xf x; echo\"\n", 2),
        ("set -e\nsu - x -c 'tar xf x; echo'\n", 2),
        ("set -e\nbash <<'END'\ntar xf x\necho\nEND\n", 3),
        ("set -e\nsh -c 'set -e; set +e; tar xf x; echo'\n", 2),
    ] {
        let (program, at, why) = found(source).expect(source);
        assert!(matches!(program.as_str(), "tar" | "cd"), "{source}");
        assert_eq!((at, why), (line, Why::OwnShell), "{source}");
    }
    for source in [
        "set -e\nsh -ec 'tar xf x; echo'\n",
        "set -e\nbash -euo pipefail -c 'tar xf x; echo'\n",
        "set -e\nbash -o errexit -c 'tar xf x; echo'\n",
        "set -e\nsh -c 'set -e; tar xf x; echo'\n",
        "set -e\nsh -c 'cd x && tar xf x'\n",
        "set -e\nsh -c 'echo; exec tar xf x'\n",
        "set -e\nbash -s <<'END'\nset -eu\ntar xf x\necho\nEND\n",
        "set -e\neval 'tar xf x; echo'\ntrap 'tar xf x; echo' EXIT\n",
        "set -e\ncat >x.sh <<'END'\n#!/bin/sh\ntar xf x\necho\nEND\n",
        "set -e\nzsh -c 'tar xf x; echo'\n",
    ] {
        assert_eq!(first(source), None, "{source}");
    }
}
