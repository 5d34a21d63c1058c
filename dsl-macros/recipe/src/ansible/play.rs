//! The meaning of plays and tasks.

use super::tree::{Node, NodeKind};
use super::value::{Suffix, Values, suffix};
use super::{scope, short, uses};
use crate::analysis::{FileOutline, Include, SyntaxError};
use crate::failures::{Unnoticed, Why};
use crate::jinja;
use crate::names::{OUTPUTS_PATH, file_name, is_output};
use crate::texts::OUTPUTS;

/// Keys whose texts are expressions without braces.
const BARE: [&str; 10] =
    ["when", "changed_when", "failed_when", "until", "that", "var", "loop", "with_items", "with_dict", "assert"];
/// Keys under which variables are defined.
const DEFINING: [&str; 3] = ["vars", "set_fact", "module_defaults"];
/// Modules that read files or print, but do not write files.
const LOOKING: [&str; 12] =
    ["debug", "assert", "fail", "stat", "slurp", "fetch", "find", "wait_for", "when", "meta", "pause", "include_vars"];
/// Keys, of a task or a module, whose texts name files that are not written.
const SOURCES: [&str; 14] = [
    "src",
    "msg",
    "that",
    "creates",
    "removes",
    "name",
    "when",
    "until",
    "register",
    "content",
    "validate",
    "var",
    "changed_when",
    "failed_when",
];
/// Keys that contain tasks.
const TASKS: [&str; 7] = ["tasks", "block", "rescue", "always", "handlers", "pre_tasks", "post_tasks"];
const SHELLS: [&str; 3] = ["shell", "command", "raw"];
/// Programs that end running processes.
const ENDING: [&str; 4] = ["reboot", "shutdown", "poweroff", "kexec"];
/// Keys of a task that are not modules.
const OF_TASKS: [&str; 31] = [
    "name",
    "async",
    "poll",
    "when",
    "register",
    "become",
    "become_user",
    "become_method",
    "become_flags",
    "loop",
    "loop_control",
    "vars",
    "tags",
    "notify",
    "environment",
    "args",
    "delegate_to",
    "run_once",
    "no_log",
    "failed_when",
    "changed_when",
    "retries",
    "delay",
    "until",
    "listen",
    "check_mode",
    "diff",
    "timeout",
    "throttle",
    "connection",
    "module_defaults",
];

/// Analyses documents. `templates` tells whether every text is a template.
pub(super) fn judge(documents: &[Node], templates: bool) -> Result<FileOutline, SyntaxError> {
    let mut values = Values::default();
    for document in documents {
        define(document, &mut values);
    }
    let mut play = Play {
        values,
        outline: FileOutline::default(),
        fault: None,
        templates: false,
        is_whole: templates,
        polls: false,
    };
    documents.iter().for_each(|document| scope::document(document, &mut play.outline.names));
    for document in documents {
        // A map is a file of variables or of a role's metadata; plays and tasks come in lists.
        let tasks = matches!(document.kind, NodeKind::List(_));
        play.templates = templates && tasks;
        play.node(document, "", tasks);
        document.get("dependencies").into_iter().for_each(|roles| play.roles(roles));
    }
    if play.polls {
        play.outline.failures.unpolled = None;
    }
    play.outline.analysis.dynamic_writes |= play.values.exhausted();
    play.outline.analysis.reads.remove(OUTPUTS_PATH);
    let made = uses::made(documents);
    for one in std::mem::take(&mut play.outline.uses) {
        let is_made = made.iter().any(|path| one.is_below(path));
        play.outline.uses.push(if is_made { one.spare() } else { one });
    }
    match play.fault {
        Some(fault) => Err(fault),
        None => Ok(play.outline),
    }
}

/// Collects variables, wherever they are defined.
fn define<'a>(node: &'a Node, values: &mut Values<'a>) {
    for (key, value) in node.map() {
        if key.text().is_some_and(|key| DEFINING.contains(&short(key))) {
            for (name, value) in value.map() {
                if let Some(name) = name.text() {
                    values.define(name, value);
                }
            }
        }
        define(value, values);
    }
    node.list().iter().for_each(|item| define(item, values));
}

