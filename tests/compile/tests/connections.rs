//! Everything that an author may write of components, parameters and blueprints, as a lint-clean crate would have it.
#![deny(warnings, missing_docs, clippy::pedantic)]

use wattle::author::Blueprint;
use wattle::model::{Content, Expr, Tool, Type, Value};
use wattle::prelude::*;
use wattle_catalog::nova;

/// DB2, with one database
/// for each application.
///
/// It listens everywhere.
#[component(recipe = "recipes/db2.sh", files = ["recipes/db2.sql"], teardown = "recipes/db2-remove.sh",
    deadline = "1h30m", wait = "2d")]
pub struct Db2 {
    /// TCP port on which the instance listens.
    #[input(default = 50_000)]
    port: u16,
    /// Databases to create, say `{WIKIS}`.
    #[input]
    databases: Vec<String>,
    /// Password of the instance owner.
    #[input]
    owner_password: Secret<String>,
    #[input]
    r#type: Option<String>,
    #[input(default = "http://localhost/")]
    home: Url,
    #[input(default = "5m")]
    pause: Duration,
    #[input(default = ["a", "b"])]
    tags: Vec<String>,
    #[input(default = [])]
    labels: Vec<String>,
    #[input(default = Some("10.0.0.1").map_or("10.0.0.2", |address| address))]
    address: IpAddr,

    /// `jdbc:db2://HOST:PORT`, without a database name.
    #[output]
    jdbc_base: String,
    #[output(dynamic)]
    login: Login,
}

/// How to log in.
#[derive(Clone, PortType)]
pub struct Login {
    /// Who.
    pub user: String,
    /// Whether they may.
    pub allowed: bool,
    /// By what.
    pub password: Secret<String>,
}

/// A name, which is public.
#[derive(PortType)]
pub struct Named {
    /// The name.
    pub name: String,
}

/// DB2 by Chef.
#[component(chef = "cookbooks/db2::server", teardown = "cookbooks/db2::remove")]
pub struct ChefDb2 {
    /// The port.
    #[input(default = 50_000, path = "db2/port")]
    port: u16,
    /// How others reach it.
    #[output(early)]
    jdbc_base: String,
}

/// A component that nothing must be wired to.
#[component(recipe = "recipes/app.sh")]
struct App {
    #[input(default = "wikis")]
    database: String,
    #[output]
    url: Url,
}

/// An input whose type is called like the input itself.
#[component(recipe = "recipes/app.sh")]
struct Shadowed {
    #[input]
    login: Login,
    #[input]
    log_in: Login,
    #[output]
    url: Url,
}

/// What is chosen at deployment.
#[derive(Parameters)]
pub struct Settings {
    /// Password of the owner.
    #[parameter(min_length = 8, max_length = 64, pattern = "[a-z]+")]
    password: Parameter<Secret<String>>,
    /// How many.
    #[parameter(default = 2, min = 1, max = 5)]
    nodes: Parameter<u8>,
    /// Where to listen.
    #[parameter(default = "small", allowed = ["small", "large"], constraint = "nova.flavor")]
    flavor: Parameter<String>,
}

/// What is chosen while building.
#[derive(Default, serde::Deserialize)]
pub struct Size {
    spare: bool,
}

