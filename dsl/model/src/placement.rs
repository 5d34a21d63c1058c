//! Where servers should run: policies for several servers together.

use serde::{Deserialize, Serialize};
use wattle_words::names::{list, some};

use crate::{Name, Source};

/// A level at which two hosts can share a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// The host itself.
    Host,
    /// A rack.
    Rack,
    /// A room.
    Room,
    /// An availability zone.
    Zone,
}

/// A rule for the placement of servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlacementRule {
    /// No two servers are in the same place of this level.
    Apart(Level),
    /// All servers are in the same place of this level. At the level of hosts, they run together on one.
    Near(Level),
    /// All servers are in this availability zone.
    Zone(String),
    /// All servers run on hosts that have this trait.
    License(String),
}

/// Whether a policy must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// It must hold.
    Required,
    /// It should hold: each server that breaks it costs this much.
    Preferred(u32),
}

/// A rule for some servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// The rule.
    pub rule: PlacementRule,
    /// The servers.
    pub members: Vec<Name>,
    /// Whether it must hold.
    pub strength: Strength,
    /// Where it is declared.
    pub at: Source,
}

/// The metadata key of a resource under which templates declare policies.
pub const KEY: &str = "wattle.placement";

/// The most servers that a message names.
const NAMED: usize = 6;

impl Level {
    /// All levels, from the smallest to the largest.
    pub const ALL: [Self; 4] = [Self::Host, Self::Rack, Self::Room, Self::Zone];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Rack => "rack",
            Self::Room => "room",
            Self::Zone => "zone",
        }
    }

    /// The level with this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.word() == word)
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

impl PlacementRule {
    /// Its word, as in blueprints and templates.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Apart(_) => "apart",
            Self::Near(Level::Host) => "together",
            Self::Near(_) => "near",
            Self::Zone(_) => "zone",
            Self::License(_) => "license",
        }
    }

    /// The minimum number of servers that it needs.
    pub fn fewest(&self) -> usize {
        match self {
            Self::Apart(_) | Self::Near(_) => 2,
            Self::Zone(_) | Self::License(_) => 1,
        }
    }

    /// Whether both can never hold in any cloud, if they share the servers `common`.
    pub fn contradicts(&self, other: &Self, common: usize) -> bool {
        match (self, other) {
            // Servers that share a place also share all larger places.
            (Self::Apart(apart), Self::Near(near)) | (Self::Near(near), Self::Apart(apart)) => {
                near <= apart && common > 1
            }
            (Self::Zone(one), Self::Zone(other)) => one != other && common > 0,
            _ => false,
        }
    }

    /// The rule with its members, as in messages: the policy `apart` by rack of `a` and `b`.
    pub fn words<'m>(&self, members: impl IntoIterator<Item = &'m str>) -> String {
        let of = some(members, NAMED);
        match self {
            Self::Apart(level) => format!("the policy `apart` by {level} of {of}"),
            Self::Near(Level::Host) => format!("the policy `together` of {of}"),
            Self::Near(level) => format!("the policy `near` within a {level} of {of}"),
            Self::Zone(zone) => format!("the policy `zone` {} of {of}", list([zone.as_str()], "and")),
            Self::License(kind) => format!("the policy `license` {} of {of}", list([kind.as_str()], "and")),
        }
    }
}

impl Policy {
    /// The policy, as in messages.
    pub fn words(&self) -> String {
        self.rule.words(self.members.iter().map(|name| &**name))
    }

    /// Whether both must hold, but never can together. A preference contradicts nothing.
    pub fn contradicts(&self, other: &Self) -> bool {
        let common = self.members.iter().filter(|member| other.members.contains(member)).count();
        [self.strength, other.strength] == [Strength::Required; 2] && self.rule.contradicts(&other.rule, common)
    }
}
