//! W0503: more resources than Heat accepts by default.

use super::registry::check;
use super::sink::Sink;
use super::size::grouped;

check! {
    /// The model has more resources than Heat accepts in one stack by default.
    ///
    /// Heat's option `max_resources_per_stack` is 1,000 unless the operator has changed it. It is meant to count the
    /// resources of nested stacks together with those of the stack that contains them, so splitting the template into
    /// nested stacks may not help. Heat 27 counts each stack separately.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// for i in 0..1_001 {
    ///     t.add(format!("net{i}"), RawResource::new("OS::Neutron::Net"));
    /// }
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0503"));
    /// ```
    ///
    /// Make several stacks that read each other's exports, or ask the operator for a higher limit:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// for i in 0..500 {
    ///     t.add(format!("net{i}"), RawResource::new("OS::Neutron::Net"));
    /// }
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0503"));
    /// ```
    CHECK: "W0503", Warning, "more resources than Heat accepts by default", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let (count, limit) = (sink.model.resources.len(), sink.limits.resources);
    if count > limit {
        let diagnostic = CHECK
            .diagnostic(format!(
                "the stack has {} resources, but a stock Heat allows at most {}",
                grouped(count),
                grouped(limit)
            ))
            .label(&sink.model.at, "the stack")
            .note(
                "`max_resources_per_stack` is meant for a stack with its nested stacks, though Heat 27 counts each separately",
            )
            .help("split it into several stacks, or ask the operator of this Heat for a higher `max_resources_per_stack`");
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes};
    use crate::model::Model;

    fn nets(count: usize) -> Model {
        (0..count).fold(Sketch::new(), |sketch, i| sketch.resource(&format!("net{i}"), "OS::Neutron::Net")).model
    }

    pub(in crate::check) fn failing() -> Model {
        nets(1_001)
    }

    #[test]
    fn the_limit_itself_fits() {
        assert!(codes(&nets(1_000)).is_empty());
    }
}