/// IBM Connections.
#[blueprint(name = "ibm-connections")]
pub fn connections(t: &mut Topology, p: Settings, size: Size) -> Exports {
    let server = t.add("db", nova::Server::new().image("debian-12").flavor(p.flavor));
    let login = Login { user: "wikis".into(), allowed: true, password: Secret::new("x".into()) };
    let db2 = t.on(server).run("db2", Db2::new().owner_password(p.password).databases(["WIKIS"]).r#type("server"));
    let chef = t.on(server).run("chef", ChefDb2::new());
    let shadowed = t.on(server).run("shadowed", Shadowed::new().log_in(db2.login).login(login));
    t.after(db2, chef);
    let nodes = p.nodes;
    let name = String::from("wikis");
    let app = t
        .on(server)
        .run("app", App::new().database(text!("{}/{{{name}}}:{nodes}:{0}:{port}", db2.jdbc_base, port = 8080_u16)));
    if size.spare {
        t.add(&name, nova::Server::new().image("debian-12").flavor("small"));
    }
    Exports::new().entry("url", app.url).entry("shadowed", shadowed.url).entry("name", Named { name })
}

/// A blueprint without exports.
#[blueprint]
fn nothing(_: &mut Topology) {}

#[test]
fn what_is_written_is_in_the_model() {
    let model = connections.model(Size { spare: true });
    assert_eq!((&*model.stack, &*model.description), ("ibm-connections", "IBM Connections."));
    assert!(model.at.file.ends_with("connections.rs") && model.at.line > 100, "{}", model.at);
    assert!(model.duplicates.is_empty());
    assert_eq!(model.resources.len(), 2);
    assert_eq!(&*nothing.model(wattle::author::NoConfig {}).stack, "nothing");

    let db2 = model.declarations.iter().find(|(kind, _)| kind.ends_with("::Db2")).expect("declared").1;
    assert_eq!((&*db2.name, db2.deadline, db2.wait), ("Db2", Some(5400), Some(172_800)));
    assert_eq!(db2.doc, "DB2, with one database for each application.\nIt listens everywhere.");
    assert_eq!((db2.recipe.tool, &*db2.recipe.entry), (Tool::Shell, "recipes/db2.sh"));
    let files: Vec<_> = db2.recipe.files.iter().map(|file| &*file.path).collect();
    assert_eq!(files, ["recipes/db2.sh", "recipes/db2-remove.sh", "recipes/db2.sql"]);
    assert_eq!(db2.recipe.teardown.as_deref(), Some("recipes/db2-remove.sh"));
    assert!(matches!(&db2.recipe.files[0].content, Content::Text(text) if text.contains("jdbc_base")));
    let port = &db2.inputs["port"];
    assert_eq!((port.required, &port.default), (false, &Some(Value::from(50_000_u16))));
    assert!(port.path.is_empty());
    assert_eq!(port.at.line + 3, db2.inputs["databases"].at.line);
    assert!(db2.inputs["databases"].required);
    let ty = &db2.inputs["type"];
    assert_eq!((ty.required, &ty.default, &ty.ty), (false, &None, &Type::STR));
    assert_eq!(db2.inputs["pause"].default, Some(Value::from(300_u16)));
    assert_eq!(db2.inputs["labels"].default, Some(Value::List(Vec::new())));
    assert_eq!(db2.inputs["address"].default, Some(Value::from("10.0.0.1")));
    assert!(db2.outputs["login"].dynamic && !db2.outputs["jdbc_base"].dynamic);
    assert!(db2.outputs["login"].ty.is_secret());

    let chef = model.declarations.iter().find(|(kind, _)| kind.ends_with("::ChefDb2")).expect("declared").1;
    assert_eq!((chef.recipe.tool, &*chef.recipe.entry), (Tool::Chef, "db2::server"));
    let files: Vec<_> = chef.recipe.files.iter().map(|file| &*file.path).collect();
    assert_eq!(
        files,
        ["cookbooks/db2/metadata.rb", "cookbooks/db2/recipes/remove.rb", "cookbooks/db2/recipes/server.rb"]
    );
    assert_eq!(chef.recipe.teardown.as_deref(), Some("db2::remove"));
    assert!(chef.outputs["jdbc_base"].early && !db2.outputs["jdbc_base"].early);
    assert_eq!(chef.outputs["jdbc_base"].path.join("/"), "db2/jdbc_base");

    let Expr::Text(parts) = &model.components["db/app"].inputs["database"].value else { panic!("not a text") };
    // Constants beside each other are one.
    assert_eq!(parts[1], Expr::Constant("/{wikis}:".into()));
    assert_eq!(parts.iter().filter(|part| **part == parts[0]).count(), 2);
    assert_eq!(model.parameters["nodes"].constraints.len(), 1);
    assert_eq!(model.parameters["password"].constraints.len(), 2);
}
