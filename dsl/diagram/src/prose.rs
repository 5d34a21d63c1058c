//! Documentation comments, which are Markdown, as plain text.

/// The first sentence, without markup.
pub(crate) fn summary(text: &str) -> String {
    let paragraph: Vec<&str> = text.trim().lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let plain = plain(&paragraph.join(" "));
    let end = plain.match_indices(". ").map(|(at, _)| at + 1).find(|end| !is_abbreviation(&plain[..*end]));
    match end {
        Some(end) => plain[..end].to_owned(),
        None => plain,
    }
}

/// Whether the period at the end of `text` belongs to an abbreviation such as `e.g.` and does not end a sentence.
fn is_abbreviation(text: &str) -> bool {
    let word = text.rsplit(' ').next().unwrap_or(text).trim_end_matches('.');
    word.contains('.') || matches!(word, "etc" | "vs" | "cf")
}

/// A paragraph without markup: links become their text, and marks for code, headings and emphasis are removed.
fn plain(text: &str) -> String {
    let text = text.trim_start_matches('#').trim_start();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_code = false;
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        rest = match character {
            '`' => {
                is_code = !is_code;
                after
            }
            '[' if !is_code => {
                let (said, behind) =
                    link(after).map_or(("[".to_owned(), after), |(said, behind)| (plain(said), behind));
                out.push_str(&said);
                behind
            }
            '*' if !is_code => after.trim_start_matches('*'),
            other => {
                out.push(other);
                after
            }
        };
    }
    out
}

/// The text of a link, and what follows the link, given `name](target) more`, `name][target] more` or, for an item,
/// `name] more`.
fn link(text: &str) -> Option<(&str, &str)> {
    let (said, behind) = text.split_once(']')?;
    let target = |open, close| behind.strip_prefix(open).and_then(|target: &str| Some(target.split_once(close)?.1));
    if let Some(behind) = target('(', ')').or_else(|| target('[', ']')) {
        return Some((said, behind));
    }
    // Rustdoc's links to items. Other brackets are literal.
    said.starts_with('`').then_some((said, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_one_sentence_without_markup() {
        for (text, expected) in [
            ("", ""),
            ("A shop.", "A shop."),
            ("A shop, on\ntwo lines. With more.\n\nAnd more.", "A shop, on two lines."),
            ("# Shop\n\nText.", "Shop"),
            ("See [`Ensemble`], with `TLS` and *all* **that**.", "See Ensemble, with TLS and all that."),
            ("By [a link](https://example.org/a.b) and [another][one].", "By a link and another."),
            ("An array[3] of `a[0]`, `*p` and `x.y. z`", "An array[3] of a[0], *p and x.y. z"),
            ("Tools, e.g. Ansible, work.", "Tools, e.g. Ansible, work."),
            ("[", "["),
        ] {
            assert_eq!(summary(text), expected, "{text}");
        }
    }
}
