//! Templates compared with Heat's own engine: its verdicts, and its order of creation.

mod corpus;
mod counts;
mod document;
mod graph;
mod mutate;
mod rules;
mod verdict;
