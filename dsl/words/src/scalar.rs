//! Scalar types: what each is called, how its values are passed, and which text is a value of it.
//!
//! This is their table. A new type is a variant and its [`Row`]. Its Rust type, if the standard library has none, is
//! one of [`types`](crate::types), and must be added to the list in `author/port.rs` of the crate `wattle`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use crate::types::{Cidr, Url};

/// A type of values that have no parts.
///
/// Its variants have other names than the Rust types that they stand for: the compiler writes `Url` in full, with its
/// path, wherever another visible item has the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `true` or `false`.
    Boolean,
    /// A whole number within bounds, both included.
    Integer {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: u64,
    },
    /// A 64-bit floating-point number, finite.
    Float,
    /// Text.
    Str,
    /// An IPv4 or IPv6 address, as text.
    Ip,
    /// An IPv4 address, as text.
    Ipv4,
    /// An IPv6 address, as text.
    Ipv6,
    /// Addresses with a common prefix, as text: [`Cidr`].
    Network,
    /// An absolute URL (RFC 3986), as text.
    Uri,
    /// A length of time, as a number of seconds.
    Seconds,
}

/// The form in which values are passed: in JSON, in Heat's parameters, in environment variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// Text.
    Text,
}

/// The properties of a scalar type.
struct Row {
    /// Its word in files: seeds, models, extended templates.
    word: &'static str,
    /// Its Rust type, without the path. Integers and floats have several.
    rust: &'static str,
    /// What it is called in messages, with its article.
    said: &'static str,
    form: Form,
}

enum Form {
    Boolean,
    Number,
    Text(Text),
}

/// The properties of a type of text.
struct Text {
    /// Whether a text is a value of the type.
    holds: fn(&str) -> bool,
    /// An example value, for help.
    example: &'static str,
    /// Makes up a value for a named thing, from the name and its digest.
    made_up: fn(&str, u64) -> String,
    /// A test for programs of Heat's own lowering: a Python expression that is true if the text `value` is one, and is
    /// false or raises `ValueError` if it is not. `None` if the core of these programs knows the type: the core never
    /// changes, so that deployed software does not run again.
    python: Option<&'static str>,
}

/// The Rust types of integers.
const INTEGERS: [(&str, i64, u64); 8] = [
    ("u8", 0, u8::MAX as u64),
    ("u16", 0, u16::MAX as u64),
    ("u32", 0, u32::MAX as u64),
    ("u64", 0, u64::MAX),
    ("i8", i8::MIN as i64, i8::MAX as u64),
    ("i16", i16::MIN as i64, i16::MAX as u64),
    ("i32", i32::MIN as i64, i32::MAX as u64),
    ("i64", i64::MIN, i64::MAX as u64),
];

impl Scalar {
    /// All scalar types; integers without bounds.
    pub const ALL: [Self; 10] = [
        Self::Boolean,
        Self::Integer { min: i64::MIN, max: u64::MAX },
        Self::Float,
        Self::Str,
        Self::Ip,
        Self::Ipv4,
        Self::Ipv6,
        Self::Network,
        Self::Uri,
        Self::Seconds,
    ];

    /// A TCP or UDP port, which has its own word in extended templates: `port`.
    pub const PORT: Self = Self::Integer { min: 0, max: u16::MAX as u64 };

    fn row(self) -> Row {
        let row = |word, rust, said, form| Row { word, rust, said, form };
        let text = |word, rust, said, holds, example, made_up| {
            row(word, rust, said, Form::Text(Text { holds, example, made_up, python: None }))
        };
        let address = |_: &str, digest| made_up_address(digest).to_string();
        match self {
            Self::Boolean => row("boolean", "bool", "a boolean", Form::Boolean),
            Self::Integer { .. } => row("integer", "i64", "an integer", Form::Number),
            Self::Float => row("float", "f64", "a float", Form::Number),
            Self::Seconds => row("duration", "Duration", "a number of seconds", Form::Number),
            Self::Str => text("string", "String", "a string", |_| true, "text", |of, _| format!("made-up {of}")),
            Self::Ip => text("ip", "IpAddr", "an IP address", is::<IpAddr>, "192.0.2.1", address),
            Self::Ipv4 => text("ipv4", "Ipv4Addr", "an IPv4 address", is::<Ipv4Addr>, "192.0.2.1", address),
            Self::Ipv6 => text("ipv6", "Ipv6Addr", "an IPv6 address", is::<Ipv6Addr>, "2001:db8::1", |_, digest| {
                let [.., a, b, c, d] = digest.to_be_bytes();
                Ipv6Addr::from([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d]).to_string()
            }),
            Self::Network => {
                let made_up = |_: &str, digest| {
                    let [a, b, c, _] = made_up_address(digest).octets();
                    format!("{a}.{b}.{c}.0/24")
                };
                // A mask instead of a prefix length is refused for IPv6.
                let python = "\"/\" in value and (ipaddress.ip_interface(value).version == 6 \
                              or str(ipaddress.ip_interface(value)) == value)";
                let known = Text { holds: is::<Cidr>, example: "10.0.0.0/24", made_up, python: Some(python) };
                row("cidr", "Cidr", "a network in CIDR notation", Form::Text(known))
            }
            Self::Uri => text("url", "Url", "an absolute URL", is::<Url>, "http://host/path", |of, _| {
                let plain = |letter: char| letter.is_ascii_alphanumeric() || "/.-_".contains(letter);
                let path: String = of.chars().map(|letter| if plain(letter) { letter } else { '-' }).collect();
                format!("http://made-up.example/{path}")
            }),
        }
    }

