//! Templates, with and without mistakes.

use std::path::Path;

use proptest::prelude::*;

use super::{assert_agree, random};

/// Templates with one to three changes that resemble authors' mistakes.
#[test]
fn changed_templates_mean_what_they_mean_to_heat() {
    const PIECES: &[&str] = &[
        "", "", "", ":", ": ", "- ", "\n", "\n  ", " ", "  ", "\t", "[", "]", "{", "}", ",", "?", "'", "\"", "&a ",
        "*a", "#", " # ", "%", "@", "!", "!!str ", "|", ">", "|\n", "<<: ", "0", "_", "\\", "\r", "é", "---", "...",
    ];
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let templates: Vec<String> = ["templates/good", "heat/selftest/good", "heat/selftest/bad"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(here.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    assert!(templates.len() > 80, "{}", templates.len());
    let read = assert_agree(templates.clone());
    assert!(read > 80, "{read}");
    let change = (any::<prop::sample::Index>(), 0_usize..4, prop::sample::select(PIECES));
    let changed =
        (prop::sample::select(templates), prop::collection::vec(change, 1..4)).prop_map(|(mut text, changes)| {
            for (at, gone, piece) in changes {
                let places: Vec<_> = text.char_indices().map(|(place, _)| place).chain([text.len()]).collect();
                let from = at.index(places.len());
                let to = (from + gone).min(places.len() - 1);
                text.replace_range(places[from]..places[to], piece);
            }
            text
        });
    let read = assert_agree(random(&changed, 3_000));
    assert!(read > 1_000, "{read}");
}
