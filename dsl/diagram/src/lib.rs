//! Diagrams of a topology: their content as data, and how it is drawn.
//!
//! What lives here: [`Diagram`], and one writer for each format. What must not: models, diagnostics, I/O, a clock. The same
//! diagram always yields the same bytes.

mod data;
mod fold;
mod legend;
#[cfg(feature = "page")]
mod page;
mod places;
mod prose;
mod state;
mod svg;
mod text;
mod tree;

use std::io;

pub use data::{
    Component, ComponentType, Diagram, Each, Edge, Exported, FORMAT, File, Live, Module, Parameter, Parts, Port,
    Resource, Role, Why, WiredInput,
};
#[cfg(feature = "page")]
pub use page::{escaped, html};
pub use places::Place;
pub use state::State;
pub use svg::svg;
pub use text::{dot, mermaid};

/// The file in which `emit` writes the diagram, beside the template.
pub const FILE_NAME: &str = "graph.json";

impl Diagram {
    /// The diagram as compact JSON, for programs.
    ///
    /// # Panics
    /// Never: a diagram consists of text and numbers.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("INVARIANT: text and numbers are JSON")
    }

    /// The diagram as indented JSON, for people.
    ///
    /// # Panics
    /// Never, for the same reason.
    pub fn to_pretty_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("INVARIANT: text and numbers are JSON") + "\n"
    }

    /// Reads what [`Diagram::to_json`] wrote.
    ///
    /// # Errors
    /// The text is not a diagram, or has another format.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let diagram: Self = serde_json::from_str(text).map_err(|error| format!("it is not a diagram: {error}"))?;
        match &*diagram.format {
            FORMAT => Ok(diagram),
            other => Err(format!("its format is `{other}`, but this program reads `{FORMAT}`")),
        }
    }
}

impl<R: Parts, C: Parts, E: Parts> Diagram<R, C, E> {
    /// Writes what [`Diagram::to_json`] returns.
    ///
    /// # Errors
    /// `out` fails.
    pub fn write(&self, out: impl io::Write) -> io::Result<()> {
        Ok(serde_json::to_writer(out, self)?)
    }

    /// The diagram without the texts of recipes, which is the form that `emit` writes.
    #[must_use]
    pub fn without_texts(mut self) -> Self {
        self.texts.clear();
        for file in self.component_types.values_mut().flat_map(|kind| &mut kind.files) {
            file.text = None;
        }
        self
    }
}
