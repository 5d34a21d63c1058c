//! Methods of known values that values that are not known yet lack. Custom diagnostics explain why.

use super::requirement::Subject;
use super::unknown::{KnownToCalculate, KnownToLookInto, KnownToPrint};

/// Methods that authors may look for on a value that is not known yet. The bound of each method rejects it with its own
/// diagnostic. Each method returns what the real one would return, so that no further errors follow.
#[expect(clippy::wrong_self_convention, reason = "they are named like the methods of known values")]
pub trait NotKnownYet: Subject {
    #[doc(hidden)]
    fn max<K>(self, _: K) -> Self::Value
    where
        Self: KnownToCalculate,
    {
        never()
    }

    #[doc(hidden)]
    fn min<K>(self, _: K) -> Self::Value
    where
        Self: KnownToCalculate,
    {
        never()
    }

    #[doc(hidden)]
    fn clamp<K>(self, _: K, _: K) -> Self::Value
    where
        Self: KnownToCalculate,
    {
        never()
    }

    #[doc(hidden)]
    fn pow(self, _: u32) -> Self::Value
    where
        Self: KnownToCalculate,
    {
        never()
    }

    #[doc(hidden)]
    fn to_string(self) -> String
    where
        Self: KnownToPrint,
    {
        never()
    }

    #[doc(hidden)]
    fn parse<K>(self) -> Result<K, std::fmt::Error>
    where
        Self: KnownToLookInto,
    {
        never()
    }

    #[doc(hidden)]
    fn expect(self, _: &str) -> Self::Value
    where
        Self: KnownToLookInto,
    {
        never()
    }

    #[doc(hidden)]
    fn unwrap_or<K>(self, _: K) -> Self::Value
    where
        Self: KnownToLookInto,
    {
        never()
    }

    #[doc(hidden)]
    fn is_some(self) -> bool
    where
        Self: KnownToLookInto,
    {
        never()
    }

    #[doc(hidden)]
    fn is_none(self) -> bool
    where
        Self: KnownToLookInto,
    {
        never()
    }
}

impl<S: Subject> NotKnownYet for S {}

fn never<T>() -> T {
    unreachable!("INVARIANT: the bound is never satisfied")
}
