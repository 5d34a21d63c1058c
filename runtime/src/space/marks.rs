//! The place in its data space that an infrastructure's signatures cover.
//!
//! Nodes below a stack's infrastructure are signed together with the mark of the infrastructure, which is on its node
//! along with the name of the data space. So anything that was signed for another stack, or in another data space, is
//! invalid.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use wattle::model::Name;
use wattle_agent_core::layout::ROOT;

/// The marks of the stacks' infrastructures read so far.
#[derive(Default)]
pub(super) struct Marks(Mutex<BTreeMap<String, String>>);

/// Contents of the node of a stack's infrastructure, which has more fields.
#[derive(Deserialize)]
pub(super) struct Known {
    /// The mark.
    pub(super) mark: String,
    /// The data space, if it has one.
    #[serde(default)]
    pub(super) space: Option<Name>,
}

impl Marks {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the mark of the infrastructure with the node `top` is known.
    pub(super) fn has(&self, top: &str) -> bool {
        self.all().contains_key(top)
    }

    pub(super) fn note(&self, top: &str, mark: String) {
        self.all().insert(top.to_owned(), mark);
    }

    /// The place for which the node at `path` is signed.
    pub(super) fn place<'p>(&self, path: &'p str) -> Cow<'p, str> {
        match infrastructure_of(path) {
            Some(top) => place_of(path, self.all().get(top).map(String::as_str)),
            None => Cow::Borrowed(path),
        }
    }
}

/// The node of the infrastructure that contains `path`.
pub(super) fn infrastructure_of(path: &str) -> Option<&str> {
    let stack = path.strip_prefix(ROOT)?.strip_prefix('/')?.split('/').next()?;
    let end = ROOT.len() + 1 + stack.len() + "/infrastructure".len();
    let top = path.get(..end).filter(|top| top.ends_with("/infrastructure"))?;
    path[end..].starts_with('/').then_some(top)
}

/// The place for which a node is signed. If it belongs to an infrastructure, `mark` is its mark. No path contains a
/// space.
pub(crate) fn place_of<'p>(path: &'p str, mark: Option<&str>) -> Cow<'p, str> {
    let mark = mark.filter(|_| infrastructure_of(path).is_some());
    mark.map_or(Cow::Borrowed(path), |mark| Cow::Owned(format!("{path} {mark}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_infrastructure_is_signed_for_it() {
        let place = |path| place_of(path, Some("shop-1a2b3c")).into_owned();
        assert_eq!(place("/wattle/shop/infrastructure/rows/1-1"), "/wattle/shop/infrastructure/rows/1-1 shop-1a2b3c");
        for path in [
            "/wattle/shop/infrastructure",
            "/wattle/shop/infrastructures/a",
            "/wattle/shop/servers/infrastructure/plan",
            "/wattle",
        ] {
            assert_eq!(place(path), path);
        }
        let marks = Marks::default();
        let row = "/wattle/infrastructure/infrastructure/goal";
        assert_eq!(marks.place(row), row);
        marks.note("/wattle/infrastructure/infrastructure", "x".to_owned());
        assert_eq!(marks.place(row), format!("{row} x"));
    }
}
