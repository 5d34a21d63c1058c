//! A restart of all members of an ensemble at once.

use std::time::{Duration, Instant};

use wattle_tests::requests::Counts;
use wattle_tests::zookeeper::ZooKeeper;

use super::field::Field;
use super::measure::{kinds, said, show};

const MEMBERS: std::ops::RangeInclusive<usize> = 1..=3;

/// Measures once for each number of seconds of downtime.
pub(super) async fn measure(zookeeper: &ZooKeeper, field: &mut Field, seconds: &[u64]) {
    let agents = u64::try_from(field.agents).expect("INVARIANT: it fits");
    for down in seconds.iter().copied().map(Duration::from_secs) {
        let before = field.settled().await;
        MEMBERS.for_each(|member| zookeeper.kill(member));
        tokio::time::sleep(down).await;
        MEMBERS.for_each(|member| zookeeper.start_again(member));
        let start = Instant::now();
        let said = |member: usize, what: &str| said(zookeeper, member, what).unwrap_or(0);
        while MEMBERS.into_iter().any(|member| said(member, "zk_znode_count") == 0) {
            assert!(start.elapsed() < Duration::from_mins(10), "not all members come back");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let serving = start.elapsed();
        // An agent is back when it has its node, in its former session or in another one.
        let connected = || MEMBERS.map(|member| said(member, "zk_num_alive_connections")).sum::<u64>();
        while connected() < agents || said(1, "zk_ephemerals_count") < agents {
            assert!(start.elapsed() < Duration::from_mins(10), "not all agents come back");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let back = start.elapsed();
        let counts = field.settled().await.since(&before);
        let of = u32::try_from(agents).expect("INVARIANT: it fits");
        println!("- restart after {down:?}: serving after {}, all back after {}", show(serving), show(back));
        println!("  - {}", connections(&counts));
        println!("  - requests a session: {}", kinds(&counts, of));
    }
}

/// The number of connections, and their density.
fn connections(counts: &Counts) -> String {
    let all = counts.connections.values();
    let (made, refused, sessions) = all.clone().fold((0, 0, 0), |(made, refused, sessions), slot| {
        (made + slot.made, refused + slot.refused, sessions + slot.sessions)
    });
    let most = all.clone().map(|slot| slot.made + slot.refused).max().unwrap_or(0);
    let most_made = all.map(|slot| slot.made).max().unwrap_or(0);
    format!(
        "{made} connections and {refused} refused, at most {most_made} and {most} in 100 ms; {sessions} times a session went on"
    )
}
