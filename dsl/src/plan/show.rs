//! The text of a plan.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};

use crate::model::{IndexMap, Name, Resource};
use crate::names::list;
use crate::requirement::When;
use crate::shown::argument;

use super::{Action, ComponentPlan, Demanded, Plan, Reason, RequirementPlan, ResourcePlan, Run, SettingPlan, Summary};

/// The most components that one line names.
const SHOWN: usize = 3;

/// How a text is coloured.
#[derive(Clone, Copy)]
enum Tone {
    Good,
    Change,
    Doubt,
    Bad,
    Head,
    Faint,
}

struct Page {
    text: String,
    color: bool,
}

impl Page {
    fn painted(&self, text: &str, tone: Tone) -> String {
        if !self.color {
            return text.to_owned();
        }
        let color = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        let style = match tone {
            Tone::Good => color(AnsiColor::Green),
            Tone::Change => color(AnsiColor::Yellow),
            Tone::Doubt => color(AnsiColor::Cyan),
            Tone::Bad => color(AnsiColor::Red).bold(),
            Tone::Head => Style::new().bold(),
            Tone::Faint => Style::new().dimmed(),
        };
        format!("{style}{text}{style:#}")
    }

    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "");
    }

    fn reasons(&mut self, indent: usize, reasons: &[Reason]) {
        for reason in reasons {
            let text = match (&reason.from, &reason.to, &reason.through) {
                (Some(from), Some(to), _) => format!("{}: {from} -> {to}", reason.what),
                (None, Some(to), _) => format!("{}: now {to}", reason.what),
                (Some(from), None, _) => format!("{}: no longer {from}", reason.what),
                (None, None, Some(through)) => format!("{}: {through}", reason.what),
                (None, None, None) => format!("{} has changed", reason.what),
            };
            self.line(indent, &text);
        }
    }

    fn resource(&mut self, indent: usize, name: &str, plan: &ResourcePlan) {
        let is_server = &*plan.ty == Resource::SERVER;
        let (sign, tone, what) = match plan.action {
            Action::Unchanged => (" ", Tone::Head, ""),
            Action::MayUpdate => ("?", Tone::Doubt, "may change in place"),
            Action::MayRebuild if is_server => ("?", Tone::Bad, "may be rebuilt: its disk would be lost"),
            Action::MayRebuild => ("?", Tone::Bad, "may be rebuilt: what is on it would be lost"),
            Action::MayReplace => ("?", Tone::Bad, "may be replaced"),
            Action::Update => ("~", Tone::Change, "changes in place"),
            Action::Create => ("+", Tone::Good, "is created"),
            Action::Rebuild if is_server => ("!", Tone::Bad, "is rebuilt: its disk is lost"),
            Action::Rebuild => ("!", Tone::Bad, "is rebuilt: what is on it is lost"),
            Action::Replace => ("-/+", Tone::Bad, "is replaced"),
            Action::Delete => ("-", Tone::Bad, "is deleted"),
            Action::Refused => ("!", Tone::Bad, "cannot be changed: Heat refuses the update"),
        };
        let ty = self.painted(&format!("({})", plan.ty), Tone::Faint);
        let text = if what.is_empty() {
            format!("{sign} {} {ty}", self.painted(name, tone))
        } else {
            format!("{} {ty}: {}", self.painted(&format!("{sign} {name}"), tone), self.painted(what, tone))
        };
        self.line(indent, &text);
        self.reasons(indent + 6, &plan.because);
        for note in &plan.notes {
            let note = format!("{} {note}", self.painted("note:", Tone::Head));
            self.line(indent + 6, &note);
        }
        for help in &plan.help {
            let help = format!("{} {help}", self.painted("help:", Tone::Doubt));
            self.line(indent + 6, &help);
        }
    }

    fn component(&mut self, indent: usize, name: &str, plan: &ComponentPlan) {
        let (sign, tone, what) = match plan.action {
            Run::Skip => ("~", Tone::Change, "changes, and does not run again"),
            Run::MayRunAgain => ("?", Tone::Doubt, "may run again"),
            Run::RunAgain => ("~", Tone::Change, "runs again"),
            Run::Run => ("+", Tone::Good, "runs"),
            Run::TearDown => ("-", Tone::Bad, "is torn down"),
            Run::Forget => ("-", Tone::Change, "has no teardown: what it installed stays"),
            Run::Gone => ("-", Tone::Bad, "goes with its server"),
        };
        let text = format!("{}: {what}", self.painted(&format!("{sign} {name}"), tone));
        // A new server obviously runs its components.
        let is_servers = |reason: &Reason| reason.what == "server" && plan.action != Run::MayRunAgain;
        let because: Vec<Reason> = plan.because.iter().filter(|reason| !is_servers(reason)).cloned().collect();
        self.line(indent, &text);
        self.reasons(indent + 6, &because);
        self.reasons(indent + 6, &plan.aside);
    }

    fn requirement(&mut self, indent: usize, name: &str, plan: &RequirementPlan) {
        let (sign, tone, what) = match plan.action {
            Demanded::Unchanged => return,
            Demanded::Added => ("+", Tone::Good, "is new"),
            Demanded::Changed => ("~", Tone::Change, "has changed"),
            Demanded::Removed => ("-", Tone::Change, "is no longer required"),
        };
        let judges: Vec<&str> = plan.judges.iter().map(|judge| &**judge).collect();
        let judges = match (plan.action, plan.when) {
            (Demanded::Removed, _) => String::new(),
            (_, When::RunTime) if judges.len() > SHOWN => {
                format!("; the agents of {} components check it", judges.len())
            }
            (_, When::RunTime) => format!("; the agent of {} checks it", list(judges, "and that of")),
            _ => "; `seed apply` checks it".to_owned(),
        };
        self.line(indent, &format!("{}: {what}{judges}", self.painted(&format!("{sign} {name}"), tone)));
        match (plan.action, plan.because.as_slice()) {
            (Demanded::Changed, because) => self.reasons(indent + 6, because),
            (_, because) => {
                let conditions = because.iter().filter_map(|reason| reason.to.as_ref().or(reason.from.as_ref()));
                conditions.for_each(|condition| self.line(indent + 6, condition));
            }
        }
    }
}

