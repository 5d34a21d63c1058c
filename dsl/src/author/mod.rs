//! What an author writes: the topology, the handles that it gives out, and the values that flow between them.
//!
//! What lives here: everything that turns calls into a [`Model`](crate::model::Model), with the author's place at each.
//! What must not: any judgement of the result; that is `check`'s.

mod blueprint;
mod component;
mod constant;
mod exports;
mod expression;
mod handle;
mod input;
mod module;
mod parameters;
mod port;
mod promise;
mod property;
mod scalar;
mod secret;
mod text;
mod topology;

pub use blueprint::{Blueprint, NoConfig};
pub use component::{AsComponent, Component, Inputs, Missing, OnServer, Software, Wired};
pub use constant::{Constant, constant};
pub use exports::{Export, ExportName, Exportable, Exports};
pub use expression::Expression;
pub use handle::{Attribute, Host, Output, Parameter, Resource, Segment};
pub use input::{IntoInput, Public};
pub use module::{Module, Part, Properties, RawResource};
pub use parameters::{ParameterOptions, Parameters};
pub use port::PortType;
pub use promise::Promise;
pub use property::{AnyValue, IntoProperty};
pub use scalar::{NotAUrl, Url};
pub use secret::Secret;
pub use text::{AtDeployment, AtRunTime, Confidential, Open, Privacy, Scalar, Stage, Text, TextPart};
pub use topology::Topology;
