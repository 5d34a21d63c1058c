//! Where servers go: placement policies in a blueprint.

use crate::model::placement::{Level, PlacementRule, Policy, Strength};
use crate::model::{Name, Source};

use super::handle::Host;
use super::topology::Topology;

/// A policy that was declared and can be made stricter or laxer.
///
/// It is required unless it is made [`preferred`](Self::preferred).
pub struct Said<'t> {
    policy: &'t mut Policy,
}

/// The policy that [`Topology::apart`] declared.
pub struct Apart<'t> {
    said: Said<'t>,
}

impl Topology {
    /// Keeps servers apart: no two on the same host, or in the same place of the level given with [`by`](Apart::by).
    ///
    /// `wattle place` decides about all servers together, and keeps these policies.
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
        Apart { said: self.say(PlacementRule::Apart(Level::Host), servers, Source::caller()) }
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
        self.say(PlacementRule::Near(Level::Host), servers, Source::caller())
    }

    /// Brings servers into one place of a level: one rack, one room or one zone.
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
        self.say(PlacementRule::Near(within), servers, Source::caller())
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
        self.say(PlacementRule::Zone(zone.into()), servers, Source::caller())
    }

    /// Puts servers on hosts that have the trait `kind`, such as the hosts that are licensed for the software that the
    /// servers run.
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
        self.say(PlacementRule::License(kind.into()), servers, Source::caller())
    }

    fn say<H: Host>(&mut self, rule: PlacementRule, servers: impl IntoIterator<Item = H>, at: Source) -> Said<'_> {
        // A name that does not exist, so that `check` recognises it.
        let name = |server: H| self.resource_name(server.resource()).unwrap_or_else(|| Name::from(FOREIGN));
        let members = servers.into_iter().map(name).collect();
        self.model.placement.push(Policy { rule, members, strength: Strength::Required, at });
        Said { policy: self.model.placement.last_mut().expect("INVARIANT: just pushed") }
    }
}

/// The name of a handle of another topology.
pub(crate) const FOREIGN: &str = "#foreign";

impl<'t> Apart<'t> {
    /// Allows no two servers in the same place of this level.
    pub fn by(self, level: Level) -> Said<'t> {
        self.said.policy.rule = PlacementRule::Apart(level);
        self.said
    }

    /// Makes the policy required, which is the default.
    pub fn required(self) -> Said<'t> {
        self.said.required()
    }

    /// Makes the policy preferred: each server that breaks it costs as much as `weight` of bandwidth from rack to rack.
    pub fn preferred(self, weight: u32) -> Said<'t> {
        self.said.preferred(weight)
    }
}

impl Said<'_> {
    /// Makes the policy required, which is the default.
    pub fn required(self) -> Self {
        self.policy.strength = Strength::Required;
        self
    }

    /// Makes the policy preferred: each server that breaks it costs as much as `weight` of bandwidth from one place to
    /// the next.
    pub fn preferred(self, weight: u32) -> Self {
        self.policy.strength = Strength::Preferred(weight);
        self
    }
}
