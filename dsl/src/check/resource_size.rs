//! W0504: a resource larger than a template may be.

use super::registry::check;
use super::sink::Sink;
use super::size::{grouped, of_expression};

check! {
    /// A single resource is larger than Heat allows a whole template to be, so splitting the template would not help.
    ///
    /// Heat's option `max_template_size` is 524,288 bytes unless the operator has changed it.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let everything = "x".repeat(600_000);
    /// t.add("config", RawResource::new("OS::Heat::SoftwareConfig").property("config", everything));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0504"));
    /// ```
    ///
    /// Put what is large where servers can fetch it, or into the files of a recipe:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let place = "http://files.example/everything";
    /// t.add("config", RawResource::new("OS::Heat::SoftwareConfig").property("config", place));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0504"));
    /// ```
    CHECK: "W0504", Error, "a resource is larger than a template may be", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let limit = sink.limits.template;
    for (name, resource) in &sink.model.resources {
        let size: usize =
            resource.properties.iter().map(|(name, binding)| name.len() + of_expression(&binding.value)).sum();
        if size <= limit {
            continue;
        }
        if let Some((property, binding)) =
            resource.properties.iter().max_by_key(|(_, binding)| of_expression(&binding.value))
        {
            let diagnostic = CHECK
                .diagnostic(format!(
                    "`{name}` has {} bytes, but a template may have at most {}",
                    grouped(size),
                    grouped(limit)
                ))
                .label(&binding.at, format!("the largest part is its property `{property}`"))
                .label(&resource.at, "added here")
                .help("put large content where servers can fetch it, or into the files of a component's recipe");
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes};
    use crate::model::Model;

    fn of(bytes: usize) -> Model {
        Sketch::new().resource("x", "X").property("x", "small", "y").property("x", "large", "x".repeat(bytes)).model
    }

    pub(in crate::check) fn failing() -> Model {
        of(600_000)
    }

    #[test]
    fn what_is_smaller_fits() {
        assert!(codes(&of(500_000)).is_empty());
    }
}
