//! Ansible playbooks, run on this server by `ansible-playbook`. Known to work with ansible-core 2.14 and later.

mod unsafe_yaml;

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use wattle::model::{IndexMap, Name, Value, json};

use super::Report;
use crate::recipe::directory::{Directory, write};
use crate::recipe::environment::Environment;
use crate::recipe::process::{Command, run};
use crate::recipe::{Broken, RecipeRun};
use crate::space::FailureKind;
use crate::store::MAX_DATA;

const CALLBACK: &str = include_str!("wattle.py");
/// The maximum number of bytes that a playbook may set with `set_stats`.
const LARGEST: u64 = 16 * MAX_DATA as u64;

const NOWHERE: &str = "no play is for this server, so nothing ran: a recipe's only host is `localhost`";

/// The output of the callback.
#[derive(Debug, Default, Deserialize)]
struct CallbackReport {
    stats: IndexMap<Name, Value>,
    failure: Option<Failed>,
    /// Whether no play was for this server.
    #[serde(default)]
    nowhere: bool,
}

/// The last task that failed.
#[derive(Debug, Deserialize)]
struct Failed {
    task: String,
    /// Its file and line, if known.
    #[serde(default)]
    at: Option<String>,
    /// The current item of its loop.
    #[serde(default)]
    item: Option<String>,
    how: String,
    said: Vec<String>,
}

impl Failed {
    fn sentence(&self) -> String {
        let item = self.item.as_ref().map(|item| format!(" for the item `{item}`")).unwrap_or_default();
        let at = self.at.as_ref().map(|at| format!(", {at},")).unwrap_or_default();
        let said: Vec<&str> = self.said.iter().map(|said| said.trim().trim_end_matches('.')).collect();
        let said = if said.is_empty() { String::new() } else { format!(": {}", said.join(": ")) };
        format!("the task `{}`{at} {}{item}{said}", self.task, self.how)
    }
}

/// The error that Ansible prints if it does not reach any task.
fn refused(log: &[String]) -> Option<String> {
    let said = log
        .iter()
        .find_map(|line| line.trim().strip_prefix("ERROR! ").or_else(|| line.trim().strip_prefix("[ERROR]: ")))?;
    Some(format!("Ansible refuses the playbook: {}", said.trim_end_matches('.')))
}

/// Runs a playbook. Its outputs are the values set by `set_stats`, for the run or for the host, and files.
pub(super) async fn go(job: &RecipeRun, directory: &Directory, environment: Environment) -> Result<Report, Broken> {
    let command = prepare(job, directory, environment).map_err(|error| {
        Broken::new(FailureKind::Start, format!("the run of its playbook cannot be prepared: {error}"))
    })??;
    let ended = run(job, directory, command).await?;
    let report = read(&directory.tool().join("report.json"))?;
    let why = report.failure.as_ref().map(Failed::sentence).or_else(|| refused(&ended.log));
    let why = why.or_else(|| report.nowhere.then(|| NOWHERE.to_owned()));
    Ok(Report { good: ended.status.success() && !report.nowhere, why, outputs: report.stats, ended })
}

fn prepare(
    job: &RecipeRun,
    directory: &Directory,
    mut environment: Environment,
) -> std::io::Result<Result<Command, Broken>> {
    let recipe = match job.recipe() {
        Ok(recipe) => recipe,
        Err(broken) => return Ok(Err(broken)),
    };
    let tool = directory.tool();
    let playbook = directory.files().join(&**recipe);
    fs::create_dir(tool.join("callbacks"))?;
    write(&tool.join("callbacks/wattle.py"), CALLBACK)?;
    let at = |path: &Path| {
        let mut argument = OsString::from("@");
        argument.push(path);
        argument
    };
    let mut arguments: Vec<OsString> = ["--connection", "local", "--inventory", "localhost,"].map(Into::into).into();
    arguments.extend(["--extra-vars".into(), at(&directory.inputs())]);
    // Values that Ansible would take for a template are passed once more, marked as unsafe.
    let marked: Vec<_> = job.inputs.iter().filter(|(_, value)| unsafe_yaml::is_needed(value)).collect();
    if !marked.is_empty() {
        let path = tool.join("unsafe.yml");
        write(&path, unsafe_yaml::map(marked))?;
        arguments.extend(["--extra-vars".into(), at(&path)]);
    }
    let path = tool.join("run.yml");
    let outputs = Value::from(directory.outputs().to_string_lossy().into_owned());
    write(&path, unsafe_yaml::map([(&Name::from("heat_outputs_path"), &outputs)]))?;
    arguments.extend(["--extra-vars".into(), at(&path)]);
    arguments.push(playbook.clone().into());

    let beside = playbook.parent().unwrap_or(&tool);
    // Use included files; ignore the configuration that the server has for its operator.
    let none = tool.join("ansible.cfg");
    write(&none, "")?;
    let configuration = [beside.join("ansible.cfg"), directory.files().join("ansible.cfg")];
    let configuration = configuration.into_iter().find(|path| path.exists()).unwrap_or(none);
    environment.set("ANSIBLE_CONFIG", configuration);
    environment.set("ANSIBLE_CALLBACK_PLUGINS", tool.join("callbacks"));
    environment.set("ANSIBLE_CALLBACKS_ENABLED", "wattle");
    environment.set("ANSIBLE_STDOUT_CALLBACK", "default");
    let mut roles = directory.files().join("roles").into_os_string();
    roles.push(":~/.ansible/roles:/usr/share/ansible/roles:/etc/ansible/roles");
    environment.set("ANSIBLE_ROLES_PATH", roles);
    environment.set("ANSIBLE_LOCAL_TEMP", tool.join("local"));
    environment.set("ANSIBLE_REMOTE_TEMP", tool.join("remote"));
    // Use the Python that runs Ansible; any other would have to be discovered, with a warning.
    environment.set("ANSIBLE_PYTHON_INTERPRETER", "{{ ansible_playbook_python }}");
    for (name, value) in [
        ("ANSIBLE_NOCOWS", "1"),
        ("ANSIBLE_NOCOLOR", "1"),
        ("ANSIBLE_RETRY_FILES_ENABLED", "0"),
        ("ANSIBLE_LOCALHOST_WARNING", "0"),
        // Otherwise its output arrives only when a buffer is full.
        ("PYTHONUNBUFFERED", "1"),
    ] {
        environment.set(name, value);
    }
    // Ansible refuses to start with another encoding.
    environment.speak_utf8();
    Ok(Ok(Command {
        program: "ansible-playbook".into(),
        arguments,
        environment,
        at: directory.files(),
        missing: "`ansible-playbook` is not installed: it is in the package `ansible-core` of Debian or PyPI"
            .to_owned(),
    }))
}

/// Reads the callback's output; `None` if Ansible did not reach it.
fn read(path: &Path) -> Result<CallbackReport, Broken> {
    let Ok(data) = fs::metadata(path) else { return Ok(CallbackReport::default()) };
    if data.len() > LARGEST {
        let message = format!("what it set by `set_stats` has {} bytes, and may have at most {LARGEST}", data.len());
        return Err(Broken::new(FailureKind::Size, message));
    }
    let text = fs::read(path).unwrap_or_default();
    json::read(&text)
        .map_err(|error| Broken::new(FailureKind::Type, format!("what it set by `set_stats` is not JSON: {error}")))
}
