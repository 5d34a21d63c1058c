//! The shown part of an output, in which `...` stands for anything: alone on a line for any number of lines, within a
//! line for any text. Lines that only a slow machine prints need no dots.

/// How `shown` differs from `said`, if it does.
pub(crate) fn difference(shown: &str, said: &str) -> Option<String> {
    let shown: Vec<&str> = shown.lines().map(str::trim_end).collect();
    let said: Vec<&str> = said.lines().map(str::trim_end).filter(|line| !is_of_a_slow_machine(line)).collect();
    if lines_fit(&shown, &said) {
        return None;
    }
    Some(format!("the page shows\n{}\nand it says\n{}", marked(&shown), marked(&said)))
}

/// After three seconds without an answer, commands report what they wait for. No page shows that.
fn is_of_a_slow_machine(line: &str) -> bool {
    line.starts_with("waiting for ") && line.ends_with(", which does not answer yet")
}

fn marked(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("  | {line}")).collect::<Vec<_>>().join("\n")
}

fn lines_fit(shown: &[&str], said: &[&str]) -> bool {
    match shown.split_first() {
        None => said.is_empty(),
        Some((first, rest)) if first.trim() == "..." => {
            (0..=said.len()).any(|skipped| lines_fit(rest, &said[skipped..]))
        }
        Some((first, rest)) => {
            said.split_first().is_some_and(|(line, further)| line_fits(first, line) && lines_fit(rest, further))
        }
    }
}

fn line_fits(shown: &str, said: &str) -> bool {
    let parts: Vec<&str> = shown.split("...").collect();
    let [first, between @ .., last] = &*parts else { return shown == said };
    let Some(mut rest) = said.strip_prefix(first) else { return false };
    for part in between {
        let Some((_, further)) = rest.split_once(part) else { return false };
        rest = further;
    }
    rest.ends_with(last)
}

#[test]
fn dots_stand_for_what_varies() {
    assert_eq!(difference("a\nb\n", "a\nb\n"), None);
    assert_eq!(difference("a\n...\nc\n", "a\nb\nb\nc\n"), None);
    assert_eq!(difference("...\nc\n", "c\n"), None);
    assert_eq!(difference("took ... s, 3 of ...", "took 1.5 s, 3 of 4"), None);
    assert!(difference("a\n", "a\nb\n").is_some());
    assert!(difference("took ... s\n", "took 5 m\n").is_some());
    assert!(difference("b\n...\n", "a\nb\n").is_some());
    assert_eq!(difference("a\n", "waiting for the cloud `a`, which does not answer yet\na\n"), None);
    assert!(difference("a\n", "waiting for b\na\n").is_some());
    assert!(difference("a\n", "").is_some_and(|text| text.contains("  | a")));
}
