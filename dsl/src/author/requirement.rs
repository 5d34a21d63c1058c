//! What an author requires of values, as in `t.require("enough memory", p.memory.at_least(2048))`.

use std::ops::RangeBounds;

use crate::model::{self, ElementKind, Expr, Predicate, Source, Test, Tested};

use super::comparable::{Comparable, Comparand, Divisible, Lengthy, Listed, Ordered, Textual};
use super::expression::Expression;
use super::forward_reference::ForwardReference;
use super::handle::{Attribute, Output, Parameter};
use super::naming::NameText;
use super::port::PortType;
use super::secret::Secret;
use super::text::{Confidential, Open, Text};
use super::topology::{Topology, insert};
use super::unknown::KnownToLookInto;

/// Something that must hold for values. [`Subject`] makes one from a value; `all`, `any`, `!` and similar combine others.
///
/// ```
/// use wattle::prelude::*;
///
/// fn sized(t: &mut Topology, memory: Parameter<u32>, tier: Parameter<String>) {
///     let small = tier.is("small");
///     t.require("enough memory", small.or(memory.at_least(4096)).because("the index is kept in memory"));
/// }
/// # let _ = sized;
/// ```
#[derive(Clone)]
#[must_use = "it does nothing until it is required: `t.require(name, ...)`"]
pub struct Demand {
    predicate: Predicate<Expression>,
    because: String,
}

impl Demand {
    fn new(predicate: Predicate<Expression>) -> Self {
        Self { predicate, because: String::new() }
    }

    /// Holds if all of `demands` hold.
    pub fn all<D: IntoDemand>(demands: impl IntoIterator<Item = D>) -> Self {
        Self::joined(demands, Predicate::All)
    }

    /// Holds if at least one of `demands` holds.
    pub fn any<D: IntoDemand>(demands: impl IntoIterator<Item = D>) -> Self {
        Self::joined(demands, Predicate::Any)
    }

    fn joined<D: IntoDemand>(
        demands: impl IntoIterator<Item = D>,
        join: impl FnOnce(Vec<Predicate<Expression>>) -> Predicate<Expression>,
    ) -> Self {
        let mut parts: Vec<_> = demands.into_iter().map(|demand| demand.into_demand().predicate).collect();
        Self::new(if parts.len() == 1 { parts.remove(0) } else { join(parts) })
    }

    /// Holds if both this and `other` hold.
    pub fn and(self, other: impl IntoDemand) -> Self {
        Self::all([self, other.into_demand()])
    }

    /// Holds if this or `other` holds.
    pub fn or(self, other: impl IntoDemand) -> Self {
        Self::any([self, other.into_demand()])
    }

    /// Gives the reason, which the diagnostic shows when the requirement is broken.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.because = reason.into();
        self
    }
}

/// The opposite.
impl std::ops::Not for Demand {
    type Output = Self;

    fn not(self) -> Self {
        Self::new(Predicate::Opposite(Box::new(self.predicate)))
    }
}

/// What can be required: tests of values, and anything that is true or false for the blueprint itself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be required",
    label = "not a test that is true or false",
    note = "require a test of a value: `p.memory.at_least(2048)`, `db.port.is_not(p.port)`, `p.zones.every(|zone| zone.matches(\"[a-z]+\"))`",
    note = "test a constant with `that(nodes).at_least(3)`"
)]
pub trait IntoDemand {
    /// The demand.
    fn into_demand(self) -> Demand;
}

#[diagnostic::do_not_recommend]
impl IntoDemand for Demand {
    fn into_demand(self) -> Demand {
        self
    }
}

#[diagnostic::do_not_recommend]
impl IntoDemand for bool {
    fn into_demand(self) -> Demand {
        that(self).is(true)
    }
}

