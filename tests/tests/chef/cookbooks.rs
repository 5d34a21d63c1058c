//! Cookbooks that stand elsewhere: in the documentation, in the examples.

use wattle::model::{Type, Value};

use crate::case::{Case, stand_ins};

/// The recipe of docs/recipes.md, with the place of its file changed.
#[tokio::test]
async fn the_recipe_of_the_documentation() {
    let (_, recipe) =
        include_str!("../../../docs/recipes.md").split_once("# cookbooks/redis/recipes/server.rb\n").unwrap();
    let (recipe, _) = recipe.split_once("```").unwrap();
    let recipe = recipe.replace("'/etc/redis/redis.conf'", "\"#{ENV['WATTLE_RUN_DIR']}/redis.conf\"");
    let port = Type::Integer { min: 0, max: 65_535 };
    let case = Case::new("include_recipe 'redis::server'")
        .file("cookbooks/probe/metadata.rb", "name 'probe'\nversion '1.0.0'\ndepends 'redis'\n")
        .file("cookbooks/redis/metadata.rb", "name 'redis'\nversion '1.0.0'\n")
        .file("cookbooks/redis/recipes/server.rb", &recipe)
        .input("address", "redis/address", Type::Ip)
        .input("tcp_port", "redis/network/port", port)
        .input("modules", "redis/modules", Type::List(Box::new(Type::Str)))
        .output("url", "redis/url", Type::Uri);
    // A real Chef would install Redis.
    for chef in stand_ins() {
        let mut run = case.start(&chef);
        run.agent.give("address", "10.0.0.5");
        run.agent.give("tcp_port", 6379);
        run.agent.give("modules", Value::List(vec!["json".into(), "search".into()]));
        assert_eq!(run.outputs(&chef).await["url"], "redis://10.0.0.5:6379/", "with {}", chef.name);
        let written = std::fs::read_to_string(run.folder.path().join("redis.conf")).unwrap();
        assert_eq!(written, "bind 10.0.0.5\nport 6379\nloadmodule json\nloadmodule search", "with {}", chef.name);
        assert_eq!(run.agent.log().last().unwrap(), "set url \"redis://10.0.0.5:6379/\"", "with {}", chef.name);
    }
}
