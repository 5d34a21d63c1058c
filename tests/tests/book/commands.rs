//! Runs a page's commands in order.

use std::fs;
use std::sync::{Mutex, PoisonError};

use wattle_tests::{sandbox, skip};

use crate::block::{Block, Language};
use crate::pages::Page;
use crate::pattern::difference;
use crate::session::{Place, Session};
use wattle_tests::command::repository;

/// Held while cargo builds in the repository's folder. Otherwise, a page that waits for another page's build would
/// print nothing for so long that it would count as hanging.
static REPOSITORY: Mutex<()> = Mutex::new(());

/// Makes the shell's `cargo` build the repository, with the settings of the tests' own build: with others, it would compile
/// everything again. Commands run in the session's folder and write their files there, so the repository remains unchanged.
const CARGO_IN_REPOSITORY: &str = "cargo() { local name=$1; shift; CARGO_TARGET_DIR=$WATTLE_BOOK_PROGRAMS \
     env -u CARGO_INCREMENTAL -u CARGO_PROFILE_DEV_DEBUG ${WATTLE_BOOK_INCREMENTAL:+CARGO_INCREMENTAL=$WATTLE_BOOK_INCREMENTAL} \
     cargo \"$name\" --manifest-path \"$WATTLE_BOOK_REPOSITORY/Cargo.toml\" \"$@\"; }";

/// How the pages build the command.
const ONE_PACKAGE: &str = "cargo build --package wattle-runtime";

/// How the tests build it unless they run everything: as for the tests, so it is there already. (The examples make Cargo
/// include dev-dependencies.) For a single package, the dependencies have other features, so nearly all would be compiled
/// again, and the command that other tests run would be replaced.
const ITS_PROGRAMS: &str = "cargo build --workspace --bins --examples";

/// A command with the output that the page shows.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    command: String,
    /// `None` if the page does not show the output, which then does not matter.
    output: Option<String>,
}

/// Runs the pages' commands, two runs at a time, and returns the differences from the shown output.
pub(crate) fn run(runs: &[Vec<Page>]) -> Vec<String> {
    let left = Mutex::new(runs.iter());
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = left.lock().expect("no panic").next();
                    let Some(pages) = next else { break };
                    let found = run_pages(pages);
                    wrong.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    wrong.into_inner().expect("no panic")
}

fn run_pages(pages: &[Page]) -> Option<String> {
    if !pages.iter().flat_map(|page| &page.blocks).any(Block::is_given) {
        return None;
    }
    let mut session = Session::new(&repository().join(pages[0].files()));
    for (page, block) in pages.iter().flat_map(|page| page.blocks.iter().map(move |block| (page, block))) {
        session.goes(if page.asks_openstack() { Place::Cloud } else { Place::Mirrors });
        let rest = || format!("the commands of {} from line {} on", block.page, block.line);
        let is_possible = |block: &Block| !block.text.contains("--sandbox") || sandbox::can(&rest());
        if block.slow && !(skip::everything(&rest()) && is_possible(block)) {
            return None;
        }
        let ran = match (block.language, &block.file) {
            (Language::Diff, Some(file)) => change(&mut session, file, &block.text),
            (_, Some(file)) => write(&mut session, file, &block.text),
            (Language::Console, None) if block.is_given() => give(&mut session, block),
            _ => Ok(()),
        };
        if let Err(error) = ran {
            return Some(format!("{block}: {error}"));
        }
    }
    None
}

pub(crate) fn write(session: &mut Session, file: &str, text: &str) -> Result<(), String> {
    let path = session.here().join(file);
    fs::create_dir_all(path.parent().expect("a folder"))
        .and_then(|()| fs::write(&path, text))
        .map_err(|error| format!("`{file}` is not written: {error}"))
}

/// Applies a change to a file, in which the context and the removed lines must occur exactly once.
pub(crate) fn change(session: &mut Session, file: &str, text: &str) -> Result<(), String> {
    let path = session.here().join(file);
    let old = fs::read_to_string(&path).map_err(|error| format!("`{file}` is not read: {error}"))?;
    let new = changed(&old, text)?;
    fs::write(&path, new).map_err(|error| format!("`{file}` is not written: {error}"))
}

fn changed(old: &str, change: &str) -> Result<String, String> {
    let mut text = old.to_owned();
    // `@@` separates the places that change.
    for place in change.split("@@\n") {
        let side = |mark: char| -> String {
            let lines = place.lines().filter(|line| line.is_empty() || line.starts_with(' ') || line.starts_with(mark));
            lines.map(|line| format!("{}\n", line.get(1..).unwrap_or_default())).collect()
        };
        let (before, after) = (side('-'), side('+'));
        match text.matches(&before).count() {
            1 => text = text.replacen(&before, &after, 1),
            n => return Err(format!("what is changed stands there {n} times:\n{before}\nin\n{text}")),
        }
    }
    Ok(text)
}

