//! The signature of a YAQL function: names, types and optional parameters. Also resolves a call to an overload.

use super::arguments::{Argument, Arguments};
use super::expression::Expression;
use super::item::Item;
use super::machine::{Given, Machine, Stop, unknown};

/// What a parameter accepts, as in `yaql.language.yaqltypes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Any,
    NotNull,
    Nothing,
    Text,
    TextOrNull,
    /// Python's `int`, which includes booleans.
    Integer,
    IntegerOrNull,
    Number,
    NumberOrNull,
    Boolean,
    BooleanOrNull,
    Iterable,
    Iterator,
    Sequence,
    Map,
    Set,
    Ordering,
    Regex,
    Context,
    /// A point in time or a duration, of which no value is known here.
    Time,
    /// A rule with both sides evaluated.
    Rule,
    /// A rule whose sides the function evaluates on demand.
    LazyRule,
    /// An expression that the function evaluates on demand.
    Lambda,
}

/// The value of an omitted argument.
#[derive(Clone, Copy, Debug)]
pub(super) enum Default {
    Required,
    Null,
    Missing,
    Integer(i64),
    Boolean(bool),
    Text(&'static str),
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) takes: Type,
    pub(super) default: Default,
}

/// The kinds of calls that can refer to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    Function,
    Method,
    Both,
}

