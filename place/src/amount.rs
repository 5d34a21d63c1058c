//! Amounts in their written form: numbers, and sizes with a unit.

use wattle_heat::yaml::{Node, Tree};
use wattle_words::names::{did_you_mean, list, nearest};

/// The units of sizes, and how many KiB each is.
const UNITS: [(&str, i64); 4] = [("KiB", 1), ("MiB", 1 << 10), ("GiB", 1 << 20), ("TiB", 1 << 30)];

/// The largest accepted amount. It is far more than any cloud has, and sums of such amounts stay exact.
pub(crate) const MOST: i64 = 1 << 40;

/// The unit of an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Pieces: vcpus, devices.
    Pieces,
    /// Sizes. The value is the default unit in KiB, as in Nova.
    Size(i64),
}

impl Unit {
    /// MiB: Nova's unit of memory.
    pub(crate) const MEMORY: Self = Self::Size(1 << 10);
    /// GiB: Nova's unit of disks.
    pub(crate) const DISK: Self = Self::Size(1 << 20);

    /// Parses an amount in this unit; the error includes advice. A size that is not a whole number of units is rounded
    /// down if it is offered, and up (`rounds_up`) if it is requested.
    pub(crate) fn read(self, node: &Node, rounds_up: bool) -> Result<i64, (String, Option<String>)> {
        let plain = || match self {
            Self::Pieces => "write a whole number of 0 or more, such as `16`".to_owned(),
            Self::Size(1024) => "write `64 GiB`, or a whole number of MiB, such as `65536`".to_owned(),
            Self::Size(_) => "write `500 GiB`, or a whole number of GiB, such as `500`".to_owned(),
        };
        match (&*node.tree, self) {
            (Tree::Integer(number), _) => within(*number).map_err(|why| (why, Some(plain()))),
            (Tree::Float(number), _) if *number < 0.0 => Err((format!("{number} is negative"), Some(plain()))),
            (Tree::Text { text, .. }, Self::Size(own)) => size(text, own, rounds_up),
            (Tree::Text { text, .. }, Self::Pieces) => Err((format!("`{text}` is not a whole number"), Some(plain()))),
            (other, _) => Err((format!("{} is not an amount", other.kind()), Some(plain()))),
        }
    }
}

fn within(number: i128) -> Result<i64, String> {
    match i64::try_from(number) {
        Ok(number) if (0..=MOST).contains(&number) => Ok(number),
        _ if number < 0 => Err(format!("{number} is negative")),
        _ => Err(format!("{number} is too large: at most {MOST} is allowed")),
    }
}

/// Parses a size such as `64 GiB`, in units of `own` KiB.
fn size(text: &str, own: i64, rounds_up: bool) -> Result<i64, (String, Option<String>)> {
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).unwrap_or(text.len());
    let (number, unit) = (text[..split].trim(), text[split..].trim());
    let known = || UNITS.iter().map(|(name, _)| *name);
    let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        let units = format!("units are {}", list(known(), "and"));
        // `GB`, `G` and `gb` are most often meant as Nova means them.
        let letter = unit.chars().next().map(|first| first.to_ascii_uppercase());
        let is_short = matches!(unit.to_ascii_uppercase().as_str(), "K" | "M" | "G" | "T" | "KB" | "MB" | "GB" | "TB");
        let short = known().find(|name| is_short && name.chars().next() == letter);
        let help = match short.or_else(|| nearest(unit, known())) {
            Some(near) => format!("{} {units}", did_you_mean(near)),
            None => units,
        };
        let what =
            if unit.is_empty() { format!("`{text}` has no unit") } else { format!("`{unit}` is not a unit of size") };
        return Err((what, Some(help)));
    };
    let Some(billionths) = billionths(number) else {
        return Err((format!("`{number}` is not a number"), Some(format!("write `64 {unit}`, or `1.5 {unit}`"))));
    };
    if billionths < 0 {
        return Err((format!("{number} {unit} is negative"), None));
    }
    let (all, whole) = (billionths * i128::from(*factor), i128::from(own) * 1_000_000_000);
    let up = i128::from(rounds_up && all % whole != 0);
    within(all / whole + up).map_err(|why| (why, None))
}

/// Parses a number in billionths. Further digits are cut off.
pub(crate) fn billionths(text: &str) -> Option<i128> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
    let is_negative = whole.starts_with('-');
    let whole: i64 = whole.parse().ok()?;
    if rest.is_empty() || !rest.bytes().all(|byte| byte.is_ascii_digit()) || !(-MOST..=MOST).contains(&whole) {
        return None;
    }
    let rest: i128 = format!("{rest:0<9}")[..9].parse().ok()?;
    Some(i128::from(whole) * 1_000_000_000 + if is_negative { -rest } else { rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(unit: Unit, text: &str, up: bool) -> Result<i64, String> {
        let node = wattle_heat::yaml::read(text).expect("YAML");
        unit.read(&node, up).map_err(|(why, help)| format!("{why}: {}", help.unwrap_or_default()))
    }

    #[test]
    fn sizes_have_units_and_novas_own_without() {
        assert_eq!(read(Unit::MEMORY, "64 GiB", false), Ok(65_536));
        assert_eq!(read(Unit::MEMORY, "65536", false), Ok(65_536));
        assert_eq!(read(Unit::MEMORY, "1.5GiB", false), Ok(1536));
        assert_eq!(read(Unit::DISK, "2 TiB", false), Ok(2048));
        assert_eq!(read(Unit::DISK, "1500 MiB", false), Ok(1), "what is offered is rounded down");
        assert_eq!(read(Unit::DISK, "1500 MiB", true), Ok(2), "what is asked for is rounded up");
        assert_eq!(read(Unit::Pieces, "0", false), Ok(0));
    }

    #[test]
    fn what_is_no_amount_says_what_is_one() {
        let why = |unit, text| read(unit, text, false).expect_err("no amount");
        assert_eq!(
            why(Unit::MEMORY, "64 GB"),
            "`GB` is not a unit of size: did you mean `GiB`? units are `KiB`, `MiB`, `GiB` and `TiB`"
        );
        assert_eq!(
            why(Unit::MEMORY, "64 stones"),
            "`stones` is not a unit of size: units are `KiB`, `MiB`, `GiB` and `TiB`"
        );
        assert_eq!(why(Unit::MEMORY, "-1 GiB"), "-1 GiB is negative: ");
        assert_eq!(why(Unit::DISK, "-5"), "-5 is negative: write `500 GiB`, or a whole number of GiB, such as `500`");
        assert_eq!(
            why(Unit::Pieces, "many"),
            "`many` is not a whole number: write a whole number of 0 or more, such as `16`"
        );
        assert_eq!(
            why(Unit::Pieces, "[1]"),
            "a list is not an amount: write a whole number of 0 or more, such as `16`"
        );
        assert!(why(Unit::Pieces, "99999999999999999999").contains("is too large"));
    }
}
