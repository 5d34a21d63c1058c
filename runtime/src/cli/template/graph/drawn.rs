//! A graph as text: JSON for programs, DOT and Mermaid for what draws them.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};
use wattle::graph::{Node, Why};
use wattle::model::Model;
use wattle_hot::Graph;

/// What is shown: resources, the components on servers, and who waits for whom.
pub(super) struct Drawn<'g> {
    resources: &'g Graph,
    /// `SERVER/COMPONENT`, with both.
    components: Vec<(&'g str, &'g str, &'g str)>,
    waits: Vec<Wait<'g>>,
}

/// That a component waits for another one.
struct Wait<'g> {
    from: &'g str,
    to: &'g str,
    /// The input, and the output that it reads; none where only the order is given.
    data: Option<(&'g str, &'g str)>,
    why: &'static str,
}

impl<'g> Drawn<'g> {
    pub(super) fn of(resources: &'g Graph, model: Option<&'g Model>) -> Self {
        let components = model.map(|model| {
            let component = |(key, component): (&'g _, &'g wattle::model::Component)| {
                let key: &'g std::sync::Arc<str> = key;
                (&**key, &*component.server, &*component.name)
            };
            model.components.iter().map(component).collect()
        });
        let waits = model.map(|model| {
            let wait = |(from, edge, to): (Node<'g>, wattle::graph::Edge<'g>, Node<'g>)| {
                let (Node::Component(from, _), Node::Component(to, _)) = (from, to) else { return None };
                let (data, why) = match edge.why {
                    Why::Data { input, output, .. } => (Some((&**input, &**output)), "data"),
                    Why::RunList => (None, "run-list"),
                    _ => (None, "after"),
                };
                Some(Wait { from, to, data, why })
            };
            wattle::graph::Graph::of(model).edges().filter_map(wait).collect()
        });
        Self { resources, components: components.unwrap_or_default(), waits: waits.unwrap_or_default() }
    }

    /// `graph`, `types` and `nested` as [`Graph`] says them; where software is described, also `components` and `waits`.
    pub(super) fn json(&self) -> String {
        let mut all = serde_json::to_value(self.resources).expect("INVARIANT: maps of text are JSON");
        if !self.components.is_empty() {
            let wait = |wait: &Wait<'_>| {
                let mut edge = json!({ "component": wait.from, "requires": wait.to, "why": wait.why });
                if let Some((input, output)) = wait.data {
                    edge["input"] = json!(input);
                    edge["output"] = json!(output);
                }
                edge
            };
            all["components"] = self.components.iter().map(|(key, ..)| Value::from(*key)).collect();
            all["waits"] = self.waits.iter().map(wait).collect();
        }
        format!("{all:#}\n")
    }

    pub(super) fn dot(&self) -> String {
        let mut out = String::from("digraph {\n  rankdir=LR\n  node [shape=box]\n");
        self.write(&mut out, &Dot);
        out + "}\n"
    }

    pub(super) fn mermaid(&self) -> String {
        let mut out = String::from("flowchart LR\n");
        self.write(&mut out, &Mermaid);
        out
    }

    fn write(&self, out: &mut String, form: &dyn Form) {
        write_resources(out, form, self.resources, "", 1, self);
        for wait in &self.waits {
            let label = wait
                .data
                .map(|(input, output)| if input == output { input.to_owned() } else { format!("{input} ← {output}") });
            form.edge(out, wait.from, wait.to, label.as_deref(), wait.data.is_some());
        }
    }

    fn on<'s>(&'s self, server: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        self.components.iter().filter(move |(_, host, _)| *host == server).map(|(key, _, name)| (*key, *name))
    }
}

