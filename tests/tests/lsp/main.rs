//! `wattle lsp`, as editors use it: with raw messages of the protocol, and with Neovim. Also rust-analyzer's view of
//! blueprints.
#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

mod client;
mod neovim;
mod raw;
mod rust_analyzer;

/// An extended template of the book, in its folder.
const SHOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/extended-template/shop.yaml");
