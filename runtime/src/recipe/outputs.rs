//! The outputs of a run: reads them from where the recipe left them, and compares them to the declaration.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;
use wattle::model::{IndexMap, Name, Type, Value};
use wattle::values;

use super::directory::Directory;
use super::leak::{self, Known};
use super::{Broken, RecipeRun};
use crate::space::FailureKind;
use crate::store::MAX_DATA;

/// Collects all declared outputs of `job`: published while it ran, collected by its tool (`native`), or from their
/// files.
///
/// # Errors
/// All errors in them, as one message; its kind is that of the first.
pub(super) fn collect(
    job: &RecipeRun,
    directory: &Directory,
    mut native: IndexMap<Name, Value>,
) -> Result<IndexMap<Name, Value>, Broken> {
    let mut outputs = IndexMap::default();
    let mut wrong: Vec<(FailureKind, String)> = Vec::new();
    let mut missing = Vec::new();
    for (name, output) in &job.component.outputs {
        let collected = native.shift_remove(name);
        let value = match (job.live.published(name), collected) {
            (Some(value), _) => Ok(Some(value)),
            (None, Some(value)) => {
                values::fit_unseen(&output.declared.ty, value).map(Some).map_err(|why| (FailureKind::Type, why))
            }
            (None, None) => read(&directory.output(name), &output.declared.ty),
        };
        match value {
            Ok(Some(value)) if value.to_string().len() > MAX_DATA => {
                wrong.push((FailureKind::Size, not_as_declared(name, &values::too_large(value.to_string().len()))));
            }
            Ok(Some(value)) => {
                outputs.insert(name.clone(), value);
            }
            Ok(None) => missing.push(format!("`{name}`")),
            Err((kind, why)) => wrong.push((kind, not_as_declared(name, &why))),
        }
    }
    let mut given = job.inputs.clone();
    given.extend(job.live.handed());
    for (name, value) in &outputs {
        let is_published = job.live.published(name).is_some();
        let known = Known { given: &given, written: &outputs, is_published };
        if let Err(broken) = leak::refuse(&job.component, known, (name, value)) {
            wrong.push((broken.kind, broken.message));
        }
    }
    let mut unknown: Vec<String> = native.keys().map(ToString::to_string).collect();
    unknown.extend(directory.written().into_iter().map(|name| name.to_string_lossy().into_owned()));
    unknown.retain(|name| !job.component.outputs.contains_key(name.as_str()));
    for name in &unknown {
        tracing::warn!(target: super::LOG, component = &*job.name, "it wrote an output `{name}` that it does not declare");
    }
    if !missing.is_empty() {
        let which = if missing.len() == 1 { "output" } else { "outputs" };
        let mut message = format!("it ended without writing its {which} {}", missing.join(", "));
        if !unknown.is_empty() {
            let _ = write!(message, ", but wrote `{}`, which it does not declare", unknown.join("`, `"));
        }
        wrong.push((FailureKind::Unwritten, message));
    }
    match wrong.first() {
        None => Ok(outputs),
        Some((kind, _)) => {
            let messages: Vec<&str> = wrong.iter().map(|(_, message)| message.as_str()).collect();
            Err(Broken::new(*kind, messages.join("; ")))
        }
    }
}

fn not_as_declared(name: &str, why: &str) -> String {
    format!("its output `{name}` is not what it declares: {why}")
}

fn read(path: &Path, ty: &Type) -> Result<Option<Value>, (FailureKind, String)> {
    match text(path) {
        Ok(None) => Ok(None),
        Ok(Some(text)) => values::parse_unseen(ty, &text).map(Some).map_err(|why| (FailureKind::Type, why)),
        Err(error) => Err(error),
    }
}

/// The contents of a file; `None` if it does not exist.
pub(super) fn text(path: &Path) -> Result<Option<String>, (FailureKind, String)> {
    let unreadable = |error: io::Error| (FailureKind::Type, format!("`{}` cannot be read: {error}", path.display()));
    let data = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
        Ok(data) => data,
    };
    if !data.is_file() {
        return Err((FailureKind::Type, format!("`{}` is not a file", path.display())));
    }
    if data.len() > MAX_DATA as u64 {
        return Err((FailureKind::Size, values::too_large(data.len())));
    }
    // Do not block: if it has become a pipe in between, nothing writes to it.
    let nonblocking = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = OpenOptions::new().read(true).custom_flags(nonblocking).open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MAX_DATA as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MAX_DATA {
        return Err((FailureKind::Size, values::too_large(bytes.len())));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        (FailureKind::Type, format!("it is not UTF-8 text: byte {} is not valid", error.utf8_error().valid_up_to()))
    })
}
