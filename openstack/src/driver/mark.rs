//! The mark of a deployment's resources, and how it is combined with the texts of a template.

use sha2::{Digest as _, Sha256};
use wattle_converge::Id;

/// The prefix of each mark.
const PREFIX: &str = "wattle:";

/// The longest name of a stack that is used in marks unchanged. With it, a mark has at most 60 characters, which is the limit of
/// Nova's and Neutron's tags, whatever term and number a row's name has: that name has at most 32 of them.
const LONGEST: usize = 20;

/// The text before the mark of an unfinished thing.
const HALF: &str = "half-made";

/// The mark of a deployment. Each thing of the deployment carries it, which identifies its owner.
///
/// ```
/// use wattle_converge::Id;
/// use wattle_openstack::driver::Mark;
///
/// let mark = Mark::new("shop");
/// let id = Id { term: 3, number: 17 };
/// assert_eq!(mark.of(id), "wattle:shop:3-17");
/// assert_eq!(mark.row("wattle:shop:3-17"), Some(id));
/// assert_eq!(mark.row("wattle:stop:3-17"), None);
/// assert_eq!(mark.whole(), "wattle:shop");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    stack: String,
    /// `wattle:STACK:`.
    prefix: String,
}

impl Mark {
    /// Creates the marks of `stack`, whose name must be unique among the deployments of a project. A name that is too
    /// long for tags, or contains characters that they do not allow, is replaced by a prefix of its SHA-256.
    pub fn new(stack: &str) -> Self {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let short = if (1..=LONGEST).contains(&stack.len()) && stack.chars().all(is_plain) {
            stack.to_owned()
        } else {
            Sha256::digest(stack).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
        };
        Self { stack: stack.to_owned(), prefix: format!("{PREFIX}{short}:") }
    }

    /// The name of the stack.
    pub fn stack(&self) -> &str {
        &self.stack
    }

    /// The mark of the deployment as a whole.
    pub fn whole(&self) -> String {
        self.prefix.trim_end_matches(':').to_owned()
    }

    /// The mark of a row's thing.
    pub fn of(&self, row: Id) -> String {
        format!("{}{row}", self.prefix)
    }

    /// The row with this mark, if it belongs to this deployment.
    pub fn row(&self, text: &str) -> Option<Id> {
        text.strip_prefix(&self.prefix)?.parse().ok()
    }

    /// The row whose mark ends a text that someone else began.
    pub(super) fn row_in(&self, text: &str) -> Option<Id> {
        self.row(text.rsplit([' ', '\n']).next()?)
    }

    /// The row whose mark is among the tags.
    pub(super) fn row_of_tags(&self, tags: &serde_json::Value) -> Option<Id> {
        tags.as_array()?.iter().find_map(|tag| self.row(tag.as_str()?))
    }
}

/// A text followed by a mark.
pub(super) fn with(text: &str, mark: &str) -> String {
    if text.is_empty() { mark.to_owned() } else { format!("{text} {mark}") }
}

/// The text without the mark.
pub(super) fn without(text: &str) -> &str {
    match text.rsplit_once([' ', '\n']) {
        Some((text, mark)) if is_mark(mark) => text,
        None if is_mark(text) => "",
        _ => text,
    }
}

/// The text of an unfinished thing.
pub(super) fn half(mark: &str) -> String {
    with(HALF, mark)
}

/// Whether the text is that of an unfinished thing.
pub(super) fn is_half(text: &str) -> bool {
    without(text) == HALF
}

/// The mark that ends a text that someone else began, whichever deployment it belongs to.
pub(super) fn mark_in(text: &str) -> Option<&str> {
    text.rsplit([' ', '\n']).next().filter(|word| is_mark(word))
}

/// The name of the deployment in a mark.
pub(super) fn deployment(mark: &str) -> &str {
    let rest = mark.strip_prefix(PREFIX).unwrap_or(mark);
    rest.rsplit_once(':').map_or(rest, |(deployment, _)| deployment)
}

/// Whether a tag, a word or a key is a mark, of any deployment.
pub(super) fn is_mark(text: &str) -> bool {
    text.starts_with(PREFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_fit_into_tags() {
        let id = Id { term: 999_999_999, number: 999_999_999_999_999_999 };
        for stack in
            ["", "shop", "a-name-of-20-signs-x", "a-name-of-more-than-20-signs", "a/b", "a:b", "Laden für Räder"]
        {
            let mark = Mark::new(stack);
            let text = mark.of(id);
            assert!(text.len() <= 60 && !text.contains(['/', ',']), "{text}");
            assert_eq!(mark.row(&text), Some(id));
        }
        assert_ne!(Mark::new("a:b").of(id), Mark::new("a:c").of(id));
        assert_eq!(Mark::new("a").row(&Mark::new("a-b").of(id)), None);
    }

    #[test]
    fn a_mark_leaves_what_a_template_says() {
        let mark = Mark::new("shop");
        let id = Id { term: 1, number: 2 };
        for text in ["", "of the shop", "two\nlines", "ends with wattle"] {
            let both = with(text, &mark.of(id));
            assert_eq!((without(&both), mark.row_in(&both)), (text, Some(id)));
            assert!(!is_half(&both));
        }
        assert_eq!(without("no mark"), "no mark");
        assert!(is_half(&half(&mark.of(id))));
        assert_eq!(mark.row_in(&half(&mark.of(id))), Some(id));
    }
}
