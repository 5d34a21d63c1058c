//! The book: every code block in the documentation is compiled or run, and every link has a target.
//!
//! A block that is neither compiled nor run is an error. `WATTLE_TEST_PAGE=docs/recipes.md` runs only the commands of
//! that page.

mod block;
mod ci;
mod code;
mod commands;
mod generated;
mod links;
mod pages;
mod pattern;
mod session;
mod unrun;

use block::Language;
use wattle_tests::generated::fresh;

#[test]
fn every_block_is_one_that_is_looked_at() {
    let mut wrong = Vec::new();
    for page in pages::all() {
        wrong.extend(page.wrong.clone());
        for block in &page.blocks {
            wrong.extend(code::wrong(block).map(|error| format!("{block}: {error}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rust_compiles() {
    code::compile(&pages::all());
}

#[test]
fn commands_do_what_the_pages_show() {
    let wrong = commands::run(&pages::runs());
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Pages that create stacks run one after another: the resources of each are gone before the next begins.
#[test]
fn what_the_book_does_with_stacks_works_on_a_real_openstack() {
    if !wattle_tests::openstack::is_there("what the book does with stacks") {
        return;
    }
    let mut runs = pages::runs();
    runs.retain(|run| run.iter().any(|page| page.blocks.iter().any(makes_a_stack)));
    assert!(runs.len() >= 3 || pages::one_is_asked_for(), "the tutorial makes one, and others do");
    one_after_another(runs);
}

/// Pages whose servers boot. `wattle deploy` uses the real cloud instead of the one that the page simulates.
#[test]
fn what_the_book_does_with_servers_works_in_guests_of_a_real_openstack() {
    if !wattle_tests::openstack::has_guests("what the book does with servers") {
        return;
    }
    let runs = pages::runs_with_guests();
    assert!(runs.len() >= 3 || pages::one_is_asked_for(), "the tutorial makes some, and others do");
    one_after_another(runs);
}

fn one_after_another(runs: Vec<Vec<pages::Page>>) {
    let delete =
        "ids=$(openstack stack list -f value -c ID); [ -z \"$ids\" ] || openstack stack delete --yes --wait $ids";
    for run in runs {
        let wrong = commands::run(&[run]);
        wattle_tests::command::said(std::process::Command::new("bash").args(["-euc", delete]));
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }
}

fn makes_a_stack(block: &block::Block) -> bool {
    block.is_given() && block.text.contains("$ openstack stack create ")
}

#[test]
fn the_page_of_codes_is_what_explain_says() {
    fresh(generated::PAGES[0], &generated::codes());
}

#[test]
fn the_page_of_commands_is_what_help_says() {
    fresh(generated::PAGES[1], &generated::commands());
}

#[test]
fn the_page_that_compares_counts_the_types_that_are_driven() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/comparison.md")).expect("the page");
    let driven = wattle_openstack::driver::kinds().count();
    assert!(page.contains(&format!("| resource types | {driven} of OpenStack, ")), "there are {driven}");
}

#[test]
fn every_link_leads_somewhere_and_every_page_is_in_the_summary() {
    let wrong = links::wrong(&pages::all());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Blocks that are not run are few, marked, and reported.
#[test]
fn what_is_not_run_is_reported() {
    let mut wrong = Vec::new();
    for page in pages::all() {
        for block in page.blocks.iter().filter(|block| block.language == Language::Console) {
            if let Some(why) = block.left_out() {
                wattle_tests::skip::skipped(&format!("the commands of {block}"), why);
                wrong.extend(unrun::wrong(block));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
