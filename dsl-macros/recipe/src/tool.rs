//! The tools that run recipes, and their capabilities.
//!
//! All facts that depend only on the tool are in [`Tool::facts`], and are available through methods. Everything else is a
//! `match` over all tools where it belongs: reading its recipes (`crate::outline`), how one writes an output
//! (`crate::writing`) and is found (`crate::overlooked`), running them, lowering them to Heat's own resources.

use std::fmt;

use crate::names::extension;

/// A tool that runs recipes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tool {
    /// A shell script, or a program that its first line names.
    Shell,
    /// `ansible-playbook`.
    Ansible,
    /// `puppet apply`.
    Puppet,
    /// `chef-solo`, Chef's local mode, or Cinc.
    Chef,
    /// `salt-call --local`.
    Salt,
}

/// The facts about a tool.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate question, answered by a method")]
struct Facts {
    /// Its name in files.
    name: &'static str,
    /// Its name in messages, within a sentence.
    title: &'static str,
    /// The program that rejects a malformed recipe.
    program: &'static str,
    /// The extensions of its files, the usual one first.
    endings: &'static [&'static str],
    runs_files: bool,
    has_paths: bool,
    is_live: bool,
    minds_carriage_returns: bool,
}

impl Tool {
    /// Every tool, in the order in which they are listed.
    pub const ALL: [Self; 5] = [Self::Shell, Self::Ansible, Self::Puppet, Self::Chef, Self::Salt];
    /// Their names in files, in that order.
    pub const NAMES: [&str; Self::ALL.len()] = {
        let mut names = [""; Self::ALL.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = Self::ALL[at].name();
            at += 1;
        }
        names
    };

    const fn facts(self) -> Facts {
        let plain = Facts {
            name: "",
            title: "",
            program: "",
            endings: &[],
            runs_files: true,
            has_paths: false,
            is_live: false,
            minds_carriage_returns: false,
        };
        match self {
            Self::Shell => Facts {
                name: "shell",
                title: "shell",
                program: "the shell",
                endings: &["sh", "bash"],
                minds_carriage_returns: true,
                ..plain
            },
            Self::Ansible => Facts {
                name: "ansible",
                title: "Ansible",
                program: "ansible-playbook",
                endings: &["yml", "yaml"],
                ..plain
            },
            Self::Puppet => Facts { name: "puppet", title: "Puppet", program: "puppet", endings: &["pp"], ..plain },
            Self::Chef => Facts {
                name: "chef",
                title: "Chef",
                program: "chef",
                endings: &["rb"],
                runs_files: false,
                has_paths: true,
                is_live: true,
                ..plain
            },
            Self::Salt => Facts { name: "salt", title: "Salt", program: "salt-call", endings: &["sls"], ..plain },
        }
    }

    /// The tool to which a file belongs by its extension, ignoring case.
    pub fn of_path(path: &str) -> Option<Self> {
        let ending = extension(path)?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|tool| tool.facts().endings.contains(&ending.as_str()))
    }

    /// The tool with this name in files: `ansible`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Its name in files: `ansible`. It is also displayed in this form.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Its name in messages: `Ansible`.
    pub const fn title(self) -> &'static str {
        self.facts().title
    }

    /// The program that rejects a malformed recipe: `ansible-playbook`.
    pub const fn program(self) -> &'static str {
        self.facts().program
    }

    /// The extension of its recipes: `yml`.
    pub const fn ending(self) -> &'static str {
        self.facts().endings[0]
    }

    /// Whether it runs a file. Otherwise its recipe has a name within the included files: `COOKBOOK::RECIPE`.
    pub const fn runs_files(self) -> bool {
        self.facts().runs_files
    }

    /// Whether an input or output has a path, such as `node['db2']['url']`. Otherwise it is a variable or a file with
    /// its name.
    pub const fn has_paths(self) -> bool {
        self.facts().has_paths
    }

    /// Whether its recipes communicate with the agent while they run: they start before their inputs are available,
    /// request each when they need it, and may have outputs that are published `early`.
    pub const fn is_live(self) -> bool {
        self.facts().is_live
    }

    /// Whether it treats the carriage return of a Windows line ending as part of the last word.
    pub const fn minds_carriage_returns(self) -> bool {
        self.facts().minds_carriage_returns
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_names_the_tool() {
        for (path, tool) in [
            ("recipes/db2.sh", Some(Tool::Shell)),
            ("a.d/x.BASH", Some(Tool::Shell)),
            ("site.yml", Some(Tool::Ansible)),
            ("site.yaml", Some(Tool::Ansible)),
            ("init.pp", Some(Tool::Puppet)),
            ("recipes/default.rb", Some(Tool::Chef)),
            ("recipes/redis.sls", Some(Tool::Salt)),
            ("recipes.sh/README", None),
            ("dir/.sh", None),
            ("motd.erb", None),
            ("", None),
        ] {
            assert_eq!(Tool::of_path(path), tool, "{path}");
        }
    }

    #[test]
    fn every_tool_is_found_by_its_name_and_by_its_ending() {
        for tool in Tool::ALL {
            assert_eq!(Tool::named(tool.name()), Some(tool));
            assert_eq!(Tool::of_path(&format!("it.{}", tool.ending())), Some(tool));
        }
    }
}
