//! Commands after whose failure a shell recipe goes on.

use wattle_recipe::{Tool, Unnoticed, Why, goes_on_after};

fn first(source: &str) -> Option<(String, u32)> {
    whole(&[("x.sh", source)])
}

fn found(source: &str) -> Option<(String, u32, Why)> {
    goes_on_after(Tool::Shell, "x.sh", [("x.sh", source)]).map(|one| (one.program, one.line, one.why))
}

fn why(source: &str) -> Option<(u32, Why)> {
    found(source).map(|(_, line, why)| (line, why))
}

fn whole(files: &[(&str, &str)]) -> Option<(String, u32)> {
    goes_on_after(Tool::Shell, "x.sh", files.iter().copied()).map(|Unnoticed { program, line, .. }| (program, line))
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
        "rm -rf x\nsystemctl stop x\ngrep -q x y\nx=$(hostname)\ncat >x <<END\nx\nEND\necho\n",
        "x=$(tar tf x || echo)\necho\n",
        "! tar xf x\necho\n",
        "x='y z'\nexport y\nz=\"a b\"\necho\n",
        "cd x &&\n  tar xf x ||\n  die\necho\n",
        "[ x ] || die\ntar xf x\nexit 1\n",
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
    for (source, line) in [
        ("set -e\nset +e\ntar xf x\necho\n", 3),
        ("set -eu\necho\nset +e\ntar xf x\nset -e\necho\n", 4),
        ("#!/bin/bash -e\nset +o errexit\ntar xf x\necho\n", 3),
        ("set -e\n(\nset +e\ntar xf x\necho\n)\n", 4),
    ] {
        assert_eq!(why(source), Some((line, Why::NoLongerCounts)), "{source}");
    }
    for source in [
        "set -e\nset +e\ntar xf x\nstatus=$?\nset -e\n",
        "set -e\nset +e\ntar xf x || true\nset -e\ntar xf y\necho\n",
        "set -e\n(\nset +e\necho\n)\ntar xf x\necho\n",
        "set -e\nset +e\n. ./venv/bin/activate\nset -e\ntar xf x\necho\n",
        "set +u\nset -e\ntar xf x\necho\n",
    ] {
        assert_eq!(why(source), None, "{source}");
    }
}

#[test]
fn what_a_pipe_swallows_is_found() {
    for (source, line) in [
        ("set -e\ncurl -fsS http://x | sh\n", 2),
        ("set -e\nmake install 2>&1 | tee log\n", 2),
        ("set -eu\npg_dump x | sed s/a/b/ >y\necho\n", 2),
        ("tar xf x | true\n", 1),
        ("set -e\nfalse | true\n", 2),
        ("set -e\nwget -qO- http://x | sudo bash -s -- x\n", 2),
    ] {
        assert_eq!(why(source), Some((line, Why::Piped)), "{source}");
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
        assert_eq!(why(source), None, "{source}");
    }
}

#[test]
fn what_is_asked_about_as_a_whole_is_found() {
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
        assert_eq!(why(&format!("{f}{call}\necho\n")), asked(3, Some((name, 6))), "{call}");
    }
    for (source, line) in [
        ("set -e\n( tar xf x; make ) || exit\n", 2),
        ("set -e\n{\n  cd x && tar xf x\n  make\n} || exit\n", 3),
        ("set -e\nif (cd x; make); then echo; fi\necho\n", 2),
        ("set -e\nif tar xf x; make; then echo; fi\n", 2),
        ("set -e\n! { tar xf x; make; }\necho\n", 2),
        ("set -e\nif [ x ]; then\n  tar xf x\n  echo\nfi || exit\n", 3),
    ] {
        assert_eq!(why(source), asked(line, None), "{source}");
    }
    let inner = "set -e\nf() {\n  set -e\n  x=$(tar tf x)\n  echo $x\n}\nf && echo\n";
    assert_eq!(why(inner), asked(4, Some(("f", 7))), "a `set -e` of its own does not apply either");
}