    fn text(self) -> Option<Text> {
        match self.row().form {
            Form::Text(text) => Some(text),
            Form::Boolean | Form::Number => None,
        }
    }

    /// Its word in files: `string`, `ip`, `url`. It does not include the bounds of integers.
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// The type with this word in an extended template; integers have no bounds, except for `port`.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::words().find(|(known, _)| *known == word).map(|(_, scalar)| scalar)
    }

    /// The words for scalar types, each with its type.
    pub fn words() -> impl Iterator<Item = (&'static str, Self)> {
        Self::ALL.into_iter().map(|scalar| (scalar.word(), scalar)).chain([("port", Self::PORT)])
    }

    /// The type as which values of a Rust type are passed, by the name of the Rust type without its path.
    ///
    /// ```
    /// use wattle_words::Scalar;
    ///
    /// assert_eq!(Scalar::of_rust("u16"), Some(Scalar::PORT));
    /// assert_eq!(Scalar::of_rust("Cidr"), Some(Scalar::Network));
    /// assert_eq!(Scalar::of_rust("Vec"), None);
    /// ```
    pub fn of_rust(name: &str) -> Option<Self> {
        let integer = INTEGERS.into_iter().find(|(known, ..)| *known == name);
        match integer {
            Some((_, min, max)) => Some(Self::Integer { min, max }),
            None if name == "f32" => Some(Self::Float),
            None => Self::ALL.into_iter().find(|scalar| scalar.row().rust == name),
        }
    }

    /// The form in which its values are passed.
    pub fn carrier(self) -> Carrier {
        match self.row().form {
            Form::Boolean => Carrier::Boolean,
            Form::Number => Carrier::Number,
            Form::Text(_) => Carrier::Text,
        }
    }

    /// Whether a text is a value of the type: exact for types that are passed as text, and false for all others.
    pub fn holds(self, text: &str) -> bool {
        self.text().is_some_and(|known| (known.holds)(text))
    }

    /// An example value, for help; for types that are passed as text.
    pub fn example(self) -> Option<&'static str> {
        Some(self.text()?.example)
    }

    /// A made-up value for the thing named `of`, whose digest is `digest`; for types that are passed as text.
    pub fn made_up(self, of: &str, digest: u64) -> Option<String> {
        Some((self.text()?.made_up)(of, digest))
    }

    /// The Python test of whether the text `value` is one, if programs of Heat's own lowering do not know the type anyway:
    /// an expression that is true, or false, or raises `ValueError`.
    pub fn python(self) -> Option<&'static str> {
        self.text()?.python
    }

    /// Whether text that is assembled from parts may be one. This is known once the parts are.
    pub fn is_composed(self) -> bool {
        matches!(self, Self::Str | Self::Network | Self::Uri)
    }

    /// The first of `parts` that no text of the type contains, in backticks; `None` if they may make one together. A
    /// part that is not known yet is `None`.
    pub fn refuse_parts<'p>(self, parts: impl IntoIterator<Item = Option<&'p str>>) -> Option<String> {
        let may_be: fn(&str, bool) -> bool = match self {
            Self::Uri => crate::url::is_part,
            Self::Network => {
                |part, _| part.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':' | b'/'))
            }
            _ => return None,
        };
        let mut parts = parts.into_iter().enumerate().filter_map(|(index, part)| Some((part?, index == 0)));
        let (wrong, _) = parts.find(|(part, is_first)| !may_be(part, *is_first))?;
        Some(format!("`{}`", wrong.escape_debug()))
    }

    /// Whether every value of this type is also one of `other`.
    pub fn is_within(self, other: Self) -> bool {
        match (self, other) {
            (Self::Integer { min, max }, Self::Integer { min: least, max: greatest }) => {
                least <= min && max <= greatest
            }
            (Self::Integer { min, .. }, Self::Seconds) => min >= 0,
            (Self::Integer { .. } | Self::Seconds, Self::Float) | (Self::Ipv4 | Self::Ipv6, Self::Ip) => true,
            (text, Self::Str) => text.carrier() == Carrier::Text,
            (one, other) => one == other,
        }
    }
}

