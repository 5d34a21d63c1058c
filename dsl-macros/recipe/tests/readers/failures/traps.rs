//! Traps that turn a failure into success, or that end nothing.

use wattle_recipe::Why;

use super::{first, why};

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
