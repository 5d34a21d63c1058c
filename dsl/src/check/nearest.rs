//! The name that was probably meant.

use std::cell::Cell;

/// As clap and rustc have it: below this, names do not look alike to a person.
const ALIKE: f64 = 0.7;

/// Comparisons of names that one run of the checks may spend: a model of 20,000 names whose every reference is wrong is
/// not worth a minute.
pub(super) struct Budget(Cell<usize>);

impl Default for Budget {
    fn default() -> Self {
        Self(Cell::new(1_000_000))
    }
}

impl Budget {
    /// Help that names the candidate most like `name`, if one looks like it.
    pub(super) fn suggest<'a>(&self, name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
        let candidates =
            candidates.inspect(|_| self.0.set(self.0.get().saturating_sub(1))).take_while(|_| self.0.get() > 0);
        nearest(name, candidates).map(|nearest| format!("did you mean `{nearest}`?"))
    }
}

/// The candidate most like `name`, if one looks like it; the first of several.
pub(super) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut best = (ALIKE, None);
    for candidate in candidates {
        let likeness = strsim::jaro(name, candidate).max(slip(name, candidate));
        if likeness > best.0 {
            best = (likeness, Some(candidate));
        }
    }
    best.1
}

/// How alike names are that differ by one slip of the finger; short names are otherwise like nothing else.
fn slip(name: &str, candidate: &str) -> f64 {
    let length = name.len();
    let may = (2..=4).contains(&length) && length.abs_diff(candidate.len()) <= 1;
    if may && strsim::osa_distance(name, candidate) == 1 { 0.75 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_alike_name_is_meant() {
        assert_eq!(nearest("flavour", ["image", "flavor", "favour-me"].into_iter()), Some("flavor"));
        assert_eq!(nearest("bd", ["ab", "db"].into_iter()), Some("db"));
        assert_eq!(nearest("zzz", ["image", "flavor"].into_iter()), None);
    }

    #[test]
    fn many_wrong_names_do_not_cost_for_ever() {
        let names: Vec<String> = (0..10_000).map(|i| format!("name{i}")).collect();
        let budget = Budget::default();
        let found = names.iter().filter(|_| budget.suggest("nam", names.iter().map(String::as_str)).is_some()).count();
        assert!((1..=101).contains(&found), "{found}");
    }
}
