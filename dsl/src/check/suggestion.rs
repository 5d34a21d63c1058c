//! The cost limit of "did you mean" suggestions.

use std::cell::Cell;

use crate::names::meant;

/// The number of name comparisons that one run of the checks may make: a model with 20,000 names in which every reference
/// is wrong does not justify a minute.
pub(super) struct Budget(Cell<usize>);

impl Default for Budget {
    fn default() -> Self {
        Self(Cell::new(1_000_000))
    }
}

impl Budget {
    /// Help that suggests the candidate most similar to `name`, if one is similar enough.
    pub(super) fn suggest<'a>(&self, name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
        let candidates =
            candidates.inspect(|_| self.0.set(self.0.get().saturating_sub(1))).take_while(|_| self.0.get() > 0);
        meant(name, candidates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_wrong_names_do_not_cost_for_ever() {
        let names: Vec<String> = (0..10_000).map(|i| format!("name{i}")).collect();
        let budget = Budget::default();
        let found = names.iter().filter(|_| budget.suggest("nam", names.iter().map(String::as_str)).is_some()).count();
        assert!((1..=101).contains(&found), "{found}");
    }
}
