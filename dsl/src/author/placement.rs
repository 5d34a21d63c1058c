//! Where servers are to be: policies of placement, as a blueprint says them.

use crate::model::placement::{Level, Policy, Rule, Strength};
use crate::model::{Name, Source};

use super::handle::Host;
use super::topology::Topology;

/// A policy that was said, to be made stricter or laxer.
///
/// It must hold, unless it is [`preferred`](Self::preferred).
pub struct Said<'t> {
    policy: &'t mut Policy,
}

/// The policy that [`Topology::apart`] said.
pub struct Apart<'t> {
    said: Said<'t>,
}

impl Topology {
    /// Keeps servers apart: no two on the same host, or in the same place of [`by`](Apart::by).
    ///
    /// `wattle place` decides where servers go, all of them together, and keeps what policies say.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// # let mut t = Topology::new("demo");
    /// let [one, other] = ["one", "other"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
    /// t.apart([one, other]).by(Level::Rack);
    /// # assert_eq!(t.finish(Exports::new()).placement.len(), 1);
    /// ```
    #[track_caller]
    pub fn apart<H: Host>(&mut self, servers: impl IntoIterator<Item = H>) -> Apart<'_> {
        Apart { said: self.say(Rule::Apart(Level::Host), servers, Source::caller()) }
    }

    /// Brings servers together on one host.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// # let mut t = Topology::new("demo");
    /// let [app, cache] = ["app", "cache"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
    /// t.together([app, cache]).preferred(20);
    /// # assert_eq!(t.finish(Exports::new()).placement.len(), 1);
    /// ```
    #[track_caller]
    pub fn together<H: Host>(&mut self, servers: impl IntoIterator<Item = H>) -> Said<'_> {
        self.say(Rule::Near(Level::Host), servers, Source::caller())
    }

    /// Brings servers into one place of a level: one rack, one room, one zone.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// # let mut t = Topology::new("demo");
    /// let [db, web] = ["db", "web"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
    /// t.near([db, web], Level::Room);
    /// # assert_eq!(t.finish(Exports::new()).placement.len(), 1);
    /// ```
    #[track_caller]
    pub fn near<H: Host>(&mut self, servers: impl IntoIterator<Item = H>, within: Level) -> Said<'_> {
        self.say(Rule::Near(within), servers, Source::caller())
    }

    /// Puts servers into an availability zone.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// # let mut t = Topology::new("demo");
    /// let db = t.add("db", RawResource::new("OS::Nova::Server"));
    /// t.zone([db], "az1");
    /// # assert_eq!(t.finish(Exports::new()).placement.len(), 1);
    /// ```
    #[track_caller]
    pub fn zone<H: Host>(&mut self, servers: impl IntoIterator<Item = H>, zone: impl Into<String>) -> Said<'_> {
        self.say(Rule::Zone(zone.into()), servers, Source::caller())
    }

    /// Puts servers on hosts of which something is true: which have a trait of that name, such as those that have the license of what
    /// runs there.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// # let mut t = Topology::new("demo");
    /// let db = t.add("db", RawResource::new("OS::Nova::Server"));
    /// t.license([db], "CUSTOM_DB2");
    /// # assert_eq!(t.finish(Exports::new()).placement.len(), 1);
    /// ```
    #[track_caller]
    pub fn license<H: Host>(&mut self, servers: impl IntoIterator<Item = H>, kind: impl Into<String>) -> Said<'_> {
        self.say(Rule::License(kind.into()), servers, Source::caller())
    }

    fn say<H: Host>(&mut self, rule: Rule, servers: impl IntoIterator<Item = H>, at: Source) -> Said<'_> {
        // A name that nothing has, so that `check` finds it as what it is.
        let name = |server: H| self.resource_name(server.resource()).unwrap_or_else(|| Name::from(FOREIGN));
        let members = servers.into_iter().map(name).collect();
        self.model.placement.push(Policy { rule, members, strength: Strength::Required, at });
        Said { policy: self.model.placement.last_mut().expect("INVARIANT: just pushed") }
    }
}

/// What a handle of another topology is called.
pub(crate) const FOREIGN: &str = "#foreign";

impl<'t> Apart<'t> {
    /// No two in the same place of this level.
    pub fn by(self, level: Level) -> Said<'t> {
        self.said.policy.rule = Rule::Apart(level);
        self.said
    }

    /// It must hold, which it does anyway.
    pub fn required(self) -> Said<'t> {
        self.said.required()
    }

    /// It should hold: each server that breaks it costs as much as `weight` of bandwidth from rack to rack.
    pub fn preferred(self, weight: u32) -> Said<'t> {
        self.said.preferred(weight)
    }
}

impl Said<'_> {
    /// It must hold, which it does anyway.
    pub fn required(self) -> Self {
        self.policy.strength = Strength::Required;
        self
    }

    /// It should hold: each server that breaks it costs as much as `weight` of bandwidth from one place to the next.
    pub fn preferred(self, weight: u32) -> Self {
        self.policy.strength = Strength::Preferred(weight);
        self
    }
}
