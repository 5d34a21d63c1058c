//! Text around values that are not known yet, written with `text!`.

use std::marker::PhantomData;

use crate::model::Value;
use crate::{Cidr, Url};

use super::expression::Expression;
use super::forward_reference::ForwardReference;
use super::handle::{Attribute, Output, Parameter};
use super::input::IntoInput;
use super::port::{PortType, scalars};
use super::property::{AnyValue, IntoProperty};
use super::secret::Secret;

/// Text around other values, made by [`text!`](crate::text).
///
/// `S` says when the text is known ([`AtDeployment`] or [`AtRunTime`]), and `P` whether it holds a secret ([`Open`] or
/// [`Confidential`]). Only text that is known at deployment can be a property, and only open text can be a public
/// input.
pub struct Text<S = AtDeployment, P = Open> {
    parts: Vec<Expression>,
    kind: PhantomData<fn() -> (S, P)>,
}

/// When a value is known.
pub trait Stage {
    /// The later of this and `Other`.
    type And<Other: Stage>: Stage;
}

/// Known when Heat creates resources, or before.
pub struct AtDeployment;

/// Known once a component has run.
pub struct AtRunTime;

impl Stage for AtDeployment {
    type And<Other: Stage> = Other;
}

impl Stage for AtRunTime {
    type And<Other: Stage> = AtRunTime;
}

/// Who may see a value.
pub trait Privacy {
    /// Whether it holds a secret.
    const IS_SECRET: bool;
    /// The stricter of this and `Other`.
    type And<Other: Privacy>: Privacy;
}

/// Anyone may see it.
pub struct Open;

/// It holds a secret.
pub struct Confidential;

impl Privacy for Open {
    const IS_SECRET: bool = false;
    type And<Other: Privacy> = Other;
}

impl Privacy for Confidential {
    const IS_SECRET: bool = true;
    type And<Other: Privacy> = Confidential;
}

/// A port type that can be written into text in exactly one way.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` has no single text form",
    label = "lists, maps and structs cannot be used in `text!`",
    note = "`text!` takes booleans, numbers, strings, addresses and URLs, known or deferred"
)]
pub trait Scalar: PortType + Clone {
    /// Whether its text is a secret.
    type Privacy: Privacy;
}

macro_rules! printed {
    ($($ty:ty as $scalar:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Scalar for $ty {
            type Privacy = Open;
        }
        #[diagnostic::do_not_recommend]
        impl TextPart for $ty {
            type Stage = AtDeployment;
            type Privacy = Open;
            fn into_part(self) -> Expression {
                Expression::Constant(self.into_value())
            }
        }
    )*};
}
scalars!(printed: booleans integers floats strings written);

impl<T: Scalar> Scalar for Secret<T> {
    type Privacy = Confidential;
}

/// A value that can stand in `text!`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in `text!`",
    label = "not a value with a single text form",
    note = "`text!` takes booleans, numbers, strings, addresses and URLs, known or deferred; let the recipe take a field out of a struct that is not known yet"
)]
pub trait TextPart: Clone {
    /// When it is known.
    type Stage: Stage;
    /// Who may see it.
    type Privacy: Privacy;
    /// The value.
    fn into_part(self) -> Expression;
}

macro_rules! deferred {
    ($($handle:ident: $stage:ident;)*) => {$(
        impl<T: Scalar> TextPart for $handle<T> {
            type Stage = $stage;
            type Privacy = T::Privacy;
            fn into_part(self) -> Expression {
                self.into()
            }
        }
    )*};
}
deferred! {
    Parameter: AtDeployment;
    Attribute: AtDeployment;
    Output: AtRunTime;
    ForwardReference: AtRunTime;
}

impl<T: Scalar> TextPart for Secret<T> {
    type Stage = AtDeployment;
    type Privacy = Confidential;
    fn into_part(self) -> Expression {
        Expression::Constant(self.into_value())
    }
}

// A count that the blueprint itself computes. No input has this type.
#[diagnostic::do_not_recommend]
impl TextPart for usize {
    type Stage = AtDeployment;
    type Privacy = Open;
    fn into_part(self) -> Expression {
        Expression::Constant(Value::Integer(i128::try_from(self).unwrap_or(i128::MAX)))
    }
}

#[diagnostic::do_not_recommend]
impl TextPart for &str {
    type Stage = AtDeployment;
    type Privacy = Open;
    fn into_part(self) -> Expression {
        self.into()
    }
}

impl<T: TextPart> TextPart for &T {
    type Stage = T::Stage;
    type Privacy = T::Privacy;
    fn into_part(self) -> Expression {
        self.clone().into_part()
    }
}

#[diagnostic::do_not_recommend]
impl<S: Stage, P: Privacy> TextPart for Text<S, P> {
    type Stage = S;
    type Privacy = P;
    fn into_part(self) -> Expression {
        self.into()
    }
}

impl<S, P> Clone for Text<S, P> {
    fn clone(&self) -> Self {
        Self { parts: self.parts.clone(), kind: PhantomData }
    }
}

impl Text {
    /// Starts with no text.
    pub fn new() -> Self {
        Self { parts: Vec::new(), kind: PhantomData }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Stage, P: Privacy> Text<S, P> {
    /// Appends `text` unchanged.
    pub fn literal(mut self, text: &str) -> Self {
        self.parts.push(text.into());
        self
    }

    /// Appends a value.
    pub fn value<V: TextPart>(mut self, value: V) -> Text<S::And<V::Stage>, P::And<V::Privacy>> {
        match value.into_part() {
            Expression::Text(parts) => self.parts.extend(parts),
            part => self.parts.push(part),
        }
        Text { parts: self.parts, kind: PhantomData }
    }
}

impl<S, P> From<Text<S, P>> for Expression {
    fn from(text: Text<S, P>) -> Self {
        Self::Text(text.parts)
    }
}

macro_rules! text_into {
    ($($ty:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<S> IntoInput<$ty> for Text<S, Open> {
            fn into_input(self) -> Expression {
                self.into()
            }
        }
    )*};
}
text_into!(String Url Cidr);

macro_rules! text_into_secret {
    ($($ty:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<S, P> IntoInput<Secret<$ty>> for Text<S, P> {
            fn into_input(self) -> Expression {
                self.into()
            }
        }
    )*};
}
text_into_secret!(String Url);

#[diagnostic::do_not_recommend]
impl IntoProperty<String> for Text<AtDeployment, Open> {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<P> IntoProperty<Secret<String>> for Text<AtDeployment, P> {
    fn into_property(self) -> Expression {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoProperty<AnyValue> for Text<AtDeployment, Open> {
    fn into_property(self) -> Expression {
        self.into()
    }
}
