//! What is no thing of its own: that a router has a subnet, a floating IP a port, a server a volume; and key pairs, of which only
//! names are known. When it goes and comes again the cloud calls it the same, so its name here has its mark as well, or is its mark:
//! otherwise one row's deletion would remove what is another's by now.

use wattle_converge::Id;

use super::Found;
use super::json::{encoded, items, text};
use super::mark::is_mark;
use super::stop::Stop;
use super::work::{Work, delete};
use crate::Method;
use crate::session::Call;

/// What it is called: as the cloud does it, and by its mark. What was taken over has none.
pub(super) fn called(name: &str, mark: Option<String>) -> String {
    mark.map_or_else(|| name.to_owned(), |mark| format!("{name} {mark}"))
}

/// How the cloud calls it, and the mark.
pub(super) fn parts(phys: &str) -> (&str, Option<&str>) {
    match phys.rsplit_once(' ') {
        Some((name, mark)) if is_mark(mark) => (name, Some(mark)),
        _ => (phys, None),
    }
}

/// It, if it is the one that is called so, and nobody has put another one in its place. Without a mark it may have got one from its row.
pub(super) fn same(work: &Work<'_>, mark: Option<&str>, found: Found) -> Option<Found> {
    let has = found.row.map(|row| work.marks.of(row));
    let is_same = match (mark, has) {
        (Some(mark), has) => has.as_deref() == Some(mark),
        (None, has) => has.is_none_or(|has| has == work.mark),
    };
    is_same.then_some(found)
}

/// Whether it is another row's of this deployment.
pub(super) fn is_anothers(work: &Work<'_>, row: Option<Id>) -> bool {
    row.is_some_and(|row| work.marks.of(row) != work.mark)
}

/// Tags a thing of Neutron's. A cloud without tags finds ties again by what is tied.
pub(super) async fn tie(work: &Work<'_>, path: &str, tag: &str) -> Result<(), Stop> {
    match work.ask(Call::new("network", Method::Put, format!("{path}/tags/{}", encoded(tag))).once()).await {
        Err(fault) if !fault.is_missing() => Err(fault.into()),
        _ => Ok(()),
    }
}

/// Takes the tag away, if it is there.
pub(super) async fn untie(work: &Work<'_>, path: &str, item: &serde_json::Value, tag: &str) -> Result<(), Stop> {
    if items(&item["tags"]).iter().any(|known| known == tag) {
        work.remove(delete("network", format!("{path}/tags/{}", encoded(tag))).once()).await?;
    }
    Ok(())
}

/// The path of a floating IP.
pub(super) fn floating_ip(id: &str) -> String {
    format!("/floatingips/{}", encoded(id))
}

/// The path of a port.
pub(super) fn port(item: &serde_json::Value) -> String {
    format!("/ports/{}", encoded(text(item, "id")))
}
