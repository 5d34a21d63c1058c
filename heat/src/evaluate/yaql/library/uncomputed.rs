//! Functions that are not computed here: they depend on time or chance, or have not been needed yet. Calls of them that
//! YAQL refuses are detected all the same. No value here is a point in time or a duration.

use super::super::machine::unknown;
use super::super::overload::{Default, overloads};

overloads! { TABLE:
    Function "call" (name: Text, args: Sequence, kwargs: Map, receiver: Any = Default::Missing) => |_, _| unknown();
    Function "characters" (digits: Boolean = Default::Missing, hexdigits: Boolean = Default::Missing,
        asciiLowercase: Boolean = Default::Missing, asciiUppercase: Boolean = Default::Missing,
        asciiLetters: Boolean = Default::Missing, letters: Boolean = Default::Missing,
        octdigits: Boolean = Default::Missing, punctuation: Boolean = Default::Missing,
        printable: Boolean = Default::Missing, lowercase: Boolean = Default::Missing,
        uppercase: Boolean = Default::Missing, whitespace: Boolean = Default::Missing) => |_, _| unknown();
    Function "datetime" (string: Text, format: TextOrNull = Default::Missing) => |_, _| unknown();
    Function "datetime" (timestamp: Number, offset: Time = Default::Missing) => |_, _| unknown();
    Function "datetime" (year: Integer, month: Integer, day: Integer, hour: Integer = Default::Missing,
        minute: Integer = Default::Missing, second: Integer = Default::Missing,
        microsecond: Integer = Default::Missing, offset: Time = Default::Missing) => |_, _| unknown();
    Method "format" (dt: Time, format: Text) => |_, _| unknown();
    Function "generateMany" (initial: Any, producer: Lambda, selector: Lambda = Default::Missing,
        decycle: Boolean = Default::Missing, depthFirst: Boolean = Default::Missing) => |_, _| unknown();
    Function "isDatetime" (value: Any) => |_, _| unknown();
    Function "isTimespan" (value: Any) => |_, _| unknown();
    Function "localtz" () => |_, _| unknown();
    Function "now" (offset: Any = Default::Missing) => |_, _| unknown();
    Function "random" () => |_, _| unknown();
    Function "random" (from: Any, to: Any) => |_, _| unknown();
    Function "timespan" (days: Integer = Default::Missing, hours: Integer = Default::Missing,
        minutes: Integer = Default::Missing, seconds: Integer = Default::Missing,
        milliseconds: Integer = Default::Missing, microseconds: Integer = Default::Missing) => |_, _| unknown();
    Function "utctz" () => |_, _| unknown();
}
