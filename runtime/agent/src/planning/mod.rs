//! Converts a seed to the plans of its servers: fills in parameters and imports, and joins components with their
//! declarations.
//!
//! This module decides the contents of plans. It must not decide how secrets are sealed ([`Sealing`]), nor check the
//! values of parameters; callers have done that already.

mod fault;
mod requirement;
mod resolve;
mod sealing;
mod standing;

use wattle_model::requirement::Operand;
use wattle_model::{IndexMap, Name, Value};

use crate::revision::Revision;
use crate::seed::{Seed, SeedComponent, SeedDeclaration, SeedExport, SeedRequirement, SeedServer};
use crate::server_plan::{
    Keys, PlannedComponent, PlannedInput, PlannedOutput, PlannedRequirement, ServerPlan, ValueSource, Writer, server_of,
};

pub use fault::{Fault, Why};
pub use requirement::broken;
pub use sealing::{InPlain, Sealing};
pub use standing::keep_standing;

/// An export of another stack: `(STACK, EXPORT)`.
pub type ImportKey = (Name, Name);

/// The inputs of planning a seed. A parameter or import without a value counts as null.
#[derive(Clone, Copy, Debug)]
pub struct Planning<'a> {
    /// The seed.
    pub seed: &'a Seed,
    /// The values of its parameters.
    pub parameters: &'a IndexMap<Name, Value>,
    /// For each import, the source from which agents read it.
    pub imports: &'a IndexMap<ImportKey, ValueSource>,
    /// The keys that verify the signatures of the servers that the imports come from, by stack.
    pub foreign: &'a IndexMap<Name, Keys>,
}

impl Planning<'_> {
    /// Creates the plan of each server in `revision`, as if every plan had changed in it. [`keep_standing`] then keeps
    /// those that did not.
    ///
    /// # Errors
    /// All errors in the seed.
    pub fn plans<S: Sealing>(
        self,
        revision: &Revision,
        sealing: &mut S,
    ) -> Result<IndexMap<Name, ServerPlan>, Vec<Fault<S::Error>>> {
        let mut work = Work { planning: self, sealing, faults: Vec::new() };
        let mut plans = IndexMap::default();
        for (name, server) in &self.seed.servers {
            plans.insert(name.clone(), work.plan(revision, name, server));
        }
        if work.faults.is_empty() { Ok(plans) } else { Err(work.faults) }
    }

    /// Resolves the sources of the `wanted` exports.
    ///
    /// # Errors
    /// All errors in these exports.
    pub fn exports<S: Sealing>(
        self,
        wanted: impl Fn(&SeedExport) -> bool,
        sealing: &mut S,
    ) -> Result<IndexMap<Name, ValueSource>, Vec<Fault<S::Error>>> {
        let mut faults = Vec::new();
        let mut sources = IndexMap::default();
        for (name, export) in self.seed.exports.iter().filter(|(_, export)| wanted(export)) {
            match self.source(&export.value, false, &mut |value| sealing.seal(None, value)) {
                Ok(source) => drop(sources.insert(name.clone(), source)),
                Err(why) => faults.push(Fault { of: format!("the export `{name}`"), why }),
            }
        }
        if faults.is_empty() { Ok(sources) } else { Err(faults) }
    }
}

/// Planning in progress. Anything with an error is omitted from the plans.
struct Work<'a, S: Sealing> {
    planning: Planning<'a>,
    sealing: &'a mut S,
    faults: Vec<Fault<S::Error>>,
}

