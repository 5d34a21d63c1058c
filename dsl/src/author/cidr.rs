//! What a property accepts for a network in CIDR notation besides a [`Cidr`]: text, which `check` validates as Heat does.

use super::expression::Expression;
use super::handle::{Attribute, Parameter};
use super::property::IntoProperty;
use super::text::Text;
use crate::Cidr;

macro_rules! as_text {
    ($($ty:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoProperty<Cidr> for $ty {
            fn into_property(self) -> Expression {
                IntoProperty::<String>::into_property(self)
            }
        }
    )*};
}
as_text!(&str &String String Parameter<String> Attribute<String>);

#[diagnostic::do_not_recommend]
impl<S, P> IntoProperty<Cidr> for Text<S, P>
where
    Self: IntoProperty<String>,
{
    fn into_property(self) -> Expression {
        self.into()
    }
}
