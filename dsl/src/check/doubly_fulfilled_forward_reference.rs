//! W0103: a forward reference is fulfilled more than once.

use super::registry::check;
use super::sink::Sink;

check! {
    /// A forward reference is fulfilled more than once, but only one of the values could reach its readers.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let url = t.later::<String>("url");
    /// t.fulfil(url, "http://blue.example/");
    /// t.fulfil(url, "http://green.example/");
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("url", url)), "W0103"));
    /// ```
    ///
    /// Keep one of the values, or make a forward reference for each of them:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let blue = t.later::<String>("blue");
    /// let green = t.later::<String>("green");
    /// t.fulfil(blue, "http://blue.example/");
    /// t.fulfil(green, "http://green.example/");
    /// # let exports = Exports::new().entry("blue", blue).entry("green", green);
    /// # assert!(!wattle::check::finds(&t.finish(exports), "W0103"));
    /// ```
    CHECK: "W0103", Error, "a forward reference is fulfilled more than once", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for (name, forward) in &sink.model.forward_references {
        let [first, again @ ..] = &forward.fulfilled[..] else { continue };
        let Some(last) = again.last() else { continue };
        let times = match forward.fulfilled.len() {
            2 => "twice".to_owned(),
            n => format!("{n} times"),
        };
        let mut diagnostic = CHECK
            .diagnostic(format!("the forward reference `{name}` is fulfilled {times}"))
            .label(&last.at, "fulfilled again here")
            .label(&first.at, "fulfilled first here");
        for between in &again[..again.len() - 1] {
            diagnostic = diagnostic.label(&between.at, "and here");
        }
        sink.push(
            diagnostic
                .label(&forward.at, "made here")
                .help("keep one of them, or make a forward reference for each value"),
        );
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, forward_reference};
    use crate::model::{Model, Type};

    pub(in crate::check) fn failing() -> Model {
        Sketch::new()
            .forward_reference("url", Type::STR)
            .fulfil("url", "http://blue/")
            .fulfil("url", "http://green/")
            .fulfil("url", "http://red/")
            .export("url", Type::STR, forward_reference("url"))
            .model
    }
}
