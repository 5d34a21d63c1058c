//! Profiles: the people of the directory, copied to the database in which Connections looks for them.

use wattle::prelude::*;

use crate::database::Database;
use crate::directory::Directory;
use crate::platform::Platform;

/// Tivoli Directory Integrator, which fills the database of Profiles from the directory.
#[component(recipe = "recipes/tdi.sh", files = ["recipes/lib.sh"], deadline = "2h")]
pub struct PopulateProfiles {
    /// Directory below which IBM's installers are unpacked.
    #[input]
    installers: String,
    /// The directory.
    #[input]
    ldap_url: Url,
    /// Root of the directory's tree.
    #[input]
    base_dn: String,
    /// DN of the user who searches the directory.
    #[input]
    bind_dn: String,
    /// Password of that user.
    #[input]
    bind_password: Secret<String>,
    /// The database of Profiles, as `jdbc:db2://HOST:PORT/PEOPLEDB`.
    #[input]
    database_url: String,
    /// User who writes to the database.
    #[input]
    database_user: String,
    /// Password of that user.
    #[input]
    database_password: Secret<String>,

    /// How many people were found.
    #[output]
    people: u32,
}

/// A server that fills the database of Profiles.
pub struct ProfilesServer {
    /// What all servers have in common.
    pub platform: Platform,
    /// Where the profiles go.
    pub database: Database,
    /// Where the people are.
    pub directory: Directory,
}

impl Module for ProfilesServer {
    type Outputs = PopulateProfiles;

    fn build(self, t: &mut Topology) -> PopulateProfiles {
        let Self { platform, database, directory } = self;
        let server = t.add("server", platform.server("m1.medium"));
        let populate = PopulateProfiles::new()
            .installers(platform.installers)
            .ldap_url(directory.url)
            .base_dn(directory.base_dn)
            .bind_dn(directory.bind_dn)
            .bind_password(directory.bind_password)
            .database_url(text!("{}/PEOPLEDB", database.jdbc_base))
            .database_user(database.user)
            .database_password(database.password);
        t.on(server).run("tdi", populate)
    }
}
