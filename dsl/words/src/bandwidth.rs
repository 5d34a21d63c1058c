//! Bandwidth between servers, as people write it: `200 Mbit/s`, `10 Gbit/s`.

use std::fmt;

use crate::names::list;

/// The units, and how many Mbit/s each is.
const UNITS: [(&str, u64); 2] = [("Mbit/s", 1), ("Gbit/s", 1000)];

/// How much servers are expected to exchange, in Mbit/s.
///
/// It is text wherever people write it, and the text has a unit. This way, bits are not mistaken for bytes, or one size
/// for another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bandwidth(u32);

impl Bandwidth {
    /// The maximum: 1000 Gbit/s. A larger one would make all others meaningless.
    pub const MOST: Self = Self(1_000_000);

    /// A number of Mbit/s, at most [`MOST`](Self::MOST).
    pub const fn of_mbit(mbit: u32) -> Self {
        if mbit > Self::MOST.0 { Self::MOST } else { Self(mbit) }
    }

    /// The number of Mbit/s.
    pub const fn mbit(self) -> u32 {
        self.0
    }

    /// The sum of both, at most [`MOST`](Self::MOST).
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self::of_mbit(self.0.saturating_add(other.0))
    }

    /// The sum of all of these. `None` if none of them is known.
    pub const fn sum(all: &[Option<Self>]) -> Option<Self> {
        let (mut sum, mut at) = (None, 0);
        while at < all.len() {
            sum = match (sum, all[at]) {
                (Some(sum), Some(more)) => Some(Self::and(sum, more)),
                (Some(known), None) | (None, Some(known)) => Some(known),
                (None, None) => None,
            };
            at += 1;
        }
        sum
    }

    /// The bandwidth in `text`: a number and a unit.
    ///
    /// ```
    /// use wattle_words::Bandwidth;
    ///
    /// assert_eq!(Bandwidth::read("2.5 Gbit/s"), Ok(Bandwidth::of_mbit(2500)));
    /// assert_eq!(Bandwidth::read("200 MB/s").unwrap_err(), "bandwidth is in bits, not in bytes: write `1600 Mbit/s`");
    /// ```
    ///
    /// # Errors
    /// How to write one, as the help of a message, if `text` is not a bandwidth.
    pub fn read(text: &str) -> Result<Self, String> {
        let example = "write a number and a unit, such as `200 Mbit/s` or `10 Gbit/s`";
        let end = text.find(|letter: char| !(letter.is_ascii_digit() || letter == '.')).unwrap_or(text.len());
        let (number, unit) = (text[..end].trim(), text[end..].trim());
        if number.is_empty() {
            return Err(example.to_owned());
        }
        let Some((_, factor)) = UNITS.iter().find(|(known, _)| *known == unit) else {
            return Err(match meant(number, unit) {
                Some(help) => help,
                None if unit.is_empty() => {
                    format!("add a unit, {}: write `{number} Mbit/s`", list(UNITS.map(|(unit, _)| unit), "or"))
                }
                None => example.to_owned(),
            });
        };
        let Some(thousandths) = thousandths(number) else { return Err(example.to_owned()) };
        let mbit = thousandths.saturating_mul(*factor);
        if mbit > u64::from(Self::MOST.0) * 1000 {
            return Err(format!("write at most `{}`", Self::MOST));
        }
        match u32::try_from(mbit / 1000) {
            Ok(whole) if mbit % 1000 == 0 => Ok(Self(whole)),
            _ => Err("write a whole number of Mbit/s: fractions do not affect where servers go".to_owned()),
        }
    }
}

/// What was meant by a unit that is not supported, with the number in one that is.
fn meant(number: &str, unit: &str) -> Option<String> {
    let bare = unit.strip_suffix("/s").or_else(|| unit.strip_suffix("ps")).unwrap_or(unit).trim();
    let mut letters = bare.chars();
    let size = letters.next()?;
    let rest = letters.as_str();
    if size.eq_ignore_ascii_case(&'k') {
        let is_one = matches!(rest, "" | "b" | "B" | "bit" | "bits" | "iB" | "byte" | "bytes");
        return is_one.then(|| "write a whole number of Mbit/s, such as `1 Mbit/s`".to_owned());
    }
    let (ours, factor) = UNITS.into_iter().find(|(known, _)| known.starts_with(size.to_ascii_uppercase()))?;
    match rest {
        "B" | "iB" | "byte" | "bytes" | "Byte" | "Bytes" => {
            let mbit = thousandths(number)?.checked_mul(8)?.checked_mul(factor)?.div_ceil(1000);
            let said = Bandwidth::of_mbit(u32::try_from(mbit).ok()?);
            Some(format!("bandwidth is in bits, not in bytes: write `{said}`"))
        }
        "" | "b" | "bit" | "bits" | "Bit" | "Bits" | "ib" | "ibit" => Some(format!("write `{number} {ours}`")),
        _ => None,
    }
}

