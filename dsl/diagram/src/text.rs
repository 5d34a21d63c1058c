//! Diagrams as input for graph tools: DOT and Mermaid.

use std::fmt::Write;

use super::tree::{Item, Tree};
use super::{Diagram, Edge, Resource, Role, Why};

/// The diagram in DOT, for Graphviz.
pub fn dot(diagram: &Diagram) -> String {
    let mut out = String::from(
        "digraph {\n  rankdir=LR\n  compound=true\n  node [shape=box, fontname=\"sans-serif\"]\n  \
         edge [fontname=\"sans-serif\", fontsize=10]\n",
    );
    write(&mut out, &Dot, diagram);
    out + "}\n"
}

/// The diagram as a Mermaid flowchart.
pub fn mermaid(diagram: &Diagram) -> String {
    let mut out = String::from("flowchart LR\n");
    write(&mut out, &Mermaid, diagram);
    out
}

fn write(out: &mut String, form: &dyn Form, diagram: &Diagram) {
    let tree = Tree::of(diagram);
    frame(out, form, &tree, "", 1);
    let is_frame = |name: &str| {
        !tree.on(name).is_empty() || !tree.within(name).is_empty() || diagram.modules.iter().any(|m| *m.name == *name)
    };
    let end = |name: &str| form.end(name, is_frame(name));
    for edge in diagram.edges.iter().filter(|edge| !tree.is_membership(edge)) {
        form.edge(out, &end(&edge.from), &end(&edge.to), edge);
    }
    for server in &diagram.resources {
        for network in &server.networks {
            form.member(out, &end(&server.name), network);
        }
    }
}

/// Writes the content of a module, each item with what it contains.
fn frame(out: &mut String, form: &dyn Form, tree: &Tree<'_>, module: &str, depth: usize) {
    for item in tree.within(module) {
        match item {
            Item::Module(module) => {
                let title = module.title.as_ref().unwrap_or(&module.name);
                form.open(out, depth, &module.name, &format!("{title} ({})", module.kind));
                frame(out, form, tree, &module.name, depth + 1);
                form.close(out, depth);
            }
            Item::Resource(resource) if !tree.on(&resource.name).is_empty() => {
                form.open(out, depth, &resource.name, &lines(resource).join(": "));
                for component in tree.on(&resource.name) {
                    form.node(out, depth + 1, &component.key, &[&component.name], Role::Other);
                }
                form.close(out, depth);
            }
            Item::Resource(resource) => form.node(out, depth, &resource.name, &lines(resource), resource.role),
        }
    }
}

/// The name of a resource and its description.
fn lines(resource: &Resource) -> Vec<&str> {
    [&*resource.name, &*resource.ty].into_iter().filter(|line| !line.is_empty()).collect()
}

/// A graph language.
trait Form {
    fn node(&self, out: &mut String, depth: usize, id: &str, lines: &[&str], role: Role);
    fn open(&self, out: &mut String, depth: usize, id: &str, label: &str);
    fn close(&self, out: &mut String, depth: usize);
    /// An edge in the direction in which values flow, between the ends that [`Form::end`] returns.
    fn edge(&self, out: &mut String, from: &str, to: &str, edge: &Edge);
    /// A server's membership in a network.
    fn member(&self, out: &mut String, server: &str, network: &str);
    /// The node to which edges of `id` are attached.
    fn end(&self, id: &str, is_frame: bool) -> String;
}

struct Dot;

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

impl Form for Dot {
    fn node(&self, out: &mut String, depth: usize, id: &str, lines: &[&str], role: Role) {
        let label = lines.join("\n");
        let style = match role {
            Role::Network => ", style=filled, fillcolor=\"#dbeafe\", penwidth=0",
            Role::ServerBox => ", style=bold",
            Role::Other => "",
        };
        line(out, depth, format_args!("{} [label={}{style}]", quoted(id), quoted(&label)));
    }

    fn open(&self, out: &mut String, depth: usize, id: &str, label: &str) {
        line(out, depth, format_args!("subgraph {} {{", quoted(&format!("cluster {id}"))));
        line(out, depth + 1, format_args!("label={}", quoted(label)));
        // Edges of the frame are attached to this point.
        line(out, depth + 1, format_args!("{} [shape=point, style=invis]", quoted(&self.end(id, true))));
    }

    fn close(&self, out: &mut String, depth: usize) {
        line(out, depth, format_args!("}}"));
    }

    fn edge(&self, out: &mut String, from: &str, to: &str, edge: &Edge) {
        let attributes = match (edge.label(), edge.why) {
            (Some(label), _) => format!(" [label={}]", quoted(&label)),
            (None, Why::Infrastructure) => " [color=gray, penwidth=0.6]".into(),
            (None, _) => " [style=dashed, penwidth=0.6]".into(),
        };
        line(out, 1, format_args!("{} -> {}{attributes}", quoted(from), quoted(to)));
    }

    fn member(&self, out: &mut String, server: &str, network: &str) {
        let (network, server) = (quoted(network), quoted(server));
        line(out, 1, format_args!("{network} -> {server} [dir=none, color=\"#60a5fa\", penwidth=0.6]"));
    }

    fn end(&self, id: &str, is_frame: bool) -> String {
        if is_frame { format!("{id} frame") } else { id.to_owned() }
    }
}

struct Mermaid;

/// Mermaid allows few characters in an identifier. The others are written as their numbers.
fn identifier(id: &str) -> String {
    let mut out = String::from("n_");
    for character in id.chars() {
        if character.is_ascii_alphanumeric() {
            out.push(character);
        } else {
            let _ = write!(out, "_{:x}_", u32::from(character));
        }
    }
    out
}

/// Text for Mermaid: in quotes, with special characters as entities.
fn label(text: &str) -> String {
    text.replace('#', "#35;").replace('"', "#quot;").replace('<', "#lt;").replace('>', "#gt;").replace('\n', " ")
}

impl Form for Mermaid {
    fn node(&self, out: &mut String, depth: usize, id: &str, lines: &[&str], role: Role) {
        let lines: Vec<_> = lines.iter().map(|line| label(line)).collect();
        let (open, close) = if role == Role::Network { ("([", "])") } else { ("[", "]") };
        line(out, depth, format_args!("{}{open}\"{}\"{close}", identifier(id), lines.join("<br/>")));
    }

    fn open(&self, out: &mut String, depth: usize, id: &str, text: &str) {
        line(out, depth, format_args!("subgraph {}[\"{}\"]", identifier(id), label(text)));
    }

    fn close(&self, out: &mut String, depth: usize) {
        line(out, depth, format_args!("end"));
    }

    fn edge(&self, out: &mut String, from: &str, to: &str, edge: &Edge) {
        let arrow = if edge.why.is_order() { "-.->" } else { "-->" };
        let text = edge.label().map(|text| format!("|\"{}\"|", label(&text))).unwrap_or_default();
        line(out, 1, format_args!("{} {arrow}{text} {}", identifier(from), identifier(to)));
    }

    fn member(&self, out: &mut String, server: &str, network: &str) {
        line(out, 1, format_args!("{} --- {}", identifier(network), identifier(server)));
    }

    fn end(&self, id: &str, _: bool) -> String {
        id.to_owned()
    }
}

fn line(out: &mut String, depth: usize, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{:width$}{text}", "", width = 2 * depth).expect("INVARIANT: text takes all that is written");
}
