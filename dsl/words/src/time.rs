//! Durations: as people write them (`90s`, `30m`, `1h30m`, `2d`), and as messages show them.

use std::time::Duration;

const UNITS: [(char, u64); 4] = [('d', 24 * 60 * 60), ('h', 60 * 60), ('m', 60), ('s', 1)];

/// The number of seconds in `text`: whole numbers with their units, the largest unit first, each at most once.
///
/// ```
/// use wattle_words::time::seconds;
///
/// assert_eq!(seconds("1h30m"), Ok(5400));
/// assert_eq!(seconds("30m1h").unwrap_err(), "the largest unit comes first, and each appears once: write `1h30m`");
/// ```
///
/// # Errors
/// How to write one, as the help of a message, if `text` is not a duration, or is zero.
pub fn seconds(text: &str) -> Result<u64, String> {
    let wrong = || "write days, hours, minutes and seconds, such as `90s`, `30m` or `1h30m`".to_owned();
    let (mut total, mut last, mut is_ordered) = (0_u64, u64::MAX, true);
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).ok_or_else(wrong)?;
        let (count, unit) = rest.split_at(digits);
        let (_, unit) = UNITS.into_iter().find(|(letter, _)| unit.starts_with(*letter)).ok_or_else(wrong)?;
        let count: u64 = count.parse().map_err(|_| wrong())?;
        total = count.checked_mul(unit).and_then(|part| total.checked_add(part)).ok_or_else(wrong)?;
        is_ordered &= unit < last;
        last = unit;
        rest = &rest[digits + 1..];
    }
    match total {
        0 => Err(wrong()),
        _ if is_ordered => Ok(total),
        _ => Err(format!("the largest unit comes first, and each appears once: write `{}`", written(total))),
    }
}

/// Formats a duration as [`seconds`] reads it.
fn written(total: u64) -> String {
    let mut rest = total;
    let part = |(letter, unit): (char, u64)| {
        let count = rest / unit;
        rest %= unit;
        if count == 0 { String::new() } else { format!("{count}{letter}") }
    };
    UNITS.into_iter().map(part).collect()
}

/// A duration, as messages about deadlines and waits show it.
///
/// ```
/// use std::time::Duration;
/// use wattle_words::time::span;
///
/// assert_eq!(span(Duration::from_millis(1500)), "1.5 s");
/// assert_eq!(span(Duration::from_secs(5400)), "1 h 30 min");
/// ```
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, _) => format!("{} s", time.as_secs_f64()),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// A number of seconds in a narrow column, in its two largest units: `3s`, `2m 05s`, `1h 10m`, `3d 04h`.
pub fn short(seconds: u64) -> String {
    match seconds {
        ..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h {:02}m", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{}d {:02}h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_descend_and_add_up() {
        for (text, expected) in [("90s", 90), ("30m", 1_800), ("1h30m", 5_400), ("2d", 172_800), ("1d1s", 86_401)] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for wrong in ["", "0s", "0h0m", "30", "30 m", "m", "1h30", "3ö", "1w", "-1s", "1.5h"] {
            assert!(seconds(wrong).is_err_and(|help| help.starts_with("write days")), "{wrong}");
        }
        for huge in ["99999999999999999999d", "18446744073709551615d", "18446744073709551615s1s"] {
            assert!(seconds(huge).is_err(), "{huge}");
        }
    }

    #[test]
    fn what_is_out_of_order_is_put_in_order() {
        for (text, meant) in [("30m1h", "1h30m"), ("1m1m", "2m"), ("1s1m1h1d", "1d1h1m1s"), ("90m1h", "2h30m")] {
            let help = seconds(text).expect_err(text);
            assert_eq!(help, format!("the largest unit comes first, and each appears once: write `{meant}`"), "{text}");
        }
    }

    #[test]
    fn columns_have_two_units() {
        let said = [0, 59, 60, 125, 3_600, 4_200, 86_399, 86_400, 273_600].map(short);
        assert_eq!(said.join(", "), "0s, 59s, 1m 00s, 2m 05s, 1h 00m, 1h 10m, 23h 59m, 1d 00h, 3d 04h");
    }
}