/// A value that can be tested: a deferred value directly, a constant through [`that`].
///
/// Text and numbers can be compared with constants and with other deferred values of the same kind. A secret can be
/// tested as well; no message shows it.
///
/// ```
/// use wattle::prelude::*;
///
/// #[derive(Parameters)]
/// pub struct Settings {
///     /// Megabytes of memory of the database.
///     #[parameter(default = 4096)]
///     memory: Parameter<u32>,
///     /// Zones for the servers.
///     #[parameter]
///     zones: Parameter<Vec<String>>,
///     /// Password of the owner.
///     #[parameter]
///     password: Parameter<Secret<String>>,
///     /// Name of the owner.
///     #[parameter]
///     owner: Parameter<String>,
/// }
///
/// fn requirements(t: &mut Topology, p: &Settings) {
///     t.require("enough memory", p.memory.at_least(2048).because("the database does not start with less"));
///     t.require("zones", p.zones.is_not_empty().and(p.zones.every(|zone| zone.matches("[a-z]+-[0-9]"))));
///     t.require("password", p.password.length(12..).and(p.password.is_not(p.owner)));
/// }
/// # let mut t = Topology::new("demo");
/// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
/// # requirements(&mut t, &p);
/// # assert_eq!(t.finish(Exports::new()).requirements.len(), 3);
/// ```
#[expect(clippy::wrong_self_convention, reason = "they state a requirement on a value, and test nothing")]
pub trait Subject: Sized {
    /// The type of the value.
    type Value: PortType;

    /// The value; `None` for the item of a list.
    #[doc(hidden)]
    fn into_subject(self) -> Option<Expression>;

    /// Requires that it equals `other`.
    fn is(self, other: impl Comparand<<Self::Value as Comparable>::Plain>) -> Demand
    where
        Self::Value: Comparable,
    {
        compared(self, other, Test::Is)
    }

    /// Requires that it does not equal `other`.
    fn is_not(self, other: impl Comparand<<Self::Value as Comparable>::Plain>) -> Demand
    where
        Self::Value: Comparable,
    {
        compared(self, other, Test::IsNot)
    }

    /// Requires that it is not less than `least`.
    fn at_least(self, least: impl Comparand<<Self::Value as Ordered>::Amount>) -> Demand
    where
        Self::Value: Ordered,
    {
        compared(self, least, Test::AtLeast)
    }

    /// Requires that it is not more than `most`.
    fn at_most(self, most: impl Comparand<<Self::Value as Ordered>::Amount>) -> Demand
    where
        Self::Value: Ordered,
    {
        compared(self, most, Test::AtMost)
    }

    /// Requires that it is more than `other`.
    fn more_than(self, other: impl Comparand<<Self::Value as Ordered>::Amount>) -> Demand
    where
        Self::Value: Ordered,
    {
        compared(self, other, Test::MoreThan)
    }

    /// Requires that it is less than `other`.
    fn less_than(self, other: impl Comparand<<Self::Value as Ordered>::Amount>) -> Demand
    where
        Self::Value: Ordered,
    {
        compared(self, other, Test::LessThan)
    }

    /// Requires that it is not less than `least` and not more than `most`.
    fn between(
        self,
        least: impl Comparand<<Self::Value as Ordered>::Amount>,
        most: impl Comparand<<Self::Value as Ordered>::Amount>,
    ) -> Demand
    where
        Self::Value: Ordered,
    {
        let (least, secret) = least.into_comparand();
        let (most, also) = most.into_comparand();
        tested(self, Test::Between(least, most), secret || also)
    }

    /// Requires that it equals one of `values`.
    fn one_of<C: Comparand<<Self::Value as Comparable>::Plain>>(self, values: impl IntoIterator<Item = C>) -> Demand
    where
        Self::Value: Comparable,
    {
        let (values, secret): (Vec<_>, Vec<_>) = values.into_iter().map(C::into_comparand).unzip();
        tested(self, Test::OneOf(values), secret.contains(&true))
    }

