//! The state of infrastructure, in words.

use wattle::model::Name;

use crate::deploy::Through;

use super::{Built, How, Infrastructure, Pace, Resource};

/// The largest number of names of one kind in a line.
const FEW: usize = 3;

impl How {
    /// A word for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Failed(_) => "failed",
            Self::Differs(_) => "differs",
            Self::Busy(_) => "busy",
            Self::Leaving => "leaving",
            Self::ToCome(_) => "to-come",
            Self::ToGo => "to-go",
            Self::There => "there",
        }
    }

    /// The smaller it is, the more important it is to see.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Failed(_) => 0,
            Self::Differs(_) => 1,
            Self::Busy(_) => 2,
            Self::Leaving => 3,
            Self::ToCome(_) => 4,
            Self::ToGo => 5,
            Self::There => 6,
        }
    }

    /// What to say about the resource.
    pub fn sentence(&self) -> String {
        match self {
            Self::Failed(why) => format!("failed: {why}"),
            Self::Differs(how) => format!("is not as it was deployed: {how}"),
            Self::Busy(what) => (*what).to_owned(),
            Self::Leaving => "is being deleted".to_owned(),
            Self::ToCome(waits) if waits.is_empty() => "is to be created".to_owned(),
            Self::ToCome(waits) => format!("waits for {}", few(waits.iter().map(Name::to_string), waits.len())),
            Self::ToGo => "is to be deleted".to_owned(),
            Self::There => "is there".to_owned(),
        }
    }

    /// Why something failed.
    fn why(&self) -> Option<&str> {
        match self {
            Self::Failed(why) | Self::Differs(why) => Some(why),
            Self::Busy(_) | Self::Leaving | Self::ToCome(_) | Self::ToGo | Self::There => None,
        }
    }
}

impl Infrastructure {
    /// How many resources have got how far, in one line: `17 of 19 resources there, 2 under way`.
    pub fn headline(&self) -> String {
        let (mut parts, wrong) = self.parts();
        parts.extend(wrong.into_iter().map(|(part, _)| part));
        self.line(&parts)
    }

    /// The same, with what is wrong: `18 of 19 resources there, 1 failed: app1 (No valid host was found)`.
    pub fn in_one_line(&self) -> String {
        let (mut parts, wrong) = self.parts();
        parts.extend(wrong.into_iter().map(|(part, which)| {
            let named = which.iter().take(FEW).map(|resource| match resource.how.why() {
                Some(why) => format!("{} ({why})", resource.name),
                None => resource.name.to_string(),
            });
            format!("{part}: {}", few(named, which.len()))
        }));
        self.line(&parts)
    }

    /// How many resources have got how far, and which ones have what wrong.
    fn parts(&self) -> (Vec<String>, Vec<(String, Vec<&Resource>)>) {
        let Built { all, there, busy, to_come, to_go, differ, failed } = self.tally;
        let word = if all == 1 { "resource" } else { "resources" };
        // Where everything goes, the line begins with that.
        let deleted = if all == 0 { "to go" } else { "to be deleted" };
        let counts = [(busy, "under way"), (to_come, "to be created"), (to_go, deleted)];
        let mut parts: Vec<String> =
            counts.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}")).collect();
        if all > 0 {
            parts.insert(0, format!("{there} of {all} {word} there"));
        }
        let of = |word: &'static str| self.wrong().filter(move |resource| resource.how.word() == word);
        let wrong = [(differ, "differs", "not as deployed"), (failed, "failed", "failed")].into_iter();
        let wrong = wrong.filter(|(number, ..)| *number > 0);
        let wrong = wrong.map(|(number, word, said)| (format!("{number} {said}"), of(word).collect()));
        (parts, wrong.collect())
    }

    fn line(&self, parts: &[String]) -> String {
        let Self { stack, tally, .. } = self;
        if self.through == Through::Heat {
            let known = if self.pace == Pace::Over { "" } else { ", which knows the progress" };
            return format!("Heat creates it, as its stack `{stack}`{known}");
        }
        let end = match (tally.all, self.pace) {
            (0, _) if parts.is_empty() => return "nothing is left".to_owned(),
            (0, Pace::GoesOn) => "everything is being deleted: ",
            (0, _) => "everything is to be deleted: ",
            _ => "",
        };
        let stopped =
            if self.pace == Pace::Stopped { "; no command is running, and `wattle deploy` continues" } else { "" };
        format!("{end}{}{stopped}", parts.join(", "))
    }
}

/// The first of `all` names.
fn few(names: impl Iterator<Item = String>, all: usize) -> String {
    let first: Vec<String> = names.take(FEW).collect();
    match all.saturating_sub(FEW) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
