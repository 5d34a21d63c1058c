//! One component with a Chef recipe, and the Chef versions that run it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use wattle::lower::seed::{SeedOutput, SeedRecipe};
use wattle::model::{IndexMap, Name, Tool, Type, Value};
use wattle_runtime::recipe::{Broken, RecipeRun, Runner as _, Tools};
use wattle_runtime::space::{Held, PlannedComponent, PlannedInput, PlannedOutput, Script, ValueSource};
use wattle_tests::skip::skipped;

use crate::agent::Agent;

/// The default deadline of a run.
const DEADLINE: Duration = Duration::from_mins(4);

/// A Chef program, or a stand-in for it.
pub(crate) struct Chef {
    /// Its name in messages.
    pub(crate) name: String,
    folder: tempfile::TempDir,
}

/// A stand-in for each major version of Chef.
pub(crate) fn stand_ins() -> Vec<Chef> {
    let stand_in = concat!(env!("CARGO_MANIFEST_DIR"), "/chef/stand_in.rb");
    let ruby = on_path("ruby").expect("tests/run installs ruby");
    ["16", "17", "18"]
        .map(|version| {
            let script = format!("CHEF_STAND_IN={version} exec {} {stand_in} \"$@\"", ruby.display());
            Chef::new(format!("the stand-in for Chef {version}"), &script)
        })
        .into()
}

/// The stand-ins, and the real Chef, if it is installed.
pub(crate) fn chefs() -> Vec<Chef> {
    let mut chefs = stand_ins();
    // WATTLE_TEST_CHEF can name several real Chefs, in the form of $PATH.
    let named = std::env::var_os("WATTLE_TEST_CHEF");
    let named = named.iter().flat_map(std::env::split_paths);
    let real: Vec<PathBuf> = named.chain(["chef-solo", "cinc-solo"].into_iter().find_map(on_path)).collect();
    if real.is_empty() {
        skipped("the real Chef", "there is no chef-solo and no cinc-solo on the PATH; only its stand-in was tried");
    }
    chefs.extend(
        real.iter().map(|path| Chef::new(path.display().to_string(), &format!("exec {} \"$@\"", path.display()))),
    );
    chefs
}

fn on_path(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}

impl Chef {
    fn new(name: String, script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("chef-solo");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { name, folder }
    }

    /// A search path on which this Chef comes first.
    pub(crate) fn path(&self) -> OsString {
        let others = std::env::var_os("PATH").unwrap_or_default();
        let folders = [self.folder.path().to_owned()].into_iter().chain(std::env::split_paths(&others));
        std::env::join_paths(folders).unwrap()
    }
}

/// A component with a Chef recipe.
#[derive(Clone, Default)]
pub(crate) struct Case {
    files: IndexMap<String, String>,
    inputs: IndexMap<Name, (Type, Vec<Name>)>,
    outputs: IndexMap<Name, (Type, Vec<Name>, bool)>,
    recipe: String,
    teardown: Option<String>,
    deadline: Option<Duration>,
}

impl Case {
    /// A component with this text of the recipe `probe::default`.
    pub(crate) fn new(recipe: &str) -> Self {
        Self::default().with_recipe(recipe)
    }

    /// The same component with this text of the recipe.
    pub(crate) fn with_recipe(mut self, recipe: &str) -> Self {
        "probe::default".clone_into(&mut self.recipe);
        self.file("cookbooks/probe/metadata.rb", "name 'probe'\nversion '1.0.0'\n")
            .file("cookbooks/probe/recipes/default.rb", recipe)
    }