    /// Requires that it is a whole multiple of `step`.
    fn multiple_of(self, step: u32) -> Demand
    where
        Self::Value: Divisible,
    {
        tested(self, Test::MultipleOf(step), false)
    }

    /// Requires that the regular expression `pattern` matches all of it.
    fn matches(self, pattern: &str) -> Demand
    where
        Self::Value: Textual,
    {
        tested(self, Test::Matches(pattern.into()), false)
    }

    /// Requires that it begins with `start`.
    fn starts_with(self, start: impl Comparand<String>) -> Demand
    where
        Self::Value: Textual,
    {
        compared(self, start, Test::StartsWith)
    }

    /// Requires that it ends with `end`.
    fn ends_with(self, end: impl Comparand<String>) -> Demand
    where
        Self::Value: Textual,
    {
        compared(self, end, Test::EndsWith)
    }

    /// Requires that it contains the text `part`.
    fn contains(self, part: impl Comparand<String>) -> Demand
    where
        Self::Value: Textual,
    {
        compared(self, part, Test::Includes)
    }

    /// Requires that `item` is one of its items.
    fn includes(self, item: impl Comparand<<<Self::Value as Listed>::Item as Comparable>::Plain>) -> Demand
    where
        Self::Value: Listed<Item: Comparable>,
    {
        compared(self, item, Test::Includes)
    }

    /// Requires that its number of characters or items is in this range: `length(12..)`, `length(1..=63)`.
    fn length(self, length: impl RangeBounds<u32>) -> Demand
    where
        Self::Value: Lengthy,
    {
        use std::ops::Bound;
        let min = match length.start_bound() {
            Bound::Included(min) => Some(*min),
            Bound::Excluded(min) => Some(min.saturating_add(1)),
            Bound::Unbounded => None,
        };
        let max = match length.end_bound() {
            Bound::Included(max) => Some(*max),
            // Nothing has a length below zero. `check` reports that no length satisfies this.
            Bound::Excluded(0) => return tested(self, Test::Length { min: Some(1), max: Some(0) }, false),
            Bound::Excluded(max) => Some(max - 1),
            Bound::Unbounded => None,
        };
        tested(self, Test::Length { min, max }, false)
    }

    /// Requires that it has at least one character or item.
    fn is_not_empty(self) -> Demand
    where
        Self::Value: Lengthy,
    {
        self.length(1..)
    }

    /// Requires that `demand` holds for every item.
    fn every<D: IntoDemand>(self, demand: impl FnOnce(Each<<Self::Value as Listed>::Item>) -> D) -> Demand
    where
        Self::Value: Listed,
    {
        let item = demand(Each::new()).into_demand().predicate;
        tested(self, Test::EveryItem(Box::new(item)), false)
    }

    /// Requires that `demand` holds for at least one item.
    fn some<D: IntoDemand>(self, demand: impl FnOnce(Each<<Self::Value as Listed>::Item>) -> D) -> Demand
    where
        Self::Value: Listed,
    {
        let item = demand(Each::new()).into_demand().predicate;
        tested(self, Test::SomeItem(Box::new(item)), false)
    }

    // Methods that authors may look for on a known value. The bound of each method rejects it with its own diagnostic. Each
    // method returns what the real one would return, so that no further errors follow.

    #[doc(hidden)]
    fn len(self) -> usize
    where
        Self: KnownToLookInto,
    {
        0
    }

    #[doc(hidden)]
    fn is_empty(self) -> bool
    where
        Self: KnownToLookInto,
    {
        true
    }

    #[doc(hidden)]
    fn iter(self) -> std::vec::IntoIter<<Self::Value as Listed>::Item>
    where
        Self: KnownToLookInto,
        Self::Value: Listed,
    {
        Vec::new().into_iter()
    }

    #[doc(hidden)]
    fn get<K>(self, _: K) -> Option<<Self::Value as Listed>::Item>
    where
        Self: KnownToLookInto,
        Self::Value: Listed,
    {
        None
    }

