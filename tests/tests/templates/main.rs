//! Templates against Heat's own engine: what it accepts and refuses, and the order of creation.

mod corpus;
mod counts;
mod document;
mod graph;
mod mutate;
mod rules;
mod verdict;
