//! Numbers.

use std::cmp::Ordering;
use std::ops::{BitAnd, BitOr, BitXor};

use super::super::item::Item;
use super::super::machine::{Given, Machine, Stop, unknown, wrong};
use super::super::overload::{Default, overloads};
use super::super::python;

/// An arithmetic operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
}

overloads! { TABLE:
    Function "abs" (op: Number) => |_, given| match given.item(0) {
        Item::Float(value) => Ok(Item::Float(value.abs())),
        _ => integer(given.integer(0)?.checked_abs()),
    };
    Function "int" (value: Any) => |_, given| int(given.item(0));
    Function "float" (value: Any) => |_, given| float(given.item(0));
    Function "bool" (value: Any) => |_, given| Ok(Item::Boolean(given.item(0).truth()?));
    Function "isBoolean" (value: Any) => |_, given| is(&given, |item| matches!(item, Item::Boolean(_)));
    Function "isInteger" (value: Any) => |_, given| is(&given, |item| matches!(item, Item::Integer(_)));
    Function "isNumber" (value: Any) => |_, given| is(&given, |item| matches!(item, Item::Integer(_) | Item::Float(_)));
    Function "bitwiseAnd" (left: Integer, right: Integer) => |_, given| bits(&given, BitAnd::bitand);
    Function "bitwiseOr" (left: Integer, right: Integer) => |_, given| bits(&given, BitOr::bitor);
    Function "bitwiseXor" (left: Integer, right: Integer) => |_, given| bits(&given, BitXor::bitxor);
    Function "bitwiseNot" (arg: Integer) => |_, given| Ok(Item::Integer(!given.integer(0)?));
    Function "shiftBitsLeft" (value: Integer, bitsNumber: Integer) => |_, given| shifted(&given, true);
    Function "shiftBitsRight" (value: Integer, bitsNumber: Integer) => |_, given| shifted(&given, false);
    Function "max" (a: Any, b: Any) => |machine, given| greater(machine, given.item(0), given.item(1));
    Function "min" (a: Any, b: Any) => |machine, given| lesser(machine, given.item(0), given.item(1));
    Function "pow" (a: Number, b: Number, c: NumberOrNull = Default::Null) => |_, given| power(&given);
    Function "sign" (num: Number) => |_, given| match compared(given.item(0), &Item::Integer(0)) {
        Some(ordering) => Ok(Item::Integer(ordering as i128)),
        None => unknown(),
    };
    Function "round" (number: Number, ndigits: Integer = Default::Integer(0)) => |_, given| rounded(&given);
    Function "hex" (num: NumberOrNull) => |_, given| match given.item(0) {
        Item::Integer(value) if *value < 0 => Ok(Item::text(format!("-0x{:x}", value.unsigned_abs()))),
        Item::Integer(value) => Ok(Item::text(format!("0x{value:x}"))),
        other => wrong(format!("`hex` takes an integer, but this is {}", other.kind())),
    };
}

pub(super) fn is(given: &Given, is: impl Fn(&Item) -> bool) -> Result<Item, Stop> {
    match given.item(0) {
        Item::Unknown => unknown(),
        item => Ok(Item::Boolean(is(item))),
    }
}

/// The greater of two items, according to the operator.
pub(super) fn greater(machine: &Machine<'_>, one: &Item, other: &Item) -> Result<Item, Stop> {
    let other_is_greater = machine.operate("#operator_>", other, one)?.truth()?;
    Ok(if other_is_greater { other } else { one }.clone())
}

pub(super) fn lesser(machine: &Machine<'_>, one: &Item, other: &Item) -> Result<Item, Stop> {
    let other_is_greater = machine.operate("#operator_>", other, one)?.truth()?;
    Ok(if other_is_greater { one } else { other }.clone())
}

fn integer(value: Option<i128>) -> Result<Item, Stop> {
    value.map(Item::Integer).ok_or(Stop::Unknown)
}

/// A number as a float. Unknown if it is out of range for a float.
fn as_float(item: &Item) -> Result<f64, Stop> {
    match item {
        Item::Float(value) => Ok(*value),
        #[expect(clippy::cast_precision_loss, reason = "so small a number has a float of its own")]
        item => match super::integer(item)? {
            value if value.unsigned_abs() <= 1 << 53 => Ok(value as f64),
            _ => unknown(),
        },
    }
}

/// Compares two numbers.
pub(super) fn compared(one: &Item, other: &Item) -> Option<Ordering> {
    match (one, other) {
        (Item::Integer(one), Item::Integer(other)) => Some(one.cmp(other)),
        (one, other) => as_float(one).ok()?.partial_cmp(&as_float(other).ok()?),
    }
}

