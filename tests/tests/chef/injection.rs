//! Inputs that would be commands, if a recipe's languages treated them as more than text.

use serde_json::json;
use wattle::model::{Type, Value};

use crate::case::{Case, chefs};

/// Values that are read late arrive as text, through attributes, `lazy`, interpolation and ERB, and run nothing.
#[tokio::test]
async fn an_input_is_no_code() {
    let recipe = r##"
        node.default['probe']['text'] = "#{node['it']['text']}"
        template("#{Chef::Config[:file_cache_path]}/conf") do
          source 'conf.erb'
          variables lazy { { text: node['it']['text'], map: node['it']['map'] } }
        end
        ruby_block('reads') do
          block do
            node.default['probe']['file'] = File.read("#{Chef::Config[:file_cache_path]}/conf")
            node.default['probe']['class'] = node['it']['map'].class.name
          end
        end
    "##;
    for chef in chefs() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("ran").display().to_string();
        let text = format!("<%= `touch {mark}` %> #{{`touch {mark}`}} $(touch {mark}) `touch {mark}`");
        let map = json!({ "json_class": "Object", "a": text });
        let case = Case::new(recipe)
            .file("cookbooks/probe/templates/conf.erb", "<%= node['it']['text'] %>|<%= @text %>|<%= @map['a'] %>")
            .input("text", "it/text", Type::STR)
            .input("map", "it/map", Type::Map(Box::new(Type::STR)))
            .output("text", "probe/text", Type::STR)
            .output("file", "probe/file", Type::STR)
            .output("class", "probe/class", Type::STR);
        let mut run = case.start(&chef);
        run.agent.give("text", text.as_str());
        run.agent.give("map", serde_json::from_value::<Value>(map).unwrap());
        let outputs = run.outputs(&chef).await;
        assert_eq!(outputs["text"], text, "with {}", chef.name);
        assert_eq!(outputs["file"], format!("{text}|{text}|{text}"), "with {}", chef.name);
        assert_eq!(outputs["class"], "Chef::Node::ImmutableMash", "with {}", chef.name);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0, "with {}", chef.name);
    }
}
