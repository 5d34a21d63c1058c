//! Tests that are known only at run time, with the part of libtest's command line that cargo and nextest use.

use std::process::ExitCode;

pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) run: Box<dyn Fn() -> Result<(), String>>,
}

/// Lists the tests or runs them.
pub(crate) fn main(tests: Vec<Test>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    // No test is ignored.
    let tests = if has("--ignored") { Vec::new() } else { tests };
    let mut filters = Vec::new();
    let mut skipped = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match &**argument {
            "--format" | "--test-threads" | "--color" | "--logfile" | "-Z" => drop(rest.next()),
            "--skip" => skipped.extend(rest.next()),
            flag if flag.starts_with('-') => {}
            filter => filters.push(filter),
        }
    }
    let is = |name: &str, filter: &str| if has("--exact") { name == filter } else { name.contains(filter) };
    let is_chosen = |test: &Test| {
        (filters.is_empty() || filters.iter().any(|filter| is(&test.name, filter)))
            && !skipped.iter().any(|filter| is(&test.name, filter))
    };
    let chosen: Vec<&Test> = tests.iter().filter(|test| is_chosen(test)).collect();
    if has("--list") {
        chosen.iter().for_each(|test| println!("{}: test", test.name));
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", chosen.len());
    let mut failed = Vec::new();
    for test in &chosen {
        let verdict = (test.run)();
        println!("test {} ... {}", test.name, if verdict.is_ok() { "ok" } else { "FAILED" });
        if let Err(why) = verdict {
            println!("{}\n", why.trim_end());
            failed.push(&test.name);
        }
    }
    let result = if failed.is_empty() { "ok" } else { "FAILED" };
    let (passed, filtered) = (chosen.len() - failed.len(), tests.len() - chosen.len());
    println!(
        "\ntest result: {result}. {passed} passed; {} failed; 0 ignored; 0 measured; {filtered} filtered out\n",
        failed.len()
    );
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
