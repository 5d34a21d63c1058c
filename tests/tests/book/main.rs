//! The book: every block of code in the documentation is compiled or run, every link leads somewhere.
//!
//! A block that nobody would compile or run is an error. `WATTLE_TEST_PAGE=docs/recipes.md` runs the commands of that page
//! only.

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

#[test]
fn the_page_of_codes_is_what_explain_says() {
    generated::fresh(generated::PAGES[0], &generated::codes());
}

#[test]
fn the_page_of_commands_is_what_help_says() {
    generated::fresh(generated::PAGES[1], &generated::commands());
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

/// What nobody runs is little, and said, and is there.
#[test]
fn what_is_not_run_is_told() {
    let mut wrong = Vec::new();
    for page in pages::all() {
        for block in page.blocks.iter().filter(|block| block.language == Language::Console) {
            if let Some(why) = &block.not_run {
                wattle_tests::skip::skipped(&format!("the commands of {block}"), why);
                wrong.extend(unrun::wrong(block));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
