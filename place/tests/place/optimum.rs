//! The solver compared to all placements.

use proptest::prelude::*;
use wattle_place::{Conflict, Effort, Problem, Unplaced, Wire, place};

use crate::small::{all, cloud, problems, server};

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_finds_the_best_placement_and_says_so_if_there_is_none((cloud, problem) in problems()) {
        let all = all(&cloud, &problem);
        let best = all.iter().filter(|(_, verdict)| verdict.breaches.is_empty()).map(|(_, verdict)| verdict.cost).min();
        match (place(&cloud, &problem, Effort::default()), best) {
            (Ok(placement), Some(best)) => {
                prop_assert!(placement.verdict.breaches.is_empty());
                prop_assert_eq!(placement.verdict.cost, best, "{:?}", placement.on);
                prop_assert!(placement.bound <= best, "bound {} of {}", placement.bound, best);
                let again = place(&cloud, &problem, Effort::default()).expect("the same");
                prop_assert_eq!(again, placement, "the same problem has the same answer");
            }
            (Err(Unplaced::Conflict(Conflict { parts, why, is_smallest })), None) => {
                prop_assert!(!parts.is_empty() || why.is_some());
                prop_assert!(is_smallest, "{parts:?}");
            }
            (found, best) => prop_assert!(false, "{found:?}, and the best is {best:?}"),
        }
    }
}

/// Each host has room for one server of 4 and two of 3. The heavy wires draw three of 3 to one host, and then there is
/// no room for all. No program proves it here: the search alone has to break the heavy wires.
#[test]
fn no_bandwidth_is_worth_a_placement_without_room() {
    let cloud = cloud(&[(10, 64, 0, false); 8]);
    let effort = Effort { variables: 0, ..Effort::default() };
    for bandwidth in [1, 200, 10_000, 1_000_000] {
        let servers = (0..24).map(|number| server(number, if number < 16 { 3 } else { 4 }, 1)).collect();
        let pairs = (0..15).flat_map(|first| [first + 1, first + 2].map(|second| (first, second)));
        let wires = pairs.filter(|(_, second)| *second < 16).map(|between| Wire { between, bandwidth }).collect();
        let problem = Problem { servers, wires, ..Problem::default() };
        let placed = place(&cloud, &problem, effort);
        assert!(placed.is_ok(), "{bandwidth}: {placed:?}");
    }
}
