//! The variables that the Jinja of a text uses, and those that it sets itself.

use crate::lookup::Names;
use crate::names::{leading_identifier, line_feeds};

use super::{Piece, pieces, string_end};

/// Words of expressions that are not variables.
const KEYWORDS: [&str; 18] = [
    "and",
    "or",
    "not",
    "in",
    "is",
    "if",
    "else",
    "elif",
    "for",
    "true",
    "false",
    "none",
    "True",
    "False",
    "None",
    "recursive",
    "ignore",
    "missing",
];
/// Words that begin a statement.
const STATEMENTS: [&str; 20] = [
    "if",
    "elif",
    "else",
    "for",
    "set",
    "macro",
    "call",
    "filter",
    "block",
    "with",
    "import",
    "from",
    "include",
    "extends",
    "do",
    "trans",
    "autoescape",
    "break",
    "continue",
    "pluralize",
];
/// Jinja's own variables.
const OWN: [&str; 6] = ["loop", "self", "varargs", "kwargs", "caller", "super"];

/// Records the variables of a template's text.
pub(crate) fn template(source: &str, line: u32, into: &mut Names) {
    OWN.iter().for_each(|name| into.set(name));
    for (piece, line) in pieces(source, line) {
        match piece {
            Piece::Text(_) => {}
            Piece::Expression(code) => expression(code, line, into),
            Piece::Statement(code) => statement(code, line, into),
        }
    }
}

fn statement(code: &str, line: u32, into: &mut Names) {
    let code = code.trim_matches(|c: char| c.is_whitespace() || c == '-' || c == '+');
    let word = leading_identifier(code);
    let rest = &code[word.len()..];
    match word {
        "for" => {
            let (targets, values) = rest.split_once(" in ").unwrap_or((rest, ""));
            crate::names::identifiers(targets).for_each(|name| into.set(name));
            expression(values, line, into);
        }
        "set" | "with" => {
            // `{% set a, b = 1, 2 %}`, `{% with a = 1, b = 2 %}`, and a block without `=`.
            let is_block = !rest.contains('=');
            let signs = rest.match_indices('=').take(if word == "set" { 1 } else { usize::MAX });
            for (at, _) in signs.chain(is_block.then_some((rest.len(), ""))) {
                let before = rest[..at].rsplit(if word == "set" { '\0' } else { ',' }).next().unwrap_or_default();
                crate::names::identifiers(before).for_each(|name| into.set(name));
            }
            expression(rest.split_once('=').map_or("", |(_, value)| value), line, into);
        }
        // Names that are imported, or loaded from a block, are listed; definitions of a parent are not.
        "macro" | "call" | "import" | "from" | "include" | "extends" | "import_yaml" | "import_json"
        | "import_text" | "load_yaml" | "load_json" | "load_text" | "profile" => {
            crate::names::identifiers(rest).for_each(|name| into.set(name));
            into.anything |= word == "extends";
        }
        _ if word.starts_with("end") || (STATEMENTS.contains(&word) && !matches!(word, "if" | "elif" | "do")) => {}
        "if" | "elif" | "do" => expression(rest, line, into),
        _ => into.anything = true,
    }
}

/// Records the variables of an expression. Variables with a default, or whose existence is tested, may be absent.
pub(crate) fn expression(code: &str, line: u32, into: &mut Names) {
    let mut found = Vec::new();
    let mut is_spare = false;
    let (mut line, mut rest) = (line, code);
    // The previous word or sign, which makes a name an attribute, a filter or a test.
    let mut before = "";
    while let Some(c) = rest.chars().next() {
        let name = leading_identifier(rest);
        if !name.is_empty() {
            rest = &rest[name.len()..];
            let behind = rest.trim_start();
            is_spare |= (before == "|" && matches!(name, "default" | "d"))
                || matches!(name, "defined" | "undefined")
                || (before == "|" && matches!(name, "select" | "selectattr" | "reject" | "rejectattr" | "map"));
            let is_argument = behind.starts_with('=') && !behind.starts_with("==");
            let is_key = before == "." || before == "|" || matches!(before, "is" | "is not");
            let is_fact = name.starts_with("ansible_");
            if !is_key && let Some(other) = indirect(name, behind).filter(|other| !other.starts_with("ansible_")) {
                found.push((other, line));
            }
            if !is_key && !is_argument && !is_fact && !behind.starts_with('(') && !KEYWORDS.contains(&name) {
                found.push((name, line));
            }
            before = match (before, name) {
                ("is", "not") => "is not",
                _ => name,
            };
        } else if c == '\'' || c == '"' {
            let inside = &rest[1..];
            let end = string_end(inside, c).unwrap_or(inside.len());
            line = line.saturating_add(line_feeds(&inside[..end]));
            rest = inside.get(end + 1..).unwrap_or_default();
            before = "'";
        } else if c.is_ascii_digit() {
            let end = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_').unwrap_or(rest.len());
            rest = &rest[end..];
            before = "1";
        } else {
            line += u32::from(c == '\n');
            let (sign, behind) = rest.split_at(c.len_utf8());
            if !c.is_whitespace() {
                before = sign;
            }
            rest = behind;
        }
    }
    for (name, line) in found {
        if is_spare {
            into.set(name);
        } else {
            into.need(name, line);
        }
    }
}

