//! Cookbooks from elsewhere: from the documentation and the examples.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use wattle::model::{Type, Value};

use crate::case::{Case, chefs, stand_ins};

/// The recipe in docs/recipes.md, whose file has another path here.
#[tokio::test]
async fn the_recipe_of_the_documentation() {
    let (_, recipe) =
        include_str!("../../../docs/recipes.md").split_once("# cookbooks/redis/recipes/server.rb\n").unwrap();
    let (recipe, _) = recipe.split_once("```").unwrap();
    let recipe = recipe.replace("'/etc/redis/redis.conf'", "\"#{ENV['WATTLE_RUN_DIR']}/redis.conf\"");
    let port = Type::integer(0, 65_535);
    let case = Case::new("include_recipe 'redis::server'")
        .file("cookbooks/probe/metadata.rb", "name 'probe'\nversion '1.0.0'\ndepends 'redis'\n")
        .file("cookbooks/redis/metadata.rb", "name 'redis'\nversion '1.0.0'\n")
        .file("cookbooks/redis/recipes/server.rb", &recipe)
        .input("address", "redis/address", Type::IP)
        .input("tcp_port", "redis/network/port", port)
        .input("modules", "redis/modules", Type::List(Box::new(Type::STR)))
        .output("url", "redis/url", Type::URI);
    // A real Chef would install Redis.
    for chef in stand_ins() {
        let mut run = case.start(&chef);
        run.agent.give("address", "10.0.0.5");
        run.agent.give("tcp_port", 6379);
        run.agent.give("modules", Value::List(vec!["json".into(), "search".into()]));
        assert_eq!(run.outputs(&chef).await["url"], "redis://10.0.0.5:6379/", "with {}", chef.name);
        let written = fs::read_to_string(run.folder.path().join("redis.conf")).unwrap();
        assert_eq!(written, "bind 10.0.0.5\nport 6379\nloadmodule json\nloadmodule search", "with {}", chef.name);
        assert_eq!(run.agent.log().last().unwrap(), "set url \"redis://10.0.0.5:6379/\"", "with {}", chef.name);
    }
}

/// A cookbook of examples/connections, which depends on another one and uses its resource. Instead of IBM's installers,
/// scripts create the files that the recipe looks for.
#[tokio::test]
async fn the_cookbooks_of_connections() {
    let cookbooks = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/connections/cookbooks"));
    let secret = || Type::Hidden(Box::new(Type::STR));
    let case = Case::cookbooks(cookbooks, "cognos::server")
        .input("home", "cognos/home", Type::STR)
        .input("manager", "installation_manager/home", Type::STR)
        .input("installers", "cognos/installers", Type::STR)
        .input("address", "cognos/address", Type::IP)
        .input("tcp_port", "cognos/port", Type::integer(0, 65_535))
        .input("metrics_url", "cognos/metrics_url", Type::STR)
        .input("database_user", "cognos/database_user", Type::STR)
        .input("database_password", "cognos/database_password", secret())
        .output("url", "cognos/url", Type::URI);
    for chef in chefs() {
        let folder = tempfile::tempdir().unwrap();
        installers(folder.path());
        let place = |name: &str| folder.path().join(name).display().to_string();
        let mut run = case.start(&chef);
        for (name, value) in [
            ("home", place("cognos")),
            ("manager", place("manager")),
            ("installers", place("installers")),
            ("address", "10.0.0.5".to_owned()),
            ("metrics_url", "jdbc:db2://10.0.0.6:50000/METRICS".to_owned()),
            ("database_user", "lcuser".to_owned()),
        ] {
            run.agent.give(name, value);
        }
        run.agent.give("tcp_port", 9300);
        run.agent.until("get database_password").await;
        run.agent.give("database_password", "hunter2");
        assert_eq!(run.outputs(&chef).await["url"], "http://10.0.0.5:9300/cognos", "with {}", chef.name);
        let written = fs::read_to_string(folder.path().join("cognos/configuration/cogstartup.properties")).unwrap();
        assert!(written.contains("metrics.jdbc.password=hunter2"), "with {}: {written}", chef.name);
        assert!(folder.path().join("cognos/started").exists(), "with {}", chef.name);
    }
}

/// Installation Manager, and a repository with Cognos.
fn installers(folder: &Path) {
    let imcl = r#"
        [ "$1" = input ] || exit 0
        home=$(sed -n 's/.*installLocation="\([^"]*\)".*/\1/p' "$2")
        mkdir -p "$home/configuration" "$home/bin64"
        printf '#!/bin/sh\ntouch "%s/started"\n' "$home" >"$home/bin64/cogconfig.sh"
        chmod +x "$home/bin64/cogconfig.sh"
    "#;
    let installc = format!(
        "#!/bin/sh\nmkdir -p \"$3/eclipse/tools\"\ncat >\"$3/eclipse/tools/imcl\" <<'END'\n#!/bin/sh\n{imcl}\nEND\n\
         chmod +x \"$3/eclipse/tools/imcl\"\n"
    );
    let (setup, repository) = (folder.join("installers/installation-manager"), folder.join("installers/cognos"));
    fs::create_dir_all(&setup).unwrap();
    fs::create_dir_all(&repository).unwrap();
    fs::write(repository.join("repository.config"), "").unwrap();
    fs::write(setup.join("installc"), installc).unwrap();
    fs::set_permissions(setup.join("installc"), fs::Permissions::from_mode(0o755)).unwrap();
}