impl<S: Sealing> Work<'_, S> {
    fn plan(&mut self, revision: &Revision, name: &Name, server: &SeedServer) -> ServerPlan {
        let mut components = IndexMap::default();
        for (key, component) in &server.components {
            let Some(declaration) = self.planning.seed.declarations.get(&component.declaration) else {
                let what = format!("there is no declaration `{}`", component.declaration);
                self.fault(format!("the component `{name}/{key}`"), Why::Damaged(what));
                continue;
            };
            components.insert(key.clone(), self.component(name, key, component, declaration));
        }
        let (order, publishes, writers) = (server.order, server.publishes.clone(), IndexMap::default());
        let (revision, space) = (revision.number, revision.space.clone());
        let (key, foreign) = (self.sealing.key(name), IndexMap::default());
        let mut plan = ServerPlan {
            revision,
            space,
            writers,
            key,
            foreign,
            order,
            retired: false,
            forgotten: false,
            publishes,
            components,
        };
        let writer = |server: Name| {
            let key = self.sealing.key(&server);
            (server, Writer { revision, key })
        };
        plan.writers = plan.reads_from(name).into_iter().map(writer).collect();
        for (stack, entry) in plan.reads_abroad() {
            let server = server_of(&entry);
            if let Some((server, key)) = self.planning.foreign.get(&stack).and_then(|keys| keys.get_key_value(server)) {
                plan.foreign.entry(stack).or_default().insert(server.clone(), key.clone());
            }
        }
        plan
    }

    fn component(
        &mut self,
        server: &Name,
        name: &Name,
        component: &SeedComponent,
        declaration: &SeedDeclaration,
    ) -> PlannedComponent {
        let mut inputs = IndexMap::default();
        for (input, declared) in &declaration.inputs {
            let secret = declared.ty.is_secret();
            let mut seal = |value: &Value| self.sealing.seal(Some(server), value);
            let from = match (component.inputs.get(input), &declared.default) {
                (Some(wire), _) => self.planning.source(wire, secret, &mut seal),
                (None, Some(default)) => resolve::constant(default, secret, &mut seal),
                (None, None) => continue,
            };
            match from {
                Ok(from) => {
                    let (ty, path) = (declared.ty.clone(), declared.path.clone());
                    inputs.insert(input.clone(), PlannedInput { ty, path, from });
                }
                Err(why) => self.fault(format!("the input `{input}` of `{server}/{name}`"), why),
            }
        }
        let mut outputs = IndexMap::default();
        for (output, declared) in &declaration.outputs {
            let recipients = if declared.ty.is_secret() {
                self.recipients(&format!("{server}/{name}/{output}"), server)
            } else {
                Vec::new()
            };
            outputs.insert(output.clone(), PlannedOutput { declared: declared.clone(), recipients });
        }
        let mut requires = IndexMap::default();
        for required in &component.requires {
            let Some(requirement) = self.planning.seed.requirements.get(required) else {
                let what = format!("there is no requirement `{required}`");
                self.fault(format!("the component `{server}/{name}`"), Why::Damaged(what));
                continue;
            };
            match self.requirement(server, requirement) {
                Ok(planned) => drop(requires.insert(required.clone(), planned)),
                Err(why) => self.fault(format!("the requirement `{required}`"), why),
            }
        }
        let (recipe, after) = (declaration.recipe.clone(), component.after.clone());
        PlannedComponent { recipe, after, inputs, outputs, requires }
    }

    fn requirement(
        &mut self,
        server: &Name,
        requirement: &SeedRequirement,
    ) -> Result<PlannedRequirement, Why<S::Error>> {
        let secret = requirement.predicate.is_secret();
        let predicate = requirement.predicate.try_map(&mut |operand| {
            let mut seal = |value: &Value| self.sealing.seal(Some(server), value);
            let from = self.planning.source(&operand.from, secret, &mut seal)?;
            Ok::<_, Why<S::Error>>(Operand { name: operand.name.clone(), from })
        })?;
        Ok(PlannedRequirement { predicate, because: requirement.because.clone(), at: requirement.at.clone() })
    }

    /// The recipients of a secret entry: its readers and the writer, which publishes it again in later revisions.
    fn recipients(&mut self, entry: &str, writer: &Name) -> Vec<String> {
        let readers = self.planning.seed.entries.get(entry).map_or(&[][..], |entry| &entry.readers);
        let servers: Vec<&Name> =
            std::iter::once(writer).chain(readers.iter().filter(|reader| *reader != writer)).collect();
        match self.sealing.recipients(entry, &servers) {
            Ok(recipients) => recipients,
            Err(error) => {
                self.fault(format!("the entry `{entry}`"), Why::Sealing(error));
                Vec::new()
            }
        }
    }

    fn fault(&mut self, of: String, why: Why<S::Error>) {
        self.faults.push(Fault { of, why });
    }
}

#[cfg(test)]
mod tests;
