//! Fakes: stand-ins for the recipes of components.

use std::panic::Location;
use std::rc::Rc;
use std::time::Duration;

use crate::model::{Name, Value};
use crate::values::FailureKind;

use super::component_type::{Values, Written};

/// A recipe that fails. A fake returns it instead of outputs.
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
    /// A recipe that prints `message` and ends with a status other than 0.
    pub fn new(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Recipe, message: message.into(), published: Values::new() }
    }

    /// Makes the recipe publish an output before it fails (with `wattle set`, or as a Chef recipe publishes early). The
    /// readers of that output get it, whatever happens to the rest.
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

/// The result of a fake: `Outputs::<Db2> { ... }`, or a `Result` of that and [`Failed`].
#[diagnostic::on_unimplemented(
    message = "a fake returns the outputs of its component, not `{Self}`",
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

/// One run of a component, as a fake sees it when the component's Rust type is not known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'c> {
    pub(super) component: &'c Name,
    pub(super) inputs: &'c Values,
    pub(super) attempt: u32,
}

/// A recipe, as a function.
type Recipe = dyn Fn(Call<'_>) -> Result<Values, Failed>;

/// A stand-in for a recipe.
#[derive(Clone)]
pub(super) struct Fake {
    pub(super) run: Rc<Recipe>,
    /// How long it takes. If `None`, the schedule decides.
    pub(super) takes: Option<Duration>,
    /// Where the test defined it.
    pub(super) at: &'static Location<'static>,
}