/// The variable that is looked up by name in Ansible: `vars['x']`, `hostvars[inventory_hostname].x`, `lookup('vars', 'x')`.
fn indirect<'a>(name: &str, behind: &'a str) -> Option<&'a str> {
    match name {
        "vars" => key(behind).map(|(key, _)| key),
        "hostvars" => {
            // The variables of another host are not known.
            let own = behind.strip_prefix('[').and_then(|rest| rest.trim_start().strip_prefix("inventory_hostname"));
            let behind = match own {
                Some(rest) => rest.trim_start().strip_prefix(']')?,
                None => key(behind).filter(|(host, _)| *host == "localhost")?.1,
            };
            key(behind).map(|(key, _)| key)
        }
        "lookup" | "query" | "q" => {
            let (plugin, rest) = text(behind.strip_prefix('(')?.trim_start())?;
            let (name, rest) = text(rest.trim_start().strip_prefix(',')?.trim_start())?;
            let is_all = rest.trim_start().starts_with(')');
            (is_all && matches!(plugin, "vars" | "ansible.builtin.vars")).then_some(name)
        }
        _ => None,
    }
    .filter(|name| crate::names::is_identifier(name))
}

/// `['x']` or `.x` at the beginning, and the rest after it; not a call.
fn key(rest: &str) -> Option<(&str, &str)> {
    let rest = rest.trim_start();
    if let Some(inside) = rest.strip_prefix('[') {
        let (key, behind) = text(inside.trim_start())?;
        return Some((key, behind.trim_start().strip_prefix(']')?));
    }
    let rest = rest.strip_prefix('.')?;
    let name = leading_identifier(rest);
    let behind = &rest[name.len()..];
    (!name.is_empty() && !behind.starts_with('(')).then_some((name, behind))
}

/// A quoted text at the beginning, and the rest after it.
fn text(rest: &str) -> Option<(&str, &str)> {
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = &rest[1..];
    let end = string_end(inside, quote)?;
    Some((&inside[..end], &inside[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup::unknown;

    fn slips(source: &str) -> Vec<String> {
        let mut names = Names::default();
        template(source, 1, &mut names);
        ["vars", "hostvars", "inventory_hostname"].into_iter().for_each(|name| names.set(name));
        unknown(&[("x.j2", names)], &["port", "name"], |_| false).into_iter().map(|found| found.name).collect()
    }

    #[test]
    fn variables_that_nobody_sets_are_found() {
        for source in [
            "{{ prot }}",
            "{{ prot | int }}",
            "{% if prot > 1 %}{% endif %}",
            "{% for x in prot %}{% endfor %}",
            "{{ lookup('file', prot) }}",
            "{{ {'a': prot} }}",
            "{{ x[prot] }}",
            "{% set y = prot %}",
            "{{ vars['prot'] }}",
            "{{ vars.prot }}",
            "{{ hostvars[inventory_hostname]['prot'] }}",
            "{{ hostvars[inventory_hostname].prot | int }}",
            "{{ hostvars['localhost']['prot'] }}",
            "{{ lookup('vars', 'prot') }}",
            "{{ query('ansible.builtin.vars', \"prot\") }}",
        ] {
            assert_eq!(slips(source), ["prot"], "{source}");
        }
    }

    #[test]
    fn what_is_no_variable_or_is_set_is_none() {
        for source in [
            "{{ port }} {{ name }}",
            "{{ x.prot }}",
            "{{ 'prot' }}",
            "{{ x | prot }}",
            "{{ x is prot }}",
            "{{ x is not prot }}",
            "{{ f(prot=1) }}",
            "{{ prot(1) }}",
            "{{ prot | default(1) }}",
            "{% if prot is defined %}{{ prot }}{% endif %}",
            "{% set prot = 1 %}{{ prot }}",
            "{% set prot %}1{% endset %}{{ prot }}",
            "{% for prot in x %}{{ prot }}{% endfor %}",
            "{% for key, prot in x.items() %}{{ prot }}{% endfor %}",
            "{% macro m(prot) %}{{ prot }}{% endmacro %}",
            "{% with prot = 1 %}{{ prot }}{% endwith %}",
            "{% from 'x' import prot %}{{ prot }}",
            "{{ vars['prot'] | default(1) }}",
            "{{ vars.get('prot') }}",
            "{{ x.vars.prot }}",
            "{{ hostvars['db'].prot }}",
            "{{ hostvars[host].prot }}",
            "{{ lookup('vars', 'prot', default='') }}",
            "{{ lookup('env', 'prot') }}",
            "{{ vars[prot_name] }}{% set prot_name = 1 %}",
            "{# {{ prot }} #}{% raw %}{{ prot }}{% endraw %}",
        ] {
            assert_eq!(slips(source), Vec::<String>::new(), "{source}");
        }
    }
}
