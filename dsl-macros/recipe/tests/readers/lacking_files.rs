//! Files that are missing in an included module or cookbook.

use wattle_recipe::{Tool, used_files};

#[test]
fn what_a_module_lacks_that_travels_along_nobody_has() {
    let lacks = |source: &str| -> Vec<String> {
        let module = ("recipes/modules/web/files/there", "");
        let used = used_files(Tool::Puppet, &[], [("recipes/x.pp", source), module]);
        used.into_iter().filter(|used| used.is_needed).map(|used| used.places.join(" ")).collect()
    };
    for source in [
        "file { '/x': source => 'puppet:///modules/web/x' }",
        "$x = file('web/x')",
        "file { '/x': source => \"puppet:///modules/web/x\" }",
    ] {
        assert_eq!(lacks(source), ["recipes/modules/web/files/x"], "{source}");
    }
    assert_eq!(lacks("$x = template('web/x.erb')"), ["recipes/modules/web/templates/x.erb"]);
    assert_eq!(lacks("$x = epp('web/x.epp', { a => 1 })"), ["recipes/modules/web/templates/x.epp"]);
    for source in [
        "$x = template('other/x.erb')",
        "$x = file('web/x', 'web/y')",
        "$x = file('web/there')",
        "file { '/x': source => ['puppet:///modules/web/x', 'puppet:///modules/web/y'] }",
        "include web",
        "include web::client",
    ] {
        assert_eq!(lacks(source), Vec::<String>::new(), "{source}");
    }
    let module = [
        ("recipes/x.pp", "include web"),
        ("recipes/modules/web/manifests/init.pp", "class web { $x = template('web/x.erb') }"),
        ("recipes/modules/web/templates/x.erb", ""),
    ];
    assert_eq!(used_files(Tool::Puppet, &[], module), []);
    assert!(used_files(Tool::Puppet, &[], module[..2].iter().copied()).iter().any(|used| used.is_needed));
}

#[cfg(feature = "chef")]
#[test]
fn what_a_cookbook_lacks_nobody_has() {
    let lacks = |source: &str| -> Vec<String> {
        let there = ["templates/default/there.erb", "templates/host-x/host.erb", "files/there", "files/folder/x"];
        let there = there.map(|path| format!("cookbooks/web/{path}"));
        let files = there.iter().map(|path| (path.as_str(), "")).chain([("cookbooks/web/recipes/x.rb", source)]);
        let used = used_files(Tool::Chef, &[], files);
        used.into_iter().filter(|used| used.is_needed).map(|used| format!("{} {}", used.line, used.places[0])).collect()
    };
    for (source, place) in [
        ("\ntemplate '/x' do\n source 'x.erb'\nend", "2 cookbooks/web/templates/x.erb"),
        ("template '/etc/x.conf' do\n mode '0644'\nend", "1 cookbooks/web/templates/x.conf.erb"),
        ("cookbook_file '/x' do\n source 'y'\nend", "1 cookbooks/web/files/y"),
        ("cookbook_file '/etc/y' do\n owner 'root'\nend", "1 cookbooks/web/files/y"),
        ("remote_directory '/x' do\n source 'z'\nend", "1 cookbooks/web/files/z"),
    ] {
        assert_eq!(lacks(source), [place], "{source}");
    }
    for source in [
        "template '/x' do\n source 'there.erb'\nend",
        "template '/etc/there' do\n mode '0644'\nend",
        "template '/x' do\n source 'host.erb'\nend",
        "cookbook_file '/x' do\n source 'there'\nend",
        "remote_directory '/x' do\n source 'folder'\nend",
        "template '/x' do\n source 'x.erb'\n cookbook 'other'\nend",
        "template '/x' do\n source '/srv/x.erb'\n local true\nend",
        "template '/x' do\n source node['web']['x']\nend",
        "template '/x' do\n source ['a.erb', 'b.erb']\nend",
        "template '/x' do\n source 'x.erb'\n only_if { false }\nend",
        "remote_file '/x' do\n source 'x'\nend",
        "file '/x' do\n content 'x'\nend",
    ] {
        assert_eq!(lacks(source), Vec::<String>::new(), "{source}");
    }
}
