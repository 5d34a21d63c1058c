//! The displayed infrastructure of a stack, read repeatedly.

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
    /// Creates a reader of what `onlooker` sees.
    pub fn new(onlooker: Onlooker) -> Self {
        Self { onlooker, last: None }
    }

    /// Reads the infrastructure. `None` if nothing was deployed, or if the reader lacks permission. While nothing
    /// changes, the result is the same object.
    ///
    /// # Errors
    /// It cannot be read.
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
