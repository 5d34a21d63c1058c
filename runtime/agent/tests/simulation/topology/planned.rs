//! The plans of a topology's servers.

use wattle_agent_core::revision::Revision;
use wattle_agent_core::seed::{SeedAttribute, SeedOutput, SeedRecipe};
use wattle_agent_core::server_plan::{
    Held, PlannedComponent, PlannedInput, PlannedOutput, PlannedRequirement, ServerPlan, ValueSource, Writer,
};
use wattle_model::requirement::{Operand, Test, Tested};
use wattle_model::{Name, Predicate, Tool, Tree, Type, Value};

use super::{Model, Out, Part, Teardown, Wire};

impl Model {
    /// The servers that read an entry.
    fn readers(&self, entry: &str, writer: &str) -> Vec<String> {
        let reads = |from: &Wire| matches!(from, Wire::Entry(name) if **name == *entry);
        let mut readers: Vec<String> = self
            .parts
            .values()
            .filter(|part| part.inputs.values().any(reads))
            .map(|part| part.server.to_string())
            .collect();
        // The writer is a reader, too, because it publishes the value again in later revisions.
        readers.push(writer.to_string());
        readers.sort_unstable();
        readers.dedup();
        readers
    }

    fn source(&self, from: &Wire) -> (ValueSource, Type) {
        match from {
            Wire::Entry(entry) => {
                let (full, output) = entry.rsplit_once('/').expect("INVARIANT: an entry has three parts");
                let secret =
                    self.parts.get(full).and_then(|part| part.outputs.get(output)).is_some_and(|out| out.secret);
                (Tree::Leaf(Held::Entry(entry.clone())), ty(secret))
            }
            Wire::Attribute(server) => (Tree::Leaf(Held::Entry(format!("{server}/server/id").into())), Type::STR),
            Wire::Constant(number) => (Tree::Constant(Value::from(format!("k{number}"))), Type::STR),
            Wire::UserData => (Tree::Leaf(Held::UserData("told".into())), Type::STR),
        }
    }

    pub(crate) fn planned(&self, part: &Part) -> PlannedComponent {
        let input = |(name, from): (&Name, &Wire)| {
            let (from, ty) = self.source(from);
            (name.clone(), PlannedInput { ty, path: Vec::new(), from })
        };
        let output = |(name, out): (&Name, &Out)| {
            let entry = format!("{}/{name}", part.full());
            let recipients = if out.secret { self.readers(&entry, &part.server) } else { Vec::new() };
            let declared = SeedOutput { ty: ty(out.secret), path: Vec::new(), early: out.early };
            (name.clone(), PlannedOutput { declared, recipients })
        };
        let requires = part.requires.iter().map(|input| {
            let from = self.source(&part.inputs[input]).0;
            let value = Some(Operand { name: Some(input.clone()), from });
            let bad = Operand { name: None, from: Tree::Constant(Value::from("!")) };
            let tested = Predicate::Tested(Tested { value, test: Test::EndsWith(bad), secret: false });
            let predicate = Predicate::Opposite(Box::new(tested));
            (Name::from("good"), PlannedRequirement { predicate, because: String::new(), at: String::new() })
        });
        let digest = format!("{}:{}", part.version, part.fails);
        PlannedComponent {
            recipe: SeedRecipe {
                tool: if part.live { Tool::Chef } else { Tool::Shell },
                entry: "run".into(),
                teardown: (part.teardown != Teardown::None).then(|| "undo".into()),
                files: [("run".into(), digest)].into_iter().collect(),
                deadline: part.deadline,
                wait: part.wait,
            },
            after: part.after.clone(),
            inputs: part.inputs.iter().map(input).collect(),
            outputs: part.outputs.iter().map(output).collect(),
            requires: requires.collect(),
        }
    }

    pub(crate) fn plan(&self, server: &Name, revision: &Revision) -> ServerPlan {
        let of = &self.servers[server];
        let mine = self.parts.values().filter(|part| part.server == *server);
        let attribute = || SeedAttribute { attribute: "id".into(), path: Vec::new() };
        let mut plan = ServerPlan {
            retired: of.retired,
            publishes: (of.attribute && !of.retired).then(|| (Name::from("id"), attribute())).into_iter().collect(),
            components: mine.map(|part| (part.name.clone(), self.planned(part))).collect(),
            ..ServerPlan::retired(revision, of.order, None)
        };
        let writer = |writer| (writer, Writer { revision: revision.number, key: None });
        plan.writers = plan.reads_from(server).into_iter().map(writer).collect();
        plan
    }

    /// All entries, with the part that writes each; `None` for a server's own attribute.
    pub(crate) fn entries(&self) -> Vec<(Name, Option<Name>)> {
        let mut entries = Vec::new();
        for (full, part) in &self.parts {
            entries
                .extend(part.outputs.keys().map(|output| (Name::from(format!("{full}/{output}")), Some(full.clone()))));
        }
        let own = self.servers.iter().filter(|(_, server)| server.attribute && !server.retired);
        entries.extend(own.map(|(name, _)| (Name::from(format!("{name}/server/id")), None)));
        entries
    }
}

fn ty(secret: bool) -> Type {
    if secret { Type::Hidden(Box::new(Type::STR)) } else { Type::STR }
}
