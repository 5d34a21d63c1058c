//! Commands after `||`: some handle the failure of the previous command, others perform a missing step, and may fail
//! themselves: `[ -x /usr/sbin/nginx ] || apt-get install -y nginx`.
//!
//! Conservative like `unguarded`: only programs that are known to have an effect are reported. An unknown name may be a
//! function that ends the script.

use super::asked::called;
use super::joined::{does, is_hushed};
use super::pipe::program;
use super::structure::{Shape, Simple};
use super::unguarded::{behind_assignments, end, risky, words};
use super::word::{Token, TokenKind, Word};

/// Programs with an effect when they come after `||`, each with words of which one must be present; no words if it always
/// has an effect. Before `&&`, they may be tests.
const DOING: [(&str, &[&str]); 38] = [
    ("addgroup", &[]),
    ("chgrp", &[]),
    ("chpasswd", &[]),
    ("crontab", &[]),
    ("etcdctl", &["put"]),
    ("fallocate", &[]),
    ("gpg", &["--import", "--dearmor", "--recv-keys"]),
    ("initdb", &[]),
    ("ip", &["add", "set"]),
    ("ip6tables", &["-A", "-I", "-N"]),
    ("iptables", &["-A", "-I", "-N"]),
    ("keytool", &["-genkeypair", "-importcert"]),
    ("kubeadm", &["init", "join"]),
    ("ln", &[]),
    ("lvcreate", &[]),
    ("mkdir", &[]),
    ("mkfifo", &[]),
    ("mkfs", &[]),
    ("mkfs.ext4", &[]),
    ("mkfs.xfs", &[]),
    ("modprobe", &[]),
    ("openssl", &["genrsa", "req", "dhparam", "genpkey"]),
    ("openstack", &["create", "add", "set"]),
    ("pacman", &["-S", "-Sy", "-Syu"]),
    ("pg_createcluster", &[]),
    ("pipx", &["install"]),
    ("pvcreate", &[]),
    ("python3", &["venv"]),
    ("sed", &["-i"]),
    ("setsebool", &[]),
    ("snap", &["install"]),
    ("ssh-keygen", &["-t"]),
    ("sysctl", &["-w", "-p"]),
    ("ufw", &["allow", "enable"]),
    ("update-alternatives", &["--install", "--set"]),
    ("vgcreate", &[]),
    ("virtualenv", &[]),
    ("zypper", &["in", "install"]),
];

/// Whether a command after `||` has an effect, and its own failure is not handled there.
pub(super) fn acts(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> bool {
    acts_itself(tokens, shape, one) || {
        // A function ends with the status of its last command.
        let name = called(tokens, shape, one);
        let body = shape.bodies().into_iter().rfind(|(_, own)| Some(*own) == name);
        let last = body.and_then(|(number, _)| shape.simple.iter().rfind(|one| one.around == Some(number)));
        last.is_some_and(|last| acts_itself(tokens, shape, last))
    }
}

fn acts_itself(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> bool {
    let own = words(tokens, one.start);
    let own = behind_assignments(&own);
    let Some(name) = program(own).filter(|_| !is_hushed(tokens, one)) else { return false };
    let is_file = own.first().and_then(|word| word.literal()).is_some_and(|program| program.contains('/'));
    does(name, own)
        || is_known(name, own)
        || (is_file || name == "touch") && !shape.functions.contains(&name) && is_behind_question(tokens, shape, one)
}

fn is_known(name: &str, words: &[&Word]) -> bool {
    let Ok(at) = DOING.binary_search_by_key(&name, |(known, _)| known) else { return false };
    let mut literal = words.iter().filter_map(|word| word.literal());
    DOING[at].1.is_empty() || literal.any(|word| DOING[at].1.contains(&word))
}

/// Whether the part before the `||` is only a test, so that its failure does not matter.
fn is_behind_question(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> bool {
    let operator = tokens[..one.start].iter().rposition(|token| token.kind == TokenKind::Op("||"));
    let Some(operator) = operator else { return false };
    let before = operator.checked_sub(1).and_then(|at| tokens[at].word()).and_then(Word::bare);
    let asking = || shape.simple.iter().rfind(|one| one.start < operator && end(tokens, one.start) == operator);
    matches!(before, Some("]]" | "))"))
        || asking().is_some_and(|one| risky(&words(tokens, one.start), &[], &[]).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_searched() {
        assert!(DOING.is_sorted_by_key(|(name, _)| name));
    }
}
