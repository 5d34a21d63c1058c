//! Mistral's types.

use crate::evaluate::Value;
use crate::properties::translation;
use crate::resource::values::{has, map, true_of};
use crate::resource::{Change, Class, Ruled, Subject};

use super::rule::{broken, one_of};

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Mistral::CronTrigger", validates: &[time], ..Class::PLAIN },
    Class {
        ty: "OS::Mistral::ExternalResource",
        replaces: other_inputs,
        always_updated: |resource| resource.boolean("always_update") != Some(false),
        ..Class::PLAIN
    },
    Class {
        ty: "OS::Mistral::Workflow",
        translates: &[
            translation(&["tasks", "pause_before"], &["policies", "pause_before"]),
            translation(&["tasks", "wait_after"], &["policies", "wait_after"]),
            translation(&["tasks", "wait_before"], &["policies", "wait_before"]),
            translation(&["tasks", "timeout"], &["policies", "timeout"]),
            translation(&["tasks", "concurrency"], &["policies", "concurrency"]),
            translation(&["tasks", "retry"], &["policies", "retry"]),
        ],
        validates: &[workflow],
        referred_by_name: true,
        ..Class::PLAIN
    },
];

fn time(subject: Subject<'_>) -> Ruled {
    if subject.is("pattern")? { Ok(None) } else { one_of(subject, ["first_time"]) }
}

/// Whether an input changes that `replace_on_change_inputs` names.
fn other_inputs(change: &Change<'_>) -> Option<Vec<String>> {
    let Some(Value::List(names)) = change.after.value("replace_on_change_inputs") else { return None };
    let mut names = names.iter().filter_map(Value::as_text);
    names.any(|name| change.before.part("input", name) != change.after.part("input", name)).then(Vec::new)
}

fn workflow(subject: Subject<'_>) -> Ruled {
    let ty = subject.text("type")?;
    if ty == "reverse" && !true_of(&map(subject.own("params")?), "task_name") {
        return broken("a reverse workflow needs `params.task_name`", "name the task to run");
    }
    for task in subject.maps("tasks")? {
        if true_of(&task, "workflow") == true_of(&task, "action") {
            return broken("a task is a `workflow` or an `action`", "set one of them");
        }
        if has(&task, "requires") && ty == "direct" {
            return broken("tasks of a direct workflow take no `requires`", "make the workflow a reverse one");
        }
        if has(&task, "concurrency") && !has(&task, "with_items") {
            return broken("`concurrency` needs `with_items`", "add them");
        }
    }
    Ok(None)
}
