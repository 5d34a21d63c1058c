//! What stands for a network in CIDR notation besides a [`Cidr`]: text, which Rust has no literal of its own for.
//!
//! `check` judges what is known of it as Heat does.

use super::expression::Expression;
use super::handle::{Attribute, Parameter};
use super::input::IntoInput;
use super::property::IntoProperty;
use super::text::Text;
use crate::Cidr;

macro_rules! as_text {
    ($($trait:ident::$into:ident: $($ty:ty)*;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl $trait<Cidr> for $ty {
            fn $into(self) -> Expression {
                $trait::<String>::$into(self)
            }
        }
    )*)*};
}
as_text! {
    IntoInput::into_input: &str &String;
    IntoProperty::into_property: &str &String String Parameter<String> Attribute<String>;
}

#[diagnostic::do_not_recommend]
impl<S, P> IntoProperty<Cidr> for Text<S, P>
where
    Self: IntoProperty<String>,
{
    fn into_property(self) -> Expression {
        self.into()
    }
}
