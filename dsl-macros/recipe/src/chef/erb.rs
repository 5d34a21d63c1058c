//! ERB templates of Chef and of Puppet: their `<% %>` is Ruby.

use crate::analysis::Analysis;
use crate::names::{leading_identifier, line_feeds};

/// The reads of a template. If the code in it does not parse as a whole, the position is approximate.
pub(crate) fn template(source: &str) -> Analysis {
    let code = code(source);
    let mut analysis = Analysis::default();
    match super::outline(&code) {
        Ok(outline) => {
            analysis.reads = outline.analysis.reads;
            analysis.dynamic_reads = outline.analysis.dynamic_reads;
        }
        Err(_) => {
            roughly(&code, &mut analysis);
        }
    }
    scope(&code, &mut analysis);
    analysis
}

/// The Ruby of a template, each piece on its line.
fn code(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(open) = rest.find("<%") {
        feed(&mut code, &rest[..open]);
        rest = &rest[open + 2..];
        if let Some(literal) = rest.strip_prefix('%') {
            rest = literal;
            continue;
        }
        let close = rest.find("%>").unwrap_or(rest.len());
        let inside = &rest[..close];
        rest = rest.get(close + 2..).unwrap_or_default();
        let inside_code = inside.strip_suffix('-').unwrap_or(inside);
        if inside.starts_with('#') {
            feed(&mut code, inside);
        } else {
            code.push_str(inside_code.trim_start_matches(['=', '-']));
            // The end of the tag ends a statement, even after a comment.
            code.push_str(if inside_code.contains('#') && !inside_code.contains('\n') { " ;" } else { ";" });
        }
    }
    feed(&mut code, rest);
    code
}

fn feed(code: &mut String, text: &str) {
    code.extend(text.chars().filter(|c| *c == '\n'));
}

/// `node['a']['b']`, recognised by its form.
fn roughly(code: &str, analysis: &mut Analysis) {
    analysis.dynamic_reads = true;
    for (at, found) in code.match_indices("node[") {
        let mut path = Vec::new();
        let mut rest = &code[at + found.len() - 1..];
        while let Some(key) = rest.strip_prefix('[') {
            let Some(close) = key.find(']') else { break };
            path.push(key[..close].trim_matches(['\'', '"', ':', ' ']));
            rest = &key[close + 1..];
        }
        analysis.read(path.join("/"), 1 + line_feeds(&code[..at]));
    }
}

/// Puppet's `scope['port']` and `scope.lookupvar('port')`.
fn scope(code: &str, analysis: &mut Analysis) {
    for spelling in ["scope[", "lookupvar(", "scope.lookup("] {
        for (at, _) in code.match_indices(spelling) {
            let key = code[at + spelling.len()..].trim_start_matches(['\'', '"', ' ', ':']);
            let end = key.find(['\'', '"', ']', ')']).unwrap_or(key.len());
            let name = key[..end].rsplit("::").next().unwrap_or_default();
            match leading_identifier(name) {
                "" => analysis.dynamic_reads = true,
                name => analysis.read(name, 1 + line_feeds(&code[..at])),
            }
        }
    }
}
