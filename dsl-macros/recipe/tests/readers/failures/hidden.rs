//! Failures that something around the command hides: a pipe, a declaration, a substitution, the background, a program.

use wattle_recipe::Why;

use super::{first, found, whole, why};

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