/// A number in thousandths. `None` if it is more exact than that.
fn thousandths(number: &str) -> Option<u64> {
    let (whole, rest) = number.split_once('.').unwrap_or((number, "0"));
    if rest.is_empty() || rest.len() > 3 || !rest.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let rest: u64 = format!("{rest:0<3}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(rest)
}

/// As [`Bandwidth::read`] reads it: `200 Mbit/s`, `10 Gbit/s`.
impl fmt::Display for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            mbit if mbit >= 1000 && mbit % 1000 == 0 => write!(f, "{} Gbit/s", mbit / 1000),
            mbit => write!(f, "{mbit} Mbit/s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_a_unit() {
        for (text, mbit) in [
            ("200 Mbit/s", 200),
            ("200Mbit/s", 200),
            ("0 Mbit/s", 0),
            ("10 Gbit/s", 10_000),
            ("2.5 Gbit/s", 2_500),
            ("0.001 Gbit/s", 1),
            ("1000 Gbit/s", 1_000_000),
        ] {
            let read = Bandwidth::read(text).unwrap_or_else(|help| panic!("{text}: {help}"));
            assert_eq!(read.mbit(), mbit, "{text}");
            assert_eq!(Bandwidth::read(&read.to_string()), Ok(read), "{text}");
        }
    }

    #[test]
    fn what_is_none_is_never_taken_for_one() {
        for (text, help) in [
            ("200", "add a unit, `Mbit/s` or `Gbit/s`: write `200 Mbit/s`"),
            ("200 Mbps", "write `200 Mbit/s`"),
            ("200 mbit/s", "write `200 Mbit/s`"),
            ("10 Gb/s", "write `10 Gbit/s`"),
            ("10 G", "write `10 Gbit/s`"),
            ("200 MB/s", "bandwidth is in bits, not in bytes: write `1600 Mbit/s`"),
            ("1.25 GBps", "bandwidth is in bits, not in bytes: write `10 Gbit/s`"),
            ("64 kbit/s", "write a whole number of Mbit/s, such as `1 Mbit/s`"),
            ("0.5 Mbit/s", "write a whole number of Mbit/s: fractions do not affect where servers go"),
            ("1001 Gbit/s", "write at most `1000 Gbit/s`"),
            ("99999999999999999999 Gbit/s", "write a number and a unit, such as `200 Mbit/s` or `10 Gbit/s`"),
            ("-1 Mbit/s", "write a number and a unit, such as `200 Mbit/s` or `10 Gbit/s`"),
            ("fast", "write a number and a unit, such as `200 Mbit/s` or `10 Gbit/s`"),
            ("", "write a number and a unit, such as `200 Mbit/s` or `10 Gbit/s`"),
            ("1.2.3 Mbit/s", "write a number and a unit, such as `200 Mbit/s` or `10 Gbit/s`"),
            ("200 Mbit/h", "write a number and a unit, such as `200 Mbit/s` or `10 Gbit/s`"),
        ] {
            assert_eq!(Bandwidth::read(text).expect_err(text), help, "{text}");
        }
    }

    #[test]
    fn sums_are_of_what_is_known_and_end_at_the_most() {
        let of = |mbit| Some(Bandwidth::of_mbit(mbit));
        assert_eq!(Bandwidth::sum(&[None, of(3), None, of(4)]), of(7));
        assert_eq!(Bandwidth::sum(&[None, None]), None);
        assert_eq!(Bandwidth::sum(&[of(0), None]), of(0));
        assert_eq!(Bandwidth::sum(&[of(u32::MAX), of(u32::MAX)]), Some(Bandwidth::MOST));
    }
}