impl Page {
    fn setting(&mut self, indent: usize, name: &str, plan: &SettingPlan) {
        let (sign, tone, what) = match (&plan.from, &plan.to) {
            (Some(from), Some(to)) => ("~", Tone::Change, format!("{from} -> {to}")),
            (None, to) => ("+", Tone::Good, format!("now {}", to.as_deref().unwrap_or_default())),
            (Some(from), None) => {
                let set = argument(format!("{name}={from}"));
                ("-", Tone::Change, format!("was {from}, and is no longer given; `--set {set}` keeps it"))
            }
        };
        self.line(indent, &format!("{}: {what}", self.painted(&format!("{sign} {name}"), tone)));
    }
}

impl Plan {
    /// The plan as people read it: what changes, by server, and how many of each there are.
    pub fn to_text(&self, color: bool) -> String {
        let mut page = Page { text: String::new(), color };
        let mut components: IndexMap<&str, Vec<(&str, &ComponentPlan)>> = IndexMap::default();
        for (key, plan) in self.components.iter().filter(|(_, plan)| !plan.is_same()) {
            let (server, name) = key.split_once('/').unwrap_or((key, ""));
            components.entry(server).or_default().push((name, plan));
        }
        let own = |name: &Name| name.rsplit_once('/').map_or(name.to_string(), |(_, own)| own.to_owned());
        let (servers, others): (Vec<_>, Vec<_>) =
            self.resources.iter().partition(|(_, plan)| &*plan.ty == Resource::SERVER);
        for (name, plan) in others.into_iter().filter(|(_, plan)| plan.action != Action::Unchanged) {
            page.resource(0, name, plan);
        }
        for (name, plan) in servers {
            // If a server moves from one nested stack to another, the new one has the components.
            let comes = plan.action != Action::Delete
                || !self
                    .resources
                    .iter()
                    .any(|(other, plan)| other != name && own(other) == own(name) && plan.action == Action::Create);
            let software =
                if comes && plan.group.is_none() { components.shift_remove(own(name).as_str()) } else { None };
            if plan.action != Action::Unchanged || software.is_some() {
                page.resource(0, name, plan);
            }
            for (name, plan) in software.into_iter().flatten() {
                page.component(4, name, plan);
            }
        }
        for (server, software) in components {
            let head = page.painted(server, Tone::Head);
            page.line(2, &head);
            for (name, plan) in software {
                page.component(4, name, plan);
            }
        }
        if self.requirements.values().any(|plan| plan.action != Demanded::Unchanged) {
            let head = page.painted("requirements", Tone::Head);
            page.line(2, &head);
            for (name, plan) in &self.requirements {
                page.requirement(4, name, plan);
            }
        }
        if !self.settings.is_empty() {
            let head = page.painted("settings", Tone::Head);
            page.line(2, &head);
            for (name, plan) in &self.settings {
                page.setting(4, name, plan);
            }
        }
        for note in &self.notes {
            let note = format!("{} {note}", page.painted("note:", Tone::Head));
            page.line(0, &note);
        }
        if !page.text.is_empty() {
            page.text.push('\n');
        }
        let summary = page.painted(&self.summary.to_string(), Tone::Head);
        page.line(0, &summary);
        page.text
    }

