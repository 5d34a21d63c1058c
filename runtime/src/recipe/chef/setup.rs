//! What a run of Chef is told: its configuration, its run list, and what `wattle.rb` must know of the component.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::json;

use super::super::{Broken, Job};
use super::broken;
use crate::space::{Kind, Script};

/// What Chef's configuration loads.
const WATTLE: &str = include_str!("wattle.rb");

/// The files of one run of Chef.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    /// Chef's configuration.
    pub(super) config: PathBuf,
    /// What is run, as attributes of the node.
    pub(super) node: PathBuf,
    /// Where the run reports how it ended.
    pub(super) report: PathBuf,
}

impl Setup {
    /// Writes them to the folder `chef` of the job's run directory.
    pub(super) fn write(job: &Job) -> Result<Self, Broken> {
        let recipe = match job.script {
            Script::Recipe => Some(&job.component.recipe),
            Script::Teardown => job.component.teardown.as_ref(),
        };
        let recipe = recipe.ok_or_else(|| broken(Kind::Start, "it has no teardown recipe"))?;
        let cookbooks = cookbooks(job, recipe)?;
        if job.live.socket().is_none() {
            return Err(broken(Kind::Start, "Chef reads its inputs from the agent's socket, and there is none"));
        }
        let folder = job.directory.join("chef");
        let setup =
            Self { config: folder.join("solo.rb"), node: folder.join("node.json"), report: folder.join("report.json") };
        let written = setup.write_files(job, &folder, recipe, &cookbooks);
        written.map_err(|error| {
            broken(Kind::Start, format!("cannot write Chef's configuration to {}: {error}", folder.display()))
        })?;
        Ok(setup)
    }

    fn write_files(&self, job: &Job, folder: &Path, recipe: &str, cookbooks: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        match fs::remove_file(&self.report) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let (ruby, table) = (folder.join("wattle.rb"), folder.join("wattle.json"));
        fs::write(&ruby, WATTLE)?;
        fs::write(&table, self.table(job).to_string())?;
        fs::write(&self.node, json!({ "run_list": [format!("recipe[{recipe}]")] }).to_string())?;
        fs::write(&self.config, config(job, folder, cookbooks, &ruby, &table))
    }

    fn table(&self, job: &Job) -> serde_json::Value {
        let inputs = job.component.inputs.iter().map(|(name, input)| json!({ "name": name, "path": input.path }));
        let outputs = job.component.outputs.iter().filter(|_| job.script == Script::Recipe);
        let outputs = outputs.map(|(name, output)| json!({ "name": name, "path": output.path, "early": output.early }));
        json!({
            "report": self.report,
            "inputs": inputs.collect::<Vec<_>>(),
            "outputs": outputs.collect::<Vec<_>>(),
        })
    }
}

/// Chef reads it more than once in one run.
fn config(job: &Job, folder: &Path, cookbooks: &Path, ruby: &Path, table: &Path) -> String {
    let server = job.name.split('/').next().unwrap_or(&job.name);
    // Data bags, roles and environments that travel along stand beside the cookbooks.
    let repository = cookbooks.parent().filter(|parent| parent.starts_with(job.directory.join("files")));
    let mut text = format!("require {}\n\n", quoted(ruby));
    for (setting, path) in [
        ("chef_repo_path", repository.unwrap_or(cookbooks).to_owned()),
        ("cookbook_path", cookbooks.to_owned()),
        ("node_path", folder.join("nodes")),
        ("client_path", folder.join("clients")),
        ("cache_path", folder.join("local")),
        ("file_cache_path", folder.join("cache")),
        ("file_backup_path", folder.join("backup")),
    ] {
        _ = writeln!(text, "{setting} {}", quoted(&path));
    }
    _ = write!(
        text,
        "node_name {}\n\
         log_location STDOUT\n\
         log_level :warn\n\
         color false\n\
         event_handlers [Wattle.subscriber({})]\n\
         $stdout.sync = true\n",
        quoted(Path::new(server)),
        quoted(table),
    );
    text
}

/// The folder in which the cookbook of `recipe` (`COOKBOOK::RECIPE`) stands, with those that it depends on.
fn cookbooks(job: &Job, recipe: &str) -> Result<PathBuf, Broken> {
    let (cookbook, recipe) = recipe.split_once("::").unwrap_or((recipe, "default"));
    let file = Path::new(cookbook).join("recipes").join(format!("{recipe}.rb"));
    let paths = job.component.files.keys().map(|path| Path::new(&**path));
    // A cookbook that is part of another one stands deeper.
    let found = paths.filter(|path| path.ends_with(&file)).min_by_key(|path| path.components().count());
    let found = found.and_then(|path| path.ancestors().nth(3));
    let missing = || broken(Kind::Start, format!("no file `{}` came along with the recipe", file.display()));
    Ok(job.directory.join("files").join(found.ok_or_else(missing)?))
}

/// As a literal of Ruby.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\\', r"\\").replace('\'', r"\'"))
}
