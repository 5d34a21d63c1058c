//! The quality and speed of placement, compared to a model of Nova's scheduler and best fit. It measures and asserts
//! nothing, and is run by `cargo test -p wattle-place --test growth -- --ignored --nocapture`.

mod clouds;
mod highs;
mod one_by_one;

use std::collections::BTreeMap;
use std::time::Instant;

use wattle_place::{Cloud, Effort, Problem, place, verify};

use clouds::{Made, made};
use one_by_one::{Choice, one_by_one};

/// The names of the placed servers, and of their hosts.
fn named(cloud: &Cloud, problem: &Problem, on: &[Option<usize>]) -> BTreeMap<String, String> {
    let named = on
        .iter()
        .enumerate()
        .filter_map(|(server, host)| Some((problem.servers[server].name.clone(), cloud.hosts[(*host)?].name.clone())));
    named.collect()
}

/// The results of one placement method.
#[derive(Clone, Copy, Default)]
struct Sum {
    /// Clouds in which every server has a host.
    clouds: usize,
    /// Applications in which every server has one.
    applications: usize,
    /// Bandwidth across racks.
    across: i64,
}

impl Sum {
    fn add(&mut self, Made { cloud, problem, applications }: &Made, on: &[Option<usize>]) {
        let is_placed = |servers: &std::ops::Range<usize>| on[servers.clone()].iter().all(Option::is_some);
        self.clouds += usize::from(on.iter().all(Option::is_some));
        self.applications += applications.iter().filter(|servers| is_placed(servers)).count();
        self.across += verify(cloud, problem, &named(cloud, problem, on)).across_racks;
    }

    /// Clouds, applications out of 100, and bandwidth of one cloud, of so many clouds and applications.
    fn shown(&self, runs: usize, applications: usize) -> String {
        let (all, runs) = (applications.max(1), i64::try_from(runs).expect("few"));
        let tenths = self.applications * 1000 / all;
        format!("{:3} {:3}.{} {:6}", self.clouds, tenths / 10, tenths % 10, self.across / runs)
    }
}

#[test]
#[ignore = "it measures, and asserts nothing"]
fn placed_and_bandwidth_across_racks() {
    let each = "clouds, applications out of 100, across racks";
    println!("servers hosts fill clouds | nova: {each} | best fit: {each} | together: {each}, seconds, slowest");
    for (servers, hosts, runs) in [(40, 20, 10), (200, 100, 10), (200, 200, 10), (1000, 2000, 2)] {
        for fill in [60, 80, 90, 95, 98] {
            let (mut sums, mut applications) = ([Sum::default(); 3], 0);
            let (mut time, mut slowest) = (0.0_f64, 0.0_f64);
            for seed in 0..runs {
                let all = made(servers, hosts, fill, seed);
                let Made { cloud, problem, .. } = &all;
                applications += all.applications.len();
                for (sum, choice) in sums.iter_mut().zip([Choice::Nova, Choice::BestFit]) {
                    sum.add(&all, &one_by_one(cloud, problem, choice));
                }
                let begin = Instant::now();
                let found = place(cloud, problem, Effort::default());
                let took = begin.elapsed().as_secs_f64();
                (time, slowest) = (time + took, slowest.max(took));
                if let Ok(found) = found {
                    let host = |server: &str| cloud.hosts.iter().position(|host| host.name == found.on[server]);
                    let on: Vec<_> = problem.servers.iter().map(|server| host(&server.name)).collect();
                    sums[2].add(&all, &on);
                }
            }
            let count = usize::try_from(runs).expect("few");
            let [nova, best, together] = sums.map(|sum| sum.shown(count, applications));
            let mean = time / f64::from(u32::try_from(runs).expect("few"));
            println!("{servers:5} {hosts:5} {fill:3} {runs:3} | {nova} | {best} | {together} {mean:6.2} {slowest:6.2}");
        }
    }
}

/// Compared to the optimum by HiGHS, where that is found in ten minutes. It needs Python with `highspy`, which
/// `HIGHS_PYTHON` may name.
#[test]
#[ignore = "it measures, and asserts nothing of how good the placement is"]
fn cost_beside_the_optimum() {
    let number =
        |name: &str, usual: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (servers, hosts, runs) = (number("SERVERS", 40), number("HOSTS", 20), number("RUNS", 3));
    let seconds = u32::try_from(number("SECONDS", 600)).expect("it is not that long");
    println!("servers hosts fill | together: cost, bound, seconds | HiGHS: cost, bound, seconds");
    for fill in [80, 90, 95] {
        for seed in 0..u64::try_from(runs).expect("few") {
            let Made { cloud, problem, .. } = made(servers, hosts, fill, seed);
            let begin = Instant::now();
            let ours = place(&cloud, &problem, Effort::default()).expect("there is a hidden placement");
            let took = begin.elapsed().as_secs_f64();
            let begin = Instant::now();
            let Some(best) = highs::optimum(&cloud, &problem, seconds) else {
                println!("there is no HiGHS: `pip install highspy`, and name that Python by HIGHS_PYTHON");
                return;
            };
            let (cost, waited) = (ours.verdict.cost, begin.elapsed().as_secs_f64());
            println!(
                "{servers:5} {hosts:5} {fill:3} | {cost:6} {:6} {took:6.2} | {:8.1} {:8.1} {waited:6.2}",
                cost - ours.gap(),
                best.cost,
                best.bound
            );
            // Use the checker's verdict for both placements.
            let verdict = verify(&cloud, &problem, &best.on);
            assert_eq!(verdict.breaches, [], "the program of HiGHS is not the problem");
            #[expect(clippy::cast_precision_loss, reason = "costs are small")]
            let (of_checker, ours) = (verdict.cost as f64, cost as f64);
            assert!((of_checker - best.cost).abs() < 0.5, "{of_checker} {}", best.cost);
            assert!(ours > best.bound - 0.5, "no placement costs less than {}", best.bound);
        }
    }
}
