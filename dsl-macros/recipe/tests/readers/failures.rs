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
