//! The pages, and their reading order.

use std::fs;
use std::path::Path;
use wattle_tests::command::repository;

use crate::block::{Block, blocks};

pub(crate) struct Page {
    /// The path within the repository.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) blocks: Vec<Block>,
    /// The faults in the form of its blocks.
    pub(crate) wrong: Vec<String>,
}

impl Page {
    fn read(path: &str) -> Self {
        let text = fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let (blocks, wrong) =
            if crate::generated::PAGES.contains(&path) { Default::default() } else { blocks(path, &text) };
        Self { path: path.to_owned(), text, blocks, wrong }
    }

    /// Whether its commands boot servers, where that is possible.
    fn boots_servers(&self) -> bool {
        let boots = |block: &Block| block.guests || block.text.contains("$ wattle deploy ");
        self.blocks.iter().any(|block| block.is_given() && boots(block))
    }

    /// Whether it uses an OpenStack.
    pub(crate) fn asks_openstack(&self) -> bool {
        self.blocks.iter().any(|block| block.guests || block.text.contains("$ openstack "))
    }

    /// The folder with files for its commands: it is beside the page, and has its name.
    pub(crate) fn files(&self) -> String {
        self.path.trim_end_matches(".md").to_owned()
    }
}

/// Pages outside of the book.
const OUTSIDE: [&str; 5] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];

/// Every page: those of the book in its order, then the others.
pub(crate) fn all() -> Vec<Page> {
    let summary = Page::read("docs/SUMMARY.md");
    let mut paths: Vec<String> =
        crate::links::links(&summary.text).into_iter().map(|(_, link)| format!("docs/{link}")).collect();
    paths.extend(OUTSIDE.map(str::to_owned));
    let mut unlisted = below("docs");
    unlisted.retain(|path| path != "docs/SUMMARY.md" && !paths.contains(path));
    paths.extend(unlisted);
    paths.iter().map(|path| Page::read(path)).collect()
}

/// Pages whose commands run one after another in one folder: those of a folder with a step-by-step guide, otherwise
/// each page alone.
pub(crate) fn runs() -> Vec<Vec<Page>> {
    let mut runs: Vec<Vec<Page>> = Vec::new();
    for page in all() {
        let guided = page.path.starts_with("docs/tutorial/");
        match runs.iter_mut().find(|run| guided && run[0].path.starts_with("docs/tutorial/")) {
            Some(run) => run.push(page),
            None => runs.push(vec![page]),
        }
    }
    let asked = asked_for();
    runs.retain(|run| asked.as_ref().is_none_or(|asked| run.iter().any(|page| page.path == *asked)));
    assert!(!runs.is_empty(), "there is no page {asked:?}");
    runs
}

/// Whether `WATTLE_TEST_PAGE` restricts the run to one page.
pub(crate) fn one_is_asked_for() -> bool {
    asked_for().is_some()
}

fn asked_for() -> Option<String> {
    std::env::var("WATTLE_TEST_PAGE").ok()
}

/// Runs in which servers boot.
pub(crate) fn runs_with_guests() -> Vec<Vec<Page>> {
    let mut runs = runs();
    // The tutorial ends with a running shop, whose keys `rotate.md` replaces.
    let rotate = runs.iter().position(|run| run[0].path == "docs/how-to/rotate.md");
    let rotate = rotate.map(|position| runs.remove(position)).unwrap_or_default();
    match runs.iter_mut().find(|run| run.iter().any(|page| page.path == "docs/tutorial/openstack.md")) {
        Some(run) => run.extend(rotate),
        None => runs.push(rotate),
    }
    runs.retain(|run| run.iter().any(Page::boots_servers));
    runs
}

/// The pages below a folder.
pub(crate) fn below(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(repository().join(folder)).expect("a folder").flatten() {
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            found.extend(below(&path));
        } else if Path::new(&path).extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}
