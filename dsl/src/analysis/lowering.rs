//! The ways to lower a model, and what all of them call their own.

/// What names of our own in templates begin with. Authors' names do not.
pub const RESERVED: &str = "wattle_";

/// What runs the software of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lowering {
    /// Wattle's agents, over a data space: [`lower`](crate::lower::lower).
    #[default]
    Agents,
    /// Heat's own agents: [`native::lower`](crate::lower::native::lower).
    HeatNative,
}

impl Lowering {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Agents, Self::HeatNative];

    /// What `--lowering` calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::HeatNative => "heat-native",
        }
    }
}
