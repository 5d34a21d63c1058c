//! Resources whose text a shell runs.

use lib_ruby_parser::Node;

use super::ruby::Lines;
use crate::analysis::FileOutline;
use crate::texts::UNKNOWN;

/// A `bash`, `script` or `execute` whose block is being read.
pub(super) struct Shell {
    /// Its text, and the line where the text begins.
    text: Option<(String, u32)>,
    /// The property that contains the text.
    property: &'static str,
    /// Its shell is unknown, or is configured to stop at a failure.
    is_other: bool,
}

impl Shell {
    /// The resource that a call declares.
    pub(super) fn of(name: &str, args: &[Node], lines: &Lines) -> Option<Self> {
        let property = match name {
            "bash" | "script" => "code",
            "execute" => "command",
            _ => return None,
        };
        // Without a `command`, it runs its name.
        let text = args.first().filter(|_| name == "execute").and_then(|title| text(title, lines));
        Some(Self { text, property, is_other: name == "script" })
    }

    /// Records a property of the resource.
    pub(super) fn property(&mut self, name: &str, args: &[Node], lines: &Lines) {
        let Some(value) = args.first() else { return };
        let said = || text(value, lines).map_or_else(String::new, |(text, _)| text);
        match name {
            _ if name == self.property => self.text = text(value, lines),
            "interpreter" => self.is_other = !said().ends_with("sh"),
            "flags" => self.is_other |= said().split(' ').any(|word| crate::shell::has_short(word, 'e')),
            "ignore_failure" => self.is_other = true,
            _ => {}
        }
    }

    /// Records the first command in it after whose failure its shell continues.
    pub(super) fn note(self, into: &mut FileOutline) {
        let Some((text, line)) = self.text.filter(|_| !self.is_other) else { return };
        // Its variables are not attributes of the node.
        crate::shell::failure(&text, line, into);
    }
}

/// A text, with [`UNKNOWN`] for its computed parts, and the line where it begins.
fn text(node: &Node, lines: &Lines) -> Option<(String, u32)> {
    let (parts, begin) = match node {
        Node::Str(text) => (std::slice::from_ref(node), text.expression_l.begin),
        Node::Dstr(text) => (text.parts.as_slice(), text.expression_l.begin),
        Node::Heredoc(text) => (text.parts.as_slice(), text.heredoc_body_l.begin),
        _ => return None,
    };
    let mut text = String::new();
    for part in parts {
        match part {
            Node::Str(own) => text.push_str(&own.value.to_string_lossy()),
            _ => text.push(UNKNOWN),
        }
    }
    Some((text, lines.of(begin)))
}
