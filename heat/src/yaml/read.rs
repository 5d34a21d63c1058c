//! Reads a text in either of the two grammars.

use super::bounds::BYTES;
use super::parser::Parser;
use super::{Comment, Error, Node, Problem, Span, compose, json, reader};

/// Reads a text as Heat does: as JSON if it is JSON by Python's rules, otherwise as a single YAML document. YAML without a
/// document is [`super::Tree::Null`].
///
/// # Errors
///
/// The first problem that keeps the text from being read.
pub fn read(text: &str) -> Result<Node, Error> {
    read_with_comments(text).map(|(node, _)| node)
}

/// Reads a text as [`read`] does, together with its comments in order.
///
/// # Errors
///
/// As for [`read`].
pub fn read_with_comments(text: &str) -> Result<(Node, Vec<Comment>), Error> {
    if text.len() > BYTES {
        return Err(Error::new(Problem::TooLong { bytes: text.len() }, Span::default()));
    }
    if let Some(node) = json::read(text)? {
        return Ok((node, Vec::new()));
    }
    let composed = Parser::new(text).and_then(|mut parser| {
        let node = compose::compose(|| parser.next())?;
        Ok((node, parser.into_comments()))
    });
    composed.map_err(|error| error.within(text))
}

/// Reads the bytes of a file, which must be UTF-8, as Heat's client does.
///
/// # Errors
///
/// As for [`read`], or the bytes are not UTF-8.
pub fn read_bytes(bytes: &[u8]) -> Result<Node, Error> {
    if bytes.len() > BYTES {
        return Err(Error::new(Problem::TooLong { bytes: bytes.len() }, Span::default()));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => read(text),
        Err(_) if matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) => {
            Err(Error::new(Problem::Utf16, Span::default()))
        }
        Err(error) => {
            let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            Err(Error::new(Problem::NotUtf8, Span::of_one(reader::place_behind(valid))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_single_values_is_reported_at_once() {
        let text = "a: !Ref b\nc: {d: !Sub e, f: [!GetAtt g]}\nh: !Join ['', [i]]\n";
        let error = read(text).expect_err("tags that nobody knows");
        let found: Vec<String> = error.all().map(|error| format!("{} {}", error.span.start, error.problem)).collect();
        assert_eq!(
            found,
            [
                "1:4 Heat does not know the tag `!Ref`",
                "2:8 Heat does not know the tag `!Sub`",
                "2:20 Heat does not know the tag `!GetAtt`",
                "3:4 Heat does not know the tag `!Join`",
            ]
        );
        let error = read(&format!("a: !Ref b\nc: {}\nd: [", "9".repeat(40))).expect_err("not YAML");
        assert_eq!(error.all().count(), 2, "{error}");
        let many = read(&"- !Ref a\n".repeat(1_000)).expect_err("tags that nobody knows");
        assert_eq!(many.all().count(), 20);
    }

    #[test]
    fn comments_are_read_with_what_comes_next() {
        let text = "# one\na: 1 # two\nb: | # three\n  # text\nc: 'x # text'\n  # four\n\nd: [1, # five\n  2]\n#\n";
        let (_, comments) = read_with_comments(text).expect("YAML");
        let shown: Vec<String> = comments
            .iter()
            .map(|one| format!("{}{} {} -> {}", one.place, if one.trails { " behind" } else { "" }, one.text, one.next))
            .collect();
        assert_eq!(
            shown,
            [
                "1:1  one -> 2:1",
                "2:6 behind  two -> 3:1",
                "3:6 behind  three -> 5:1",
                "6:3  four -> 8:1",
                "8:8 behind  five -> 9:3",
                "10:1  -> 11:1",
            ]
        );
        assert!(read_with_comments("{\"a\": \"# text\"}").expect("JSON").1.is_empty());
    }
}
