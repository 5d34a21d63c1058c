//! W1106: a group of parameters that is not in Heat's form.

use std::collections::HashMap;

use wattle_model::Diagnostic;

use crate::parameters::PSEUDO;
use crate::yaml::{Node, Span, Tree};

use super::Sink;
use super::registry::check;

check! {
    /// The parameter groups are a list of maps. Each has `parameters`, a list of names. These must be names of
    /// parameters that exist, and no parameter can be in more than one group.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameter_groups:
    ///   - label: Server
    ///     parameters: [imgae]
    /// parameters:
    ///   image: {type: string, default: debian-12}
    /// ```
    ///
    /// Name parameters that the template declares:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameter_groups:
    ///   - label: Server
    ///     parameters: [image]
    /// parameters:
    ///   image: {type: string, default: debian-12}
    /// ```
    PARAMETER_GROUP: "W1106", Error, "a malformed parameter group", Each(run)
}

fn run(sink: &mut Sink<'_>) {
    let Some(section) = sink.template().root.get("parameter_groups") else { return };
    let groups = match &*section.tree {
        Tree::List(groups) => groups,
        _ if !section.is_truthy() => return,
        other => {
            let diagnostic = PARAMETER_GROUP
                .diagnostic(format!("the parameter groups are {} instead of a list", other.kind()))
                .label(&sink.at(section.span), "this is not a list")
                .help("write `- label: ...` and below it `parameters: [...]`");
            sink.push(diagnostic);
            return;
        }
    };
    let mut grouped = HashMap::new();
    for group in groups {
        for diagnostic in judge(sink, group, &mut grouped) {
            sink.push(diagnostic);
        }
    }
}

fn judge(sink: &Sink<'_>, group: &Node, grouped: &mut HashMap<String, Span>) -> Vec<Diagnostic> {
    let wrong = |node: &Node, why: String| {
        let diagnostic = PARAMETER_GROUP.diagnostic(why).label(&sink.at(node.span), "this group");
        vec![diagnostic.help("write `parameters: [NAME, ...]`")]
    };
    if !matches!(*group.tree, Tree::Map(_)) {
        return wrong(group, format!("a parameter group is {} instead of a map", group.tree.kind()));
    }
    let parameters = match group.get("parameters") {
        Some(parameters) if !matches!(*parameters.tree, Tree::Null) => parameters,
        _ => return wrong(group, "a parameter group has no `parameters`".to_owned()),
    };
    let Tree::List(names) = &*parameters.tree else {
        return wrong(
            parameters,
            format!("the parameters of a group are {} instead of a list", parameters.tree.kind()),
        );
    };
    let mut diagnostics = Vec::new();
    let known = || sink.template().parameters.keys().map(String::as_str);
    for node in names {
        let name = node.as_key();
        if let Some(first) = grouped.get(&name) {
            let diagnostic = PARAMETER_GROUP
                .diagnostic(format!("the parameter `{}` is in two groups or twice in one", name.escape_debug()))
                .label(&sink.at(node.span), "here again")
                .label(&sink.at(*first), "here first")
                .help("keep it in one group");
            diagnostics.push(diagnostic);
            continue;
        }
        let is_text = node.tree.as_text().is_some();
        // Heat knows the stack's name only for a stack that has one.
        let pseudo = PSEUDO.contains(&&*name) && name != "OS::stack_name";
        if is_text && (sink.template().parameters.contains_key(&name) || pseudo) {
            grouped.insert(name, node.span);
            continue;
        }
        let text = if is_text { name.clone() } else { node.tree.kind().to_owned() };
        let diagnostic = PARAMETER_GROUP
            .diagnostic(format!("a parameter group names `{}`, which is not a parameter", text.escape_debug()))
            .label(&sink.at(node.span), "no parameter has this name")
            .help(sink.meant(&name, known()).unwrap_or_else(|| "declare it, or remove it".to_owned()));
        diagnostics.push(diagnostic);
        grouped.insert(name, node.span);
    }
    diagnostics
}
