//! What a watcher sees, and its cost.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::mpsc;
use wattle_converge::Row;
use wattle_runtime::deploy::{Identity, Known, Maker, Onlooker, Wanted};
use wattle_runtime::store::{Memory, Store};

use crate::made_up::Lines;
use crate::noting::Noting;
use crate::{SHOP, Site, deploy};

/// A stack, and a watcher with the operator's key.
fn looked_at() -> (Site, Arc<Noting>, Onlooker) {
    let memory = Memory::new();
    let site = Site::over(Arc::new(memory.clone()));
    let noting = Arc::new(Noting::new(memory));
    let store = Arc::clone(&noting) as Arc<dyn Store>;
    let maker = Arc::new(Lines) as Arc<dyn Maker>;
    let onlooker = Onlooker::new(&store, "shop", Some((site.deployment.key.clone(), maker)));
    (site, noting, onlooker)
}

/// The names of the rows that differ.
fn changed(before: &[Row], after: &[Row]) -> BTreeSet<String> {
    let differs = |row: &&Row, others: &[Row]| !others.contains(row);
    let gone = before.iter().filter(|row| differs(row, after));
    let new = after.iter().filter(|row| differs(row, before));
    gone.chain(new).map(|row| row.id.to_string()).collect()
}

#[tokio::test]
async fn only_what_was_written_is_read_again() {
    let (site, noting, mut onlooker) = looked_at();
    Identity::of(&site.deployment.store, "shop", &site.deployment.key).await.unwrap();
    assert_eq!(onlooker.look().await.unwrap(), None);
    site.cloud.things().takes = Duration::from_millis(20);
    // Three at a time.
    let line = |number: u32| match number.checked_sub(3) {
        Some(before) => format!("thing{number} = x after thing{before}"),
        None => format!("thing{number} = x"),
    };
    let wanted = deploy(&(0..30).map(line).collect::<Vec<_>>().join("\n"));
    let (news, _heard) = mpsc::unbounded_channel();
    let bring = site.deployment.bring(&wanted, &news, std::future::pending());
    let ended = Mutex::new(false);
    let (mut looks, mut last) = (0, None::<Arc<Known>>);
    let look_on = async {
        while !*ended.lock().unwrap() {
            tokio::time::sleep(Duration::from_millis(3)).await;
            let Some(known) = onlooker.look().await.unwrap() else { continue };
            let read = noting.rows_read();
            if let Some(last) = &last {
                // Short-lived things are in neither.
                let is_there = |id: &&String| known.rows.iter().chain(&last.rows).any(|row| row.id.to_string() == **id);
                let read: BTreeSet<String> = read.iter().filter(is_there).cloned().collect();
                assert_eq!(read, changed(&last.rows, &known.rows));
                looks += usize::from(!read.is_empty());
            }
            last = Some(known);
        }
    };
    let bring = async {
        let done = bring.await.unwrap().unwrap();
        *ended.lock().unwrap() = true;
        done
    };
    let (done, ()) = tokio::join!(bring, look_on);
    assert!(done.roots.is_empty() && looks > 4, "{looks} looks");
    let known = onlooker.look().await.unwrap().unwrap();
    assert!(known.is_settled && known.is_reached && !known.is_led, "{known:?}");
    assert_eq!(known.planned.as_ref().unwrap().len(), 30);
    noting.rows_read();
    let again = onlooker.look().await.unwrap().unwrap();
    assert!(Arc::ptr_eq(&known, &again) && noting.read.lock().unwrap().len() < 10);
    // The next leader may have been interrupted before, so everything is read once.
    site.bring(&deploy("thing0 = y")).await.unwrap();
    let known = onlooker.look().await.unwrap().unwrap();
    assert_eq!((known.rows.len(), known.number), (1, 2));
    site.bring(&Wanted::Nothing).await.unwrap();
    let known = onlooker.look().await.unwrap().unwrap();
    assert_eq!((known.rows.len(), known.planned.as_deref()), (0, Some(&[][..])));
}

#[tokio::test]
async fn it_is_known_since_when_and_nobody_else_may_look() {
    let (site, noting, mut onlooker) = looked_at();
    site.cloud.things().refused.insert("web".into());
    site.bring(&deploy(SHOP)).await.unwrap();
    let known = onlooker.look().await.unwrap().unwrap();
    let since = |known: &Known, name: &str| known.rows.iter().find(|row| *row.name == *name).unwrap().since;
    let (net, web) = (since(&known, "net"), since(&known, "web"));
    assert!(net.as_millis() > 1_700_000_000_000 && net <= web, "{net:?} {web:?}");
    assert!(known.is_settled && !known.is_reached);
    assert_eq!(known.roots, ["`web` failed: no room"]);
    site.cloud.things().refused.clear();
    tokio::time::sleep(Duration::from_millis(2)).await;
    site.bring(&deploy(SHOP)).await.unwrap();
    let known = onlooker.look().await.unwrap().unwrap();
    assert_eq!(since(&known, "net"), net, "nothing was done to it");
    assert!(since(&known, "web") > web);
    // A watcher without the operator's password, and one without the key.
    let guest = Arc::new(noting.store.login(&[])) as Arc<dyn Store>;
    assert_eq!(Onlooker::new(&guest, "shop", None).look().await.unwrap(), None);
    let other = (wattle_runtime::space::OperatorKey::generate(), Arc::new(Lines) as Arc<dyn Maker>);
    let refused = Onlooker::new(&site.deployment.store, "shop", Some(other)).look().await.unwrap_err();
    assert!(refused.is_of_what_stands_there(), "{refused}");
}