struct Play<'a> {
    values: Values<'a>,
    outline: FileOutline,
    /// An error that Ansible reports only when it gets there.
    fault: Option<SyntaxError>,
    /// Whether every text of the document is a template.
    templates: bool,
    /// Whether every text of the file is a template, including those of variables.
    is_whole: bool,
    /// Something checks the result of background tasks.
    polls: bool,
}

impl<'a> Play<'a> {
    /// Reads everything; if `tasks`, its maps are plays, blocks or tasks.
    fn node(&mut self, node: &'a Node, under: &str, tasks: bool) {
        match &node.kind {
            NodeKind::Text(text) => self.text(text, node.line, under),
            NodeKind::List(items) => items.iter().for_each(|item| self.node(item, under, tasks)),
            NodeKind::Map(_) if tasks => self.task(node),
            NodeKind::Map(pairs) => {
                for (key, value) in pairs {
                    let name = key.text().unwrap_or_default();
                    self.text(name, key.line, "");
                    self.node(value, name, false);
                }
            }
            NodeKind::Alias => {}
        }
    }

    fn text(&mut self, text: &str, line: u32, under: &str) {
        if let Some(fault) = jinja::unclosed(text, line).filter(|_| self.templates && under != "name") {
            self.fault.get_or_insert(fault);
        }
        if self.is_whole {
            jinja::names::template(text, line, &mut self.outline.names);
            if scope::BARE.contains(&under) && !text.contains("{{") && !scope::is_truth(text) {
                jinja::names::expression(text, line, &mut self.outline.names);
            }
        }
        if self.is_whole {
            let is_bare = scope::BARE.contains(&under) && !text.contains("{{");
            self.outline.uses.extend(uses::of_text(text, line, is_bare));
        }
        let analysis = &mut self.outline.analysis;
        jinja::reads(text, line, analysis);
        if BARE.contains(&under) {
            jinja::expression(text, line, analysis);
        }
        analysis.dynamic_reads |= text.contains("inputs.json");
    }

    /// A play, a block or a task.
    fn task(&mut self, node: &'a Node) {
        let looped = node.map().iter().filter_map(|(key, list)| {
            let key = key.text()?;
            (key == "loop" || key.starts_with("with_")).then_some(list)
        });
        let depth = self.values.items.len();
        let variable = node.get("loop_control").and_then(|control| control.get("loop_var")).and_then(Node::text);
        self.values.items.extend(looped.map(|list| (variable.unwrap_or("item"), list)));
        self.sent_off(node);
        for (key, value) in node.map() {
            let name = key.text().unwrap_or_default();
            self.text(name, key.line, "");
            let name = short(name);
            self.polls |= name == "async_status";
            self.entry(node, name, value);
            self.node(value, name, TASKS.contains(&name));
        }
        self.values.items.truncate(depth);
    }

    /// One key of a play, a block or a task.
    fn entry(&mut self, task: &'a Node, key: &str, value: &'a Node) {
        self.outline.uses.extend(uses::of_key(task, key, value, &self.values));
        match key {
            "set_stats" => self.stats(task, value),
            "action" | "local_action" => self.action(task, value),
            "script" => self.script(task, value),
            "debug" => self.debug(value),
            "import_tasks" | "include_tasks" | "include" | "import_playbook" => {
                let file = value.text().or_else(|| value.get("file").and_then(Node::text)).unwrap_or_default();
                let file = file.split_ascii_whitespace().next().unwrap_or_default();
                self.outline.includes.push(Include::File(file_name(file).to_owned()));
            }
            "include_role" | "import_role" => {
                let name = value.get("name").or_else(|| value.get("role")).and_then(Node::text).unwrap_or_default();
                self.role(name);
            }
            "roles" => self.roles(value),
            "template" => {
                if let Some(source) = value.get("src").and_then(Node::text) {
                    self.outline.includes.push(Include::Template(file_name(source).to_owned()));
                }
                self.arguments(value);
            }
            _ if SHELLS.contains(&key) => self.shells(value, key != "command"),
            "vars" | "set_fact" | "hosts" | "loop" | "module_defaults" => {}
            _ if LOOKING.contains(&key) || SOURCES.contains(&key) || TASKS.contains(&key) => {}
            _ if key.starts_with("with_") => {}
            _ => self.arguments(value),
        }
    }