type Payload = fn(&Machine<'_>, Given) -> Result<Item, Stop>;

/// One overload of a function.
#[derive(Debug)]
pub(super) struct Overload {
    pub(super) name: &'static str,
    pub(super) kind: CallKind,
    /// Whether arguments can be named. Otherwise a rule is a positional argument.
    pub(super) named: bool,
    pub(super) parameters: &'static [Parameter],
    /// The type of further arguments.
    pub(super) rest: Option<Type>,
    /// Whether further arguments can have names that no parameter has.
    pub(super) open: bool,
    pub(super) payload: Payload,
}

/// Declares functions: `method "take" (collection: Iterable, count: Integer) => take;`.
macro_rules! overloads {
    ($table:ident: $($kind:ident $(,$flag:ident)? $name:literal
        ($($parameter:ident: $takes:ident $(= $default:expr)?),* $(; $rest:ident)?) => $payload:expr;)*) => {
        pub(in super::super) static $table: &[$crate::evaluate::yaql::overload::Overload] = &[$(
            $crate::evaluate::yaql::overload::Overload {
                name: $name,
                kind: $crate::evaluate::yaql::overload::CallKind::$kind,
                named: !$crate::evaluate::yaql::overload::flag!(Rules $($flag)?),
                parameters: &[$(
                    $crate::evaluate::yaql::overload::Parameter {
                        name: stringify!($parameter),
                        takes: $crate::evaluate::yaql::overload::Type::$takes,
                        default: $crate::evaluate::yaql::overload::default!($($default)?),
                    },
                )*],
                rest: $crate::evaluate::yaql::overload::rest!($($rest)?),
                open: $crate::evaluate::yaql::overload::flag!(Open $($flag)?),
                payload: $payload,
            },
        )*];
    };
}
macro_rules! default {
    () => {
        $crate::evaluate::yaql::overload::Default::Required
    };
    ($default:expr) => {
        $default
    };
}
macro_rules! rest {
    () => {
        None
    };
    ($rest:ident) => {
        Some($crate::evaluate::yaql::overload::Type::$rest)
    };
}
macro_rules! flag {
    (Rules Rules) => {
        true
    };
    (Open Open) => {
        true
    };
    ($($other:ident)*) => {
        false
    };
}
pub(super) use {default, flag, overloads, rest};

impl Type {
    pub(super) fn is_lazy(self) -> bool {
        matches!(self, Self::Lambda | Self::LazyRule)
    }

    /// Whether the type may accept an argument, judged before evaluation.
    fn may_take(self, argument: &Argument) -> Result<bool, Stop> {
        let expression = match argument {
            Argument::LeftOut => return Ok(true),
            Argument::Value(value) => return self.takes(value),
            Argument::Written(expression) => expression,
        };
        match (self, constant(expression)) {
            (Self::Lambda, _) => Ok(true),
            (Self::LazyRule, _) => Ok(matches!(**expression, Expression::Rule(..))),
            (_, Some(value)) => self.takes(&value),
            (_, None) => Ok(true),
        }
    }

    /// Whether the type accepts a value.
    pub(super) fn takes(self, value: &Item) -> Result<bool, Stop> {
        if matches!(value, Item::Unknown) {
            return if self == Self::Any { Ok(true) } else { unknown() };
        }
        let is_null = matches!(value, Item::Null);
        Ok(match self {
            Self::Any | Self::Lambda => true,
            Self::NotNull => !is_null,
            Self::Nothing => is_null,
            Self::Text => matches!(value, Item::Text(_)),
            Self::TextOrNull => is_null || Self::Text.takes(value)?,
            Self::Integer => matches!(value, Item::Integer(_) | Item::Boolean(_)),
            Self::IntegerOrNull => is_null || Self::Integer.takes(value)?,
            Self::Number => matches!(value, Item::Integer(_) | Item::Float(_)),
            Self::NumberOrNull => is_null || Self::Number.takes(value)?,
            Self::Boolean => matches!(value, Item::Boolean(_)),
            Self::BooleanOrNull => is_null || Self::Boolean.takes(value)?,
            Self::Iterable => value.is_iterable(),
            Self::Iterator => value.is_iterator(),
            Self::Sequence => value.row().is_some(),
            Self::Map => matches!(value, Item::Map(_)),
            Self::Set => value.is_set(),
            Self::Ordering => matches!(value, Item::Ordering(_)),
            Self::Regex => matches!(value, Item::Regex(_)),
            Self::Time => false,
            Self::Context => matches!(value, Item::Context(_)),
            Self::Rule => matches!(value, Item::Rule(_)),
            Self::LazyRule => matches!(value, Item::Quoted(_)),
        })
    }

    /// Whether this type's Python class is a subclass of the other's.
    fn is_within(self, other: Self) -> bool {
        let over: &[Self] = match self {
            Self::Text => &[Self::Sequence, Self::Iterable],
            Self::Sequence | Self::Iterator | Self::Map | Self::Set | Self::Ordering => &[Self::Iterable],
            Self::Boolean => &[Self::Integer],
            _ => &[],
        };
        self != other && (over.contains(&other) || other == Self::Any && !self.is_lazy())
    }
}

/// The value of a constant expression.
pub(super) fn constant(expression: &Expression) -> Option<Item> {
    Some(match expression {
        Expression::Null => Item::Null,
        Expression::Boolean(value) => Item::Boolean(*value),
        Expression::Integer(value) => Item::Integer(*value),
        Expression::Float(value) => Item::Float(*value),
        Expression::Text(text) | Expression::Keyword(text) => Item::Text(text.clone()),
        _ => return None,
    })
}

impl Default {
    pub(super) fn item(self) -> Option<Item> {
        Some(match self {
            Self::Required => return None,
            Self::Null => Item::Null,
            Self::Missing => Item::Missing,
            Self::Integer(value) => Item::Integer(value.into()),
            Self::Boolean(value) => Item::Boolean(value),
            Self::Text(text) => Item::text(text),
        })
    }
}

impl Overload {
    /// The types of the arguments, named ones last. `None` if this overload cannot accept them.
    pub(super) fn mapped(&self, arguments: &Arguments) -> Result<Option<Vec<Type>>, Stop> {
        let mut types: Vec<Option<Type>> = vec![self.rest; arguments.placed.len()];
        let mut named: Vec<Option<Type>> = vec![None; arguments.named.len()];
        for (at, parameter) in self.parameters.iter().enumerate() {
            let by_name = arguments.named.iter().position(|(name, _)| **name == *parameter.name);
            let given = arguments.placed.get(at);
            match (given, by_name) {
                (Some(Argument::Written(_) | Argument::Value(_)), Some(_)) => return Ok(None),
                (Some(Argument::Written(_) | Argument::Value(_)), None) => types[at] = Some(parameter.takes),
                (_, Some(by_name)) => named[by_name] = Some(parameter.takes),
                (_, None) if matches!(parameter.default, Default::Required) => return Ok(None),
                (Some(Argument::LeftOut), None) => types[at] = Some(parameter.takes),
                (None, None) => {}
            }
        }
        if self.open {
            named.iter_mut().for_each(|takes| *takes = takes.or(Some(Type::Any)));
        }
        let given = arguments.placed.iter().chain(arguments.named.iter().map(|(_, argument)| argument));
        let mut out = Vec::new();
        for (takes, argument) in types.into_iter().chain(named).zip(given) {
            match takes {
                Some(takes) if takes.may_take(argument)? => out.push(takes),
                _ => return Ok(None),
            }
        }
        Ok(Some(out))
    }
}

/// Whether the first types are more specific than the second.
pub(super) fn is_closer(one: &[Type], other: &[Type]) -> bool {
    let mut closer = false;
    for (one, other) in one.iter().zip(other) {
        if other.is_within(*one) {
            return false;
        }
        closer |= one.is_within(*other);
    }
    closer
}
