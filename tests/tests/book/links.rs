//! Links within the documentation.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use wattle_tests::command::repository;

use crate::pages::{Page, below};

/// The faults in the links of all pages.
pub(crate) fn wrong(pages: &[Page]) -> Vec<String> {
    let mut wrong = Vec::new();
    let summary = std::fs::read_to_string(repository().join("docs/SUMMARY.md")).expect("a summary");
    let listed: Vec<String> = links(&summary).into_iter().map(|(_, link)| format!("docs/{link}")).collect();
    for page in below("docs").iter().filter(|page| *page != "docs/SUMMARY.md") {
        match listed.iter().filter(|listed| *listed == page).count() {
            1 => {}
            n => wrong.push(format!("docs/SUMMARY.md: `{page}` is in it {n} times")),
        }
    }
    for page in pages {
        for (line, link) in links(&page.text) {
            wrong.extend(wrong_link(page, &link, pages).map(|error| format!("{}:{line}: {error}", page.path)));
        }
    }
    wrong
}

fn wrong_link(page: &Page, link: &str, pages: &[Page]) -> Option<String> {
    if link.starts_with("https://") || link.starts_with("http://") {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let target = if path.is_empty() { page.path.clone() } else { resolved(&page.path, path) };
    if !repository().join(&target).exists() {
        return Some(format!("`{link}` leads nowhere: there is no `{target}`"));
    }
    if page.path.starts_with("docs/") && !target.starts_with("docs/") {
        return Some(format!("`{link}` leads out of the book: name it, without a link"));
    }
    let anchor = anchor?;
    let known = pages.iter().find(|page| page.path == target).map(|page| anchors(&page.text));
    if known.is_some_and(|known| known.contains(anchor)) {
        return None;
    }
    Some(format!("`{link}` leads nowhere: `{target}` has no heading `#{anchor}`"))
}

/// The path within the repository that is the target of `link` on `page`.
fn resolved(page: &str, link: &str) -> String {
    let mut path = PathBuf::from(page);
    path.pop();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    path.display().to_string()
}

/// Each line of a page outside of code, with its number.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence = None;
    text.lines().enumerate().filter_map(move |(n, line)| {
        let ticks = line.trim_start().len() - line.trim_start().trim_start_matches('`').len();
        match fence {
            Some(open) if ticks >= open => fence = None,
            Some(_) => {}
            None if ticks >= 3 => fence = Some(ticks),
            None => return Some((n + 1, line)),
        }
        None
    })
}

/// The targets of the links of a page, each with its line.
pub(crate) fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (n, line) in prose(text) {
        // Code between backticks is not a link.
        let line: String = line.split('`').enumerate().map(|(n, part)| if n % 2 == 0 { part } else { "x" }).collect();
        for part in line.split("](").skip(1) {
            found.extend(part.split_once(')').map(|(link, _)| (n, link.to_owned())));
        }
    }
    found
}

/// The anchors of a page's headings, in the form that mdBook and others generate.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(text) {
        let title = line.trim_start_matches('#');
        let Some(title) = title.strip_prefix(' ').filter(|_| line.starts_with('#')) else { continue };
        // Of a link, only its text counts.
        let title = title.split("](").map(|part| part.split_once(')').map_or(part, |(_, rest)| rest));
        let title: String = title.collect::<Vec<_>>().join("").trim().to_lowercase();
        let name: String = title
            .chars()
            .filter_map(|character| match character {
                ' ' => Some('-'),
                other if other.is_alphanumeric() || other == '-' || other == '_' => Some(other),
                _ => None,
            })
            .collect();
        let mut n = 0;
        let mut anchor = name.clone();
        while !found.insert(anchor) {
            n += 1;
            anchor = format!("{name}-{n}");
        }
    }
    found
}

#[test]
fn links_are_found_and_followed() {
    let page =
        |path: &str, text: &str| Page { path: path.into(), text: text.into(), blocks: Vec::new(), wrong: Vec::new() };
    let text = "# A, *b* `c`\n[x](#a-b-c) [y](recipes.md) `[no](link)`\n```text\n[no](link)\n# No\n```\n";
    assert_eq!(links(text), [(2, "#a-b-c".to_owned()), (2, "recipes.md".to_owned())]);
    let pages = [page("docs/parts.md", text)];
    let wrong = |link: &str| wrong_link(&pages[0], link, &pages).unwrap_or_default();
    assert_eq!(wrong("#a-b-c"), "");
    assert_eq!(wrong("recipes.md"), "");
    assert_eq!(wrong("https://example.org/"), "");
    assert!(wrong("#no").contains("no heading"));
    assert!(wrong("nowhere.md").contains("no `docs/nowhere.md`"));
    assert!(wrong("../Cargo.toml").contains("out of the book"));
    assert_eq!(resolved("docs/how-to/a.md", "../b.md"), "docs/b.md");
}
