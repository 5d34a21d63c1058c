//! Cron expressions, as Heat's module croniter reads them.

/// Keywords that stand for a whole expression.
const KEYWORDS: [&str; 7] = ["@midnight", "@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@annually"];
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// A column: its minimum and maximum, and names for numbers from the minimum on.
type Column = (u32, u32, &'static [&'static str]);

/// Minutes, hours, days, months, days of the week (where 7 is 0), and maybe seconds and years.
const COLUMNS: [Column; 7] =
    [(0, 59, &[]), (0, 23, &[]), (1, 31, &[]), (1, 12, &MONTHS), (0, 7, &DAYS), (0, 59, &[]), (1970, 2099, &[])];

/// Whether croniter accepts the text. Anything other than numbers, names, and their ranges and steps is left to croniter.
pub(super) fn is_cron(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    if text.is_empty() || KEYWORDS.contains(&text.as_str()) {
        return true;
    }
    let columns: Vec<&str> = text.split_whitespace().collect();
    // Other characters separate columns differently.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "*/,-#?".contains(c);
    (5..=COLUMNS.len()).contains(&columns.len())
        && columns
            .iter()
            .zip(&COLUMNS)
            .all(|(text, column)| !text.chars().all(is_plain) || text.split(',').all(|item| is_item(item, column)))
}

/// A number, a range, or either with a step.
fn is_item(item: &str, column: &Column) -> bool {
    let (range, step) = item.split_once('/').map_or((item, None), |(range, step)| (range, Some(step)));
    let is_step = step.is_none_or(|step| !is_number(step) || step.bytes().any(|digit| digit != b'0'));
    let mut bounds = range.splitn(2, '-');
    is_step && (range == "*" || bounds.all(|bound| is_bound(bound, column)))
}

fn is_bound(bound: &str, (least, greatest, names): &Column) -> bool {
    if is_number(bound) {
        return bound.parse().is_ok_and(|number: u32| (*least..=*greatest).contains(&number));
    }
    // `l`, `w`, `h` and `r` have special meanings, alone or next to numbers.
    let is_word = bound.len() > 1 && bound.bytes().all(|sign| sign.is_ascii_lowercase());
    !is_word || names.contains(&bound) || bound.starts_with('l')
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|sign| sign.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_cron;

    /// The expected results are croniter's.
    #[test]
    fn columns_are_read_as_croniter_reads_them() {
        for text in [
            "0 4 * * *",
            "@daily",
            "",
            "*/5 0-6,22-2 1,15 JAN-mar/2 mon-FRI",
            "0 0 * * 7",
            "0 0 * * 5-7",
            "0 0 * * 5#2",
            "0 0 l * *",
            "0 0 31 2 *",
            "0 2 * * * 59",
            "0 2 * * * 0 2030",
            "0 0 15w * ?",
            "10/20 * * * *",
        ] {
            assert!(is_cron(text), "{text}");
        }
        for text in [
            "x",
            "* * * *",
            "99 0 * * *",
            "60 * * * *",
            "0 24 * * *",
            "0 0 0 * *",
            "0 0 * 13 *",
            "0 0 * * 8",
            "0 0 * * mon-fry",
            "*/0 0 * * 1",
            "0 2 * * * 61",
            "0-60 * * * *",
            "0 0 1,32 * *",
            "@reboot",
            "aa bb cc dd ee",
        ] {
            assert!(!is_cron(text), "{text}");
        }
    }
}
