//! Parameters of HOT's type `json`.

use crate::author::constant::Constant;
use crate::author::input::Public;
use crate::author::port::PortType;
use crate::model::{Type, Value};

/// Any value that JSON can express: the type of a parameter that is a map or a list of anything.
///
/// ```
/// use wattle::prelude::*;
///
/// #[derive(Parameters)]
/// pub struct Settings {
///     /// Keys and values of each server.
///     #[parameter(default = r#"{"stage": "test", "replicas": 2}"#)]
///     labels: Parameter<hot::Json>,
/// }
/// # let mut t = Topology::new("demo");
/// # let _ = <Settings as wattle::author::Parameters>::declare(&mut t).labels;
/// # let model = t.finish(Exports::new());
/// # assert_eq!(model.parameters["labels"].default.as_ref().expect("one").kind(), "a map");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Json(pub Value);

impl Json {
    /// The value of a JSON text. Text that is not JSON stays text.
    pub fn of(text: &str) -> Value {
        serde_json::from_str(text).unwrap_or_else(|_| text.into())
    }
}

#[diagnostic::do_not_recommend]
impl Public for Json {}

#[diagnostic::do_not_recommend]
impl PortType for Json {
    fn port_type() -> Type {
        Type::Any
    }
    fn into_value(self) -> Value {
        self.0
    }
    fn from_value(value: Value) -> Option<Self> {
        Some(Self(value))
    }
}

#[diagnostic::do_not_recommend]
impl Constant<Json> for Json {
    fn into_constant(self) -> Value {
        self.0
    }
}

/// Text that is not JSON stays text, and Heat refuses that as the default of such a parameter.
#[diagnostic::do_not_recommend]
impl Constant<Json> for &str {
    fn into_constant(self) -> Value {
        Json::of(self)
    }
}
