//! Values of other stacks that are given to `up`, because those stacks are absent.

use std::fmt;

use wattle::lower::Seed;
use wattle::lower::seed::{Origin, Wire};
use wattle::model::{IndexMap, Name, Type};
use wattle::names::meant;

use crate::seed::fit;

use super::error::UpError;

/// An import without a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Unimported {
    /// The type as which it is read.
    pub ty: Type,
    /// The location of the import, as `FILE:LINE:COLUMN`. Empty if unknown.
    pub at: String,
}

impl fmt::Display for Unimported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.ty)?;
        if self.at.is_empty() { Ok(()) } else { write!(f, ", at {}", self.at) }
    }
}

/// Returns `seed` with the `given` values, by `STACK:EXPORT`, in place of its imports. A text may stand for a value of
/// any type.
///
/// # Errors
/// [`UpError::Imports`], with all imports without a value or with an invalid one, and all given values that are not
/// imported.
pub fn with_imports(mut seed: Seed, given: &IndexMap<String, String>) -> Result<Seed, UpError> {
    let imports = std::mem::take(&mut seed.imports);
    let mut values = IndexMap::default();
    let mut missing: IndexMap<Name, Unimported> = IndexMap::default();
    let mut faults = Vec::new();
    for import in &imports {
        let name = key(&import.stack, &import.export);
        match given.get(&*name).map(|text| fit(&text.as_str().into(), &import.ty)) {
            Some(Ok(value)) => drop(values.insert((import.stack.clone(), import.export.clone()), value)),
            Some(Err(why)) => {
                faults.push(format!("the import `{name}` from the command line does not fit: {why}"));
            }
            None => {
                let unimported = Unimported { ty: import.ty.clone(), at: import.at.clone() };
                missing.entry(name).or_insert(unimported);
            }
        }
    }
    for name in given.keys() {
        let known: Vec<Name> = imports.iter().map(|import| key(&import.stack, &import.export)).collect();
        if !known.iter().any(|known| **known == **name) {
            let help = meant(name, known.iter().map(|known| &**known)).map(|help| format!("; {help}"));
            faults.push(format!("the stack `{}` imports no `{name}`{}", seed.stack, help.unwrap_or_default()));
        }
    }
    if !missing.is_empty() || !faults.is_empty() {
        return Err(UpError::Imports { missing, faults });
    }
    if imports.is_empty() {
        return Ok(seed);
    }
    let resolved = |wire: &Wire| {
        wire.replace(&mut |part| match part {
            Wire::Leaf(Origin::Import { stack, export }) => {
                values.get(&(stack.clone(), export.clone())).cloned().map(Wire::Constant)
            }
            _ => None,
        })
    };
    for component in seed.servers.values_mut().flat_map(|server| server.components.values_mut()) {
        component.inputs.values_mut().for_each(|wire| *wire = resolved(wire));
    }
    for export in seed.exports.values_mut() {
        export.value = resolved(&export.value);
    }
    for requirement in seed.requirements.values_mut() {
        requirement.predicate = requirement.predicate.map(|operand| {
            let mut operand = operand.clone();
            operand.from = resolved(&operand.from);
            operand
        });
    }
    seed.digest = seed.compute_digest();
    Ok(seed)
}

fn key(stack: &str, export: &str) -> Name {
    format!("{stack}:{export}").into()
}
