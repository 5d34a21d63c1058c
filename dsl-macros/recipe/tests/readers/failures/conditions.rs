//! Commands that `set -e` does not cover: in tests, before `&&`, and before `set -e` itself.

use wattle_recipe::Why;

use super::{first, found, whole, why};

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