    /// A component that runs a recipe of the existing cookbooks below `folder`.
    pub(crate) fn cookbooks(folder: &Path, recipe: &str) -> Self {
        let mut case = Self { recipe: recipe.to_owned(), ..Self::default() };
        let mut folders = vec![folder.to_owned()];
        while let Some(current) = folders.pop() {
            for entry in fs::read_dir(current).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let place = format!("cookbooks/{}", path.strip_prefix(folder).unwrap().display());
                    case.files.insert(place, fs::read_to_string(&path).unwrap());
                }
            }
        }
        case
    }

    pub(crate) fn file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), text.to_owned());
        self
    }

    pub(crate) fn attributes(self, text: &str) -> Self {
        self.file("cookbooks/probe/attributes/default.rb", text)
    }

    pub(crate) fn teardown(mut self, recipe: &str) -> Self {
        self.teardown = Some("probe::teardown".to_owned());
        self.file("cookbooks/probe/recipes/teardown.rb", recipe)
    }

    pub(crate) fn input(mut self, name: &str, path: &str, ty: Type) -> Self {
        self.inputs.insert(name.into(), (ty, path.split('/').map(Name::from).collect()));
        self
    }

    pub(crate) fn output(mut self, name: &str, path: &str, ty: Type) -> Self {
        self.outputs.insert(name.into(), (ty, path.split('/').map(Name::from).collect(), false));
        self
    }

    pub(crate) fn early(mut self, name: &str, path: &str, ty: Type) -> Self {
        self.outputs.insert(name.into(), (ty, path.split('/').map(Name::from).collect(), true));
        self
    }

    pub(crate) fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Starts the recipe.
    pub(crate) fn start(&self, chef: &Chef) -> Run {
        self.start_script(&chef.path(), Script::Recipe)
    }

    /// Starts the recipe or the teardown, with the Chef on `path`.
    pub(crate) fn start_script(&self, path: &OsString, script: Script) -> Run {
        let types =
            self.outputs.iter().map(|(name, (ty, ..))| (name.to_string(), ty.clone())).collect::<HashMap<_, _>>();
        let secret = self.inputs.iter().filter(|(_, (ty, _))| ty.is_secret()).map(|(name, _)| name.to_string());
        let agent = Agent::start(types, secret.collect(), self.deadline.unwrap_or(DEADLINE));
        let folder = tempfile::tempdir().unwrap();
        let job = self.job(&agent, folder.path(), script);
        let runner = Tools::new().path(path.clone());
        let task = tokio::spawn(async move { runner.run(&job).await });
        Run { agent, folder, task }
    }

    fn job(&self, agent: &Arc<Agent>, folder: &Path, script: Script) -> RecipeRun {
        for (path, text) in &self.files {
            let path = folder.join("files").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let input = |(name, (ty, path)): (&Name, &(Type, Vec<Name>))| {
            let from = ValueSource::Leaf(Held::Entry(format!("other/component/{name}").into()));
            (name.clone(), PlannedInput { ty: ty.clone(), path: path.clone(), from })
        };
        let output = |(name, (ty, path, early)): (&Name, &(Type, Vec<Name>, bool))| {
            let declared = SeedOutput { ty: ty.clone(), path: path.clone(), early: *early };
            let output = PlannedOutput { declared, recipients: Vec::new() };
            (name.clone(), output)
        };
        RecipeRun {
            name: "server/component".into(),
            component: PlannedComponent {
                recipe: SeedRecipe {
                    tool: Tool::Chef,
                    entry: self.recipe.as_str().into(),
                    teardown: self.teardown.as_deref().map(Name::from),
                    files: self.files.keys().map(|path| (path.clone().into(), String::new())).collect(),
                    deadline: None,
                    wait: None,
                },
                after: Vec::new(),
                inputs: self.inputs.iter().map(input).collect(),
                outputs: self.outputs.iter().map(output).collect(),
                requires: IndexMap::default(),
            },
            script,
            inputs: IndexMap::default(),
            directory: folder.to_owned(),
            deadline: self.deadline.unwrap_or(DEADLINE),
            live: Arc::<Agent>::clone(agent),
        }
    }
}

/// A run in progress.
pub(crate) struct Run {
    pub(crate) agent: Arc<Agent>,
    /// Its run directory.
    pub(crate) folder: tempfile::TempDir,
    task: JoinHandle<Result<IndexMap<Name, Value>, Broken>>,
}

impl Run {
    /// Whether it has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.task.is_finished()
    }

    /// Waits for the end of the run, and returns its result.
    pub(crate) async fn end(&mut self) -> Result<serde_json::Value, Broken> {
        let outputs = (&mut self.task).await.unwrap()?;
        Ok(serde_json::to_value(outputs).unwrap())
    }

    /// Waits for the run to succeed, and returns its outputs.
    pub(crate) async fn outputs(&mut self, chef: &Chef) -> serde_json::Value {
        self.end().await.unwrap_or_else(|broken| panic!("with {}: {broken:#?}", chef.name))
    }

    /// Waits for the run to fail, and returns the reason.
    pub(crate) async fn failure(&mut self, chef: &Chef) -> Broken {
        self.end().await.expect_err(&chef.name)
    }
}
