//! The maps of the model and of everything derived from it.

use std::hash::BuildHasher;

use foldhash::{SharedSeed, fast::FoldHasher};

/// A map that keeps insertion order.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, Hashing>;

/// A set that keeps insertion order.
pub type IndexSet<T> = indexmap::IndexSet<T, Hashing>;

/// How keys are hashed: fast, and with a seed per process, so that no one can craft many colliding keys. It is
/// zero-sized, because a model has a hundred thousand small maps. Use it only for maps that keep an order of their own:
/// filling another map in the iteration order of one with the same hash would make its keys cluster.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashing;

impl BuildHasher for Hashing {
    type Hasher = FoldHasher<'static>;

    fn build_hasher(&self) -> Self::Hasher {
        FoldHasher::with_seed(0, SharedSeed::global_random())
    }
}