/// Arithmetic as in Python: the quotient of two integers is an integer, and the remainder has the sign of the divisor.
pub(super) fn calculate(what: Arithmetic, one: &Item, other: &Item) -> Result<Item, Stop> {
    if matches!(what, Arithmetic::Over | Arithmetic::Modulo) && !other.truth()? {
        return wrong("it divides by zero");
    }
    if let (Item::Integer(one), Item::Integer(other)) = (one, other) {
        return integer(match what {
            Arithmetic::Plus => one.checked_add(*other),
            Arithmetic::Minus => one.checked_sub(*other),
            Arithmetic::Times => one.checked_mul(*other),
            Arithmetic::Over => {
                let rest = one.checked_rem(*other);
                let down = |rest: i128| rest != 0 && (rest < 0) != (*other < 0);
                rest.and_then(|rest| Some(one.checked_div(*other)? - i128::from(down(rest))))
            }
            Arithmetic::Modulo => one
                .checked_rem(*other)
                .map(|rest| if rest != 0 && (rest < 0) != (*other < 0) { rest + *other } else { rest }),
        });
    }
    let (one, other) = (as_float(one)?, as_float(other)?);
    let value = match what {
        Arithmetic::Plus => one + other,
        Arithmetic::Minus => one - other,
        Arithmetic::Times => one * other,
        Arithmetic::Over => one / other,
        Arithmetic::Modulo => {
            let rest = one % other;
            if rest != 0.0 && (rest < 0.0) != (other < 0.0) { rest + other } else { rest.abs().copysign(other) }
        }
    };
    if value.is_finite() { Ok(Item::Float(value)) } else { unknown() }
}

fn bits(given: &Given, of: fn(i128, i128) -> i128) -> Result<Item, Stop> {
    match (given.item(0), given.item(1)) {
        // In Python the result is a boolean.
        (Item::Boolean(_), Item::Boolean(_)) => unknown(),
        _ => Ok(Item::Integer(of(given.integer(0)?, given.integer(1)?))),
    }
}

fn shifted(given: &Given, left: bool) -> Result<Item, Stop> {
    let (value, by) = (given.integer(0)?, given.integer(1)?);
    let Ok(by) = u32::try_from(by) else {
        return if by < 0 { wrong("bits cannot be shifted by a negative number") } else { unknown() };
    };
    if left {
        let factor = 1_i128.checked_shl(by).filter(|_| by < 126);
        integer(factor.and_then(|factor| value.checked_mul(factor)))
    } else {
        Ok(Item::Integer(value >> by.min(127)))
    }
}

fn power(given: &Given) -> Result<Item, Stop> {
    let (Item::Integer(base), Item::Integer(exponent), Item::Null) = (given.item(0), given.item(1), given.item(2))
    else {
        return unknown();
    };
    match u32::try_from(*exponent) {
        Ok(exponent) => integer(base.checked_pow(exponent)),
        Err(_) => unknown(),
    }
}

fn rounded(given: &Given) -> Result<Item, Stop> {
    let digits = given.integer(1)?;
    let Ok(digits) = usize::try_from(digits) else { return unknown() };
    match given.item(0) {
        Item::Float(value) if digits <= 15 && value.abs() < 1e15 => {
            // Formatting with this many digits rounds exactly.
            let value: f64 = format!("{value:.digits$}").parse().map_err(|_| Stop::Unknown)?;
            Ok(Item::Float(value))
        }
        Item::Float(_) => unknown(),
        value => Ok(value.clone()),
    }
}

/// The part of a text that Python's `int` and `float` would read. Unknown for words like `inf` and for digits of other
/// scripts.
fn number_in(text: &str, fraction: bool) -> Result<Option<&str>, Stop> {
    let text = text.trim_matches(python::is_blank);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !text.is_ascii() || text.contains('_') || text.len() > 30 {
        return unknown();
    }
    if fraction && ["inf", "infinity", "nan"].iter().any(|word| digits.eq_ignore_ascii_case(word)) {
        return unknown();
    }
    let is_number = if fraction {
        digits.starts_with(|sign: char| sign.is_ascii_digit() || sign == '.') && digits.parse::<f64>().is_ok()
    } else {
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    Ok(is_number.then_some(text))
}

fn int(item: &Item) -> Result<Item, Stop> {
    match item {
        Item::Null => Ok(Item::Integer(0)),
        Item::Integer(_) | Item::Boolean(_) => super::integer(item).map(Item::Integer),
        Item::Float(value) => integer(super::super::item::whole(value.trunc())),
        Item::Text(text) => match number_in(text, false)? {
            Some(number) => integer(number.parse().ok()),
            None => wrong("`int` takes a string that is an integer"),
        },
        Item::Unknown => unknown(),
        other => wrong(format!("`int` takes a number or a string, but this is {}", other.kind())),
    }
}

fn float(item: &Item) -> Result<Item, Stop> {
    match item {
        Item::Null => Ok(Item::Float(0.0)),
        Item::Integer(_) | Item::Boolean(_) | Item::Float(_) => as_float(item).map(Item::Float),
        Item::Text(text) => match number_in(text, true)? {
            Some(number) => number.parse().map(Item::Float).map_err(|_| Stop::Unknown),
            None => wrong("`float` takes a string that is a number"),
        },
        Item::Unknown => unknown(),
        other => wrong(format!("`float` takes a number or a string, but this is {}", other.kind())),
    }
}
