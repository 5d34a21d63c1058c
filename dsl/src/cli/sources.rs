//! Reads source files by the names that the compiler gave them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::manners::read;

/// The source files that were requested so far.
#[derive(Debug, Default)]
pub struct Sources {
    read: RefCell<HashMap<String, Option<Arc<str>>>>,
}

impl Sources {
    /// The text of `file`. The compiler names files relative to the workspace that it compiled: the current directory, the
    /// crate that cargo runs, the program's own directory, or a directory above one of them.
    pub fn read(&self, file: &str) -> Option<Arc<str>> {
        if let Some(text) = self.read.borrow().get(file) {
            return text.clone();
        }
        let starts = [
            std::env::current_dir().ok(),
            std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from),
            std::env::current_exe().ok(),
        ];
        let directories = starts.iter().flatten().flat_map(|start| start.ancestors());
        let text = directories.map(|directory| directory.join(file)).find_map(|path| read(&path).ok());
        let text: Option<Arc<str>> = text.map(Into::into);
        self.read.borrow_mut().insert(file.to_owned(), text.clone());
        text
    }
}
