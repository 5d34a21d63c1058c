//! The ways to lower a model, and the prefix that all of them reserve for their own names.

/// The prefix of our own names in templates. Authors' names do not begin with it.
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
    /// All lowerings.
    pub const ALL: [Self; 2] = [Self::Agents, Self::HeatNative];

    /// Its name as a value of `--lowering`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::HeatNative => "heat-native",
        }
    }
}