    /// A task in the background (`async: 60, poll: 0`).
    fn sent_off(&mut self, task: &Node) {
        let said = |key| task.get(key).and_then(Node::text);
        let is_sent_off = said("async").is_some_and(|seconds| seconds != "0") && said("poll") == Some("0");
        let is_module = |name: &str| !OF_TASKS.contains(&name) && !name.starts_with("with_");
        let mut keys = task.map().iter().filter_map(|(key, value)| Some((short(key.text()?), key.line, value)));
        let module = keys.find(|(name, ..)| is_module(name));
        let Some((name, line, value)) = module.filter(|_| is_sent_off && task.get("ignore_errors").is_none()) else {
            return;
        };
        // It ends the run, so nothing could check its result.
        if name == "reboot" || ENDING.iter().any(|program| mentions(value, program)) {
            return;
        }
        let one = Unnoticed { file: None, program: name.to_owned(), line, why: Why::Unpolled };
        self.outline.failures.unpolled.get_or_insert(one);
    }

    fn roles(&mut self, roles: &Node) {
        for role in roles.list() {
            let name = role.text().or_else(|| role.get("role").or_else(|| role.get("name"))?.text());
            self.role(name.unwrap_or_default());
        }
    }

    fn role(&mut self, name: &str) {
        let name = name.rsplit(['/', '.']).next().unwrap_or_default();
        self.outline.includes.push(Include::Folder(name.to_owned()));
    }

    /// `set_stats:`, whose `data` may also be under `args:`.
    fn stats(&mut self, task: &'a Node, value: &'a Node) {
        let data = value.get("data").or_else(|| task.get("args").and_then(|args| args.get("data")));
        match data.map(|data| &data.kind) {
            Some(kind) if is_nothing(kind) => {
                self.refuse(value.line, "`data` of `set_stats` is empty: outputs belong below it");
            }
            Some(NodeKind::Map(pairs)) => {
                for (key, _) in pairs {
                    match key.text() {
                        // `<<: *more` merges another map.
                        None | Some("<<") => self.outline.analysis.dynamic_writes = true,
                        Some(text) => {
                            for name in self.values.of(text) {
                                self.write(Some(&name).filter(|name| is_output(name)).map(String::as_str), key.line);
                            }
                        }
                    }
                }
            }
            None if task.get("args").is_none()
                && (value.get("<<").is_none() && !value.map().is_empty() || is_nothing(&value.kind)) =>
            {
                self.refuse(value.line, "`set_stats` has no `data`: outputs belong below `data:`");
            }
            _ => self.outline.analysis.dynamic_writes = true,
        }
    }

    /// Records an error that Ansible reports only when it gets there.
    fn refuse(&mut self, line: u32, message: &str) {
        self.fault.get_or_insert_with(|| SyntaxError::new(line, message));
    }

    /// `action: set_stats data=…`, or a map with `module:`.
    fn action(&mut self, task: &'a Node, value: &'a Node) {
        let name = value.get("module").or(Some(value)).and_then(Node::text).unwrap_or_default();
        let name = name.split_ascii_whitespace().next().unwrap_or_default();
        match short(name) {
            "set_stats" => self.stats(task, value),
            name if SHELLS.contains(&name) => self.shells(value, false),
            name if LOOKING.contains(&name) => {}
            _ => self.arguments(value),
        }
    }

