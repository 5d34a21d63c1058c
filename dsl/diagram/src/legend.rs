//! The meaning of a diagram's lines and marks.

use crate::fold::Folded;
use crate::{Diagram, Role, Why};

/// A kind of line or mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "page", derive(serde::Serialize))]
#[cfg_attr(feature = "page", serde(rename_all = "lowercase"))]
pub(crate) enum Sign {
    /// A thick line.
    Data,
    /// A dashed line.
    Order,
    /// A thin line.
    Infrastructure,
    /// A network's name in its colour.
    Network,
}

impl Sign {
    /// Its name in styles and scripts.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Order => "order",
            Self::Infrastructure => "infrastructure",
            Self::Network => "network",
        }
    }

    /// Its meaning.
    fn words(self) -> &'static str {
        match self {
            Self::Data => "is read by",
            Self::Order => "runs before",
            Self::Infrastructure => "is created before",
            Self::Network => "on this network",
        }
    }
}

/// The signs that a diagram uses, each with its meaning.
pub(crate) fn legend(diagram: &Diagram) -> Vec<(Sign, &'static str)> {
    let has = |is: fn(Why) -> bool| diagram.edges.iter().any(|edge| is(edge.why));
    let folded = Folded::of(diagram);
    let mut infrastructure = diagram.edges.iter().filter(|edge| edge.why == Why::Infrastructure);
    let signs = [
        (Sign::Data, has(|why| why == Why::Data)),
        (Sign::Order, has(Why::is_order)),
        (Sign::Infrastructure, infrastructure.any(|edge| folded.has_line(edge))),
        (Sign::Network, diagram.resources.iter().any(|resource| resource.role == Role::Network)),
    ];
    signs.into_iter().filter(|(_, is_there)| *is_there).map(|(sign, _)| (sign, sign.words())).collect()
}
