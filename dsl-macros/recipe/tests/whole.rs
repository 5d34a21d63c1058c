//! Recipes of several files, as components include them.

use wattle_recipe::{Analysis, Tool, analyse_all, analyse_run, chef_recipe_path, never_read, never_written};

fn all(tool: Tool, files: &[(&'static str, &'static str)]) -> Analysis {
    analyse_all(tool, files.iter().copied()).unwrap_or_else(|error| panic!("{error}"))
}

fn is_static(analysis: &Analysis) -> bool {
    !analysis.dynamic_writes && !analysis.dynamic_reads
}

#[test]
fn a_script_that_is_given_is_no_riddle() {
    let main = ("recipes/db2.sh", "cd \"$(dirname \"$0\")\"\n. ./lib.sh\n./helper.sh \"$port\"\nwattle set url x\n");
    let library = ("recipes/lib.sh", "host() { wattle get host; }\n");
    let helper = ("recipes/helper.sh", "wattle set port 1\n");
    assert!(!is_static(&all(Tool::Shell, &[main, library])));
    let analysis = all(Tool::Shell, &[main, library, helper]);
    assert!(is_static(&analysis));
    assert_eq!(analysis.writes.keys().collect::<Vec<_>>(), ["port", "url"]);
    assert!(never_read(&analysis, ["host", "port"]).is_empty());
}

#[test]
fn roles_and_task_files_are_found() {
    let play = (
        "site.yml",
        "- hosts: all\n  roles: [db2]\n  tasks:\n    - import_tasks: more.yml\n    - template: {src: x.j2, dest: /x}\n",
    );
    let role = ("roles/db2/tasks/main.yml", "- set_stats: {data: {url: x}}\n");
    let more = ("more.yml", "- set_stats: {data: {port: 1}}\n");
    let template = ("templates/x.j2", "{{ host }}\n");
    for missing in 1..4 {
        let mut files = vec![play, role, more, template];
        files.remove(missing);
        assert!(all(Tool::Ansible, &files).dynamic_reads, "{missing}");
        assert_eq!(all(Tool::Ansible, &files).dynamic_writes, missing != 3, "{missing}");
    }
    let analysis = all(Tool::Ansible, &[play, role, more, template]);
    assert!(is_static(&analysis));
    assert!(never_written(&analysis, ["url", "port"]).is_empty());
    assert!(never_read(&analysis, ["host"]).is_empty());
}

#[test]
fn a_cookbook_is_one_recipe() {
    let recipe = chef_recipe_path("cookbooks/db2::server").expect("well formed");
    let server = "include_recipe 'db2::install'\nnode.default['db2']['url'] = 'x'\ntemplate '/etc/x' do\n  source 'x.erb'\nend\n";
    let server: &'static str = server;
    let files = [
        ("cookbooks/db2/recipes/install.rb", "package node['db2']['package']\n"),
        ("cookbooks/db2/attributes/default.rb", "default['db2']['port'] = 50_000\n"),
        ("cookbooks/db2/templates/x.erb", "<%= node['db2']['port'] %>\n"),
        ("cookbooks/db2/README.md", "node.default[x] = 1"),
    ];
    let with = |files: &[(&'static str, &'static str)]| {
        let mut given = vec![("cookbooks/db2/recipes/server.rb", server)];
        given.extend(files);
        assert_eq!(given[0].0, recipe.file);
        all(Tool::Chef, &given)
    };
    let analysis = with(&files);
    assert!(is_static(&analysis));
    assert_eq!(analysis.writes.keys().collect::<Vec<_>>(), ["db2/port", "db2/url"]);
    assert!(never_read(&analysis, ["db2/package", "db2/port"]).is_empty());
    assert!(with(&files[1..]).dynamic_writes, "a recipe is missing");
    assert!(!with(&files[..2]).dynamic_writes && with(&files[..2]).dynamic_reads, "a template is missing");
}

#[test]
fn another_cookbook_is_not_this_one() {
    let default = ("cookbooks/db2/recipes/default.rb", "include_recipe 'java'\n");
    assert!(all(Tool::Chef, &[default]).dynamic_writes);
    let own = ("cookbooks/db2/recipes/server.rb", "include_recipe 'db2'\n");
    assert!(!all(Tool::Chef, &[("cookbooks/db2/recipes/default.rb", ""), own]).dynamic_writes);
}

#[test]
fn classes_are_found_in_other_files() {
    let site = ("site.pp", "class { 'db2::server': port => 1 }\nfile { '/x': content => epp('db2/x.epp') }\n");
    let class = (
        "modules/db2/manifests/server.pp",
        "class db2::server($port) { file { \"${::heat_outputs_path}.url\": content => 'x' } }\n",
    );
    let template = ("modules/db2/templates/x.epp", "<%= $host %>");
    assert!(all(Tool::Puppet, &[site, template]).dynamic_writes);
    let analysis = all(Tool::Puppet, &[site, class, template]);
    assert!(is_static(&analysis));
    assert!(never_written(&analysis, ["url"]).is_empty());
    assert!(never_read(&analysis, ["host", "port"]).is_empty());
}

#[test]
fn an_error_names_its_file() {
    let files = [("a.sh", "true\n"), ("b.sh", "true\necho 'x\n")];
    let error = analyse_all(Tool::Shell, files).expect_err("never closed");
    assert_eq!(error.to_string(), "b.sh: line 2: `'` is never closed");
}

#[test]
fn data_that_only_looks_like_a_recipe_is_no_error() {
    let files = [("a.sh", "wattle set url x\n"), ("chart.yaml", "{{- if x }}\na: [\n{{ end }}\n")];
    let analysis = analyse_all(Tool::Shell, files).expect("not a shell file");
    assert!(analysis.dynamic_writes && analysis.dynamic_reads);
}

#[test]
fn a_run_takes_in_only_the_recipes_that_it_includes() {
    let files = [
        ("cookbooks/was/attributes/default.rb", "default['was']['root'] = '/opt'\n"),
        ("cookbooks/was/recipes/dmgr.rb", "include_recipe 'was::install'\nnode.default['was']['host'] = 'x'\n"),
        ("cookbooks/was/recipes/install.rb", "include_recipe 'im'\npackage node['was']['package']\n"),
        ("cookbooks/was/recipes/node.rb", "node.default['was']['member'] = 'x'\n"),
        ("cookbooks/im/recipes/default.rb", "node.default['im']['version'] = '1'\n"),
        ("cookbooks/im/recipes/other.rb", "node.default['im']['other'] = (\n"),
    ];
    let dmgr = analyse_run(Tool::Chef, "was::dmgr", files).expect("`other` is not run, so its mistake is no matter");
    assert_eq!(dmgr.writes.keys().collect::<Vec<_>>(), ["im/version", "was/host", "was/root"]);
    assert!(is_static(&dmgr));
    let node = analyse_run(Tool::Chef, "was::node", files).expect("well formed");
    assert_eq!(node.writes.keys().collect::<Vec<_>>(), ["was/member", "was/root"]);
    assert!(never_read(&node, ["was/package"]).contains(&"was/package"));
    let computed = ("cookbooks/was/recipes/any.rb", "include_recipe \"was::#{node['was']['role']}\"\n");
    let any = analyse_run(Tool::Chef, "was::any", files[..5].iter().copied().chain([computed])).expect("well formed");
    assert!(any.dynamic_writes && any.writes.contains_key("was/member"));
    assert!(analyse_run(Tool::Chef, "im::other", files).is_err());
}