/// The resources of a stack, each with what is within: components, or the stack nested as it.
fn write_resources(out: &mut String, form: &dyn Form, graph: &Graph, path: &str, depth: usize, drawn: &Drawn<'_>) {
    for (name, ty) in &graph.types {
        let id = format!("{path}{name}");
        let nested = graph.nested.get(name);
        let components: Vec<_> = if path.is_empty() { drawn.on(name).collect() } else { Vec::new() };
        if nested.is_none() && components.is_empty() {
            form.node(out, depth, &id, &[name, ty]);
            continue;
        }
        form.open(out, depth, &id, &format!("{name} ({ty})"));
        for (key, component) in components {
            form.node(out, depth + 1, key, &[component]);
        }
        if let Some(nested) = nested {
            write_resources(out, form, nested, &format!("{id}/"), depth + 1, drawn);
        }
        form.close(out, depth);
    }
    let framed = |name: &str| graph.nested.contains_key(name) || (path.is_empty() && drawn.on(name).next().is_some());
    for (name, requires) in &graph.graph {
        for required in requires.iter().collect::<BTreeSet<_>>() {
            let ends = [name, required].map(|name| form.end(&format!("{path}{name}"), framed(name)));
            form.edge(out, &ends[0], &ends[1], None, true);
        }
    }
}

/// A language of graphs.
trait Form {
    fn node(&self, out: &mut String, depth: usize, id: &str, lines: &[&str]);
    fn open(&self, out: &mut String, depth: usize, id: &str, label: &str);
    fn close(&self, out: &mut String, depth: usize);
    /// An edge from who waits to what it waits for.
    fn edge(&self, out: &mut String, from: &str, to: &str, label: Option<&str>, is_solid: bool);
    /// What an edge is tied to that leads to `id`.
    fn end(&self, id: &str, is_frame: bool) -> String;
}

struct Dot;

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Form for Dot {
    fn node(&self, out: &mut String, depth: usize, id: &str, lines: &[&str]) {
        let label = lines.iter().map(|line| line.replace('\\', "\\\\").replace('"', "\\\"")).collect::<Vec<_>>();
        line(out, depth, format_args!("{} [label=\"{}\"]", quoted(id), label.join("\\n")));
    }

    fn open(&self, out: &mut String, depth: usize, id: &str, label: &str) {
        line(out, depth, format_args!("subgraph {} {{", quoted(&format!("cluster {id}"))));
        line(out, depth + 1, format_args!("label={}", quoted(label)));
        // An edge to a frame is tied to this.
        line(out, depth + 1, format_args!("{} [shape=point, style=invis]", quoted(&self.end(id, true))));
    }

    fn close(&self, out: &mut String, depth: usize) {
        line(out, depth, format_args!("}}"));
    }

    fn edge(&self, out: &mut String, from: &str, to: &str, label: Option<&str>, is_solid: bool) {
        let label = label.map(|label| format!("label={}", quoted(label)));
        let style = (!is_solid).then(|| "style=dashed".to_owned());
        let attributes: Vec<_> = label.into_iter().chain(style).collect();
        let attributes = if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        line(out, 1, format_args!("{} -> {}{attributes}", quoted(from), quoted(to)));
    }

    fn end(&self, id: &str, is_frame: bool) -> String {
        if is_frame { format!("{id} frame") } else { id.to_owned() }
    }
}

struct Mermaid;

/// Mermaid takes few characters in an identifier: the others are written as their numbers.
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

/// Text in Mermaid: within quotes, these as entities.
fn label(text: &str) -> String {
    text.replace('#', "#35;").replace('"', "#quot;").replace('<', "#lt;").replace('>', "#gt;")
}

impl Form for Mermaid {
    fn node(&self, out: &mut String, depth: usize, id: &str, lines: &[&str]) {
        let lines: Vec<_> = lines.iter().map(|line| label(line)).collect();
        line(out, depth, format_args!("{}[\"{}\"]", identifier(id), lines.join("<br/>")));
    }

    fn open(&self, out: &mut String, depth: usize, id: &str, text: &str) {
        line(out, depth, format_args!("subgraph {}[\"{}\"]", identifier(id), label(text)));
    }

    fn close(&self, out: &mut String, depth: usize) {
        line(out, depth, format_args!("end"));
    }

    fn edge(&self, out: &mut String, from: &str, to: &str, text: Option<&str>, is_solid: bool) {
        let arrow = if is_solid { "-->" } else { "-.->" };
        let text = text.map(|text| format!("|\"{}\"|", label(text))).unwrap_or_default();
        line(out, 1, format_args!("{} {arrow}{text} {}", identifier(from), identifier(to)));
    }

    fn end(&self, id: &str, _: bool) -> String {
        id.to_owned()
    }
}

fn line(out: &mut String, depth: usize, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{:width$}{text}", "", width = 2 * depth).expect("INVARIANT: text takes all that is written");
}
