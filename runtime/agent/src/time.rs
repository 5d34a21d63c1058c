//! Wall-clock times in journals, plans and statuses: RFC 3339 in UTC.

use std::fmt;
use std::ops::Add;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize, de};

/// A wall-clock time, in whole nanoseconds since 1970. Nothing here reads a clock.
///
/// Every value in its range can be written as text. Times before 1970 count as 1970, and times after the year 2554 as
/// the end of the range.
///
/// ```
/// use std::time::Duration;
/// use wattle_agent_core::time::Time;
///
/// let time = Time::EPOCH + Duration::from_millis(1_700_000_000_250);
/// assert_eq!(time.to_string(), "2023-11-14T22:13:20.250000000Z");
/// assert_eq!(format!("{time:.3}, {time:.0}"), "2023-11-14T22:13:20.250Z, 2023-11-14T22:13:20Z");
/// assert_eq!("2023-11-14T22:13:20.25Z".parse(), Ok(time));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The beginning of 1970.
    pub const EPOCH: Self = Self(0);

    /// The time that is `seconds` after [`Time::EPOCH`].
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000_000_000))
    }

    /// Whole seconds since [`Time::EPOCH`].
    pub const fn as_secs(self) -> u64 {
        self.0 / 1_000_000_000
    }

    /// The time from `earlier` to this one. Zero if `earlier` is later, which happens with the clocks of several
    /// machines.
    pub const fn duration_since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Saturates at the end of the range.
impl Add<Duration> for Time {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(nanos(duration)))
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl From<SystemTime> for Time {
    fn from(time: SystemTime) -> Self {
        Self(time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, nanos))
    }
}

impl From<Time> for SystemTime {
    fn from(time: Time) -> Self {
        Self::UNIX_EPOCH + Duration::from_nanos(time.0)
    }
}

/// RFC 3339, with as many digits of the second as the precision asks for (none, 3, 6 or 9). Without a precision, whole
/// seconds have none and other times 9.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = SystemTime::from(*self);
        let text = match f.precision() {
            None => humantime::format_rfc3339(time),
            Some(0) => humantime::format_rfc3339_seconds(time),
            Some(1..=3) => humantime::format_rfc3339_millis(time),
            Some(4..=6) => humantime::format_rfc3339_micros(time),
            Some(_) => humantime::format_rfc3339_nanos(time),
        };
        text.fmt(f)
    }
}

/// Why a text is not a time.
#[derive(Clone, Debug, PartialEq)]
pub struct NoTime {
    text: String,
    reason: humantime::TimestampError,
}

impl fmt::Display for NoTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a time such as `2024-01-31T12:30:00Z`: {}", self.text, self.reason)
    }
}

impl std::error::Error for NoTime {}

impl FromStr for Time {
    type Err = NoTime;

    fn from_str(text: &str) -> Result<Self, NoTime> {
        match humantime::parse_rfc3339(text) {
            Ok(time) => Ok(time.into()),
            // The clock of the writing machine was not set yet.
            Err(humantime::TimestampError::OutOfRange) if is_before_1970(text) => Ok(Self::EPOCH),
            Err(reason) => Err(NoTime { text: text.to_owned(), reason }),
        }
    }
}

fn is_before_1970(text: &str) -> bool {
    text.get(..4).and_then(|year| year.parse::<u16>().ok()).is_some_and(|year| year < 1970)
}

impl Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Time;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time, as RFC 3339 writes it")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Time, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_former_versions_wrote_is_read() {
        let read = |text: &str| serde_json::from_str::<Time>(&format!("\"{text}\"")).unwrap();
        let second = Time::from_secs(1_700_000_000);
        assert_eq!(read("2023-11-14T22:13:20Z"), second);
        assert_eq!(read("2023-11-14T22:13:20.5Z"), second + Duration::from_millis(500));
        assert_eq!(read("2023-11-14T22:13:20.123456789Z"), second + Duration::from_nanos(123_456_789));
        assert_eq!(read("1969-12-31T23:59:59Z"), Time::EPOCH);
        let error = "yesterday".parse::<Time>().unwrap_err().to_string();
        assert_eq!(error, "`yesterday` is not a time such as `2024-01-31T12:30:00Z`: timestamp format is invalid");
    }

    #[test]
    fn every_time_can_be_written_and_read_again() {
        let last = Time::EPOCH + Duration::MAX;
        for time in [Time::EPOCH, Time::from_secs(1_700_000_000), last] {
            assert_eq!(time.to_string().parse(), Ok(time));
            assert_eq!(Time::from(SystemTime::from(time)), time);
        }
        assert_eq!(last + Duration::from_secs(1), last);
        assert_eq!(Time::EPOCH.duration_since(last), Duration::ZERO);
        assert_eq!(Time::from(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), Time::EPOCH);
    }
}
