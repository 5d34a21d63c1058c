//! Secret outputs of a running recipe, which are masked as soon as it writes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use wattle::model::{IndexMap, Name, Type, Value};
use wattle::values;

use super::directory::{self, Directory};
use super::{Mask, RecipeRun, outputs};
use crate::space::{PlannedComponent, PlannedOutput};

/// The outputs of `component` that are secret or contain secrets, as far as their files exist in its run directory now.
/// A value that does not match its type is included as text.
pub(crate) fn secrets(component: &PlannedComponent, directory: &Path) -> IndexMap<Name, Value> {
    let read = |(name, output): (&Name, &PlannedOutput)| {
        let text = outputs::text(&directory::output(directory, name)).ok()??;
        let value = values::parse(&output.declared.ty, &text);
        Some((name.clone(), value.unwrap_or_else(|_| Value::from(text.as_str()))))
    };
    secret_outputs(component).filter_map(read).collect()
}

fn secret_outputs(component: &PlannedComponent) -> impl Iterator<Item = (&Name, &PlannedOutput)> {
    component.outputs.iter().filter(|(_, output)| output.declared.ty.is_secret())
}

/// The files of the outputs that are secret or contain secrets.
#[derive(Debug)]
pub(super) struct Written(Vec<Output>);

#[derive(Debug)]
struct Output {
    path: PathBuf,
    ty: Type,
    // The modification time and size when it was read.
    seen: Option<(SystemTime, u64)>,
}

impl Written {
    /// The files for `job`, none of which exists yet.
    pub(super) fn of(job: &RecipeRun, directory: &Directory) -> Self {
        let output = |(name, output): (&Name, &PlannedOutput)| Output {
            path: directory.output(name),
            ty: output.declared.ty.clone(),
            seen: None,
        };
        Self(secret_outputs(&job.component).map(output).collect())
    }

    /// Masks what has been written since.
    pub(super) fn learn(&mut self, mask: &mut Mask) {
        for output in &mut self.0 {
            let Ok(data) = fs::metadata(&output.path) else { continue };
            let now = data.modified().ok().map(|time| (time, data.len()));
            if now.is_some() && now == output.seen {
                continue;
            }
            output.seen = now;
            let Ok(Some(text)) = outputs::text(&output.path) else { continue };
            match values::parse(&output.ty, &text) {
                Ok(value) => mask.add_secrets(&output.ty, &value),
                // It is incomplete or malformed, but may be a secret nevertheless.
                Err(_) => mask.add(&Value::from(text.as_str())),
            }
            if matches!(output.ty, Type::Hidden(_)) {
                mask.add(&Value::from(text.trim_end_matches('\n')));
            }
        }
    }
}
