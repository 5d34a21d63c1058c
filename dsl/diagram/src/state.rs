//! The states in which a live diagram shows components.

/// How a component is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It, or what it depends on, failed.
    Failed,
    /// Its recipe runs.
    Running,
    /// It waits for inputs, or for its turn.
    Waiting,
    /// It succeeded, and its outputs are published.
    Done,
}

impl State {
    /// Every state, the one first that what is folded shows if anything in it is in that state.
    pub const ALL: [Self; 4] = [Self::Failed, Self::Running, Self::Waiting, Self::Done];

    /// Its word, in the page, in JSON and in tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Done => "done",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::State;

    const PAGE: &str = concat!(include_str!("page/page.js"), include_str!("page/page.css"));
    const LIVE: &str = concat!(
        include_str!("page/live.js"),
        include_str!("page/live-legend.js"),
        include_str!("page/live-now.js"),
        include_str!("page/live-timeline.js"),
        include_str!("page/live.css"),
    );
    /// Its `case`s are kinds of values.
    const DATA: &str = include_str!("page/live-data.js");

    /// The words of a script's array.
    fn array<'s>(script: &'s str, name: &str) -> Vec<&'s str> {
        let (_, rest) = script.split_once(&format!("const {name} = [")).expect("the array");
        let (items, _) = rest.split_once(']').expect("its end");
        items.split(", ").map(|item| item.trim_matches('\'')).collect()
    }

    /// What stands behind `before` in quotes, wherever that is.
    fn quoted<'s>(text: &'s str, before: &str) -> BTreeSet<&'s str> {
        text.split(before).skip(1).filter_map(|rest| rest.split('\'').next()).collect()
    }

    #[test]
    fn scripts_and_styles_know_every_state_and_no_other() {
        let words = State::ALL.map(State::word);
        assert_eq!(array(PAGE, "ORDER"), words, "what is folded shows the first of these");
        let legend: BTreeSet<_> = array(LIVE, "STATES").into_iter().collect();
        assert_eq!(legend, words.into(), "the legend");
        let styled = quoted(PAGE, "[data-state='");
        assert_eq!(styled, words.into(), "the colours of boxes");
        let known: BTreeSet<_> = words.into_iter().chain(["not-begun"]).collect();
        let explained: BTreeSet<_> = words.into_iter().chain(["awaited"]).collect();
        assert_eq!(quoted(LIVE, "#legend [data-kind='"), explained, "the colours of the legend");
        for before in
            ["told.state === '", "state === '", "state: '", "case '", "?.state === '", ".live-state[data-state='"]
        {
            let used = quoted(LIVE, before);
            assert!(used.is_subset(&known), "{before}: {used:?}");
        }
        assert!(quoted(LIVE, "told.state === '").contains("waiting"), "the scripts are looked through");
        assert_eq!(quoted(DATA, "told.state === '"), ["failed"].into(), "the panel of data");
        for word in words {
            assert!(LIVE.contains(&format!("--live-{word}: var(--{word});")), "the colour of `{word}` in tables");
        }
    }
}
