//! Pictures of a topology: what is drawn as data, and how it is drawn.
//!
//! What lives here: [`Picture`], how one is made [of a model](Picture::of), and one writer for each format. What must not:
//! findings, I/O, a clock. The same picture gives the same bytes.

mod data;
mod of;
mod page;
mod svg;
mod text;
mod tree;
mod words;

pub use data::{
    Component, Edge, Exported, FORMAT, File, Kind, Live, Module, Parameter, Picture, Port, Resource, Role, Why,
    WiredInput,
};
pub use page::html;
pub use svg::svg;
pub use text::{dot, mermaid};

/// The file in which `emit` writes the picture, beside the template.
pub const FILE_NAME: &str = "graph.json";

impl Picture {
    /// As JSON: what programs read, and what `emit` writes as `graph.json` ([`Picture::without_texts`]).
    ///
    /// # Panics
    /// Never: a picture is text and numbers.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("INVARIANT: text and numbers are JSON")
    }

    /// The same, for people.
    ///
    /// # Panics
    /// Never, likewise.
    pub fn to_pretty_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("INVARIANT: text and numbers are JSON") + "\n"
    }

    /// Reads what [`Picture::to_json`] wrote.
    ///
    /// # Errors
    /// It is no picture, or one of another format.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let picture: Self = serde_json::from_str(text).map_err(|error| format!("it is no picture: {error}"))?;
        match &*picture.format {
            FORMAT => Ok(picture),
            other => Err(format!("its format is `{other}`, and this is a program for `{FORMAT}`")),
        }
    }

    /// The same without the texts of recipes.
    #[must_use]
    pub fn without_texts(mut self) -> Self {
        self.texts.clear();
        for file in self.kinds.values_mut().flat_map(|kind| &mut kind.files) {
            file.text = None;
        }
        self
    }
}
