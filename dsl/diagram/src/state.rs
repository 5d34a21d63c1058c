//! The states of components in a live diagram.

/// The displayed state of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It failed.
    Failed,
    /// It cannot run, because something that it depends on failed.
    Blocked,
    /// Its recipe is running.
    Running,
    /// It waits for inputs, or for its turn.
    Waiting,
    /// It succeeded, and its outputs are published.
    Done,
}

impl State {
    /// Every state, in order of priority: a folded box shows the first state that occurs in it.
    pub const ALL: [Self; 5] = [Self::Failed, Self::Blocked, Self::Running, Self::Waiting, Self::Done];

    /// Its name in the page and in tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Blocked => "blocked",
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
        include_str!("page/live-bars.js"),
        include_str!("page/live.css"),
    );
    /// Each `case` in it is a kind of value.
    const DATA: &str = include_str!("page/live-data.js");

    /// The strings of an array in a script.
    fn array<'s>(script: &'s str, name: &str) -> Vec<&'s str> {
        let (_, rest) = script.split_once(&format!("const {name} = [")).expect("the array");
        let (items, _) = rest.split_once(']').expect("its end");
        items.split(", ").map(|item| item.trim_matches('\'')).collect()
    }

    /// All quoted strings that follow `before`.
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
        // A component that another one's failure blocks is shown as such everywhere, not as failed itself.
        assert_eq!(quoted(DATA, "?.length ? '"), [State::Blocked.word()].into(), "the panel of data");
        for word in State::ALL.map(State::word) {
            assert!(LIVE.contains(&format!("--live-{word}: var(--{word});")), "the colour of `{word}` in tables");
        }
    }
}
