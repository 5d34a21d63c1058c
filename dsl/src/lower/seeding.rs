//! Builds the seed of a model.

use crate::analysis::attribute::SERVER_ENTRIES;
use crate::analysis::identity::Identities;
use crate::model::{self, Content, Declaration, IndexMap, Model, Name, Order, Parameter, Source};
use crate::requirement::{self, Operand, When};

use super::placement;
use super::resolve::for_agent;
use super::seed::{
    FORMAT, Seed, SeedAttribute, SeedComponent, SeedDeclaration, SeedEntry, SeedExport, SeedImport, SeedInput,
    SeedOutput, SeedParameter, SeedRecipe, SeedRequirement, SeedServer, digest,
};
use super::workload::{Server, Workload};

/// The seed of `model`, which is `original` under the names under which it was deployed.
pub(super) fn build(original: &Model, model: &Model, plan: &Workload<'_>) -> Seed {
    let mut recipes = IndexMap::default();
    let declarations = declarations(model, &mut recipes);
    let mut seed = Seed {
        format: FORMAT.into(),
        stack: model.stack.clone(),
        digest: String::new(),
        parameters: model.parameters.iter().map(|(name, p)| (name.clone(), parameter(p))).collect(),
        declarations,
        servers: servers(model, plan),
        entries: entries(model, plan),
        exports: model
            .exports
            .iter()
            .map(|(name, e)| (name.clone(), SeedExport { ty: e.ty.clone(), value: for_agent(model, &e.value) }))
            .collect(),
        imports: imports(model),
        requirements: requirements(model),
        recipes,
        sources: sources(model),
        called_now: called_now(original),
    };
    placement::sources(model, &mut seed);
    seed.digest = seed.compute_digest();
    seed
}

fn parameter(parameter: &Parameter) -> SeedParameter {
    let Parameter { ty, default, constraints, hidden, .. } = parameter;
    SeedParameter { ty: ty.clone(), default: default.clone(), constraints: constraints.clone(), hidden: *hidden }
}

/// The imports. Each is listed once for each type, at the place where it is first imported.
fn imports(model: &Model) -> Vec<SeedImport> {
    let mut found: Vec<SeedImport> = Vec::new();
    for import in &model.imports {
        let model::Import { stack, export, ty, at } = import;
        if !found.iter().any(|known| (&known.stack, &known.export, &known.ty) == (stack, export, ty)) {
            let at = requirement::place(at);
            found.push(SeedImport { stack: stack.clone(), export: export.clone(), ty: ty.clone(), at });
        }
    }
    found
}

fn declarations(model: &Model, recipes: &mut IndexMap<String, Content>) -> IndexMap<Name, SeedDeclaration> {
    let mut lower = |declaration: &Declaration| SeedDeclaration {
        recipe: SeedRecipe {
            tool: declaration.recipe.tool,
            entry: declaration.recipe.entry.clone(),
            teardown: declaration.recipe.teardown.clone(),
            files: declaration
                .recipe
                .files
                .iter()
                .map(|file| {
                    let digest = digest(file.content.bytes());
                    recipes.entry(digest.clone()).or_insert_with(|| file.content.clone());
                    (file.path.clone(), digest)
                })
                .collect(),
            deadline: declaration.deadline,
            wait: declaration.wait,
        },
        inputs: declaration
            .inputs
            .iter()
            .map(|(name, i)| {
                (name.clone(), SeedInput { ty: i.ty.clone(), default: i.default.clone(), path: i.path.clone() })
            })
            .collect(),
        outputs: declaration
            .outputs
            .iter()
            .map(|(name, o)| (name.clone(), SeedOutput { ty: o.ty.clone(), path: o.path.clone(), early: o.early }))
            .collect(),
    };
    model.declarations.iter().map(|(name, declaration)| (name.clone(), lower(declaration))).collect()
}