fn is<T: FromStr>(text: &str) -> bool {
    text.parse::<T>().is_ok()
}

/// An address of 10.0.0.0/8.
fn made_up_address(digest: u64) -> Ipv4Addr {
    let [.., a, b, c] = digest.to_be_bytes();
    Ipv4Addr::new(10, a, b, c.clamp(1, 254))
}

/// With its article, as in messages: `an integer between 0 and 65535`.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().said)?;
        match self {
            Self::Integer { min, max } if *min != i64::MIN => write!(f, " between {min} and {max}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_list_has_every_type_once() {
        // If the compiler requires an arm here, add the type to `ALL` as well.
        let place = |scalar| match scalar {
            Scalar::Boolean => 0,
            Scalar::Integer { .. } => 1,
            Scalar::Float => 2,
            Scalar::Str => 3,
            Scalar::Ip => 4,
            Scalar::Ipv4 => 5,
            Scalar::Ipv6 => 6,
            Scalar::Network => 7,
            Scalar::Uri => 8,
            Scalar::Seconds => 9,
        };
        assert!(Scalar::ALL.into_iter().map(place).eq(0..Scalar::ALL.len()));
    }

    #[test]
    fn each_has_names_of_its_own_and_is_found_by_them() {
        let (mut words, mut said) = (HashSet::new(), HashSet::new());
        for (word, scalar) in Scalar::words() {
            assert!(words.insert(word) && said.insert(scalar.to_string()), "{scalar}");
            assert_eq!(Scalar::of_word(word), Some(scalar));
        }
        for scalar in Scalar::ALL {
            let is_integer = matches!(scalar, Scalar::Integer { .. });
            assert!(is_integer || Scalar::of_rust(scalar.row().rust) == Some(scalar), "{scalar}");
        }
    }

    #[test]
    fn examples_and_made_up_values_are_of_their_type() {
        for scalar in Scalar::ALL {
            let texts = [scalar.example().map(str::to_owned), scalar.made_up("ü/{}", 9), scalar.made_up("", u64::MAX)];
            for text in texts {
                assert_eq!(text.is_some(), scalar.carrier() == Carrier::Text);
                assert!(text.is_none_or(|text| scalar.holds(&text)), "{scalar}");
            }
        }
        assert_eq!(Scalar::Network.made_up("net", 0x0102_0304).as_deref(), Some("10.2.3.0/24"));
    }

    #[test]
    fn parts_of_which_no_text_can_be_made() {
        let refused = |scalar: Scalar, parts: &[Option<&str>]| scalar.refuse_parts(parts.iter().copied());
        for parts in [
            &[Some("http://"), None, Some(":80/a?b=%20#c")][..],
            &[None, Some("://db/")],
            &[Some("http"), None],
            &[Some("jdbc:db2://"), None],
            &[None, Some("/50%"), None],
            &[None],
            &[Some("http://["), None, Some("]/")],
        ] {
            assert_eq!(refused(Scalar::Uri, parts), None, "{parts:?}");
        }
        for (parts, wrong) in [
            (&[Some("the shop at "), None][..], "`the shop at `"),
            (&[Some("//"), None], "`//`"),
            (&[Some("://"), None], "`://`"),
            (&[Some("1http://"), None], "`1http://`"),
            (&[Some("http://"), None, Some(" and more")], "` and more`"),
            (&[Some("http://"), None, Some("/%zz")], "`/%zz`"),
        ] {
            assert_eq!(refused(Scalar::Uri, parts).as_deref(), Some(wrong), "{parts:?}");
        }
        assert_eq!(refused(Scalar::Network, &[None, Some("/24")]), None);
        assert_eq!(refused(Scalar::Network, &[None, Some("/prefix")]).as_deref(), Some("`/prefix`"));
        assert_eq!(refused(Scalar::Str, &[Some("any thing"), None]), None);
    }

    #[test]
    fn what_is_within_another_type() {
        let within = |one: Scalar, other: Scalar| one.is_within(other);
        assert!(within(Scalar::PORT, Scalar::Integer { min: -1, max: 65_535 }));
        assert!(!within(Scalar::Integer { min: -1, max: 9 }, Scalar::PORT));
        assert!(within(Scalar::PORT, Scalar::Seconds) && within(Scalar::Seconds, Scalar::Float));
        assert!(!within(Scalar::Integer { min: -1, max: 9 }, Scalar::Seconds));
        assert!(within(Scalar::Ipv6, Scalar::Ip) && !within(Scalar::Ip, Scalar::Ipv6));
        assert!(within(Scalar::Network, Scalar::Str) && !within(Scalar::Str, Scalar::Network));
        assert!(!within(Scalar::Boolean, Scalar::Str) && !within(Scalar::Float, Scalar::Str));
    }
}
