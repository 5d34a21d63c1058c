//! Names that were looked up, for everything that uses one login: services want ids.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use futures_util::lock::Mutex;

/// For how long a looked-up name is taken to mean the same thing, as in Heat.
const BELIEVED: Duration = Duration::from_mins(1);

/// A list, and a name in it.
type Named = (&'static str, String);

/// The ids for these names, each with the time when it was read.
#[derive(Debug, Default)]
pub(crate) struct Names(Mutex<BTreeMap<Named, (String, SystemTime)>>);

impl Names {
    /// The id of a name in a list. It is looked up, unless it was found lately.
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

    /// Takes in what another search has found in a list that was read at this time.
    pub(crate) async fn learn(&self, list: &'static str, name: &str, id: &str, at: SystemTime) {
        self.0.lock().await.insert((list, name.to_owned()), (id.to_owned(), at));
    }
}
