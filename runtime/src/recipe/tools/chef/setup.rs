//! The inputs of a Chef run: its configuration, its run list, and the component's declaration for `wattle.rb`.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::recipe::directory::{Directory, write, write_json};
use crate::recipe::{Broken, RecipeRun};
use crate::space::{FailureKind, Script};

/// The Ruby code that Chef's configuration loads.
const WATTLE: &str = include_str!("wattle.rb");

/// The files of one run of Chef.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    /// Chef's configuration.
    pub(super) config: PathBuf,
    /// The run list, as attributes of the node.
    pub(super) node: PathBuf,
    /// The path of the run's report.
    pub(super) report: PathBuf,
}

impl Setup {
    /// Writes them to the tool's part of the run directory.
    pub(super) fn write(job: &RecipeRun, directory: &Directory) -> Result<Self, Broken> {
        if job.live.socket().is_none() {
            let message = "Chef's recipes read their inputs from the agent's socket, and there is none";
            return Err(Broken::new(FailureKind::Start, message.to_owned()));
        }
        let recipe = job.recipe()?;
        let cookbooks = cookbooks(job, directory, recipe)?;
        let folder = directory.tool();
        let setup =
            Self { config: folder.join("solo.rb"), node: folder.join("node.json"), report: folder.join("report.json") };
        setup.write_files(job, directory, recipe, &cookbooks).map_err(|error| {
            let message = format!("Chef's configuration cannot be written to `{}`: {error}", folder.display());
            Broken::new(FailureKind::Start, message)
        })?;
        Ok(setup)
    }

    fn write_files(&self, job: &RecipeRun, directory: &Directory, recipe: &str, cookbooks: &Path) -> io::Result<()> {
        directory.make_cache()?;
        let (ruby, table) = (directory.tool().join("wattle.rb"), directory.tool().join("wattle.json"));
        write(&ruby, WATTLE)?;
        write_json(&table, &self.table(job))?;
        write_json(&self.node, &json!({ "run_list": [format!("recipe[{recipe}]")] }))?;
        write(&self.config, config(job, directory, cookbooks, &ruby, &table))
    }

    fn table(&self, job: &RecipeRun) -> serde_json::Value {
        let inputs = job.component.inputs.iter().map(|(name, input)| json!({ "name": name, "path": input.path }));
        let outputs = job.component.outputs.iter().filter(|_| job.script == Script::Recipe);
        let outputs = outputs.map(
            |(name, output)| json!({ "name": name, "path": output.declared.path, "early": output.declared.early }),
        );
        json!({
            "report": self.report,
            "inputs": inputs.collect::<Vec<_>>(),
            "outputs": outputs.collect::<Vec<_>>(),
        })
    }
}

/// The configuration. Chef reads it more than once in one run.
fn config(job: &RecipeRun, directory: &Directory, cookbooks: &Path, ruby: &Path, table: &Path) -> String {
    let server = job.name.split('/').next().unwrap_or(&job.name);
    // Included data bags, roles and environments are beside the cookbooks.
    let repository = cookbooks.parent().filter(|parent| parent.starts_with(directory.files()));
    let tool = directory.tool();
    let mut text = format!("require {}\n\n", quoted(ruby));
    for (setting, path) in [
        ("chef_repo_path", repository.unwrap_or(cookbooks).to_owned()),
        ("cookbook_path", cookbooks.to_owned()),
        ("node_path", tool.join("nodes")),
        ("client_path", tool.join("clients")),
        ("cache_path", tool.join("local")),
        ("file_cache_path", directory.cache()),
        ("file_backup_path", directory.cache().join("backup")),
    ] {
        _ = writeln!(text, "{setting} {}", quoted(&path));
    }
    _ = write!(
        text,
        "node_name {}\n\
         log_location STDOUT\n\
         log_level :warn\n\
         color false\n\
         event_handlers [Wattle.subscriber({table})]\n\
         exception_handlers [Wattle.subscriber({table})]\n\
         $stdout.sync = true\n",
        quoted(Path::new(server)),
        table = quoted(table),
    );
    text
}

/// The folder that contains the cookbook of `recipe` (`COOKBOOK::RECIPE`) and those that it depends on.
fn cookbooks(job: &RecipeRun, directory: &Directory, recipe: &str) -> Result<PathBuf, Broken> {
    let (cookbook, recipe) = recipe.split_once("::").unwrap_or((recipe, "default"));
    let file = Path::new(cookbook).join("recipes").join(format!("{recipe}.rb"));
    let paths = job.component.recipe.files.keys().map(|path| Path::new(&**path));
    // A cookbook that is part of another one is deeper.
    let found = paths.filter(|path| path.ends_with(&file)).min_by_key(|path| path.components().count());
    let missing = || Broken::new(FailureKind::Start, format!("no file `{}` came along with it", file.display()));
    let found = found.and_then(|path| path.ancestors().nth(3)).ok_or_else(missing)?;
    // Joining an empty path would leave a trailing slash.
    let files = directory.files();
    Ok(if found.as_os_str().is_empty() { files } else { files.join(found) })
}

/// Quotes a path as a Ruby literal.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\\', r"\\").replace('\'', r"\'"))
}
