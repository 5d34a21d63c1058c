//! Secret outputs of a run under way, so that they are masked from when the recipe writes them.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use wattle::model::{Name, Type, Value};
use wattle::values;

use super::directory::Directory;
use super::{Job, Mask, outputs};

/// The files of the outputs that are secret or hold secrets.
#[derive(Debug)]
pub(super) struct Written(Vec<Output>);

#[derive(Debug)]
struct Output {
    path: PathBuf,
    ty: Type,
    // As it was when it was read.
    seen: Option<(SystemTime, u64)>,
}

impl Written {
    /// Those of `job`, none of which is there yet.
    pub(super) fn of(job: &Job, directory: &Directory) -> Self {
        let outputs = job.component.outputs.iter().filter(|(_, output)| output.declared.ty.is_secret());
        let output = |(name, output): (&Name, &crate::space::PlannedOutput)| Output {
            path: directory.output(name),
            ty: output.declared.ty.clone(),
            seen: None,
        };
        Self(outputs.map(output).collect())
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
                // It is not whole yet, or wrong: what there is may be a secret all the same.
                Err(_) => mask.add(&Value::from(text.as_str())),
            }
            if matches!(output.ty, Type::Hidden(_)) {
                mask.add(&Value::from(text.trim_end_matches('\n')));
            }
        }
    }
}