    #[doc(hidden)]
    fn as_str(self) -> &'static str
    where
        Self: KnownToLookInto,
    {
        ""
    }

    #[doc(hidden)]
    fn unwrap(self) -> Self::Value
    where
        Self: KnownToLookInto,
    {
        unreachable!("INVARIANT: the bound is never satisfied")
    }
}

fn compared<S: Subject, T>(
    subject: S,
    other: impl Comparand<T>,
    test: impl FnOnce(Expression) -> Test<Expression>,
) -> Demand {
    let (other, secret) = other.into_comparand();
    tested(subject, test(other), secret)
}

fn tested<S: Subject>(subject: S, test: Test<Expression>, secret: bool) -> Demand {
    let secret = secret || S::Value::port_type().is_secret();
    Demand::new(Predicate::Tested(Tested { value: subject.into_subject(), test, secret }))
}

macro_rules! handles {
    ($($handle:ident)*) => {$(
        impl<T: PortType> Subject for $handle<T> {
            type Value = T;

            fn into_subject(self) -> Option<Expression> {
                Some(self.into())
            }
        }
    )*};
}
handles!(Parameter Attribute Output ForwardReference);

impl<S> Subject for Text<S, Open> {
    type Value = String;

    fn into_subject(self) -> Option<Expression> {
        Some(self.into())
    }
}

impl<S> Subject for Text<S, Confidential> {
    type Value = Secret<String>;

    fn into_subject(self) -> Option<Expression> {
        Some(self.into())
    }
}

/// A constant that can be tested. Made by [`that`].
pub struct That<T>(T);

/// Returns a constant in a form that can be tested.
///
/// ```
/// use wattle::prelude::*;
///
/// fn cluster(t: &mut Topology, nodes: u32) {
///     t.require("a majority", that(nodes).at_least(3));
/// }
/// # let mut t = Topology::new("demo");
/// # cluster(&mut t, 2);
/// # let diagnostics = wattle::check::check(&t.finish(Exports::new()), &Default::default());
/// # assert_eq!(diagnostics[0].code, "W0803");
/// ```
pub fn that<T: PortType>(value: T) -> That<T> {
    That(value)
}

impl<T: PortType> Subject for That<T> {
    type Value = T;

    fn into_subject(self) -> Option<Expression> {
        Some(Expression::Constant(self.0.into_value()))
    }
}

/// Each item of a list, within [`Subject::every`] and [`Subject::some`].
pub struct Each<T>(std::marker::PhantomData<fn() -> T>);

impl<T> Each<T> {
    fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<T> Clone for Each<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Each<T> {}

impl<T: PortType> Subject for Each<T> {
    type Value = T;

    fn into_subject(self) -> Option<Expression> {
        None
    }
}

impl Topology {
    /// Requires something of values, as soon as they are known: constants when `check` runs, parameters when the stack
    /// is deployed, and values that exist only at run time before any component that reads all of them runs.
    ///
    /// A broken requirement is reported under `name`, with this place and the values that were observed. Inside a module,
    /// the name is qualified by the module's own.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// fn cluster(t: &mut Topology, nodes: u32) {
    ///     t.require("a majority", that(nodes).at_least(3));
    ///     t.require("no tie", nodes % 2 == 1);
    /// }
    /// # let mut t = Topology::new("demo");
    /// # cluster(&mut t, 4);
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0803"));
    /// ```
    #[track_caller]
    pub fn require(&mut self, name: impl NameText, demand: impl IntoDemand) {
        let at = Source::caller();
        let Demand { predicate, because } = demand.into_demand();
        let predicate: Predicate<Expr> = predicate.map(|value| self.lower(value));
        let mut requirement = model::Requirement::new(predicate, at);
        requirement.because = because;
        let name = self.qualified(name.as_ref());
        let model = &mut self.model;
        insert(&mut model.requirements, &mut model.duplicates, ElementKind::Requirement, name, requirement, |r| &r.at);
    }
}
