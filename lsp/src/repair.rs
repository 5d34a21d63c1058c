//! Repairs a text in which only some lines are not YAML, as happens during typing.

use std::borrow::Cow;

use wattle_heat::yaml::{Error, read};

/// The maximum number of lines to remove.
const LINES: usize = 24;

/// The text without the lines that prevent it from being read. The rest stays in place. Empty if that does not suffice.
pub(crate) fn repaired(text: &str) -> Cow<'_, str> {
    let mut repaired = Cow::Borrowed(text);
    for _ in 0..LINES {
        let Err(error) = read(&repaired) else { return repaired };
        let Some(without) = without(&repaired, &error) else { break };
        repaired = Cow::Owned(without);
    }
    if read(&repaired).is_ok() { repaired } else { Cow::Borrowed("") }
}

/// The text without the line that caused `error`: that of the unclosed bracket, otherwise the one where reading ended,
/// or the last nonempty one before it.
fn without(text: &str, error: &Error) -> Option<String> {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let context = error.context.as_ref().map(|(_, span)| span.start.line as usize);
    let is_there = |line: &usize| lines.get(*line).is_some_and(|line| !line.trim().is_empty());
    let line = context.filter(is_there).or_else(|| (0..=error.span.start.line as usize).rev().find(is_there))?;
    lines[line] = lines[line].chars().map(|character| if character == '\r' { '\r' } else { ' ' }).collect();
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_heat::template::Template;

    /// The remaining resources, with their types.
    fn resources(text: &str) -> Vec<String> {
        let template = Template::of(read(&repaired(text)).expect("YAML"), "t.yaml");
        let kind = |resource: &wattle_heat::template::Resource| resource.kind().unwrap_or("?").to_owned();
        template.resources.iter().map(|(name, resource)| format!("{name} {}", kind(resource))).collect()
    }

    #[test]
    fn the_rest_is_still_there() {
        let before = "resources:\n  a:\n    type: A\n  b:\n    type: B\n    properties:\n";
        let after = "  c:\n    type: C\n";
        for unfinished in [
            "      name\n",
            "      na\n      other: 1\n",
            "      name: {get_param: \n",
            "      name: {get_attr: [a, \n",
            "      name: \"x\n",
            "      name: 'x\n",
            "      - x\n      y: 1\n",
            "      name: a: b\n",
            "      name: }\n",
            "      name: *nothing\n",
            "      name: !Ref a\n",
            "      \tname: x\n",
            "    properties: [\n",
        ] {
            let found = resources(&format!("{before}{unfinished}{after}"));
            assert_eq!(found[..2], ["a A", "b B"], "{unfinished}");
        }
        assert_eq!(resources(&format!("{before}      name: {{get_param: \n{after}")), ["a A", "b B", "c C"]);
    }

    #[test]
    fn what_cannot_be_repaired_is_empty() {
        assert_eq!(repaired(&"{[\n".repeat(200)), "");
        assert_eq!(repaired("a: 1\n"), "a: 1\n");
    }
}
