//! Ties, which are not resources of their own: a router's subnet, a floating IP's port, a server's volume. Key pairs
//! belong here too, because they are identified only by name. If a tie is removed and created again, the cloud's name
//! for it is the same. So its name here also contains its mark, or is its mark. Otherwise a deletion for one row could
//! remove what has since become another row's.

use wattle_converge::Id;

use super::Found;
use super::json::{encoded, items, text};
use super::mark::is_mark;
use super::stop::Stop;
use super::work::{Work, delete};
use crate::Method;
use crate::session::Call;

/// The name of a tie: the cloud's name for it, and its mark. An adopted tie has no mark.
pub(super) fn called(name: &str, mark: Option<String>) -> String {
    mark.map_or_else(|| name.to_owned(), |mark| format!("{name} {mark}"))
}

/// The cloud's name for a tie, and the mark.
pub(super) fn parts(phys: &str) -> (&str, Option<&str>) {
    match phys.rsplit_once(' ') {
        Some((name, mark)) if is_mark(mark) => (name, Some(mark)),
        _ => (phys, None),
    }
}

/// Returns the tie if it has not been replaced by another of the same name. A tie without a mark may have got its mark
/// from its row.
pub(super) fn same(work: &Work<'_>, mark: Option<&str>, found: Found) -> Option<Found> {
    let has = found.row.map(|row| work.marks.of(row));
    let is_same = match (mark, has) {
        (Some(mark), has) => has.as_deref() == Some(mark),
        (None, has) => has.is_none_or(|has| has == work.mark),
    };
    is_same.then_some(found)
}

/// Whether it belongs to another row of this deployment.
pub(super) fn is_anothers(work: &Work<'_>, row: Option<Id>) -> bool {
    row.is_some_and(|row| work.marks.of(row) != work.mark)
}

/// Tags a resource in Neutron. In a cloud without tags, ties are found again by what they tie together.
pub(super) async fn tie(work: &Work<'_>, path: &str, tag: &str) -> Result<(), Stop> {
    match work.ask(Call::new("network", Method::Put, format!("{path}/tags/{}", encoded(tag))).once()).await {
        Err(fault) if !fault.is_missing() => Err(fault.into()),
        _ => Ok(()),
    }
}

/// Removes the tag, if present.
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