fn servers(model: &Model, plan: &Workload<'_>) -> IndexMap<Name, SeedServer> {
    let mut after: std::collections::HashMap<&Name, Vec<Name>> = std::collections::HashMap::new();
    for order in &model.after {
        after.entry(&order.component).or_default().push(order.predecessor.clone());
    }
    let lower = |name: &Name, server: &Server<'_>| SeedServer {
        order: model.resources.get(name).map_or_else(Order::default, |resource| resource.order),
        publishes: server
            .publishes
            .iter()
            .map(|(key, attribute)| {
                let name = attribute.name.cloned().unwrap_or_else(|| "id".into());
                (key.as_str().into(), SeedAttribute { attribute: name, path: attribute.path.to_vec() })
            })
            .collect(),
        components: server
            .components
            .iter()
            .map(|(key, component)| {
                let inputs = component.inputs.iter();
                let component_seed = SeedComponent {
                    declaration: component.declaration.clone(),
                    after: after.get(key).cloned().unwrap_or_default(),
                    inputs: inputs.map(|(name, b)| (name.clone(), for_agent(model, &b.value))).collect(),
                    requires: plan.judged.get(key).into_iter().flatten().map(|name| (*name).clone()).collect(),
                };
                (component.name.clone(), component_seed)
            })
            .collect(),
    };
    let managed = plan.servers.iter().filter(|(name, _)| plan.is_managed(name));
    managed.map(|(name, server)| ((*name).clone(), lower(name, server))).collect()
}

fn entries(model: &Model, plan: &Workload<'_>) -> IndexMap<Name, SeedEntry> {
    let readers = |address: &str| {
        plan.readers.get(address).into_iter().flatten().map(|reader| (*reader).clone()).collect::<Vec<_>>()
    };
    let mut entries = IndexMap::with_capacity_and_hasher(model.components.len(), Default::default());
    for (server, duties) in &plan.servers {
        for key in duties.publishes.keys() {
            let address = format!("{server}/{SERVER_ENTRIES}/{key}");
            let entry = SeedEntry { ty: None, readers: readers(&address) };
            entries.insert(address.into(), entry);
        }
        for (key, component) in &duties.components {
            for (output, declared) in model.declaration(component).into_iter().flat_map(|d| &d.outputs) {
                let address = format!("{key}/{output}");
                let entry = SeedEntry { ty: Some(declared.ty.clone()), readers: readers(&address) };
                entries.insert(address.into(), entry);
            }
        }
    }
    entries
}

/// The requirements that `check` has not already decided.
fn requirements(model: &Model) -> IndexMap<Name, SeedRequirement> {
    let mut found = IndexMap::default();
    for (name, requirement) in &model.requirements {
        let when = requirement::when(model, &requirement.predicate);
        if when == When::Check {
            continue;
        }
        let named = requirement::operands(model, &requirement.predicate);
        let predicate =
            named.map(|operand| Operand { name: operand.name.clone(), from: for_agent(model, &operand.from) });
        let heat = when == When::Apply && requirement::of_heat(model, name, requirement).whole;
        let (because, at) = (requirement.because.clone(), requirement::place(&requirement.at));
        found.insert(name.clone(), SeedRequirement { when, heat, predicate, because, at });
    }
    found
}

fn sources(model: &Model) -> IndexMap<Name, String> {
    let known = |at: &Source| at.is_known().then(|| at.portable());
    let resources = model.resources.iter().map(|(name, resource)| (name, &resource.at));
    let components = model.components.iter().map(|(key, component)| (key, &component.at));
    resources.chain(components).filter_map(|(name, at)| Some((name.clone(), known(at)?))).collect()
}

/// The current names of everything that was deployed under another name.
fn called_now(original: &Model) -> IndexMap<Name, Name> {
    if original.moved.is_empty() {
        return IndexMap::default();
    }
    let identities = Identities::of(original);
    let resources = original.resources.keys().map(|name| (identities.resource(name), name));
    let components = original.components.keys().map(|key| (identities.component(key), key));
    let moved = resources.chain(components).filter(|(identity, name)| identity != name);
    moved.map(|(identity, name)| (identity.clone(), name.clone())).collect()
}
