//! A stack's infrastructure as it is shown, read again and again.

use std::sync::Arc;

use crate::deploy::{DeployError, Known, Onlooker};

use super::Infrastructure;

/// Reads a stack's infrastructure.
#[derive(Debug)]
pub struct Building {
    onlooker: Onlooker,
    last: Option<(Arc<Known>, Arc<Infrastructure>)>,
}

impl Building {
    /// Reads what `onlooker` sees.
    pub fn new(onlooker: Onlooker) -> Self {
        Self { onlooker, last: None }
    }

    /// Reads the infrastructure. `None` if nothing was deployed, or if the reader may not see it. As long as nothing
    /// changes, the result is the same object.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn look(&mut self) -> Result<Option<Arc<Infrastructure>>, DeployError> {
        let Some(known) = self.onlooker.look().await? else {
            self.last = None;
            return Ok(None);
        };
        if let Some((before, shown)) = &self.last
            && Arc::ptr_eq(before, &known)
        {
            return Ok(Some(Arc::clone(shown)));
        }
        let shown = Arc::new(Infrastructure::of(&known));
        self.last = Some((known, Arc::clone(&shown)));
        Ok(Some(shown))
    }
}
