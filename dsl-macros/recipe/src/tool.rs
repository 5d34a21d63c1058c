//! The tools whose recipes are understood.

use std::fmt;

/// The tool that runs a recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tool {
    /// A POSIX or Bash script, `.sh` or `.bash`.
    Shell,
    /// An Ansible playbook, `.yml` or `.yaml`.
    Ansible,
    /// A Puppet manifest, `.pp`.
    Puppet,
    /// A Chef cookbook, `.rb`.
    Chef,
}

impl Tool {
    /// The tool to which a file belongs by the end of its name, in any case of letters.
    pub fn of_path(path: &str) -> Option<Self> {
        match extension(path)?.to_ascii_lowercase().as_str() {
            "sh" | "bash" => Some(Self::Shell),
            "yml" | "yaml" => Some(Self::Ansible),
            "pp" => Some(Self::Puppet),
            "rb" => Some(Self::Chef),
            _ => None,
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Shell => "shell",
            Self::Ansible => "ansible",
            Self::Puppet => "puppet",
            Self::Chef => "chef",
        })
    }
}

/// What follows the last dot of the file name; none for `.bashrc`.
pub(crate) fn extension(path: &str) -> Option<&str> {
    let (stem, extension) = file_name(path).rsplit_once('.')?;
    (!stem.is_empty()).then_some(extension)
}

pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
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
            ("recipes.sh/README", None),
            ("dir/.sh", None),
            ("motd.erb", None),
            ("", None),
        ] {
            assert_eq!(Tool::of_path(path), tool, "{path}");
        }
    }

    #[test]
    fn tools_print_in_lower_case() {
        let names = [Tool::Shell, Tool::Ansible, Tool::Puppet, Tool::Chef].map(|tool| tool.to_string());
        assert_eq!(names, ["shell", "ansible", "puppet", "chef"]);
    }
}
