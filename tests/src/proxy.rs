//! A network that fails on demand: between a client and one server, on a loopback address.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// Forwards TCP connections to a server. While it is stalled, connections get no data, and while it is cut, they are
/// closed, until it is fixed.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    server: SocketAddr,
    state: Mutex<State>,
    changed: Condvar,
}

/// Whether this is the request or the response in question.
type Test = Box<dyn Fn(&[u8]) -> bool + Send>;

#[derive(Default)]
struct State {
    mode: Mode,
    streams: Vec<TcpStream>,
    // Whether the connection is cut at the server's next response.
    cut_next_answer: bool,
    // The request before which to stall.
    stall_before: Option<Test>,
    // The request before whose response to stall.
    stall_after: Option<Test>,
    // The response to lose, while the connection lives.
    lose: Option<Test>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("mode", &self.mode).finish_non_exhaustive()
    }
}

/// The fate of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passage {
    Pass,
    Lose,
    Break,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Whole,
    Stalled,
    Cut,
    Ended,
}

impl Proxy {
    /// Starts a proxy for the server at `HOST:PORT`.
    ///
    /// # Panics
    /// That is not an address, or nothing can listen here.
    pub fn before(server: &str) -> Self {
        let server = server.parse().expect("HOST:PORT, as numbers");
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(Shared { server, state: Mutex::default(), changed: Condvar::new() });
        let ours = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if ours.state().mode == Mode::Ended {
                    return;
                }
                // A refused connection looks like one that is cut at once.
                let _ = ours.serve(&stream);
            }
        });
        Self { address, shared }
    }

    /// The address to connect to: `HOST:PORT`.
    pub fn hosts(&self) -> String {
        self.address.to_string()
    }

    /// Breaks all connections, and every new one at once.
    pub fn cut(&self) {
        self.shared.switch(Mode::Cut);
    }

    /// Breaks all connections once: new ones are served.
    pub fn break_off(&self) {
        self.shared.state().hang_up();
    }

    /// Breaks all connections at the server's next response, which is not forwarded: the request is carried out, but
    /// the client does not know. New connections are served.
    pub fn cut_next_answer(&self) {
        self.shared.state().cut_next_answer = true;
    }

    /// Loses the next response for which `is_it` holds, and forwards all later ones: the request is carried out, and
    /// the client waits.
    pub fn lose_answer(&self, is_it: impl Fn(&[u8]) -> bool + Send + 'static) {
        self.shared.state().lose = Some(Box::new(is_it));
    }

    /// Forwards nothing any more, in either direction, as when cables are pulled.
    pub fn stall(&self) {
        self.shared.switch(Mode::Stalled);
    }

    /// Stalls at the next request for which `is_it` holds, which is not forwarded.
    pub fn stall_before(&self, is_it: impl Fn(&[u8]) -> bool + Send + 'static) {
        self.shared.state().stall_before = Some(Box::new(is_it));
    }

    /// Stalls once the server has responded to a request for which `is_it` holds: it is carried out, and the client
    /// waits. The same is true for the other requests that have been forwarded until then.
    pub fn stall_after(&self, is_it: impl Fn(&[u8]) -> bool + Send + 'static) {
        self.shared.state().stall_after = Some(Box::new(is_it));
    }

    /// Whether it stalls.
    pub fn is_stalled(&self) -> bool {
        self.shared.state().mode == Mode::Stalled
    }

    /// Waits until it stalls.
    pub fn wait_until_stalled(&self) {
        let state = self.shared.state();
        drop(self.shared.changed.wait_while(state, |state| state.mode != Mode::Stalled));
    }

    /// Forwards everything again, including what has been held back.
    pub fn fix(&self) {
        self.shared.switch(Mode::Whole);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.switch(Mode::Ended);
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it holds the state")
    }

    fn switch(&self, mode: Mode) {
        let mut state = self.state();
        state.mode = mode;
        if matches!(mode, Mode::Cut | Mode::Ended) {
            state.hang_up();
        }
        self.changed.notify_all();
    }

    /// Waits until the fate of `bytes` is known. `is_awaited`: whether the next response on the connection stalls it.
    fn passage(&self, bytes: &[u8], is_answer: bool, is_awaited: &AtomicBool) -> Passage {
        let mut state = self.state();
        let stalls = if is_answer {
            is_awaited.swap(false, Ordering::Relaxed)
        } else {
            // Requests during a stall do not arrive.
            let is_it = state.mode == Mode::Whole && state.stall_after.as_ref().is_some_and(|is_it| is_it(bytes));
            is_awaited.fetch_or(is_it, Ordering::Relaxed);
            state.stall_before.take_if(|is_it| is_it(bytes)).is_some()
        };
        if stalls {
            state.mode = Mode::Stalled;
            self.changed.notify_all();
        }
        while state.mode == Mode::Stalled {
            state = self.changed.wait(state).expect("nothing panics while it holds the state");
        }
        if is_answer && std::mem::take(&mut state.cut_next_answer) {
            state.hang_up();
            return Passage::Break;
        }
        if is_answer && state.lose.take_if(|is_it| is_it(bytes)).is_some() {
            return Passage::Lose;
        }
        if state.mode == Mode::Whole { Passage::Pass } else { Passage::Break }
    }

    fn serve(self: &Arc<Self>, client: &TcpStream) -> std::io::Result<()> {
        if self.state().mode == Mode::Cut {
            return client.shutdown(Shutdown::Both);
        }
        let server = TcpStream::connect_timeout(&self.server, Duration::from_secs(5))?;
        for stream in [client, &server] {
            stream.set_nodelay(true)?;
            self.state().streams.push(stream.try_clone()?);
        }
        let is_awaited = Arc::new(AtomicBool::new(false));
        for (from, to, is_answer) in [(client, &server, false), (&server, client, true)] {
            let (shared, mut from, mut to) = (Arc::clone(self), from.try_clone()?, to.try_clone()?);
            let is_awaited = Arc::clone(&is_awaited);
            thread::spawn(move || {
                let mut buffer = vec![0; 65_536];
                while let Ok(read @ 1..) = from.read(&mut buffer) {
                    let bytes = &buffer[..read];
                    match shared.passage(bytes, is_answer, &is_awaited) {
                        Passage::Lose => {}
                        Passage::Pass if to.write_all(bytes).is_ok() => {}
                        Passage::Pass | Passage::Break => break,
                    }
                }
                let _ = from.shutdown(Shutdown::Both);
                let _ = to.shutdown(Shutdown::Both);
            });
        }
        Ok(())
    }
}

impl State {
    fn hang_up(&mut self) {
        for stream in self.streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}
