//! The programs and their commands.

use super::command_line::{Named, Program};
use super::deploy::{adopt, destroy, drift, rollback};
use super::{
    agent, ca, cloud, completions, deploy, down, explain, get, hosts, logs, ls, lsp, man, new, plan, seed, set, signal,
    space, status, template, up, watch,
};

/// A command that waits for something.
macro_rules! waiting {
    ($name:literal, $($module:ident)::+) => {
        Named { name: $name, command: $($module)::+::command, run: |given, console| Box::pin($($module)::+::run(given, console)) }
    };
}

/// A command that does not wait for anything.
macro_rules! at_once {
    ($name:literal, $($module:ident)::+) => {
        Named {
            name: $name,
            command: $($module)::+::command,
            run: |given, console| Box::pin(async move { $($module)::+::run(given, console) }),
        }
    };
}

/// The command `wattle`.
pub(super) const OPERATOR: Program = Program {
    name: "wattle",
    about: "Deploys what a blueprint emitted to OpenStack, or brings it up on this machine; checks and lowers templates",
    examples: "  wattle up out/three_tier             the whole topology on this machine, until Ctrl-C
  wattle status --why                  how it is doing, and why something is stuck
  wattle get db/postgres/url --wait    one value, as soon as it is there
  wattle seed apply out/three_tier --space zookeeper+tls://zk1:2281
                                       what servers on OpenStack read, before the stack is created
  wattle plan out/three_tier --space zookeeper+tls://zk1:2281
                                       what would happen to what is deployed, before it is updated
  wattle check template.yaml           everything in a template that Heat would refuse, at once",
    commands: &[
        waiting!("up", up),
        waiting!("down", down),
        waiting!("status", status),
        waiting!("plan", plan),
        waiting!("deploy", deploy),
        waiting!("adopt", adopt),
        waiting!("rollback", rollback),
        waiting!("drift", drift),
        waiting!("destroy", destroy),
        waiting!("logs", logs),
        waiting!("seed", seed),
        at_once!("ca", ca),
        waiting!("space", space),
        waiting!("cloud", cloud),
        waiting!("get", get),
        waiting!("set", set),
        waiting!("watch", watch),
        waiting!("ls", ls),
        waiting!("agent", agent),
        waiting!("signal", signal),
        at_once!("check", template::check),
        at_once!("lower", template::lower),
        at_once!("graph", template::graph),
        at_once!("place", template::place),
        waiting!("hosts", hosts),
        at_once!("import", template::import),
        at_once!("lsp", lsp),
        at_once!("new", new),
        at_once!("explain", explain),
        at_once!("completions", completions),
        at_once!("man", man),
    ],
};

/// The command `wattle-agent`, which is `/usr/local/bin/wattle` on servers.
pub(super) const SERVER: Program = Program {
    name: "wattle",
    about: "Acts as the agent of this server; within recipes, reads inputs and writes outputs (operators use the full \
            `wattle`)",
    examples: "  wattle agent                         what the emitted user data starts
  wattle get url                       within a recipe: the value of an input
  wattle set url http://10.0.0.5/      within a recipe: an output, at once",
    commands: &[
        waiting!("agent", agent),
        waiting!("get", get),
        waiting!("set", set),
        waiting!("signal", signal),
        waiting!("watch", watch),
        waiting!("ls", ls),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_lines_are_sound() {
        for program in [&OPERATOR, &SERVER] {
            program.command_line().debug_assert();
        }
    }
}
