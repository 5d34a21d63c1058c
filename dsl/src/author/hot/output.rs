//! Outputs of the stack that no other stack reads.

use crate::author::naming::NameText;
use crate::author::topology::{Topology, insert};
use crate::model::{self, ElementKind, Source};

use super::argument::Argument;

/// An output of the stack, to be completed.
pub struct StackOutput<'t> {
    topology: &'t mut Topology,
    index: u32,
}

impl Topology {
    /// Shows a value as an output of the stack. A value that other blueprints read is exported instead
    /// ([`Exports`](crate::Exports)), with its type.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// fn shown(t: &mut Topology, address: Attribute<String>) {
    ///     t.output("address", hot::list_join("", ["http://", "/"])).description("Where customers go.");
    ///     t.output("raw", address);
    /// }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # shown(&mut t, server.attribute("first_address"));
    /// # assert_eq!(t.finish(Exports::new()).outputs["address"].description, "Where customers go.");
    /// ```
    #[track_caller]
    pub fn output(&mut self, name: impl NameText, value: impl Argument) -> StackOutput<'_> {
        let output = model::StackOutput::new(self.lower(&value.into_argument()), Source::caller());
        let name = self.qualified(name.as_ref());
        let model = &mut self.model;
        let index =
            insert(&mut model.outputs, &mut model.duplicates, ElementKind::StackOutput, name, output, |o| &o.at);
        StackOutput { topology: self, index }
    }
}

impl StackOutput<'_> {
    /// Sets the description, for people who read the output.
    pub fn description(mut self, text: &str) -> Self {
        text.clone_into(&mut self.output().description);
        self
    }

    /// Makes the output exist only under `condition`: a [`Condition`](super::Condition), or the result of a condition
    /// function.
    pub fn condition(mut self, condition: impl Argument) -> Self {
        let condition = self.topology.lower(&condition.into_argument());
        self.output().condition = Some(condition);
        self
    }

    fn output(&mut self) -> &mut model::StackOutput {
        let found = self.topology.model.outputs.get_index_mut(self.index as usize);
        found.expect("INVARIANT: outputs are only added").1
    }
}
