//! W0314: placement policies contradict each other.

use super::registry::check;
use super::sink::Sink;

check! {
    /// Two placement policies must both hold, but cannot hold together in any cloud: one keeps servers apart that the
    /// other brings together, or they put the same server into different zones.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// # let db = t.add("db", RawResource::new("OS::Nova::Server"));
    /// # let web = t.add("web", RawResource::new("OS::Nova::Server"));
    /// t.together([db, web]);
    /// t.apart([db, web]).by(Level::Rack);
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0314"));
    /// ```
    ///
    /// Remove one of them, or make it a preference:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// # let db = t.add("db", RawResource::new("OS::Nova::Server"));
    /// # let web = t.add("web", RawResource::new("OS::Nova::Server"));
    /// t.together([db, web]).preferred(10);
    /// t.apart([db, web]).by(Level::Rack);
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0314"));
    /// ```
    CHECK: "W0314", Error, "placement policies contradict each other", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for (number, policy) in model.placement.iter().enumerate() {
        for earlier in &model.placement[..number] {
            if policy.contradicts(earlier) {
                let diagnostic = CHECK
                    .diagnostic(format!("{} and {} can never hold together", policy.words(), earlier.words()))
                    .label(&policy.at, "this one")
                    .label(&earlier.at, "and this one")
                    .help("remove one of them, or make it a preference: `.preferred(10)`");
                sink.push(diagnostic);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::author::{Exports, RawResource, Topology};
    use crate::model::Model;
    use crate::model::placement::Level;

    pub(in crate::check) fn failing() -> Model {
        let mut t = Topology::new("demo");
        let [db, web] = ["db", "web"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
        t.near([db, web], Level::Rack);
        t.apart([db, web]).by(Level::Room);
        t.finish(Exports::new())
    }
}
