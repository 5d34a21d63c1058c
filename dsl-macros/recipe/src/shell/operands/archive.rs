//! Archives of `tar`, which reads or creates one depending on its letters.

use super::{Operand, Row, head, of_row};
use crate::shell::word::{Word, has_short};

/// The archive that `tar` reads or creates. Its letters may come without a dash: `tar xzf x.tgz -C /opt`.
pub(super) fn operands(row: &Row, arguments: &[Word]) -> Vec<Operand> {
    let Some(first) = arguments.first() else { return Vec::new() };
    let letters = head(first);
    let is_bundle = !letters.starts_with('-');
    let is = |letter: char, long: &str| {
        is_bundle && letters.contains(letter)
            || arguments.iter().map(head).any(|text| text == long || has_short(text, letter))
    };
    let makes = is('c', "--create") || is('r', "--append") || is('u', "--update");
    let mut found = of_row(row, arguments);
    if is_bundle {
        // Values come after the letters, in the same order.
        let values = letters.chars().filter(|letter| "fCTXbg".contains(*letter)).zip(1..);
        for (letter, at) in values {
            match letter {
                'f' => found.push(Operand::new(at, false)),
                'C' => found.push(Operand::new(at, true)),
                _ => {}
            }
        }
    }
    let is_folder = |one: &Operand| one.makes;
    if makes {
        // The files to pack, relative to the working directory; the folder after `-C` is read.
        let elsewhere = found.iter().any(is_folder);
        found.iter_mut().for_each(|one| one.makes = !one.makes);
        let names = arguments.iter().enumerate().skip(usize::from(is_bundle));
        let known: Vec<usize> = found.iter().map(|one| one.at).collect();
        let names = names.filter(|(at, word)| !elsewhere && !known.contains(at) && !head(word).starts_with('-'));
        found.extend(names.map(|(at, _)| Operand { is_certain: false, ..Operand::new(at, false) }));
    }
    found.retain(|one| one.at < arguments.len());
    found
}
