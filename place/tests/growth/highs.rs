//! The optimum of a small cloud by HiGHS, a solver of mixed integer programs. It is optional: it is used if Python has
//! its package `highspy`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use wattle_place::{Cloud, Host, Level, PlacementRule, Problem};

/// The result of HiGHS within its time limit.
pub(crate) struct Found {
    /// The cost of its best placement.
    pub(crate) cost: f64,
    /// The lower bound of the cost.
    pub(crate) bound: f64,
    /// The hosts of the servers.
    pub(crate) on: BTreeMap<String, String>,
}

/// Reads a program, solves it, and prints its cost, its bound, and which variables are 1.
const ASK: &str = "
import sys, highspy
highs = highspy.Highs()
highs.setOptionValue('output_flag', False)
highs.setOptionValue('time_limit', float(sys.argv[2]))
highs.readModel(sys.argv[1])
highs.run()
info, names, values = highs.getInfo(), highs.getLp().col_names_, highs.getSolution().col_value
print(info.objective_function_value, info.mip_dual_bound)
print(*[name for name, value in zip(names, values) if name.startswith('x') and value > 0.5])
";

/// The optimum, as far as HiGHS finds it within so many seconds. `None` without HiGHS.
pub(crate) fn optimum(cloud: &Cloud, problem: &Problem, seconds: u32) -> Option<Found> {
    let file = std::env::temp_dir().join(format!("wattle-growth-{}.lp", std::process::id()));
    std::fs::write(&file, program(cloud, problem)).expect("a file");
    let found = ask(&file, seconds, cloud, problem);
    std::fs::remove_file(&file).expect("it is there");
    found
}

fn ask(file: &Path, seconds: u32, cloud: &Cloud, problem: &Problem) -> Option<Found> {
    let python = std::env::var("HIGHS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let asked = Command::new(python).args(["-c", ASK]).arg(file).arg(seconds.to_string()).output().ok()?;
    let said = String::from_utf8(asked.stdout).ok().filter(|_| asked.status.success())?;
    // HiGHS prints a banner first.
    let mut lines = said.lines().rev();
    let (chosen, costs) = (lines.next()?, lines.next()?);
    let mut numbers = costs.split_whitespace().map(|number| number.parse().ok());
    let (cost, bound) = (numbers.next()??, numbers.next()??);
    let on = chosen.split_whitespace().filter_map(|name| {
        let (server, host) = name.strip_prefix('x')?.split_once('h')?;
        let (server, host): (usize, usize) = (server.parse().ok()?, host.parse().ok()?);
        Some((problem.servers[server].name.clone(), cloud.hosts[host].name.clone()))
    });
    Some(Found { cost, bound, on: on.collect() })
}

/// The hosts of each place of a level.
fn places(cloud: &Cloud, level: Level) -> Vec<Vec<usize>> {
    let mut all: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (number, host) in cloud.hosts.iter().enumerate() {
        all.entry(name(host, level)).or_default().push(number);
    }
    all.into_values().collect()
}

fn name(host: &Host, level: Level) -> String {
    match level {
        Level::Host => host.name.clone(),
        Level::Rack => host.rack.clone().expect("it is known"),
        Level::Room => host.room.clone().expect("it is known"),
        Level::Zone => host.zone.clone(),
    }
}

/// The mixed integer program, in the format of CPLEX. `x3h5` means that server 3 is on host 5. `d7r` means that the
/// ends of wire 7 are in different racks, and so on for all levels. A wire costs its bandwidth for each level at which
/// its ends differ.
fn program(cloud: &Cloud, problem: &Problem) -> String {
    let (servers, hosts) = (problem.servers.len(), cloud.hosts.len());
    let mut cost = String::new();
    let mut rules = String::new();
    let mut differ = String::new();
    let sum = |server: usize, of: &[usize], sign: &str| -> String {
        of.iter().map(|host| format!(" {sign} x{server}h{host}")).collect()
    };
    let all: Vec<usize> = (0..hosts).collect();
    for server in 0..servers {
        writeln!(rules, "{} = 1", sum(server, &all, "+")).expect("text");
    }
    for (number, host) in cloud.hosts.iter().enumerate() {
        for resource in host.total.keys() {
            let asked = problem.servers.iter().enumerate().filter_map(|(server, of)| {
                let amount = of.demand.get(resource).filter(|amount| **amount > 0)?;
                Some(format!(" + {amount} x{server}h{number}"))
            });
            let free = host.free(resource).expect("it is known");
            writeln!(rules, "{} <= {free}", asked.collect::<String>()).expect("text");
        }
    }
    for policy in &problem.policies {
        let PlacementRule::Apart(level) = policy.rule else { panic!("this benchmark has no other policies") };
        for place in places(cloud, level) {
            let members: String = policy.members.iter().map(|server| sum(*server, &place, "+")).collect();
            writeln!(rules, "{members} <= 1").expect("text");
        }
    }
    for (number, wire) in problem.wires.iter().enumerate() {
        for (level, letter) in Level::ALL.into_iter().zip("hroz".chars()) {
            let places = places(cloud, level);
            if places.len() == 1 {
                continue;
            }
            write!(cost, " + {} d{number}{letter}", wire.bandwidth).expect("text");
            writeln!(differ, " 0 <= d{number}{letter} <= 1").expect("text");
            for place in places {
                let ends = sum(wire.between.0, &place, "-") + &sum(wire.between.1, &place, "+");
                writeln!(rules, " d{number}{letter}{ends} >= 0").expect("text");
            }
        }
    }
    let binary: String = (0..servers).flat_map(|one| (0..hosts).map(move |host| format!(" x{one}h{host}\n"))).collect();
    format!("minimize\n{cost}\nsubject to\n{rules}bounds\n{differ}binary\n{binary}end\n")
}
