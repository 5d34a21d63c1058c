//! A cache of looked-up names, shared by all users of a session, because services require ids.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use futures_util::lock::Mutex;

/// How long a looked-up name is cached, as in Heat.
const BELIEVED: Duration = Duration::from_mins(1);

/// A list, and a name in it.
type Named = (&'static str, String);

/// The ids of names, each with the time of the lookup.
#[derive(Debug, Default)]
pub(crate) struct Names(Mutex<BTreeMap<Named, (String, SystemTime)>>);

impl Names {
    /// Returns the id of a name in a list. Looks it up unless it is cached.
    ///
    /// # Errors
    ///
    /// The error of `look_up`.
    pub(crate) async fn id<E>(
        &self,
        list: &'static str,
        name: &str,
        now: SystemTime,
        look_up: impl Future<Output = Result<String, E>>,
    ) -> Result<String, E> {
        // Held during a lookup, so that the same name is not looked up many times at once.
        let mut known = self.0.lock().await;
        let key = (list, name.to_owned());
        if let Some((id, at)) = known.get(&key)
            && now < *at + BELIEVED
        {
            return Ok(id.clone());
        }
        let id = look_up.await?;
        known.insert(key, (id.clone(), now));
        Ok(id)
    }

    /// Caches an id that another search found in a list read at this time.
    pub(crate) async fn learn(&self, list: &'static str, name: &str, id: &str, at: SystemTime) {
        self.0.lock().await.insert((list, name.to_owned()), (id.to_owned(), at));
    }
}
