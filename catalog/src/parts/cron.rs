//! Jobs that run at set times.

use std::collections::BTreeMap;

use wattle::prelude::*;

/// A command that cron runs repeatedly.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use wattle::prelude::*;
/// use wattle_catalog::nova::Server;
/// use wattle_catalog::parts::cron::Job;
///
/// fn nightly(t: &mut Topology, server: Server, db: Output<Url>) -> Output<String> {
///     let job = Job::new()
///         .schedule("30 2 * * *")
///         .command(["/bin/sh", "-c", r#"pg_dump --dbname "$DATABASE" >"$(date +%A).sql""#])
///         .user("backup")
///         .environment(BTreeMap::from([("DATABASE".to_owned(), db)]));
///     t.on(server).run("dump", job).data // a dump for each day of the week is there
/// }
/// ```
///
/// The job is the file `/etc/cron.d/wattle-part-COMPONENT`, and its output goes to the journal under that name. With
/// `wattle up`, a separate cron runs it, which needs root and mount namespaces, and its output goes to the file `log`
/// in the component's folder. Either way it gets the environment that is given here, `PATH`, `LANG`, `USER`, and as
/// `HOME` and `STATE_DIRECTORY` the folder where it may write. It does not start again while it is running.
#[component(
    recipe = "recipes/cron.sh",
    files = ["recipes/lib.sh", "recipes/program.sh"],
    teardown = "recipes/cron-remove.sh",
    deadline = "15m"
)]
pub struct Job {
    /// When it runs, as in crontab(5): minute, hour, day of the month, month, and day of the week, or `@hourly` and the
    /// like, but not `@reboot`. Times are in the server's time zone.
    #[input]
    schedule: String,
    /// The program with its arguments, which are not passed to a shell. It starts in the folder where it may write.
    #[input]
    command: Vec<String>,
    /// The user that runs it. If the system has no user of this name, one is created.
    #[input]
    user: String,
    /// Environment variables.
    #[input]
    environment: Option<BTreeMap<String, String>>,
    /// Environment variables that no one else may see.
    #[input]
    secrets: Option<BTreeMap<String, Secret<String>>>,

    /// The folder where it may write.
    #[output]
    data: String,
}
