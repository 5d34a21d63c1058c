//! `wattle graph`: draws the order in which Heat creates resources, and which component waits for which.

mod drawn;
mod emitted;

use clap::{ArgMatches, Command};
use wattle::check::{Diagnostic, Severity};
use wattle::cli::{DiagramFormat, drawing, drawing_args};
use wattle::lower::Lowering;
use wattle::model::{Model, Resource};
use wattle::view;
use wattle_heat::{Graph, Loaded};
use wattle_hot::model::{is_extended, stripped};

use super::given::{self, Given};
use crate::cli::console::Console;
use crate::cli::error::{CommandError, Exit};

pub(in crate::cli) fn command() -> Command {
    Command::new("graph")
        .about("Draw what Heat creates before what, and which component waits for which")
        .args(given::args_of("Template, `-` for standard input, or a folder that `emit` wrote"))
        .args(drawing_args())
}

pub(in crate::cli) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let drawing = drawing(matches)?;
    if let Some(diagram) = emitted::diagram(given::path(matches))? {
        console.out.write(&drawing.write(drawing.draw(&diagram)?)?)?;
        return Ok(Exit::Fine);
    }
    let given = Given::read(matches)?;
    if let Some(text) = given.unreadable(&console.err.options()) {
        console.err.write(&text)?;
        return Ok(Exit::Failed);
    }
    let errors = errors(given.diagnostics(true, Lowering::default()));
    if given.loaded.template.resources.is_empty() && !errors.is_empty() {
        // With errors, there is nothing to draw.
        console.err.write(&given.render(&errors, view::Format::Full, &console.err.options()))?;
        return Ok(Exit::Failed);
    }
    if let Some(summary) = view::summary(&errors) {
        console.err.write(&format!(
            "{summary} in the template, which `wattle check` reports; some of the graph may be missing\n"
        ))?;
    }
    let model = is_extended(&given.loaded.template).then(|| given.model());
    let resources = resources(&given.loaded, model);
    for (group, size) in resources.all_cut() {
        console.err.write(&format!(
            "of the {size} members of `{group}`, only the first {} are drawn: give it fewer to see all of them\n",
            wattle_heat::graph::MEMBERS
        ))?;
    }
    let diagram = drawn::diagram(&resources, given.model());
    let text = match drawing.format {
        DiagramFormat::Json => drawn::json(&resources, &diagram),
        _ => drawing.draw(&diagram)?,
    };
    console.out.write(&drawing.write(text)?)?;
    Ok(Exit::Fine)
}

/// Heat's graph of the template as it is. If an input reads an output without a guard, Heat refuses the template; then
/// it is the graph of the lowered template.
fn resources(loaded: &Loaded, model: Option<&Model>) -> Graph {
    let whole = Graph::of(loaded);
    let Some(model) = model else { return whole };
    let exports: Vec<&str> = model.exports.keys().map(|name| &**name).collect();
    let stripped = Graph::of(&stripped(loaded, &exports));
    let is_server = |name: &str| model.resources.get(name).is_some_and(Resource::is_server);
    let reads_software = whole.graph.iter().any(|(name, requires)| {
        let known = stripped.graph.get(name);
        let is_new = |required: &String| known.is_none_or(|known| !known.contains(required));
        is_server(name) && requires.iter().any(|required| is_server(required) && is_new(required))
    });
    if reads_software { stripped } else { whole }
}

fn errors(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    diagnostics
}
