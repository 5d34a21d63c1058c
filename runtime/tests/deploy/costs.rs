//! The cost of a desired state in the store: two writes for each changed resource, and none for unchanged ones.

use std::sync::Arc;

use wattle_runtime::deploy::Identity;
use wattle_runtime::store::Memory;

use crate::noting::Noting;
use crate::{Site, deploy};

/// So many things, each depending on the previous one, one of them with another text.
fn things(count: usize, other: Option<usize>) -> String {
    let line = |number: usize| {
        let text = if other == Some(number) { "y" } else { "x" };
        match number.checked_sub(1) {
            Some(before) => format!("thing{number} = {text} after thing{before}\n"),
            None => format!("thing{number} = {text}\n"),
        }
    };
    (0..count).map(line).collect()
}

/// The costs of four desired states: creating so many things, no change, one change, and no change. Nodes read, rows
/// written, other nodes written.
async fn costs(count: usize) -> Vec<[usize; 3]> {
    let noting = Arc::new(Noting::new(Memory::new()));
    let site = Site::over(Arc::clone(&noting) as _);
    Identity::of(&site.deployment.store, "shop", &site.deployment.key).await.unwrap();
    noting.costs();
    let mut costs = Vec::new();
    for other in [None, None, Some(count - 1), Some(count - 1)] {
        site.asked(&deploy(&things(count, other))).await;
        costs.push(noting.costs());
    }
    costs
}

#[tokio::test]
async fn a_change_costs_two_writes_and_what_is_there_already_none() {
    let (few, many) = (costs(5).await, costs(50).await);
    let rows = |costs: &[[usize; 3]]| costs.iter().map(|[_, rows, _]| *rows).collect::<Vec<_>>();
    assert_eq!((rows(&few), rows(&many)), (vec![10, 0, 2, 0], vec![100, 0, 2, 0]));
    // The next leader reads each row only once.
    let read = |costs: &[[usize; 3]]| costs.iter().map(|[read, ..]| *read).collect::<Vec<_>>();
    let (few_read, many_read) = (read(&few), read(&many));
    assert_eq!(few_read[0], many_read[0], "there is nothing to load");
    let loaded = |more: usize| few_read[1..].iter().map(|read| read + more).collect::<Vec<_>>();
    assert_eq!(loaded(45), many_read[1..], "{few_read:?}");
    // The number of other writes does not grow, except with the work done.
    let others = |costs: &[[usize; 3]]| costs.iter().map(|[.., others]| *others).collect::<Vec<_>>();
    assert_eq!(others(&few)[1..], others(&many)[1..]);
}
