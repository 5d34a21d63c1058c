//! A cloud in the same process, with a clock of its own.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use wattle_openstack::{Lost, Request, Response, Transport};

use crate::World;

/// A cloud in the same process. Its clock advances only by pauses, which take no real time, and by [`pass`](Self::pass).
#[derive(Debug)]
pub struct Near {
    world: Mutex<World>,
    now: Mutex<SystemTime>,
}

impl Near {
    /// A cloud whose clock shows `now`.
    pub fn new(world: World, now: SystemTime) -> Self {
        Self { world: Mutex::new(world), now: Mutex::new(now) }
    }

    /// The cloud itself.
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Advances the clock.
    pub fn pass(&self, time: Duration) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now += time;
        self.world().pass(*now);
    }
}

#[async_trait]
impl Transport for Near {
    async fn send(&self, request: &Request) -> Result<Response, Lost> {
        let now = self.now();
        self.world().answer(request, now)
    }

    async fn pause(&self, time: Duration) {
        self.pass(time);
    }

    fn now(&self) -> SystemTime {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