    /// `debug: {var: port}`, which is an expression without braces.
    fn debug(&mut self, value: &Node) {
        let mut words = value.text().unwrap_or_default().split_ascii_whitespace();
        let variable =
            value.get("var").and_then(Node::text).or_else(|| words.find_map(|word| word.strip_prefix("var=")));
        if let Some(text) = variable.filter(|text| self.is_whole && !text.contains("{{")) {
            jinja::names::expression(text, value.line, &mut self.outline.names);
        }
    }

    fn script(&mut self, task: &Node, value: &Node) {
        let text = value.text().or_else(|| value.get("cmd").and_then(Node::text)).unwrap_or_default();
        let file = text.split_ascii_whitespace().find(|word| !word.contains('=')).unwrap_or_default();
        self.outline.includes.push(Include::Program(file_name(file).to_owned()));
        // The program that runs it may be configured to stop at a failure.
        let is_set = |node: &Node| node.get("executable").is_some();
        if !is_set(value) && !task.get("args").is_some_and(is_set) {
            self.outline.runs.push(file_name(file).to_owned());
        }
    }

    /// The text of a command, its `cmd:` or `_raw_params:`, or the list in `argv:`. If `is_shell`, a shell runs it.
    fn shells(&mut self, value: &Node, is_shell: bool) {
        match &value.kind {
            NodeKind::Text(text) => self.shell(text, value.line, is_shell),
            NodeKind::List(items) => {
                let words: Vec<&str> = items.iter().filter_map(Node::text).collect();
                self.shell(&words.join(" "), value.line, false);
            }
            NodeKind::Map(_) => {
                for key in ["cmd", "_raw_params", "argv", "stdin"] {
                    let is_shell = is_shell && key != "stdin";
                    value.get(key).into_iter().for_each(|value| self.shells(value, is_shell));
                }
            }
            NodeKind::Alias => self.outline.analysis.anything(),
        }
    }

    fn shell(&mut self, text: &str, line: u32, is_shell: bool) {
        for text in self.values.of(text) {
            // The shell expands its environment, not Ansible's variables; but a play may pass them on.
            crate::shell::command(&text, line, is_shell, &mut self.outline);
        }
    }

    /// The arguments of a module that may write files.
    fn arguments(&mut self, value: &Node) {
        match &value.kind {
            NodeKind::Text(text) => {
                for text in self.values.of(text) {
                    self.file(&text, value.line);
                }
            }
            NodeKind::List(items) => items.iter().for_each(|item| self.arguments(item)),
            NodeKind::Map(pairs) => {
                for (key, value) in pairs {
                    let key = key.text().unwrap_or_default();
                    if !SOURCES.contains(&key) {
                        self.arguments(value);
                    }
                }
            }
            NodeKind::Alias => {}
        }
    }

    fn file(&mut self, text: &str, line: u32) {
        for (at, _) in text.match_indices(OUTPUTS) {
            let rest = &text[at + 1..];
            // `src={{ heat_outputs_path }}.url` in the one-line form.
            let word = text[..at].rsplit(char::is_whitespace).next().unwrap_or_default();
            if word.split_once('=').is_some_and(|(key, _)| SOURCES.contains(&key)) {
                continue;
            }
            match suffix(rest) {
                Suffix::Name(name) => self.write(Some(name), line),
                Suffix::Computed => self.write(None, line),
                Suffix::Other => {
                    self.outline.analysis.dynamic_writes |= rest.is_empty() || rest.starts_with([' ', '"', '\'']);
                }
            }
        }
    }

    fn write(&mut self, name: Option<&str>, line: u32) {
        match name {
            Some(name) => self.outline.analysis.write(name, line),
            None => self.outline.analysis.dynamic_writes = true,
        }
    }
}

/// Whether a text in a node mentions a program.
fn mentions(node: &Node, program: &str) -> bool {
    match &node.kind {
        NodeKind::Text(text) => text.contains(program),
        NodeKind::List(items) => items.iter().any(|item| mentions(item, program)),
        NodeKind::Map(pairs) => pairs.iter().any(|(_, value)| mentions(value, program)),
        NodeKind::Alias => false,
    }
}

/// Whether a key has no value, which is YAML's null.
fn is_nothing(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Text(text) if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
}
