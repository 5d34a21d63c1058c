//! Puppet manifests, applied on this server by `puppet apply`. Known to work with Puppet 7.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use wattle::model::{IndexMap, Name, Value};

use super::Report;
use crate::recipe::directory::{Directory, write, write_json};
use crate::recipe::environment::Environment;
use crate::recipe::process::{Command, run};
use crate::recipe::{Broken, RecipeRun};
use crate::space::FailureKind;

/// Where Puppet's own packages install it, outside of any search path.
const VENDOR: &str = "/opt/puppetlabs/bin/puppet";
/// Folders of modules that a server may have besides those included with the recipe.
const MODULES: [&str; 5] = [
    "/etc/puppetlabs/code/environments/production/modules",
    "/etc/puppetlabs/code/modules",
    "/opt/puppetlabs/puppet/modules",
    "/etc/puppet/code/modules",
    "/usr/share/puppet/modules",
];
/// Changes were made, and none failed (`puppet apply --detailed-exitcodes`).
const CHANGED: i32 = 2;
/// Facts that Puppet depends on: an input with one of these names is not a fact.
const NEEDED: [&str; 5] = ["os", "kernel", "networking", "path", "identity"];
/// Variables of Puppet's own. Facts are also variables, and one with such a name breaks every manifest, or one of the
/// two shadows the other.
const ITS_OWN: [&str; 7] = ["title", "name", "module_name", "caller_module_name", "facts", "server_facts", "trusted"];

/// Applies a manifest. It writes all its outputs as files.
pub(super) async fn go(job: &RecipeRun, directory: &Directory, environment: Environment) -> Result<Report, Broken> {
    let recipe = job.recipe()?;
    let command = prepare(job, directory, &directory.files().join(&**recipe), environment).map_err(|error| {
        Broken::new(FailureKind::Start, format!("the run of its manifest cannot be prepared: {error}"))
    })?;
    let ended = run(job, directory, command).await?;
    let good = ended.status.success() || ended.status.code() == Some(CHANGED);
    // The first error causes the others. Facter's errors do not keep Puppet from working.
    let errors = ended.log.iter().filter_map(|line| line.strip_prefix("Error: "));
    let why = errors.filter(|error| !error.starts_with("Facter: ")).map(str::to_owned).next();
    Ok(Report { good, why, outputs: IndexMap::default(), ended })
}

fn prepare(
    job: &RecipeRun,
    directory: &Directory,
    manifest: &Path,
    mut environment: Environment,
) -> io::Result<Command> {
    let tool = directory.tool();
    let data: IndexMap<&Name, Value> = job.inputs.iter().map(|(name, value)| (name, literal(value))).collect();
    write_json(&tool.join("inputs.json"), &data)?;
    let hiera = serde_json::json!({
        "version": 5,
        "hierarchy": [{ "name": "inputs", "data_hash": "json_data", "datadir": tool, "path": "inputs.json" }],
    });
    // JSON is a subset of YAML.
    write_json(&tool.join("hiera.yaml"), &hiera)?;
    let environments = tool.join("environments");
    fs::create_dir_all(environments.join("production"))?;
    let beside = manifest.parent().map(|folder| folder.join("modules"));
    let own = [Some(directory.files().join("modules")), beside].into_iter().flatten();
    let mut modules: Vec<PathBuf> = own.chain(MODULES.map(PathBuf::from)).filter(|path| path.is_dir()).collect();
    modules.dedup();
    let modules: Vec<String> = modules.iter().map(|path| path.display().to_string()).collect();
    let mut settings = "[main]\n".to_owned();
    for (name, value) in [
        ("vardir", tool.join("var").display().to_string()),
        ("rundir", tool.join("run").display().to_string()),
        ("logdir", tool.join("log").display().to_string()),
        ("publicdir", tool.join("public").display().to_string()),
        ("ssldir", tool.join("ssl").display().to_string()),
        ("codedir", tool.display().to_string()),
        ("environmentpath", environments.display().to_string()),
        ("hiera_config", tool.join("hiera.yaml").display().to_string()),
        ("report", "false".to_owned()),
        ("color", "false".to_owned()),
    ] {
        let _ = writeln!(settings, "{name} = {value}");
    }
    write(&tool.join("puppet.conf"), settings)?;

    environment.set_inputs(job, "FACTER_");
    NEEDED.iter().chain(&ITS_OWN).for_each(|name| environment.unset(&format!("FACTER_{name}")));
    environment.set("FACTER_heat_outputs_path", directory.outputs());
    environment.speak_utf8();
    let program = if environment.finds("puppet") || !Path::new(VENDOR).exists() { "puppet" } else { VENDOR };
    let mut arguments = vec!["apply".into(), "--detailed-exitcodes".into(), "--confdir".into(), tool.into()];
    arguments.extend(["--modulepath".into(), modules.join(":").into(), manifest.into()]);
    Ok(Command {
        program: program.into(),
        arguments,
        environment,
        at: directory.files(),
        missing:
            "`puppet` is not installed: it is in Debian's package `puppet-agent`, and in Puppet's and OpenVox's own"
                .to_owned(),
    })
}

/// Escapes `value` so that Hiera returns it unchanged: it takes `%{` for the beginning of a variable.
fn literal(value: &Value) -> Value {
    let text = |text: &Name| Name::from(text.replace("%{", "%{literal('%')}{"));
    match value {
        Value::Str(name) => Value::Str(text(name)),
        Value::List(values) => Value::List(values.iter().map(literal).collect()),
        Value::Map(values) => Value::Map(values.iter().map(|(name, value)| (text(name), literal(value))).collect()),
        other => other.clone(),
    }
}