    /// The plan for programs.
    ///
    /// # Panics
    /// Never.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("INVARIANT: a plan is JSON");
        text.push('\n');
        text
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// `2 to create, 1 to update, 0 to replace, 0 to delete; 3 components run, 1 runs again; 14 resources and 2 components
/// stay as they are`.
impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of = |action: Action| self.resources.get(&action).copied().unwrap_or(0);
        let runs = |run: Run| self.components.get(&run).copied().unwrap_or(0);
        let (same, skipped) = (of(Action::Unchanged), runs(Run::Skip) - self.aside);
        if !self.changes {
            let what = format!("{} and {}", count(same, "resource"), count(skipped, "component"));
            return write!(f, "nothing changes: {what} stay as they are");
        }
        write!(
            f,
            "{} to create, {} to update, {} to replace, {} to delete",
            of(Action::Create),
            of(Action::Update),
            of(Action::Replace),
            of(Action::Delete)
        )?;
        if of(Action::Rebuild) > 0 {
            write!(f, ", {} to rebuild", of(Action::Rebuild))?;
        }
        let perhaps = of(Action::MayUpdate) + of(Action::MayRebuild) + of(Action::MayReplace);
        if perhaps > 0 {
            write!(f, ", {perhaps} perhaps")?;
        }
        if of(Action::Refused) > 0 {
            write!(f, ", {} that Heat refuses", of(Action::Refused))?;
        }
        let mut parts = Vec::new();
        for (run, one, many) in [
            (Run::Run, "component runs", "components run"),
            (Run::RunAgain, "runs again", "run again"),
            (Run::MayRunAgain, "may run again", "may run again"),
            (Run::TearDown, "is torn down", "are torn down"),
            (Run::Forget, "is forgotten", "are forgotten"),
            (Run::Gone, "goes with its server", "go with their servers"),
        ] {
            match runs(run) {
                0 => {}
                number => parts.push(format!("{number} {}", if number == 1 { one } else { many })),
            }
        }
        if parts.is_empty() {
            parts.push("no component runs".to_owned());
        } else if runs(Run::Run) == 0 {
            parts[0] = format!("of the components {}", parts[0]);
        }
        if self.aside > 0 {
            parts.push(format!("{} without a run", count(self.aside, "change")));
        }
        write!(f, "; {}", parts.join(", "))?;
        let demanded = |what: Demanded| self.requirements.get(&what).copied().unwrap_or(0);
        let parts = [(Demanded::Added, "new"), (Demanded::Changed, "changed"), (Demanded::Removed, "gone")];
        let parts = parts.map(|(what, text)| (demanded(what), text));
        let parts: Vec<String> =
            parts.iter().filter(|(number, _)| *number > 0).map(|(number, text)| format!("{number} {text}")).collect();
        if !parts.is_empty() {
            write!(f, "; requirements: {}", parts.join(", "))?;
        }
        if same + skipped > 0 {
            write!(f, "; {} and {} stay as they are", count(same, "resource"), count(skipped, "component"))?;
        }
        Ok(())
    }
}
