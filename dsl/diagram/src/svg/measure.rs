//! The width of text.

/// Advance widths of the characters from space to `~` in thousandths of the font size: those of Helvetica, which Arial,
/// Liberation Sans and Arimo share.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];

/// A reserve for other fonts: `DejaVu Sans`, which many systems have instead, is that much wider.
const RESERVE: f64 = 1.13;

/// The width of `text` in a font of `size`.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let thousandths = |character: char| {
        let index = u32::from(character).checked_sub(32).and_then(|index| usize::try_from(index).ok());
        f64::from(index.and_then(|index| WIDTHS.get(index)).copied().unwrap_or(1000))
    };
    text.chars().map(thousandths).sum::<f64>() / 1000.0 * size * RESERVE
}

/// The width of bold `text`.
pub(super) fn bold(text: &str, size: f64) -> f64 {
    width(text, size) * 1.12
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_are_wider() {
        assert!(width("WWW", 10.0) > 2.0 * width("iii", 10.0));
        assert!(width("日本", 10.0) >= 20.0);
        assert!((width("~", 1000.0) - 584.0 * RESERVE).abs() < 1e-9);
    }
}
