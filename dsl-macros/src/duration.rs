//! Lengths of time as an author writes them: `90s`, `30m`, `1h30m`, `2d`.

/// The number of seconds that `text` says; nothing if it says none.
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total = 0_u64;
    let mut last = u64::MAX;
    while !rest.is_empty() {
        let digits = rest.bytes().position(|byte| !byte.is_ascii_digit())?;
        let count: u64 = rest[..digits].parse().ok()?;
        let unit = match rest.as_bytes()[digits] {
            b's' => 1,
            b'm' => 60,
            b'h' => 60 * 60,
            b'd' => 24 * 60 * 60,
            _ => return None,
        };
        if unit >= last {
            return None;
        }
        last = unit;
        total = total.checked_add(count.checked_mul(unit)?)?;
        rest = &rest[digits + 1..];
    }
    (total > 0).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn units_descend_and_add_up() {
        for (text, expected) in [
            ("90s", Some(90)),
            ("30m", Some(1800)),
            ("1h30m", Some(5400)),
            ("2d", Some(172_800)),
            ("", None),
            ("0s", None),
            ("30", None),
            ("30 m", None),
            ("m", None),
            ("30m1h", None),
            ("1m1m", None),
            ("3ö", None),
            ("99999999999999999999d", None),
            ("18446744073709551615d", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
