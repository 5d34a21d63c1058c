//! Fakes: what takes the place of a component's recipe.

use std::panic::Location;
use std::rc::Rc;
use std::time::Duration;

use crate::model::{Name, Value};
use crate::values::FailureKind;

use super::kind::{Values, Written};

/// A recipe that fails: what a fake gives instead of outputs.
///
/// ```
/// use wattle::testing::Failed;
///
/// let failed: Failed = "the disk is full".into();
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    pub(super) kind: FailureKind,
    pub(super) message: String,
    pub(super) published: Values,
}

impl Failed {
    /// A recipe that ends with a status other than 0, having said this.
    pub fn new(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Recipe, message: message.into(), published: Values::new() }
    }

    /// The same, after it published an output while it ran (`wattle set`, or what a Chef recipe publishes early): those who
    /// read that output have it, whatever becomes of the rest.
    #[must_use]
    pub fn having_published(mut self, output: &str, value: impl Into<Value>) -> Self {
        self.published.0.insert(output.into(), value.into());
        self
    }
}

impl From<&str> for Failed {
    fn from(message: &str) -> Self {
        Self::new(message)
    }
}

impl From<String> for Failed {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

/// What a fake gives: `Outputs::<Db2> { ... }`, or a `Result` of that and [`Failed`].
#[diagnostic::on_unimplemented(
    message = "a fake gives the outputs of its component, not `{Self}`",
    label = "not `{O}`",
    note = "write `|db2: Given<Db2>| Outputs::<Db2> {{ ... }}`; or `Ok(Outputs::<Db2> {{ ... }})` where it may fail, with `Err(\"the disk is full\".into())`"
)]
pub trait Answer<O> {
    /// The outputs, or the failure.
    #[doc(hidden)]
    fn answer(self) -> Result<Values, Failed>;
}

#[diagnostic::do_not_recommend]
impl<O: Written> Answer<O> for O {
    fn answer(self) -> Result<Values, Failed> {
        Ok(self.into_values())
    }
}

#[diagnostic::do_not_recommend]
impl<O: Written> Answer<O> for Result<O, Failed> {
    fn answer(self) -> Result<Values, Failed> {
        self.map(Written::into_values)
    }
}

/// One run of a component, as a fake sees it whose kind is not known by type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'c> {
    pub(super) component: &'c Name,
    pub(super) inputs: &'c Values,
    pub(super) attempt: u32,
}

/// A recipe, as a function.
type Recipe = dyn Fn(Call<'_>) -> Result<Values, Failed>;

/// What takes the place of a recipe.
#[derive(Clone)]
pub(super) struct Fake {
    pub(super) run: Rc<Recipe>,
    /// How long it takes; where none is said, the schedule chooses.
    pub(super) takes: Option<Duration>,
    /// Where the test gave it.
    pub(super) at: &'static Location<'static>,
}
