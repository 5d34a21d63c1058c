//! Values that are not known yet, as the expressions that will yield them.

use std::fmt;

use wattle_model::{Name, ParameterType, Value as Known};

use crate::template::Function;

use super::Value;

/// A value that is not known yet, as the expression that will yield it.
#[derive(Clone, Debug, PartialEq)]
pub enum Open {
    /// The result of a function. Resources are referred to by their full names, and everything else in the argument is
    /// resolved.
    Call(Function, Value),
    /// This value, converted as the value of a parameter of this type.
    Read(ParameterType, Value),
    /// The value of the hidden parameter with this name, or a digest of that value.
    Secret(String, Hidden),
}

/// A value that is only compared, and neither shown nor used in computations.
#[derive(Clone, PartialEq)]
pub struct Hidden(pub(crate) Value);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// The placeholder for a hidden value.
const HIDDEN: &str = "(secret)";

impl Open {
    /// The call as in a template. Hidden values are not shown.
    pub(super) fn to_model(&self) -> Known {
        match self {
            Self::Call(function, argument) => {
                Known::Map([(Name::from(function.name()), argument.to_model())].into_iter().collect())
            }
            Self::Read(_, value) => value.to_model(),
            Self::Secret(..) => HIDDEN.into(),
        }
    }
}

impl Value {
    /// The future result of a function for this argument.
    pub(crate) fn open(function: Function, argument: Self) -> Self {
        Self::Open(Open::Call(function, argument).into())
    }

    /// The value of a hidden parameter.
    pub(crate) fn secret(parameter: &str, value: Self) -> Self {
        match value {
            Self::Open(_) => value,
            value => Self::Open(Open::Secret(parameter.to_owned(), Hidden(value)).into()),
        }
    }

    /// The value, converted to a parameter's type. Hidden values, and texts that are converted to themselves in any case,
    /// stay unchanged.
    pub(crate) fn read(ty: ParameterType, value: Self) -> Self {
        let is_itself = match &value {
            Self::Open(open) => match &**open {
                Open::Call(Function::GetResource, _) => ty == ParameterType::Str,
                Open::Call(..) => false,
                Open::Read(..) | Open::Secret(..) => true,
            },
            _ => true,
        };
        if is_itself { value } else { Self::Open(Open::Read(ty, value).into()) }
    }

    /// Whether any part of it is not known yet but has an expression.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Open(_) => true,
            Self::List(items) => items.iter().any(Self::is_open),
            Self::Map(items) => items.values().any(Self::is_open),
            _ => false,
        }
    }

    /// Visits every part of it, outermost first, including the arguments of open calls.
    pub fn each<'v>(&'v self, visit: &mut dyn FnMut(&'v Self)) {
        visit(self);
        match self {
            Self::List(items) => items.iter().for_each(|item| item.each(visit)),
            Self::Map(items) => items.values().for_each(|item| item.each(visit)),
            Self::Open(open) => match &**open {
                Open::Call(_, inner) | Open::Read(_, inner) => inner.each(visit),
                Open::Secret(..) => {}
            },
            _ => {}
        }
    }

    /// Visits the full names of the resources that it refers to, each with whether it does so by identity (`get_resource`)
    /// or by an attribute.
    pub fn references<'v>(&'v self, visit: &mut dyn FnMut(&'v str, bool)) {
        self.each(&mut |part| {
            let Self::Open(open) = part else { return };
            match &**open {
                Open::Call(Function::GetResource, Self::Text(name)) => visit(name, true),
                Open::Call(Function::GetAttr, Self::List(way)) => {
                    if let Some(Self::Text(name)) = way.first() {
                        visit(name, false);
                    }
                }
                _ => {}
            }
        });
    }

    /// Visits the attributes that it reads: each with the full name of the resource, and the attribute's name unless all are read
    /// or it is not known.
    pub fn attributes<'v>(&'v self, visit: &mut dyn FnMut(&'v str, Option<&'v str>)) {
        self.each(&mut |part| {
            if let Self::Open(open) = part
                && let Open::Call(Function::GetAttr, Self::List(way)) = &**open
                && let Some(Self::Text(name)) = way.first()
            {
                let attribute =
                    way.get(1).and_then(|one| if let Self::Text(name) = one { Some(&**name) } else { None });
                visit(name, attribute);
            }
        });
    }

    /// Whether it contains the value of a hidden parameter.
    pub fn has_secret(&self) -> bool {
        let mut found = false;
        self.each(&mut |part| {
            found |= matches!(part, Self::Open(open) if matches!(**open, Open::Secret(..)));
        });
        found
    }

    /// Whether a part of it is too large or too deep to be known.
    pub fn is_cut(&self) -> bool {
        let mut found = false;
        self.each(&mut |part| found |= *part == Self::Unknown);
        found
    }

    /// Replaces the parts for which `other` returns a value, outermost first.
    pub fn with(&self, other: &impl Fn(&Self) -> Option<Self>) -> Self {
        if let Some(value) = other(self) {
            return value;
        }
        match self {
            Self::List(items) => Self::List(items.iter().map(|item| item.with(other)).collect()),
            Self::Map(items) => Self::Map(items.iter().map(|(key, item)| (key.clone(), item.with(other))).collect()),
            Self::Open(open) => match &**open {
                Open::Call(function, argument) => Self::open(*function, argument.with(other)),
                Open::Read(ty, value) => Self::Open(Open::Read(*ty, value.with(other)).into()),
                Open::Secret(..) => self.clone(),
            },
            other => other.clone(),
        }
    }

    /// The value with everything that is open replaced by [`Value::Unknown`], as functions receive it.
    pub(crate) fn closed(&self) -> Self {
        self.with(&|part| matches!(part, Self::Open(_)).then_some(Self::Unknown))
    }

    /// Its size as counted against the budget: the number of values, plus one for each 64 characters of text.
    pub(crate) fn size(&self) -> usize {
        let mut size = 0_usize;
        self.each(&mut |part| size += 1 + part.as_text().map_or(0, |text| text.len() / 64));
        size
    }
}
