//! The extent of a place in its line: only its beginning is known.

use std::ops::Range;
use std::path::Path;

/// The bytes of `line` that the place at `column` (in characters, from 1) covers: a call with its parentheses if they
/// close on the line, otherwise the token there. `None` if nothing is there.
pub(super) fn of(file: &str, line: &str, column: u32) -> Option<Range<usize>> {
    let (start, _) = line.char_indices().nth((column as usize).checked_sub(1)?)?;
    let rest = line[start..].trim_end();
    let extension = Path::new(file).extension().unwrap_or_default();
    let length = if extension == "rs" {
        rust(rest)
    } else if extension == "yaml" || extension == "yml" {
        word(rest)
    } else {
        // A name in a recipe, with the other characters of program names.
        rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')).unwrap_or(rest.len())
    };
    let first = rest.chars().next()?.len_utf8();
    Some(start..start + length.max(first))
}

fn rust(rest: &str) -> usize {
    match rest.as_bytes().first() {
        Some(b'"') => string(rest.as_bytes()).unwrap_or(rest.len()),
        Some(b'#' | b'.') => {
            let head = 1;
            head + match rest.as_bytes().get(head) {
                Some(b'[') => balanced(&rest.as_bytes()[head..]).unwrap_or(0),
                _ => rust_call(&rest[head..]),
            }
        }
        _ => rust_call(rest),
    }
}

/// The length of a path and its arguments.
fn rust_call(rest: &str) -> usize {
    let mut end = identifier(rest);
    if end == 0 {
        return 0;
    }
    while let Some(next) = rest[end..].strip_prefix("::") {
        let step =
            if next.starts_with('<') { angles(next) } else { Some(identifier(next)).filter(|&length| length > 0) };
        match step {
            Some(length) => end += 2 + length,
            None => break,
        }
    }
    let bang = usize::from(rest[end..].starts_with('!'));
    match rest.as_bytes().get(end + bang) {
        Some(b'(') => end + balanced(&rest.as_bytes()[end + bang..]).map_or(0, |length| bang + length),
        Some(b'[' | b'{') if bang == 1 => end + balanced(&rest.as_bytes()[end + 1..]).map_or(0, |length| 1 + length),
        _ => end,
    }
}

/// A YAML key, the first word of a plain scalar, or a collection that closes on the line.
fn word(rest: &str) -> usize {
    match rest.as_bytes().first().copied() {
        Some(quote @ (b'"' | b'\'')) => rest[1..].find(char::from(quote)).map_or(rest.len(), |end| end + 2),
        Some(b'{' | b'[') => balanced(rest.as_bytes()).unwrap_or_else(|| plain(rest)),
        _ => plain(rest),
    }
}

/// A colon is part of a word unless a space, a bracket or the end follows: `OS::Nova::Server`.
fn plain(rest: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}');
    let is_end = |(at, c): &(usize, char)| ends(*c) || *c == ':' && rest[at + 1..].chars().next().is_none_or(ends);
    rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at)
}

fn identifier(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// `<...>`, without strings or arrows in it.
fn angles(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// The length of the brackets at the start of `text` with their content, if they close.
fn balanced(text: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    while at < text.len() {
        match text[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b'"' => at += string(&text[at..])? - 1,
            b'\'' => at += character(&text[at..]),
            b'/' if text.get(at + 1) == Some(&b'/') => return None,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The length of a string literal, including its quotes, if it ends.
fn string(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// The length of a character literal after its opening quote; 0 for a lifetime.
fn character(text: &[u8]) -> usize {
    match text {
        [b'\'', b'\\', _, b'\'', ..] => 3,
        [b'\'', _, b'\'', ..] => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    fn marked(line: &str, column: u32) -> Option<&str> {
        of("src/lib.rs", line, column).map(|range| &line[range])
    }

    #[test]
    fn calls_are_marked_to_their_closing_parenthesis() {
        assert_eq!(marked("    let net = t.add(\"net\", Net::new()); // x", 17), Some("add(\"net\", Net::new())"));
        assert_eq!(marked("t.later::<Vec<String>>(\"a)\")", 3), Some("later::<Vec<String>>(\"a)\")"));
        assert_eq!(marked("nova::Server::new().image(p)", 1), Some("nova::Server::new()"));
        assert_eq!(marked("t.f('(', '\\'', x)", 3), Some("f('(', '\\'', x)"));
        assert_eq!(marked("text!(\"{}\", a)", 1), Some("text!(\"{}\", a)"));
    }

    #[test]
    fn what_does_not_close_is_marked_as_its_token() {
        assert_eq!(marked("    t.add(", 7), Some("add"));
        assert_eq!(marked("    t.add( // )", 7), Some("add"));
        assert_eq!(marked("    port: u16,", 5), Some("port"));
        assert_eq!(marked("    #[input]", 5), Some("#[input]"));
        assert_eq!(marked("f(\"open", 1), Some("f"));
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        assert_eq!(marked("/* äöü */ t.on(a)", 13), Some("on(a)"));
        assert_eq!(marked("é", 1), Some("é"));
        assert_eq!(marked("a)b>c", 2), Some(")"));
    }

    #[test]
    fn a_place_outside_of_the_line_is_nothing() {
        assert_eq!(marked("abc", 9), None);
        assert_eq!(marked("abc   ", 5), None);
        assert_eq!(marked("", 1), None);
        assert_eq!(marked("abc", 0), None);
    }

    #[test]
    fn names_in_recipes_are_marked() {
        let line = "echo \"heard: $greting\"";
        assert_eq!(of("recipes/x.sh", line, 15).map(|range| &line[range]), Some("greting"));
        assert_eq!(of("recipes/x.sh", "apt-get install", 1), Some(0..7));
    }

    #[test]
    fn yaml_keys_are_marked() {
        let marked = |line: &'static str, column| of("model.yaml", line, column).map(|range| &line[range]);
        assert_eq!(marked("  db-1: {type: x}", 3), Some("db-1"));
        assert_eq!(marked("  db-1: {type: x}", 9), Some("{type: x}"));
        assert_eq!(marked("  db-1: {type: x", 9), Some("{type"));
    }

    #[test]
    fn yaml_values_are_marked_to_their_end() {
        let marked = |line: &'static str, column| of("model.yaml", line, column).map(|range| &line[range]);
        assert_eq!(marked("    type: OS::Neutron::Prot", 11), Some("OS::Neutron::Prot"));
        assert_eq!(marked("a: {get_param: zz}", 16), Some("zz"));
        assert_eq!(marked("a: {get_attr: [p, fixed_ip]}}", 19), Some("fixed_ip"));
        assert_eq!(marked("a: {type: OS::Nova::Server, b: c}", 11), Some("OS::Nova::Server"));
    }
}
