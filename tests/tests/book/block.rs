//! Fenced blocks of a page, with the marks in their first lines.
//!
//! ```text
//! LANGUAGE[,MARK...] [file=PATH] [in=repository] [fails] [slow] [guests] [not-run="REASON"]
//! ```

use std::fmt;

/// A block of a page.
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of a block")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The page, as a path within the repository.
    pub(crate) page: String,
    /// The line on which the block begins.
    pub(crate) line: usize,
    pub(crate) language: Language,
    /// The path of the file whose content it shows.
    pub(crate) file: Option<String>,
    /// Whether its commands run in wattle's repository.
    pub(crate) in_repository: bool,
    /// Whether its last command fails.
    pub(crate) fails: bool,
    /// Whether it and the rest of its page run only in the full test run.
    pub(crate) slow: bool,
    /// Whether it runs only where servers boot.
    pub(crate) guests: bool,
    /// Why it is not run; `None` if it is.
    pub(crate) not_run: Option<String>,
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Console,
    Sh,
    Python,
    Ruby,
    Puppet,
    Yaml,
    Json,
    Toml,
    /// A change to a file: ` ` marks context, `-` removed lines, `+` added ones.
    Diff,
    /// Text that is not code.
    Text,
}

impl Block {
    /// Whether its commands run here.
    pub(crate) fn is_given(&self) -> bool {
        self.language == Language::Console && self.left_out().is_none()
    }

    /// Why its commands do not run here.
    pub(crate) fn left_out(&self) -> Option<&str> {
        let boots = !self.guests || wattle_tests::openstack::boots();
        self.not_run.as_deref().or_else(|| (!boots).then_some("no server runs behind the cloud of these tests"))
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.page, self.line)
    }
}

/// The blocks of a page, and the faults in their form.
pub(crate) fn blocks(page: &str, text: &str) -> (Vec<Block>, Vec<String>) {
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    let mut open: Option<(usize, usize, Block)> = None;
    for (n, line) in text.lines().enumerate() {
        let content = line.trim_start();
        let ticks = content.len() - content.trim_start_matches('`').len();
        match open.take() {
            Some((fence, _, block)) if ticks >= fence && content.trim_end().len() == ticks => found.push(block),
            Some((fence, indent, mut block)) => {
                let spaces = line.len() - content.len();
                block.text += &line[spaces.min(indent)..];
                block.text.push('\n');
                open = Some((fence, indent, block));
            }
            None if ticks >= 3 => match header(page, n + 1, &content[ticks..]) {
                Ok(block) => open = Some((ticks, line.len() - content.len(), block)),
                Err(error) => {
                    wrong.push(format!("{page}:{}: {error}", n + 1));
                    let mut ignored = header(page, n + 1, "text").expect("it is sound");
                    ignored.not_run = Some(String::from("its first line cannot be read"));
                    open = Some((ticks, line.len() - content.len(), ignored));
                }
            },
            None => {}
        }
    }
    if let Some((_, _, block)) = open {
        wrong.push(format!("{block}: the block does not end"));
    }
    (found, wrong)
}

fn header(page: &str, line: usize, info: &str) -> Result<Block, String> {
    let mut words = words(info)?.into_iter();
    let first = words.next().ok_or("a block without a language: write ```text for what is no code")?;
    let mut parts = first.split(',');
    let language = match parts.next().unwrap_or_default() {
        "rust" => Language::Rust,
        "console" => Language::Console,
        "sh" => Language::Sh,
        "python" => Language::Python,
        "ruby" => Language::Ruby,
        "puppet" => Language::Puppet,
        "yaml" => Language::Yaml,
        "json" => Language::Json,
        "toml" => Language::Toml,
        "diff" => Language::Diff,
        "text" => Language::Text,
        other => return Err(format!("no test knows blocks in `{other}`")),
    };
    for mark in parts {
        // Marks for mdBook and rustdoc, which mean nothing to the compiler.
        if !(language == Language::Rust && matches!(mark, "no_run" | "noplayground")) {
            return Err(format!("no test knows the mark `{mark}`"));
        }
    }
    let mut block = Block {
        page: page.to_owned(),
        line,
        language,
        file: None,
        in_repository: false,
        fails: false,
        slow: false,
        guests: false,
        not_run: None,
        text: String::new(),
    };
    let is_console = language == Language::Console;
    for word in words {
        match word.split_once('=').map_or((&*word, None), |(key, value)| (key, Some(value))) {
            ("file", Some(path)) if !is_console => block.file = Some(path.to_owned()),
            ("in", Some("repository")) if is_console => block.in_repository = true,
            ("fails", None) if is_console => block.fails = true,
            ("slow", None) if is_console => block.slow = true,
            ("guests", None) if is_console => block.guests = true,
            ("not-run", Some(why)) if is_console && why.len() > 10 => block.not_run = Some(why.to_owned()),
            _ => return Err(format!("no test knows `{word}` of a block in {language:?}")),
        }
    }
    Ok(block)
}

/// The words of a line, with quoted parts kept together.
fn words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty())),
            other => word.push(other),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    if quoted { Err(format!("a quote that does not end: `{line}`")) } else { Ok(words) }
}

#[test]
fn first_lines_are_read() {
    let text = "a\n```sh file=recipes/a.sh\necho\n```\n- b\n  ```console fails not-run=\"it needs a cloud\"\n  $ x\n    y\n  ```\n";
    let (found, wrong) = blocks("p.md", text);
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(
        (found[0].language, found[0].file.as_deref(), &*found[0].text),
        (Language::Sh, Some("recipes/a.sh"), "echo\n")
    );
    assert_eq!((found[1].fails, found[1].not_run.as_deref()), (true, Some("it needs a cloud")));
    assert_eq!((&*found[1].text, found[1].line), ("$ x\n  y\n", 6));
}

#[test]
fn a_block_that_no_test_would_look_at_is_reported() {
    let wrong = |info: &str| blocks("p.md", &format!("```{info}\nx\n```\n")).1.join("\n");
    assert!(wrong("").contains("p.md:1: a block without a language"));
    assert!(wrong("cobol").contains("`cobol`"));
    assert!(wrong("rust,ignore").contains("`ignore`"));
    assert!(wrong("rust fails").contains("`fails`"));
    assert!(wrong("console not-run").contains("`not-run`"));
    assert!(wrong("console not-run=\"no\"").contains("`not-run=no`"));
    assert!(wrong("sh file=\"a").contains("quote"));
    assert!(blocks("p.md", "```text\n").1.join("").contains("does not end"));
}
