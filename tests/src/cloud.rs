//! The simulated cloud over HTTP, for real clients.

use std::sync::MutexGuard;
use std::thread;

use wattle_cloud::{Setting, World};
use wattle_runtime::openstack::Simulated;

/// A cloud at a port of this machine, which ends with the process.
#[derive(Debug)]
pub struct CloudServer(Simulated);

impl CloudServer {
    /// Starts one. Its address takes the place of the setting's.
    ///
    /// # Panics
    /// When it cannot listen.
    pub fn start(setting: Setting) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let (told, started) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let (cloud, serving) = Simulated::serve(listener, setting).expect("a socket");
                told.send(cloud).expect("somebody waits for it");
                serving.await
            })
        });
        Self(started.recv().expect("it starts"))
    }

    /// Where its identity service is.
    pub fn auth_url(&self) -> String {
        self.0.auth_url()
    }

    /// The cloud itself.
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.0.world()
    }
}
