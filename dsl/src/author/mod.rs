//! What an author writes: the topology, the handles that it returns, and the values that flow between them.
//!
//! This module turns calls into a [`Model`](crate::model::Model), and notes the author's place for each. It does not
//! judge the result; `check` does that.

mod begun;
mod blueprint;
mod catalogs;
mod cidr;
mod comparable;
mod component;
mod constant;
mod decided;
mod dropped;
mod exports;
mod expr;
mod expression;
mod field;
mod forward_reference;
mod handle;
pub mod hot;
mod input;
mod known;
mod listen;
mod module;
mod moved;
mod naming;
mod operated;
mod parameters;
mod placement;
mod port;
mod property;
mod requirement;
mod secret;
mod text;
mod topology;
mod unknown;

pub use blueprint::{Blueprint, NoConfig, Setting};
pub use component::OnServer;
pub use exports::{Export, Exports};
pub use forward_reference::ForwardReference;
pub use handle::{AsComponent, Attribute, Component, Output, Parameter, Resource};
pub use module::{Module, RawResource};
pub use moved::{Moved, MovedFrom};
pub use parameters::Parameters;
pub(crate) use placement::FOREIGN;
pub use placement::{Apart, Said};
pub use port::PortType;
pub use requirement::{Demand, Each, IntoDemand, Subject, That, that};
pub use secret::Secret;
pub use text::Text;
pub use topology::Topology;

// Scalar types that the standard library lacks.
pub use wattle_words::Malformed;
pub use wattle_words::types::*;

// What authors can require of values.
pub use comparable::{Comparable, Comparand, Compares, Divisible, Lengthy, Listed, Ordered, Textual};

// The building blocks of a catalog's resources, and the traits that decide which values are accepted where.
pub use exports::{ExportAs, Exportable};
pub use expression::{Expression, Handle};
pub use handle::{Host, Segment};
pub use input::{IntoInput, Public};
pub use listen::Listening;
pub use module::{AddedBefore, Complete, NotAddedYet, Part, Properties};
pub use naming::NameText;
pub use property::{AnyValue, IntoProperty, Item, item};
pub use text::{AtDeployment, AtRunTime, Confidential, Open, Privacy, Scalar, Stage, TextPart};

// Called by generated code only.
#[doc(hidden)]
pub use component::{Inputs, Missing, Software, Wired};
#[doc(hidden)]
pub use constant::{Constant, constant};
#[doc(hidden)]
pub use decided::{counted, decided, inverted, matched, negated, negative};
#[doc(hidden)]
pub use dropped::{Dropped, DroppedModule, Modules, Named, OfNoModule};
#[doc(hidden)]
pub use field::{FieldNotKnownYet, Fielded};
#[doc(hidden)]
pub use known::NotKnownYet;
#[doc(hidden)]
pub use operated::{KnownOperand, Operand};
#[doc(hidden)]
pub use parameters::ParameterOptions;
