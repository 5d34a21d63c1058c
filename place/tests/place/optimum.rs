//! The solver against all placements that there are.

use proptest::prelude::*;
use wattle_place::{Conflict, Effort, Unplaced, place};

use crate::small::{all, problems};

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
