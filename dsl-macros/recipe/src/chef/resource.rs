//! Resources that use a file of their cookbook.

use lib_ruby_parser::Node;

use crate::files::Use;

/// A resource that uses a file of its cookbook.
pub(super) struct Resource {
    /// The folder of the cookbook.
    folder: &'static str,
    /// The file, if it is constant.
    source: Option<String>,
    /// The file is optional, or comes from elsewhere.
    is_spare: bool,
}

impl Resource {
    /// The resource that a call declares. Without a `source`, its file has the same name as the file that it creates.
    pub(super) fn of(name: &str, args: &[Node]) -> Option<Self> {
        let (folder, ending) = match name {
            "template" => ("templates", ".erb"),
            "cookbook_file" | "remote_directory" => ("files", ""),
            _ => return None,
        };
        let source = match args.first() {
            Some(Node::Str(text)) => {
                Some(format!("{}{ending}", crate::names::file_name(&text.value.to_string_lossy())))
            }
            _ => None,
        };
        Some(Self { folder, source, is_spare: false })
    }

    /// Records a property of the resource.
    pub(super) fn property(&mut self, name: &str, value: Option<&str>) {
        match name {
            "source" => self.source = value.map(str::to_owned),
            "cookbook" | "local" | "ignore_failure" | "only_if" | "not_if" | "action" => self.is_spare = true,
            _ => {}
        }
    }

    /// The file that it certainly uses.
    pub(super) fn file(&self, line: u32) -> Option<Use> {
        Use::of_cookbook(self.folder, self.source.as_deref().filter(|_| !self.is_spare)?, line)
    }
}