#[test]
fn what_counts_although_something_is_asked_is_none() {
    for source in [
        "set -e\nf() {\n  tar xf x\n  echo\n}\nf\n",
        "set -e\nf() {\n  tar xf x\n  echo\n}\nf || true\nf && f || :\n",
        "set -e\nf() {\n  tar xf x\n  echo\n}\n[ x ] && f\n[ x ] || f\n",
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
        "set -e\nf() {\n  curl -f http://x >y\n  grep -q x y\n}\nif f; then echo; fi\n",
        "set -e\nf() {\n  curl -f http://x >y\n  [ -s y ]\n}\nif f; then echo; fi\n",
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
fn what_an_argument_hides_is_found() {
    for (source, line, by) in [
        ("set -e\necho \"$(curl -f http://x)\" >y\n", 2, "echo"),
        ("set -e\nprintf '%s' \"key=$(vault kv get x)\" >y\n", 2, "printf"),
        ("set -e\ncat >y <<END\nkey=$(curl -f http://x)\nEND\n", 2, "cat"),
        ("set -e\nwhile read -r x; do echo \"$(ssh x hostname)\"; done <y\n", 2, "echo"),
    ] {
        let (_, at, why) = found(source).expect(source);
        assert_eq!(why, Why::Substituted { name: "value".into(), by: by.into() }, "{source}");
        assert!((line..=line + 1).contains(&at), "{source}: {at}");
    }
    for source in [
        "set -e\necho \"$(hostname)\" \"$(lsb_release -cs)\" >y\n",
        "set -e\n[ \"$(curl -f http://x)\" = y ]\nif test \"$(curl -f http://x)\"; then echo; fi\n",
        "set -e\necho \"$(curl -f http://x || echo none)\"\n",
        "set -e\nx=$(curl -f http://x)\necho \"$x\"\n",
        "set -e\ncat >y <<'END'\nkey=$(curl -f http://x)\nEND\n",
    ] {
        assert_eq!(found(source), None, "{source}");
    }
}

#[test]
fn what_a_loop_or_a_process_substitution_hides_is_found() {
    for (source, line, by) in [
        ("set -e\nfor h in $(curl -f http://x); do\n  echo $h\ndone\n", 2, "for"),
        ("set -e\nselect h in a $(kubectl get x); do echo; done\n", 2, "select"),
        ("set -e\nfor h in $(curl -f http://x) $(hostname); do echo; done\n", 2, "for"),
        ("set -e\ncase $(curl -f http://x) in\nup) echo ;;\nesac\n", 2, "case"),
        ("#!/bin/bash -e\nmapfile -t hosts < <(curl -f http://x)\necho\n", 2, "mapfile"),
        ("#!/bin/bash -e\nread -r a < <(wattle get port)\necho\n", 2, "read"),
        ("#!/bin/bash -e\nwhile read -r x; do\n  echo\ndone < <(docker images -q)\necho\n", 4, "while"),
        ("#!/bin/bash -e\nwhile read -r x; do\n  echo\ndone < <(tar tf x | sort)\n", 4, "while"),
        ("#!/bin/bash -e\npaste a <(wattle get port) >b\n", 2, "paste"),
    ] {
        let (_, at, why) = found(source).expect(source);
        assert_eq!((at, why), (line, Why::Substituted { name: "value".into(), by: by.into() }), "{source}");
    }
    for source in [
        "set -e\nfor x in $(ls) $(seq 3) $(hostname -I); do echo; done\n",
        "set -e\nfor x in $(curl -f http://x || echo none); do echo; done\n",
        "set -e\ncase $(curl -f http://x) in\nup) echo ;;\n*) exit 1 ;;\nesac\n",
        "set -e\ncase $(curl -f http://x) in\n'') exit 1 ;;\nesac\n",
        "#!/bin/bash -e\nwhile read -r x; do echo; done < <(find . -name x)\n",
        "#!/bin/bash -e\nwhile read -r x; do echo; done < <(curl -f http://x || true)\n",
        "#!/bin/bash -e\nwhile read -r x; do echo; done < <(curl -f http://x)\nwait $!\n",
        "#!/bin/bash -e\nmapfile -t x < <(wattle get x)\nif [ ${#x[@]} -eq 0 ]; then exit 1; fi\n",
        "#!/bin/bash -e\nexec > >(tee log) 2>&1\n",
        "#!/bin/bash -e\ndiff <(sort a) <(sort b)\n",
    ] {
        assert_eq!(found(source), None, "{source}");
    }
}

#[test]
fn what_bash_does_not_notice_in_a_substitution_is_found() {
    let cleared = |line, function: Option<(&str, u32)>| {
        let function = function.map(|(name, line)| (name.to_owned(), line));
        Some((line, Why::Cleared { function }))
    };
    for (body, line) in [
        ("x=$(tar tf x; echo)", 3),
        ("echo \"$(tar tf x; echo)\"", 3),
        ("x=$(\n  cd /opt/app\n  make\n)", 4),
        ("x=`cd x; make`", 3),
        ("x=$(f; echo)\nf() { tar xf x; }", 3),
        ("x=$(y=$(tar tf x; echo); echo)", 3),
        ("cat <<END\n$(tar tf x; echo)\nEND", 4),
        ("x=$(tar tf x; echo) || exit", 3),
    ] {
        assert_eq!(why(&format!("#!/bin/bash\nset -e\n{body}\necho\n")), cleared(line, None), "{body}");
        assert_eq!(why(&format!("#!/bin/sh\nset -e\n{body}\necho\n")), None, "{body}");
        for inherits in ["shopt -s inherit_errexit", "set -o posix"] {
            assert_eq!(why(&format!("#!/bin/bash\nset -e; {inherits}\n{body}\necho\n")), None, "{body}");
        }
    }
    let f = "#!/usr/bin/env bash\nset -euo pipefail\nf() {\n  tar xf x\n  echo\n}\n";
    for call in ["x=$(f)", "echo \"$(f)\"", "local x=$(f)", "g() { f; }; x=$(g)", "for x in $(f); do echo; done"] {
        let name = if call.starts_with('g') { "g" } else { "f" };
        assert_eq!(why(&format!("{f}{call}\necho\n")), cleared(4, Some((name, 7))), "{call}");
    }
    for call in [
        "f",
        "x=$(f || true)",
        "x=$(f) || true",
        "x=$(set -e; f)",
        "x=$(f)\nif [ -z \"$x\" ]; then exit 1; fi",
        "shopt -s inherit_errexit\nx=$(f)",
    ] {
        assert_eq!(why(&format!("{f}{call}\necho\n")), None, "{call}");
    }
    for body in [
        "x=$(cd x && make)",
        "x=$(cd \"$(dirname \"$0\")\"; pwd)",
        "x=$(set -e; tar tf x; echo)",
        "x=$(tar tf x || exit; echo)",
        "x=$(echo; tar tf x)",
        "x=$(if grep -q x y; then tar tf x; fi)",
        "f() {\n  set -e\n  tar xf x\n  echo\n}\nx=$(f)",
    ] {
        assert_eq!(why(&format!("#!/bin/bash\nset -e\n{body}\necho \"$x\"\n")), None, "{body}");
    }
    let sourced = [("x.sh", "#!/bin/bash\n. ./lib.sh\nx=$(tar tf x; echo)\necho\n"), ("lib.sh", "set -e\n")];
    assert_eq!(whole(&sourced), Some(("tar".into(), 3)));
    let inherits = [sourced[0], ("lib.sh", "set -e\nshopt -s inherit_errexit\n")];
    assert_eq!(whole(&inherits), None);
}

#[test]
fn what_ends_in_the_background_is_found() {
    for (source, line) in [
        ("set -e\ntar xf x &\nwait\necho\n", 2),
        ("tar xf x & make & wait\n", 1),
        ("set -e\nfor x in a b; do\n  tar xf $x &\ndone\nwait\n", 3),
        ("set -e\n(\n  cd x\n  make\n) &\nwait\n", 3),
        ("set -e\nf() {\n  tar xf x\n  make\n}\nf &\nwait\n", 3),
        ("set -e\ncd x && make &\nwait\n", 2),
    ] {
        assert_eq!(why(source), Some((line, Why::Background)), "{source}");
    }
    for source in [
        "set -e\ntar xf x &\npid=$!\nwait $pid\n",
        "set -e\ntar xf x &\nwait $!\n",
        "set -e\ntar xf x &\nmake &\nwait -n\nwait -n\n",
        "set -e\nserver &\necho\n",
        "set -e\nserver &\nkill $!\nwait\n",
        "set -e\nsleep 5 &\nwait\n",
        "set -e\n(tar xf x || touch failed) &\nwait\n[ ! -e failed ]\n",
        "set -e\nwait\ntar xf x &\n",
    ] {
        assert_eq!(found(source), None, "{source}");
    }
}

#[test]
fn what_a_shell_of_its_own_does_not_notice_is_found() {
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
        "set -e\nrunuser -u openldap -- slapadd -f x <<LDIF\ndn: $base\ndc: y\nLDIF\n",
        "set -e\nrunuser --user=x psql -v ON_ERROR_STOP=1 <<SQL\nselect 1;\nselect 2;\nSQL\n",
    ] {
        assert_eq!(first(source), None, "{source}");
    }
}

#[test]
fn what_stands_before_and_is_found() {
    for (source, program, line) in [
        ("set -e\ncd /opt/app && make\nsystemctl restart app\n", "cd", 2),
        ("set -e\napt-get update && apt-get install -y nginx\necho done\n", "apt-get", 2),
        ("set -e\nsudo apt-get update && sudo apt-get install -y nginx\necho\n", "apt-get", 2),
        ("set -e\ncurl -fsS http://x -o y &&\n  tar xf y &&\n  rm y\necho\n", "curl", 2),
        ("set -e\nif [ x ]; then cd x && make; fi\necho\n", "cd", 2),
        ("set -e\n{ cd x && make; }\necho\n", "cd", 2),
        ("set -e\nf() {\n  cd x && make\n  echo\n}\nf\n", "cd", 3),
        ("set -e\n[ -d x ] && cd x && make\necho\n", "cd", 2),
        ("set -e\nuseradd app && echo added\necho\n", "useradd", 2),
    ] {
        assert_eq!(found(source), Some((program.into(), line, Why::Joined)), "{source}");
    }
    for source in [
        "set -e\ncd x && make\n",
        "set -e\n(cd x && make)\necho\n",
        "set -e\nx=$(cd x && pwd)\necho\n",
        "set -e\ncd x && make || exit\necho\n",
        "set -e\ncd x && make\nstatus=$?\necho\n",
        "set -e\nf() { cd x && make; }\nf\necho\n",
        "set -e\nif cd x && make; then echo; fi\necho\n",
        "set -e\n[ -f x ] && tar xf x\necho\n",
        "set -e\nip link show x && ip link delete x\necho\n",
        "set -e\ndocker inspect x && docker rm x\nsystemctl is-active x && systemctl stop x\necho\n",
        "set -e\nmkdir lock && make\necho\n",
        "set -e\ncd x 2>/dev/null && make\necho\n",
        "set -e\nfor i in 1 2 3; do\n  curl -fso x http://x && break\n  sleep 1\ndone\necho\n",
        "set -e\ncurl -sf http://x && echo up\necho\n",
    ] {
        assert_eq!(found(source), None, "{source}");
    }
}

#[test]
fn what_comes_before_set_e_is_found() {
    for (source, line) in [
        ("tar xf x\nset -e\necho\n", 1),
        ("#!/bin/bash\ncd /opt/app\n\nset -euo pipefail\nmake\n", 2),
        ("if [ x ]; then\n  tar xf x\nfi\nset -e\necho\n", 2),
    ] {
        assert_eq!(why(source), Some((line, Why::NotYetCounts)), "{source}");
    }
    for source in [
        "#!/bin/sh -e\ntar xf x\nset -e\necho\n",
        "f() {\n  tar xf x\n  echo\n}\nset -e\nf\n",
        "tar xf x || exit\nset -e\necho\n",
        ". ./elsewhere.sh\ntar xf x\nset -e\necho\n",
        "if [ x ]; then set -e; fi\ntar xf x\necho\n",
    ] {
        assert_eq!(why(source), None, "{source}");
    }
}

#[test]
fn what_does_something_behind_or_is_found() {
    for (source, program) in [
        ("command -v nginxx >/dev/null || apt-get install -y x\necho\n", "apt-get"),
        ("[ -x /usr/sbin/nginx ] || apt-get install -y nginx\necho\n", "apt-get"),
        ("test -d /x || git clone u /x\necho\n", "git"),
        ("id u >/dev/null 2>&1 || useradd u\necho\n", "useradd"),
        ("[ -d /x ] || mkdir /x\necho\n", "mkdir"),
        ("dpkg -s nginx || sudo apt-get install -y nginx\necho\n", "sudo"),
        ("[[ -e /x ]] || DEBIAN_FRONTEND=noninteractive apt-get install -y x\necho\n", "apt-get"),
        ("cd x &&\n  make -k ||\n  make\necho\n", "make"),
        ("curl -fo x http://x || wget -O x http://x || scp y:x x\necho\n", "scp"),
        ("[ -f x ] || touch x\necho\n", "touch"),
        ("[ -f x ] || ./install.sh\necho\n", "install.sh"),
        ("iptables -C INPUT -j DROP 2>/dev/null || iptables -A INPUT -j DROP\necho\n", "iptables"),
        ("if [ y ]; then\n  [ -L x ] || ln -s y x\nfi\necho\n", "ln"),
        ("[ -d x ] || mkdir x && echo\necho\n", "mkdir"),
        ("f() { apt-get install -y x; }\ncommand -v x || f\necho\n", "f"),
    ] {
        let found = found(source).map(|(program, _, why)| (program, why));
        assert_eq!(found, Some((program.to_owned(), Why::NeverCounts)), "{source}");
    }
    let asked = "set -e\nf() {\n  [ -d x ] || mkdir x\n  echo\n}\nf || exit\n";
    assert_eq!(why(asked), Some((3, Why::Asked { function: Some(("f".into(), 6)) })));
    let piped = "set -e\n{ [ -d x ] || mkdir x; } | tee log\n";
    assert_eq!(why(piped), Some((2, Why::Piped)));
    for source in [
        "tar xf x || true\necho\n",
        "tar xf x || exit\necho\n",
        "tar xf x || echo failed\necho\n",
        "tar xf x || touch failed\necho\n",
        "tar xf x || ./report.sh\necho\n",
        "tar xf x || die failed\necho\n",
        "[ x ] || grep -q x y\necho\n",
        "[ x ] || mkdir x || exit\necho\n",
        "[ x ] || mkdir x 2>/dev/null\necho\n",
        "[ x ] || mkdir x\nstatus=$?\n",
        "[ x ] || mkdir x\n",
        "set -e\n[ x ] || mkdir x\necho\n",
        "if [ x ] || mkdir x; then echo; fi\necho\n",
        "f() { echo; exit 1; }\n[ x ] || f\necho\n",
        "systemctl start x || systemctl status x\necho\n",
    ] {
        assert_eq!(found(source), None, "{source}");
    }
}

#[test]
fn a_set_e_in_a_function_counts_from_its_call() {
    for (source, line) in [
        ("main() { set -e; make; }\napt-get install -y foo\nmain\n", 2),
        ("main() {\n  set -euo pipefail\n  make\n}\ncd x\nmain \"$@\"\n", 5),
        ("main() {\n  tar xf x\n  set -e\n  make\n}\nmain\n", 2),
        ("strict() { set -e; }\nsetup() {\n  tar xf x\n  echo\n}\nsetup\nstrict\necho\n", 3),
        ("strict() { set -e; }\nmain() { strict; make; }\ntar xf x\nmain\n", 3),
        ("trap 'rm -rf x' EXIT\ntar xf x\nset -e\necho\n", 2),
        ("trap 'echo failed' ERR\ntar xf x\nset -e\necho\n", 2),
    ] {
        assert_eq!(why(source), Some((line, Why::NotYetCounts)), "{source}");
    }
    for source in [
        "main() { set -e; make; }\nmain\ntar xf x\necho\n",
        "main() { set -e; make; echo; }\nother() { tar xf x; echo; }\nmain\nother\n",
        "main() { set -e; make; }\nif [ x ]; then main; fi\ntar xf x\necho\n",
        "main() { set -e; make; }\ntar xf x || exit\nmain\n",
        "main() { if [ x ]; then set -e; fi; make; }\ntar xf x\nmain\n",
        "trap 'exit 1' ERR\ntar xf x\nset -e\necho\n",
    ] {
        assert_eq!(why(source), None, "{source}");
    }
}

#[test]
fn what_a_trap_turns_into_success_is_found() {
    for (source, line, trap) in [
        ("set -e\ntrap 'rm -f x; exit 0' EXIT\ntar xf x\necho\n", 3, 2),
        ("set -e\ntrap 'rm -f x; exit 0' EXIT\ntar xf x\n", 3, 2),
        ("set -e\nfinish() { echo; exit 0; }\ntrap finish 0\ntar xf x\n", 4, 3),
        ("set -e\ntrap 'echo done; exit $?' EXIT\n\ntar xf x\n", 4, 2),
        ("trap 'echo failed; exit 0' ERR\ntar xf x\necho\n", 2, 1),
        ("trap 'echo failed; exit' ERR\ntar xf x\necho\n", 2, 1),
    ] {
        assert_eq!(why(source), Some((line, Why::Forgiven { line: trap })), "{source}");
    }
    for source in [
        "set -e\ntrap 'rm -f x' EXIT\ntar xf x\necho\n",
        "set -e\ntrap 'rm -f x; exit' EXIT\ntar xf x\necho\n",
        "set -e\ntrap 'status=$?; rm -f x; exit $status' EXIT\ntar xf x\necho\n",
        "set -e\ntrap 'echo; exit' EXIT\ntar xf x\necho\n",
        "trap 'exit' ERR\ntar xf x\necho\n",
        "set -e\ntrap 'exit $?' EXIT\ntar xf x\necho\n",
        "set -e\ntrap 'if [ x ]; then exit 0; fi' EXIT\ntar xf x\necho\n",
        "set -e\ntrap '[ x ] && exit 0' EXIT\ntar xf x\necho\n",
        "set -e\ntrap 'exit 0' TERM\ntar xf x\necho\n",
        "set -e\ntrap 'exit 0' EXIT\ntrap - EXIT\ntar xf x\necho\n",
        "set -e\ntrap 'exit 0' EXIT\necho\n",
    ] {
        assert_eq!(why(source), None, "{source}");
    }
}

#[test]
fn what_ends_nothing_is_no_trap() {
    for source in [
        "trap 'echo \"failed: $BASH_COMMAND\" >&2' ERR\ntar xf x\necho\n",
        "trap \"echo failed at line $LINENO\" ERR\ntar xf x\necho\n",
        "on_error() { echo x >&2; }\ntrap 'on_error $LINENO' ERR\ntar xf x\necho\n",
        "on_error() {\n  log x\n  return 1\n}\nlog() { echo $1 | tee -a log; }\ntrap on_error ERR\ntar xf x\necho\n",
        "trap \"rm -f /tmp/x\" EXIT ERR\ntar xf x\necho\n",
        "trap 'if [ x ]; then cat log; fi' ERR\ntar xf x\necho\n",
        "trap '' ERR\ntar xf x\necho\n",
        "trap - ERR\ntar xf x\necho\n",
        "(trap 'exit 1' ERR; echo)\ntar xf x\necho\n",
        "(set -e; echo)\ntar xf x\necho\n",
        "trap 'echo failed at $LINENO' ERR\ntar xf x\necho\n",
        "trap 'echo failed; date' ERR\ntar xf x\necho\n",
    ] {
        assert_eq!(first(source).map(|(program, _)| program), Some("tar".into()), "{source}");
    }
    for source in [
        "trap 'echo failed; exit 1' ERR\ntar xf x\necho\n",
        "trap 'echo failed && kill $$' ERR\ntar xf x\necho\n",
        "trap failed ERR\ntar xf x\necho\n",
        "failed() { echo >&2; [ x ] && exit 1; }\ntrap failed ERR\ntar xf x\necho\n",
        "trap 'if [ x ]; then exit 1; fi' ERR\ntar xf x\necho\n",
        "trap \"$handler\" ERR\ntar xf x\necho\n",
        "trap 'echo failed >&2; exit 1' EXIT ERR\ntar xf x\necho\n",
    ] {
        assert_eq!(first(source), None, "{source}");
    }
}

#[test]
fn what_a_pipe_of_many_commands_swallows_is_found() {
    for (source, line) in [
        ("set -e\nfor x in a b; do\n  tar xf $x\ndone | tee log\n", 3),
        ("set -e\n{ make; make install; } 2>&1 | tee log\n", 2),
        ("set -e\n(cd x; make) | logger\n", 2),
        ("set -e\nmain() {\n  make\n  echo\n}\nmain \"$@\" 2>&1 | tee log\n", 3),
    ] {
        assert_eq!(why(source), Some((line, Why::Piped)), "{source}");
    }
    for source in [
        "set -eo pipefail\n{ make; make install; } | tee log\n",
        "set -e\n{ echo; cat x || true; } | tee log\n",
        "set -e\n{ make; make install; } | tee log\n[ ${PIPESTATUS[0]} = 0 ]\n",
        "set -e\nmain() { make; echo; }\nmain | grep x\n",
    ] {
        assert_eq!(why(source), None, "{source}");
    }
}

#[test]
fn programs_that_succeed_in_spite_of_a_failure_are_found() {
    for (source, program, line, own) in [
        ("set -e\ncurl -sSL http://x -o y\n", "curl", 2, "add `--fail`"),
        ("set -e\ncurl -s http://x >y\n", "curl", 2, "add `--fail`"),
        ("set -e\ncurl -LO http://x\n", "curl", 2, "add `--fail`"),
        ("set -e\npsql -f x.sql\n", "psql", 2, "add `-v ON_ERROR_STOP=1`"),
        ("set -e\npsql <x.sql\n", "psql", 2, "add `-v ON_ERROR_STOP=1`"),
        ("set -e\nsudo -u postgres psql <<END\ncreate role x;\nEND\n", "psql", 2, "add `-v ON_ERROR_STOP=1`"),
        ("set -e\nfind . -exec chmod 600 {} \\;\n", "find", 2, "end `-exec` with `{} +`"),
    ] {
        let (name, at, why) = found(source).expect(source);
        let Why::Content { fix, .. } = why else { panic!("{source}: {why:?}") };
        assert_eq!((name.as_str(), at, fix), (program, line, own), "{source}");
    }
    for source in [
        "set -e\ncurl -fsSL http://x -o y\ncurl --fail-with-body http://x -o y\n",
        "set -e\ncurl http://x/health\ncurl -o /dev/null http://x\n",
        "set -e\ncurl -s -o y -w '%{http_code}' http://x\ncurl $OPTIONS -o y http://x\n",
        "set -e\nif curl -o y http://x; then echo; fi\n",
        "set -e\npsql -v ON_ERROR_STOP=1 -f x.sql\npsql -c 'select 1'\n",
        "set -e\npsql <<END\n\\set ON_ERROR_STOP on\nselect 1;\nEND\n",
        "set -e\nfind . -exec chmod 600 {} +\nfind . -exec grep -q x {} \\; -print\nfind . -name x\n",
    ] {
        assert_eq!(found(source), None, "{source}");
    }
}

#[test]
fn what_another_machine_or_user_does_not_notice_is_found() {
    for (source, line) in [
        ("set -e\nssh root@x 'tar xf x; echo'\n", 2),
        ("set -e\nssh -i key -p 22 root@x <<'END'\ntar xf x\necho\nEND\n", 3),
        ("set -e\nsu - postgres <<END\ncreatedb x\ncreateuser y\nEND\n", 3),
    ] {
        assert_eq!(why(source), Some((line, Why::OwnShell)), "{source}");
    }
    for source in [
        "set -e\nssh root@x 'cd x && tar xf x'\nssh root@x tar xf x\n",
        "set -e\nssh root@x <<END\nset -e\ntar xf x\necho\nEND\n",
        "set -e\nsu - postgres -c 'createdb x' <<END\ncreatedb x\necho\nEND\n",
    ] {
        assert_eq!(why(source), None, "{source}");
    }
}

#[test]
fn shells_of_other_tools_are_looked_into() {
    let play = |task: &str| {
        let text = format!("- hosts: localhost\n  tasks:\n{task}");
        goes_on_after(Tool::Ansible, "x.yml", [("x.yml", text.as_str())]).map(|one| (one.program, one.line, one.why))
    };
    let tar = |line| Some(("tar".to_owned(), line, Why::OwnShell));
    assert_eq!(play("  - shell: |\n      tar xf x\n      echo\n"), tar(4));
    assert_eq!(play("  - ansible.builtin.shell:\n      cmd: tar xf x; echo\n"), tar(4));
    assert_eq!(play("  - shell: \"tar xf {{ name }}; echo\"\n"), tar(3));
    for task in [
        "  - shell: |\n      set -e\n      tar xf x\n      echo\n",
        "  - command: tar xf x; echo\n",
        "  - shell: cd x && make\n",
        "  - shell: \"{{ command }}; echo\"\n",
    ] {
        assert_eq!(play(task), None, "{task}");
    }
    let manifest =
        |text: &str| goes_on_after(Tool::Puppet, "x.pp", [("x.pp", text)]).map(|one| (one.program, one.line, one.why));
    assert_eq!(manifest("\nexec { 'x': command => '/bin/tar xf x; /bin/echo' }\n"), tar(2));
    assert_eq!(manifest("exec { '/bin/tar xf x': }\nfile { '/x': content => \"tar xf x; echo\" }\n"), None);
}

#[test]
fn shells_of_states_are_looked_into() {
    let state =
        |text: &str| goes_on_after(Tool::Salt, "x.sls", [("x.sls", text)]).map(|one| (one.program, one.line, one.why));
    let tar = |line| Some(("tar".to_owned(), line, Why::OwnShell));
    assert_eq!(state("x:\n  cmd.run:\n    - name: |\n        tar xf x\n        echo\n"), tar(4));
    assert_eq!(state("tar xf x; echo:\n  cmd.run: []\n"), tar(1));
    assert_eq!(state("x:\n  cmd:\n    - run\n    - name: tar xf x; echo\n"), tar(4));
    assert_eq!(state("x:\n  cmd.run:\n    - names:\n      - echo\n      - tar xf {{ pillar.x }}; echo\n"), tar(5));
    assert_eq!(state("{% if grains.x %}\nx:\n  cmd.run:\n    - name: tar xf x; echo\n{% endif %}\n"), tar(4));
    for text in [
        "x:\n  cmd.run:\n    - name: |\n        set -e\n        tar xf x\n        echo\n",
        "x:\n  cmd.run:\n    - name: cd x && make\n",
        "x:\n  cmd.run:\n    - name: x; y\n    - shell: /usr/bin/python3\n",
        "x:\n  file.managed:\n    - name: tar xf x; echo\n",
    ] {
        assert_eq!(state(text), None, "{text}");
    }
    let files = [("x.sls", "include:\n  - web\n"), ("web.sls", "x:\n  cmd.run:\n    - name: tar xf x; echo\n")];
    let found = goes_on_after(Tool::Salt, "x.sls", files).expect("what is included runs as well");
    assert_eq!((found.file.as_deref(), found.line), (Some("web.sls"), 3));
}

#[test]
fn shells_of_cookbooks_are_looked_into() {
    let recipe = |text: &str| {
        let found = goes_on_after(Tool::Chef, "db::default", [("cookbooks/db/recipes/default.rb", text)])?;
        assert_eq!((found.file.as_deref(), found.why), (Some("cookbooks/db/recipes/default.rb"), Why::OwnShell));
        Some((found.program, found.line))
    };
    let tar = |line| Some(("tar".to_owned(), line));
    assert_eq!(recipe("bash 'x' do\n  code <<-EOH\n    tar xf x\n    echo\n  EOH\nend\n"), tar(3));
    assert_eq!(
        recipe("bash 'x' do\n  code <<~EOH\n    cd /\n    tar xf #{x}\n    echo\n  EOH\nend\n").map(|one| one.1),
        Some(3)
    );
    assert_eq!(recipe("script 'x' do\n  interpreter 'bash'\n  code 'tar xf x; echo'\nend\n"), tar(3));
    assert_eq!(recipe("execute 'x' do\n  command 'tar xf x; echo'\nend\n"), tar(2));
    assert_eq!(recipe("execute 'tar xf x; echo'\n"), tar(1));
    assert_eq!(recipe("execute 'tar xf x; echo' do\n  cwd '/'\nend\n"), tar(1));
    for text in [
        "bash 'x' do\n  code <<-EOH\n    set -e\n    tar xf x\n    echo\n  EOH\nend\n",
        "bash 'x' do\n  flags '-e'\n  code 'tar xf x; echo'\nend\n",
        "bash 'x' do\n  code 'tar xf x; echo'\n  ignore_failure true\nend\n",
        "script 'x' do\n  interpreter 'perl'\n  code 'tar xf x; echo'\nend\n",
        "execute 'unpack; echo' do\n  command 'tar xf x'\nend\n",
        "execute 'cd x && make'\n",
        "log 'x' do\n  message 'tar xf x; echo'\nend\n",
    ] {
        assert_eq!(recipe(text), None, "{text}");
    }
}

#[test]
fn files_that_a_recipe_takes_in_are_looked_into() {
    let task = "- shell: tar xf x; echo\n";
    let play = "- hosts: localhost\n  roles: [web]\n";
    let found = |play, path, text| {
        let found = goes_on_after(Tool::Ansible, "x.yml", [("x.yml", play), (path, text)])?;
        Some((found.file?, found.line))
    };
    for path in ["roles/web/tasks/main.yml", "roles/web/handlers/main.yml"] {
        assert_eq!(found(play, path, task), Some((path.to_owned(), 1)));
    }
    let included = "- hosts: localhost\n  tasks:\n  - include_tasks: more.yml\n";
    assert_eq!(found(included, "more.yml", task), Some(("more.yml".to_owned(), 1)));
    for (play, path) in [(play, "roles/db/tasks/main.yml"), (play, "roles/web/vars/main.yml"), (play, "more.yml")] {
        assert_eq!(found(play, path, task), None, "{path}");
    }
    let class = "class web {\n  exec { 'x': command => '/bin/tar xf x; /bin/echo' }\n}\n";
    let found = |manifest| {
        let path = "modules/web/manifests/init.pp";
        let found = goes_on_after(Tool::Puppet, "x.pp", [("x.pp", manifest), (path, class)])?;
        Some((found.file?, found.line))
    };
    assert_eq!(found("include web\n"), Some(("modules/web/manifests/init.pp".to_owned(), 2)));
    assert_eq!(found("include db\n"), None);
}

#[test]
fn a_task_that_nobody_asks_about_is_found() {
    let play = |tasks: &str| {
        let text = format!("- hosts: localhost\n  tasks:\n{tasks}");
        goes_on_after(Tool::Ansible, "x.yml", [("x.yml", text.as_str())]).map(|one| (one.program, one.line, one.why))
    };
    let task = "  - name: x\n    command: make\n    async: 600\n    poll: 0\n    register: job\n";
    assert_eq!(play(task), Some(("command".into(), 4, Why::Unpolled)));
    let asked = "  - async_status: {jid: \"{{ job.ansible_job_id }}\"}\n    register: x\n    until: x.finished\n";
    for tasks in [
        &format!("{task}{asked}"),
        "  - command: make\n    async: 600\n    poll: 5\n",
        "  - command: make\n    async: 600\n",
        "  - command: make\n    poll: 0\n",
        "  - shell: sleep 2; reboot\n    async: 1\n    poll: 0\n",
        "  - command: make\n    async: 600\n    poll: 0\n    ignore_errors: true\n",
    ] {
        assert!(play(tasks).is_none_or(|(.., why)| why != Why::Unpolled), "{tasks}");
    }
}

#[test]
fn scripts_that_a_recipe_runs_are_looked_into() {
    let careless = "tar xf x\necho\n";
    let run = |tool, entry: &str, text: &str, script: &str| {
        let files = [(entry, text), ("scripts/own.sh", script), ("scripts/lib.sh", "set -e\n")];
        goes_on_after(tool, entry, files).map(|one| (one.file.unwrap_or_default(), one.line, one.why))
    };
    let found = Some(("scripts/own.sh".to_owned(), 1, Why::NeverCounts));
    for text in ["set -e\nsh scripts/own.sh\n", "set -e\n./scripts/own.sh one\n", "set -e\nsudo -u app bash ./own.sh\n"]
    {
        assert_eq!(run(Tool::Shell, "x.sh", text, careless), found, "{text}");
    }
    for (tool, entry, text) in [
        (Tool::Ansible, "x.yml", "- hosts: all\n  tasks:\n  - script: scripts/own.sh --now\n"),
        (Tool::Ansible, "x.yml", "- hosts: all\n  tasks:\n  - ansible.builtin.script:\n      cmd: own.sh\n"),
        (Tool::Salt, "x.sls", "x:\n  cmd.script:\n    - source: salt://scripts/own.sh\n"),
        (Tool::Salt, "x.sls", "salt://own.sh:\n  cmd.script: []\n"),
        (Tool::Salt, "x.sls", "x:\n  cmd:\n    - script\n    - name: salt://own.sh --now\n"),
    ] {
        assert_eq!(run(tool, entry, text, careless), found, "{text}");
        assert_eq!(run(tool, entry, text, "#!/bin/sh -e\ntar xf x\necho\n"), None, "{text}");
        assert_eq!(run(tool, entry, text, "#!/usr/bin/python3\ntar = x\necho()\n"), None, "{text}");
    }
    for (tool, entry, text) in [
        (Tool::Shell, "x.sh", "set -e\nsh -e scripts/own.sh\n"),
        (Tool::Shell, "x.sh", "set -e\n./scripts/own.sh || echo\n"),
        (Tool::Shell, "x.sh", "set -e\ncp scripts/own.sh /usr/local/bin/own\n"),
        (Tool::Shell, "x.sh", "set -e\n. ./own.sh\n"),
        (Tool::Ansible, "x.yml", "- hosts: all\n  tasks:\n  - script: own.sh\n    args:\n      executable: sh -e\n"),
        (Tool::Ansible, "x.yml", "- hosts: all\n  tasks:\n  - copy:\n      src: own.sh\n      dest: /x\n"),
        (Tool::Salt, "x.sls", "/x:\n  file.managed:\n    - source: salt://own.sh\n"),
    ] {
        assert_eq!(run(tool, entry, text, careless), None, "{text}");
    }
    // What only runs is not sourced: its `set -e` is its own.
    let beside = [("x.sh", "sh lib.sh\ntar xf x\necho\n"), ("lib.sh", "set -e\n")];
    assert_eq!(whole(&beside), Some(("sh".to_owned(), 1)));
    // A script may run another one, and each other.
    let deep = [("x.sh", "set -e\nsh a.sh\n"), ("a.sh", "set -e\nsh b.sh\nsh a.sh\n"), ("b.sh", careless)];
    let found = goes_on_after(Tool::Shell, "x.sh", deep).expect("the script of a script");
    assert_eq!((found.file.as_deref(), found.line), (Some("b.sh"), 1));
}

/// A script of functions, each of which calls the one before it twice, which ends with these lines.
fn doubling(inner: &str, last: &str) -> String {
    let mut text = format!("f0() {{\n{inner}\n}}\n");
    for n in 1..60 {
        let before = n - 1;
        text += &format!("f{n}() {{\nf{before}\nf{before}\n}}\n");
    }
    text + last
}

#[test]
fn functions_that_call_one_another_often_are_looked_at_once() {
    assert_eq!(first(&doubling("set -e", "tar xf x\nf59\ntar xf y\n")), Some(("tar".to_owned(), 240)));
    let trapped = doubling("echo failed", "trap 'f59; exit 0' EXIT\nset -e\ntar xf x\necho\n");
    assert!(matches!(why(&trapped), Some((_, Why::Forgiven { .. }))), "{:?}", why(&trapped));
}