fn give(session: &mut Session, block: &Block) -> Result<(), String> {
    let shown = shown(&block.text)?;
    let last = shown.len() - 1;
    let _builds_alone = block.in_repository.then(|| REPOSITORY.lock().unwrap_or_else(PoisonError::into_inner));
    if block.in_repository {
        session.run(CARGO_IN_REPOSITORY)?;
    }
    for (n, Shown { command, output }) in shown.iter().enumerate() {
        let command = if skip::is_everything() { command.clone() } else { command.replace(ONE_PACKAGE, ITS_PROGRAMS) };
        let command = command.as_str();
        let interrupted = output.as_ref().and_then(|output| output.split_once("^C\n"));
        let (said, code) = match interrupted {
            Some((before, _)) => session.interrupt(command, |said| difference(before, said).is_none())?,
            None => session.run(command)?,
        };
        let output = interrupted.map(|(before, behind)| format!("{before}{behind}")).or_else(|| output.clone());
        if (code != 0) != (block.fails && n == last) {
            return Err(format!("`{command}` ends with {code} and says\n{said}"));
        }
        if let Some(difference) = output.as_ref().and_then(|output| difference(output, &said)) {
            return Err(format!("`{command}`: {difference}"));
        }
    }
    if block.in_repository {
        session.run("unset -f cargo")?;
    }
    Ok(())
}

/// The commands of a block: `$ ` begins one, and an indented line after a `\` continues it.
fn shown(text: &str) -> Result<Vec<Shown>, String> {
    let mut found: Vec<Shown> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            found.push(Shown { command: command.to_owned(), output: None });
        } else {
            let last = found.last_mut().ok_or("it does not begin with a command: `$ ...`")?;
            if goes_on {
                last.command += &format!("\n{line}");
            } else {
                let output = last.output.get_or_insert_default();
                *output += &format!("{line}\n");
            }
        }
        goes_on = found.last().is_some_and(|last| last.output.is_none() && line.ends_with('\\'));
    }
    if found.is_empty() { Err(String::from("there is no command in it")) } else { Ok(found) }
}

/// The crates that a page's commands create.
#[cfg(test)]
fn made(page: &Page) -> impl Iterator<Item = &str> {
    let blocks = page.blocks.iter().filter(|block| block.language == Language::Console && block.not_run.is_none());
    blocks.flat_map(|block| block.text.lines()).filter_map(|line| {
        let rest = line.strip_prefix("$ wattle ")?;
        let name = match rest.strip_prefix("new ") {
            Some(given) => given,
            None => rest.strip_prefix("import ")?.split_once(" -o ")?.1,
        };
        name.split_whitespace().next()
    })
}

/// Cargo does not distinguish two crates with the same name in a shared target folder: a page might run another page's
/// crate.
#[test]
fn crates_of_pages_have_names_of_their_own() {
    let mut makers = std::collections::BTreeMap::<&str, Vec<&str>>::new();
    let pages = crate::pages::all();
    for page in &pages {
        made(page).for_each(|name| makers.entry(name).or_default().push(&page.path));
    }
    assert!(makers.contains_key("shop"), "the tutorial makes one");
    makers.retain(|_, pages| pages.len() > 1);
    assert!(makers.is_empty(), "the same name in several pages: {makers:#?}");
}

#[test]
fn commands_and_what_they_say() {
    let given = shown("$ a \\\n    b\nsaid\n\nmore\n$ c\n").unwrap();
    assert_eq!(given.len(), 2);
    assert_eq!((&*given[0].command, given[0].output.as_deref()), ("a \\\n    b", Some("said\n\nmore\n")));
    assert_eq!((&*given[1].command, given[1].output.as_deref()), ("c", None));
    assert!(shown("a\n").is_err());
    assert!(shown("").is_err());
}

#[test]
fn changes_are_made_where_they_fit() {
    assert_eq!(changed("a\nb\nc\n", " a\n-b\n+d\n"), Ok("a\nd\nc\n".to_owned()));
    assert_eq!(changed("a\nb\nc\n", "-a\n+d\n@@\n c\n+e\n"), Ok("d\nb\nc\ne\n".to_owned()));
    assert!(changed("a\nb\na\n", "-a\n+d\n").is_err_and(|error| error.contains("2 times")));
    assert!(changed("a\n", "-x\n").is_err_and(|error| error.contains("0 times")));
}

/// The faults in a page with this text.
#[cfg(test)]
fn wrong_with(text: &str) -> String {
    let (blocks, wrong) = crate::block::blocks("page.md", text);
    let page = Page { path: "page.md".into(), text: text.into(), blocks, wrong };
    run_pages(&[page]).unwrap_or_default()
}

#[test]
fn a_page_that_shows_what_is_not_so_is_reported() {
    let sound = "```sh file=a/b.sh\necho hello\n```\n```console\n$ cd a\n$ sh b.sh\nhello\n```\n```diff file=b.sh\n-echo hello\n+exit \
                 3\n```\n```console fails\n$ sh b.sh\n```\n";
    assert_eq!(wrong_with(sound), "");
    assert!(
        wrong_with(&sound.replace("\nhello\n`", "\nhallo\n`"))
            .contains("page.md:4: `sh b.sh`: the page shows\n  | hallo\n")
    );
    assert!(wrong_with(&sound.replace("+exit 3", "+exit 0")).contains("`sh b.sh` ends with 0"));
    assert!(wrong_with(&sound.replace(" fails", "")).contains("ends with 3"));
    assert!(wrong_with(&sound.replace("-echo", "-ecko")).contains("page.md:9: what is changed stands there 0 times"));
}

#[test]
fn what_goes_on_is_ended_by_ctrl_c() {
    let page = "```console\n$ sh -c 'trap \"echo ends; exit 0\" INT; echo begins; while :; do sleep 0.1; done'\nbegins\n^C\nends\n$ \
                echo next\nnext\n```\n";
    assert_eq!(wrong_with(page), "");
    assert!(wrong_with(&page.replace("\nends", "\nend")).contains("  | ends"));
}
