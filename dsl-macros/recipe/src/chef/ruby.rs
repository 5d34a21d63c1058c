//! Parses Ruby while protecting the caller from the parser's faults.

use std::thread;

use lib_ruby_parser::{Node, Parser, ParserOptions};

use crate::analysis::{FileOutline, SyntaxError};

/// The largest file that is parsed, in bytes: far larger than any recipe, and small enough for a stack that fits its
/// nesting.
const LARGEST: usize = 256 * 1024;
/// Stack for one level of the syntax tree, which takes at least one byte of source: walking and dropping it are
/// recursive.
const STACK_OF_LEVEL: usize = 2048;
const LEAST_STACK: usize = 8 * 1024 * 1024;

/// The positions of lines.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    fn new(source: &[u8]) -> Self {
        Self(source.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect())
    }

    /// The line, counted from one, of a byte.
    pub(super) fn of(&self, at: usize) -> u32 {
        u32::try_from(self.0.partition_point(|feed| *feed < at)).unwrap_or(u32::MAX).saturating_add(1)
    }
}

/// Parses `source` and passes it to `visit`.
///
/// This happens on a separate thread, whose stack is large enough for any nesting in the text.
pub(super) fn parse(source: &str, visit: fn(&Node, &Lines) -> FileOutline) -> Result<FileOutline, SyntaxError> {
    let mut unknown = FileOutline::default();
    unknown.analysis.anything();
    if source.len() > LARGEST {
        return Ok(unknown);
    }
    let owned = source.to_owned();
    let spawned = thread::Builder::new()
        .name("ruby".into())
        .stack_size(LEAST_STACK + STACK_OF_LEVEL * source.len())
        .spawn(move || parse_here(owned, visit));
    // Neither a system without threads nor a bug in the parser is the recipe's fault.
    match spawned.map(thread::JoinHandle::join) {
        Ok(Ok(result)) => result,
        Ok(Err(_)) | Err(_) => Ok(unknown),
    }
}

fn parse_here(source: String, visit: fn(&Node, &Lines) -> FileOutline) -> Result<FileOutline, SyntaxError> {
    let options = ParserOptions { record_tokens: false, ..ParserOptions::default() };
    let result = Parser::new(source.into_bytes(), options).do_parse();
    let lines = Lines::new(result.input.as_shared_bytes());
    if let Some(error) = result.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        let message = error.render_message();
        if message.contains("encoding") {
            // Ruby would read a file in another encoding; only its content is unknown then.
            let mut unknown = FileOutline::default();
            unknown.analysis.anything();
            return Ok(unknown);
        }
        let message = match message.as_str() {
            "unexpected END_OF_INPUT" => "the file ends too early; is an `end` missing?".to_owned(),
            _ => message,
        };
        return Err(SyntaxError::new(lines.of(error.loc.begin), message));
    }
    Ok(result.ast.as_deref().map(|ast| visit(ast, &lines)).unwrap_or_default())
}
