//! As many agents as possible: W(N) over an ensemble of three, one session for each server, recipes that end at once.
//!
//! `cargo bench -p wattle-tests --bench large [-- SERVERS...|stacks|observers|ensembles]` prints the tables of
//! `docs/benchmarks.md`. Requests are counted in the client, answer by answer. Agents are the product's own; they live in as
//! few processes as the system's limit of descriptors allows, the operator in this one.

mod beyond;
mod field;
mod measure;
mod operator;
mod restart;
mod shard;
mod stacks;
mod tiers;

use wattle_tests::requests::Requests;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let requests = Requests::count();
    if let Some(config) = std::env::var_os(shard::CONFIG) {
        return runtime.block_on(shard::run(config.as_ref(), &requests));
    }
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    let mut sizes: Vec<u32> = wanted.iter().filter_map(|word| word.parse().ok()).collect();
    if wanted.is_empty() {
        sizes = vec![100, 1_000, 10_000];
    }
    runtime.block_on(async {
        tiers::table(&sizes, &requests).await;
        if is_wanted("stacks") {
            stacks::table(&requests).await;
        }
        if is_wanted("observers") {
            beyond::observers().await;
        }
        if is_wanted("ensembles") {
            beyond::ensembles().await;
        }
    });
}
