//! Infrastructure as JSON, for programs. Keys are stable, and further ones may be added.

use serde_json::{Value, json};

use crate::deploy::Through;

use super::{Built, Infrastructure, Pace, Resource};

impl Infrastructure {
    /// Everything about the infrastructure except its resources.
    pub fn to_json(&self) -> Value {
        let Built { all, there, busy, to_come, to_go, differ, failed } = self.tally;
        json!({
            "through": match self.through {
                Through::Wattle => "wattle",
                Through::Heat => "heat",
            },
            "deployment": self.number,
            "pace": match self.pace {
                Pace::GoesOn => "goes-on",
                Pace::Stopped => "stopped",
                Pace::Over => "over",
                Pace::Unknown => "unknown",
            },
            "says": self.headline(),
            "tally": {
                "all": all, "there": there, "busy": busy, "to-come": to_come, "to-go": to_go, "differ": differ, "failed": failed,
            },
            "notes": self.notes,
            "left_out": self.left_out,
        })
    }
}

impl Resource {
    /// Everything about the resource.
    pub fn to_json(&self) -> Value {
        let Self { key: _, name, kind, how, id, since, server } = self;
        let mut object = json!({ "name": name, "state": how.word(), "says": how.sentence() });
        let more = [("type", json!(kind)), ("id", json!(id)), ("since", json!(since)), ("server", json!(server))];
        for (key, value) in more.into_iter().filter(|(_, value)| !value.is_null()) {
            object[key] = value;
        }
        object
    }
}
