//! The maps of the model, and of what is made of it.

use std::hash::BuildHasher;

use foldhash::{SharedSeed, fast::FoldHasher};

/// A map that keeps the order in which it was filled.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, Hashing>;

/// A set that keeps the order in which it was filled.
pub type IndexSet<T> = indexmap::IndexSet<T, Hashing>;

/// How keys are hashed: fast, and by a seed of each process's own, so that nobody can write many keys that collide. A
/// model has a hundred thousand small maps, so it takes no room in them. For maps with an order of their own only: in
/// others, which are all filled in the order of one hash, keys would crowd.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashing;

impl BuildHasher for Hashing {
    type Hasher = FoldHasher<'static>;

    fn build_hasher(&self) -> Self::Hasher {
        FoldHasher::with_seed(0, SharedSeed::global_random())
    }
}
