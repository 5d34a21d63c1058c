//! Salt states, applied on this server by `salt-call --local`, without a master. Known to work with Salt 3008.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::json;
use wattle::model::{IndexMap, Value};
use wattle_recipe::salt;

use super::Report;
use crate::recipe::directory::{Directory, write, write_json};
use crate::recipe::environment::Environment;
use crate::recipe::process::{Command, run};
use crate::recipe::{Broken, RecipeRun};
use crate::space::FailureKind;

/// The output of Salt.
#[derive(Deserialize)]
struct SaltReport {
    local: Outcome,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Outcome {
    /// The result of each state, by `MODULE_|-ID_|-NAME_|-FUNCTION`.
    States(BTreeMap<String, State>),
    /// Why no state was applied.
    Refused(Vec<String>),
}

#[derive(Deserialize)]
struct State {
    result: Option<bool>,
    comment: serde_json::Value,
    #[serde(rename = "__run_num__", default)]
    number: u64,
}

/// Applies a state. It writes all its outputs as files.
pub(super) async fn go(job: &RecipeRun, directory: &Directory, environment: Environment) -> Result<Report, Broken> {
    let file = job.recipe()?;
    let found = salt::state(file);
    let (roots, state) = found.ok_or_else(|| {
        Broken::new(FailureKind::Start, format!("Salt cannot find the state `{file}`: {}", salt::NAMING))
    })?;
    let command = prepare(job, directory, roots, state, environment).map_err(|error| {
        Broken::new(FailureKind::Start, format!("the run of its state cannot be prepared: {error}"))
    })?;
    let ended = run(job, directory, command).await?;
    let why = fs::read(directory.tool().join("report.json")).ok().and_then(|report| why(&report));
    Ok(Report { good: ended.status.success(), why, outputs: IndexMap::default(), ended })
}

fn prepare(
    job: &RecipeRun,
    directory: &Directory,
    folder: &str,
    state: &str,
    mut environment: Environment,
) -> io::Result<Command> {
    let tool = directory.tool();
    let pillar = tool.join("pillar");
    fs::create_dir(&pillar)?;
    let mut data: IndexMap<&str, Value> = job.inputs.iter().map(|(name, value)| (&**name, value.clone())).collect();
    data.insert("heat_outputs_path", Value::from(directory.outputs().to_string_lossy().into_owned()));
    // Read as JSON only, nothing in a value is taken for a template.
    let sls = |value: &serde_json::Value| format!("#!json\n{value}\n");
    write(&pillar.join("top.sls"), sls(&json!({ "base": { "*": ["inputs"] } })))?;
    write(&pillar.join("inputs.sls"), sls(&serde_json::to_value(&data)?))?;
    let files = directory.files();
    let mut roots = vec![if folder.is_empty() { files.clone() } else { files.join(folder) }];
    if !folder.is_empty() {
        roots.push(files.clone());
    }
    let server = job.name.split('/').next().unwrap_or(&job.name);
    // Use included files; ignore the configuration that the server has for its operator. JSON is a subset of YAML.
    let own = |name: &str| tool.join(name);
    let settings = json!({
        "id": server,
        "file_client": "local",
        "file_roots": { "base": roots },
        "pillar_roots": { "base": [pillar] },
        "root_dir": tool,
        "cachedir": own("cache"),
        "pki_dir": own("pki"),
        "sock_dir": own("sock"),
        "extension_modules": own("modules"),
        "log_level_logfile": "quiet",
        "log_fmt_console": "[%(levelname)s] %(message)s",
        "enable_fqdns_grains": false,
    });
    write_json(&tool.join("minion"), &settings)?;
    environment.speak_utf8();
    // Otherwise its output arrives only when a buffer is full.
    environment.set("PYTHONUNBUFFERED", "1");
    let report = tool.join("report.json");
    let options: [&Path; 4] = ["--config-dir".as_ref(), &tool, "--out-file".as_ref(), &report];
    let words = ["--local", "--retcode-passthrough", "--log-level=info", "--out=json"];
    let arguments = words.map(Into::into).into_iter().chain(options.map(|option| option.as_os_str().to_owned()));
    Ok(Command {
        program: "salt-call".into(),
        arguments: arguments.chain(["state.apply".into(), state.into()]).collect(),
        environment,
        at: files,
        missing: "`salt-call` is not installed: it is in Salt's package `salt-minion`, and in PyPI's `salt`".to_owned(),
    })
}

/// The reason why a run failed: the first failed state, or why there was none.
fn why(report: &[u8]) -> Option<String> {
    match serde_json::from_slice::<SaltReport>(report).ok()?.local {
        Outcome::Refused(reasons) => reasons.first().and_then(|reason| reason.lines().next()).map(str::to_owned),
        Outcome::States(states) => {
            let failed = states.iter().filter(|(_, state)| state.result == Some(false));
            let (key, state) = failed.min_by_key(|(_, state)| state.number)?;
            let parts: Vec<&str> = key.split("_|-").collect();
            let [module, id, .., function] = parts[..] else { return None };
            let said = state.comment.as_str().map_or_else(|| state.comment.to_string(), str::to_owned);
            Some(format!("the state `{id}` ({module}.{function}) failed: {said}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::why;

    #[test]
    fn the_first_state_that_failed_is_why() {
        let report = br#"{"local": {
            "cmd_|-b_|-x_|-run": {"result": false, "comment": "after", "__run_num__": 2},
            "cmd_|-a_|-x_|-run": {"result": false, "comment": "before", "__run_num__": 1},
            "cmd_|-c_|-x_|-run": {"result": true, "comment": "", "__run_num__": 0}}}"#;
        assert_eq!(why(report).as_deref(), Some("the state `a` (cmd.run) failed: before"));
        assert_eq!(
            why(br#"{"local": ["Rendering SLS 'base:it' failed: x\n---\n"]}"#).as_deref(),
            Some("Rendering SLS 'base:it' failed: x")
        );
        assert_eq!(why(b"nothing"), None);
    }
}
