//! The versions of HOT.

use std::fmt;

/// A version of HOT, which determines the syntax of a template and its functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "a version is its date")]
pub enum Version {
    V2013_05_23,
    V2014_10_16,
    V2015_04_30,
    V2015_10_15,
    V2016_04_08,
    V2016_10_14,
    V2017_02_24,
    V2017_09_01,
    V2018_03_02,
    V2018_08_31,
    #[default]
    V2021_04_16,
}

/// The names that Heat accepts for each version. The release's name is an alias of the date.
const NAMES: &[(Version, &str, Option<&str>)] = &[
    (Version::V2013_05_23, "2013-05-23", None),
    (Version::V2014_10_16, "2014-10-16", None),
    (Version::V2015_04_30, "2015-04-30", None),
    (Version::V2015_10_15, "2015-10-15", None),
    (Version::V2016_04_08, "2016-04-08", None),
    (Version::V2016_10_14, "2016-10-14", Some("newton")),
    (Version::V2017_02_24, "2017-02-24", Some("ocata")),
    (Version::V2017_09_01, "2017-09-01", Some("pike")),
    (Version::V2018_03_02, "2018-03-02", Some("queens")),
    (Version::V2018_08_31, "2018-08-31", Some("rocky")),
    (Version::V2021_04_16, "2021-04-16", Some("wallaby")),
];

impl Version {
    /// The version that `heat_template_version` names, by its date or its release.
    pub fn of(text: &str) -> Option<Self> {
        NAMES.iter().find(|(_, date, release)| *date == text || *release == Some(text)).map(|(version, ..)| *version)
    }

    /// All values of `heat_template_version`, oldest first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().flat_map(|(_, date, release)| std::iter::once(*date).chain(*release))
    }

    /// All versions, oldest first.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(version, ..)| *version)
    }

    /// Its date, as written in a template.
    pub fn date(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// Whether parameters have the constraint `modulo`.
    pub fn has_modulo(self) -> bool {
        self >= Self::V2017_02_24
    }

    /// Whether it has conditions: the section, and `condition` of resources and outputs.
    pub fn has_conditions(self) -> bool {
        self >= Self::V2016_10_14
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.date())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_releases_name_versions() {
        for version in Version::all() {
            assert_eq!(Version::of(version.date()), Some(version));
        }
        assert_eq!(Version::of("wallaby"), Some(Version::V2021_04_16));
        assert_eq!(Version::of("newton"), Some(Version::V2016_10_14));
        assert_eq!(Version::of("2012-12-12"), None);
        assert_eq!(Version::names().count(), 17);
    }
}
