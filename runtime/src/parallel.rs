//! Maps a function over many items on all cores, for functions that are expensive compared to handing over an item,
//! such as signatures and encryption.

use std::thread;

/// The smallest number of items for another thread.
const FEW: usize = 64;

/// Applies `work` to all items, and returns the results in the order of `items`.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    if items.len() < FEW || cores == 1 {
        return items.iter().map(work).collect();
    }
    let work = &work;
    thread::scope(|scope| {
        let parts = items.chunks(items.len().div_ceil(cores));
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>())).collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn order_is_kept() {
        for count in [0_u64, 1, 63, 64, 65, 1_001] {
            let items: Vec<u64> = (0..count).collect();
            let doubled: Vec<u64> = items.iter().map(|item| item * 2).collect();
            assert_eq!(super::map(&items, |item| item * 2), doubled, "{count}");
        }
    }
}
