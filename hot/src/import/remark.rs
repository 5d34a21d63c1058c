//! The comments of a template: their subjects, and their places in the code.

use wattle::shown::one_line;
use wattle_heat::template::Template;
use wattle_heat::yaml::{Comment, Node, Pair, Place, Tree};
use wattle_model::IndexMap;

/// The subject of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Owner<'a> {
    /// The template itself.
    Template,
    /// A section, by its key.
    Section(&'a str),
    /// An entry of a section, by name: `("resources", "web")`.
    Named(&'a str, &'a str),
    /// The end of the template.
    End,
}

/// The comments that have not been written to the code yet.
#[derive(Debug, Default)]
pub(super) struct Remarks<'a>(IndexMap<Owner<'a>, Vec<String>>);

impl<'a> Remarks<'a> {
    pub(super) fn of(template: &'a Template) -> Self {
        let anchors = anchors(template);
        let mut remarks = Self::default();
        let mut before: Option<(Owner<'a>, Option<String>, u32)> = None;
        for comment in &template.comments {
            let (owner, key) = owner(template, &anchors, comment);
            let follows = before.as_ref().is_some_and(|(one, of, line)| {
                (one, of) == (&owner, &key) && line + 1 == comment.place.line && !comment.trails
            });
            let key_shown = key.as_deref().filter(|_| !follows && comment.text.contains(char::is_alphanumeric));
            remarks.0.entry(owner).or_default().push(row(&comment.text, key_shown));
            before = Some((owner, key, comment.place.line));
        }
        remarks
    }

    /// Removes the comments of `owner` and returns them as lines with this indentation.
    pub(super) fn take(&mut self, owner: Owner<'a>, indent: usize) -> String {
        self.0.shift_remove(&owner).map_or_else(String::new, |rows| lines(&rows, indent))
    }

    /// All comments that have not been written yet.
    pub(super) fn rest(&mut self) -> String {
        std::mem::take(&mut self.0).into_values().map(|rows| lines(&rows, 0)).collect()
    }
}

fn lines(rows: &[String], indent: usize) -> String {
    rows.iter().map(|row| format!("{}{row}\n", " ".repeat(indent))).collect()
}

/// One comment. `key` is the part of its owner that it refers to.
fn row(text: &str, key: Option<&str>) -> String {
    let text = one_line(&text.replace('\t', "    "));
    let text = match key {
        Some(key) => format!(" `{}`: {}", one_line(key), text.trim_start()),
        None if text.is_empty() || text.starts_with(' ') => text,
        None => format!(" {text}"),
    };
    format!("//{text}").trim_end().to_owned()
}

/// The position of each possible owner of a comment, in source order.
fn anchors(template: &Template) -> Vec<(Place, Owner<'_>)> {
    let mut anchors = vec![(Place::default(), Owner::Template)];
    if let Tree::Map(pairs) = &*template.root.tree {
        for pair in pairs {
            let owner = match pair.key.tree.as_text() {
                Some(key @ ("parameters" | "parameter_groups" | "conditions" | "resources" | "outputs")) => {
                    Owner::Section(key)
                }
                _ => Owner::Template,
            };
            anchors.push((pair.key.span.start, owner));
        }
    }
    let mut named =
        |section, name, span: wattle_heat::yaml::Span| anchors.push((span.start, Owner::Named(section, name)));
    template.parameters.iter().for_each(|(name, one)| named("parameters", name, one.name_span));
    template.conditions.iter().for_each(|(name, one)| named("conditions", name, one.name_span));
    template.resources.iter().for_each(|(name, one)| named("resources", name, one.name_span));
    template.outputs.iter().for_each(|(name, one)| named("outputs", name, one.name_span));
    anchors.sort_by_key(|(place, _)| *place);
    anchors
}

/// The owner of the comment. This is the element that begins after it, unless the comment is indented more deeply; then it
/// is the enclosing element. Also returns the key in that owner, if the comment is at one.
fn owner<'a>(template: &Template, anchors: &[(Place, Owner<'a>)], comment: &Comment) -> (Owner<'a>, Option<String>) {
    let begins = anchors.iter().rev().find(|(place, _)| *place == comment.next);
    if let Some((place, owner)) = begins.filter(|_| !comment.trails)
        && comment.place.column <= place.column
    {
        return (*owner, None);
    }
    let behind = anchors.partition_point(|(place, _)| *place <= comment.place);
    let is_last = anchors[behind..].is_empty() && comment.next.line > last_line(template);
    if is_last && comment.place.column == 0 && !comment.trails {
        return (Owner::End, None);
    }
    let (_, owner) = anchors[behind.saturating_sub(1)];
    let at = if comment.trails { comment.place } else { comment.next };
    let is_at_key = comment.trails || begins.is_none() && !is_last;
    (owner, key(template, owner, at.line).filter(|_| is_at_key))
}

fn last_line(template: &Template) -> u32 {
    fn of(node: &Node) -> u32 {
        let inner = match &*node.tree {
            Tree::Map(pairs) => pairs.last().map(|pair| of(&pair.value)),
            Tree::List(items) => items.last().map(of),
            _ => None,
        };
        inner.unwrap_or(0).max(node.span.start.line)
    }
    of(&template.root)
}

/// The owner's key on this line, or the key whose value is on it. For a resource's properties, the property.
fn key(template: &Template, owner: Owner<'_>, line: u32) -> Option<String> {
    let Owner::Named(section, name) = owner else { return None };
    let (span, node) = match section {
        "parameters" => template.parameters.get(name).map(|one| (one.name_span, &one.node)),
        "resources" => template.resources.get(name).map(|one| (one.name_span, &one.node)),
        "outputs" => template.outputs.get(name).map(|one| (one.name_span, &one.node)),
        _ => None,
    }?;
    // The comment of a one-line owner belongs to the whole.
    let pair = pair(node, line).filter(|_| span.start.line < line)?;
    match pair.key.tree.as_text() {
        Some("properties") => {
            let property = self::pair(&pair.value, line).map(|pair| pair.key.as_key());
            property.or_else(|| Some("properties".into()))
        }
        _ => Some(pair.key.as_key()),
    }
}

fn pair(node: &Node, line: u32) -> Option<&Pair> {
    let Tree::Map(pairs) = &*node.tree else { return None };
    pairs.iter().rev().find(|pair| pair.key.span.start.line <= line)
}
