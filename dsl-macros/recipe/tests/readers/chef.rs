use wattle_recipe::{Analysis, Tool, analyse, analyse_all};

use super::names;

fn chef(source: &str) -> Analysis {
    analyse(Tool::Chef, source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

fn template(source: &str) -> Analysis {
    analyse_all(Tool::Chef, [("templates/x.erb", source)]).expect("a template")
}

#[test]
fn one_path_is_written() {
    for source in [
        "node['db2']['url'] = 'x'",
        "node.default['db2']['url'] = 'x'",
        "node.default[:db2][:url] = 'x'",
        "node.default[\"db2\"][:url] = \"jdbc:db2://#{node['ipaddress']}\"",
        "node.override['db2']['url'] = 'x'",
        "node.normal['db2']['url'] = 'x'",
        "node.automatic['db2']['url'] = 'x'",
        "node.force_default['db2']['url'] = 'x'",
        "node.force_override['db2']['url'] = 'x'",
        "node.default_unless['db2']['url'] = 'x'",
        "node.default!['db2']['url'] = 'x'",
        "node.set['db2']['url'] = 'x'",
        "default['db2']['url'] = 'x'",
        "override['db2']['url'] = 'x'",
        "node.default['db2']['url'] ||= 'x'",
        "node.default['db2']['url'] += 'x'",
        "node.default['db2']['url'] &&= 'x'",
        "node.default['db2']['url'] << 'x'",
        "node.default['db2']['url'].push('x')",
        "a, node.default['db2']['url'] = 1, 2",
        "node.write(:default, 'db2', 'url', 'x')",
        "node.write!(:default, :db2, :url, x)",
        "node.write(level, 'db2', 'url', 'x')",
        "node.attributes.write(:override, 'db2', 'url', 'x')",
        "node.default!('db2', 'url', 'x')",
        "node.normal!('db2', 'url', 'x')",
        "node.override!(:db2, :url, 'x')",
        "node.force_default!('db2', 'url', 'x')",
        "node.force_override!('db2', 'url', 'x')",
        "node.default_unless('db2', 'url', 'x')",
        "node.normal_unless('db2', 'url', 'x')",
        "node.override_unless('db2', 'url', 'x')",
        "node.force_override!['db2']['url'] = 'x'",
        "node.default_unless['db2'][:url] = 'x'",
        "node.default.write('db2', 'url', 'x')",
        "node.default.write!('db2', 'url', 'x')",
        "node.force_override.write('db2', 'url', 'x')",
        "node.role_default.write('db2', 'url', 'x')",
        "node.env_override.write('db2', 'url', 'x')",
        "node.default['db2'].write('url', 'x')",
        "node.default['db2'].write!('url', 'x')",
        "node.default_attrs['db2']['url'] = 'x'",
        "node.role_default['db2']['url'] = 'x'",
        "node.env_default['db2']['url'] = 'x'",
        "node.role_override['db2']['url'] = 'x'",
        "node.env_override['db2']['url'] = 'x'",
        "node.attributes.default['db2']['url'] = 'x'",
        "node.default.read('db2')['url'] = 'x'",
        "node.default.dig('db2')['url'] = 'x'",
        "node.send(:default!, 'db2', 'url', 'x')",
        "node.public_send('default')['db2']['url'] = 'x'",
        "(node.default['db2'] ||= {})['url'] = 'x'",
        "level = node.default\nlevel.write('db2', 'url', 'x')",
        "n = node\nn.write(:default, 'db2', 'url', 'x')",
        "node.tap { |n| n.write(:default, 'db2', 'url', 'x') }",
        "node.default!('db2', 'url' => 'x')",
        "node.default.write('db2', { 'url' => 'x' })",
        "node.rm('db2', 'other'); node.default['db2']['url'] = 'x'",
        "node.unlink(:default, 'db2', 'other'); node.default['db2']['url'] = 'x'",
        "default!('db2', 'url', 'x')",
        "default_unless('db2', 'url', 'x')",
        "force_override!['db2']['url'] = 'x'",
        "write(:default, 'db2', 'url', 'x')",
        "role_default['db2']['url'] = 'x'",
        "node.default['db2'] = { 'url' => 'x' }",
        "node.default['db2'] = { url: 'x' }",
        "node.default = { 'db2' => { 'url' => x } }",
        "node.default['db2'].merge!('url' => 'x')",
        "node.default['db2'].merge!({ url: 'x' })",
        "node.default['db2'].update(url: 'x')",
        "node.default['db2'].store('url', 'x')",
        "node.default.merge!('db2' => { 'url' => 'x' })",
        "ruby_block 'publish' do\n  block do\n    node.default['db2']['url'] = 'x'\n  end\nend",
        "if x\n  node.default['db2']['url'] = 'x'\nend",
        "node.run_state['other'] = 1; node.default['db2']['url'] = lazy { 1 }",
        "db2 = node.default['db2']\ndb2['url'] = 'x'",
        "n = node\nn.default['db2']['url'] = 'x'",
        "key = 'url'\nnode.default['db2'][key] = 'x'",
        "KEY = :url\nnode.default['db2'][KEY] = 'x'",
        "%w(url).each do |key|\n  node.default['db2'][key] = 'x'\nend",
        "[:url].each { |key| node.default['db2'][key.to_s] = 'x' }",
        "{ 'url' => 1 }.each { |key, value| node.default['db2'][key] = value }",
        "node.default.tap { |d| d['db2']['url'] = 'x' }",
        "run_context.node.default['db2']['url'] = 'x'",
        "node.send(:default)['db2']['url'] = 'x'",
        "node.default.db2 = { 'url' => 'x' }",
        "node&.default['db2']['url'] = 'x'",
        "def publish\n  node.default['db2']['url'] = 'x'\nend",
        "node.default['db2']['url'] = x if y",
        "node.default['db2']['url'] = begin\n  1\nrescue\n  2\nend",
    ] {
        let analysis = chef(source);
        assert_eq!(names(&analysis.writes), ["db2/url"], "{source}");
        assert!(!analysis.dynamic_writes, "{source}");
    }
}

#[test]
fn several_paths_are_written() {
    for source in [
        "%w(url port).each { |key| node.default['db2'][key] = 1 }",
        "KEYS = %i[url port].freeze\nKEYS.each { |key| node.default['db2'][key] = 1 }",
        "node.default['db2'] = { url: 1, 'port' => 2 }",
        "key = 'port'\nkey = 'url' if x\nnode.default['db2'][key] = 1",
        "node.default['db2']['url'] = node.default['db2']['port'] = 1",
    ] {
        assert_eq!(names(&chef(source).writes), ["db2/port", "db2/url"], "{source}");
        assert!(!chef(source).dynamic_writes, "{source}");
    }
}

#[test]
fn nothing_is_written() {
    for source in [
        "",
        "# node['db2']['url'] = 1",
        "log \"node['db2']['url'] = 1\"",
        "node.run_state['db2'] = 1",
        "x = node['db2']['url']",
        "node['db2']['url'] == 1",
        "node.default['db2'] = {}",
        "node.default['db2'] ||= {}",
        "node.unlink(:default, 'db2', 'url')",
        "node.default.unlink!('db2', 'url')",
        "node.rm('db2', 'url')",
        "node.rm_default('db2', 'url')",
        "node.default['db2'].delete('url')",
        "use node['db2']",
        "node['db2'].each { |key, value| use value }",
        "other['db2']['url'] = 1",
        "package 'db2' do\n  version node['db2']['version']\nend",
    ] {
        let analysis = chef(source);
        assert_eq!(names(&analysis.writes), Vec::<&str>::new(), "{source}");
        assert!(!analysis.dynamic_writes, "{source}");
    }
}

#[test]
fn anything_may_be_written() {
    for source in [
        "node.default['db2'][name] = 1",
        "node.default[\"db2_#{x}\"] = 1",
        "node.default[x]['url'] = 1",
        "key = 'url'\nkey = name_of(x) if x\nnode.default['db2'][key] = 1",
        "node.default = attributes_from(x)",
        "values.each { |k, v| node.default['db2'][k] = v }",
        "publish(node)",
        "Helper.new(node).publish",
        "include_recipe 'java'",
        "include_recipe 'java::openjdk'",
        "include_recipe name",
        "require_relative '../libraries/x'",
        "instance_eval(text)",
        "node.consume_attributes(x)",
        "node.public_send(\"#{x}!\", 'db2', 'url', 'x')",
        "fill(node.default['db2'])",
        "level = node.default['db2']\nfill(level)",
        "node.default['db2'].each { |key, value| value['url'] = 'x' }",
        "node.default.write(*path, 'x')",
    ] {
        assert!(chef(source).dynamic_writes, "{source}");
    }
}

#[test]
fn a_computed_value_covers_what_is_below() {
    let analysis = chef("node.default['db2'] = facts_of(x)");
    assert!(wattle_recipe::never_written(&analysis, ["db2/url"]).is_empty());
    let analysis = chef("node.default['db2'] = { 'port' => 1 }");
    assert_eq!(wattle_recipe::never_written(&analysis, ["db2/url"]), ["db2/url"]);
}

#[test]
fn one_path_is_read() {
    for source in [
        "x = node['db2']['port']\nuse x",
        "use node['db2']['port']",
        "use \"a#{node['db2']['port']}b\"",
        "use node[:db2][:port].to_s",
        "use node.default['db2']['port']",
        "use node.read('db2', 'port')",
        "use node.read!(:db2, :port)",
        "use node.dig('db2', 'port')",
        "use node.merged_attributes('db2', 'port')",
        "use node.merged_attributes['db2']['port']",
        "use node.merged_attributes('db2')['port']",
        "use node.attributes.merged_attributes('db2', 'port')",
        "use node.combined_default('db2', 'port')",
        "use node.combined_override['db2']['port']",
        "use node.debug_value('db2', 'port')",
        "use node.attributes.read('db2', 'port')",
        "use node.exist?('db2', 'port')",
        "use node['db2'].slice('port')",
        "use node['db2'].fetch_values('port')",
        "use node.send(:[], 'db2')['port']",
        "use node.send(:read, 'db2', 'port')",
        "default['x'] = read('db2', 'port')",
        "use node['db2'].fetch('port')",
        "use node['db2'].fetch('port', 50_000)",
        "use node['db2'].dig('port')",
        "use node['db2']&.fetch('port')",
        "use node.fetch('db2').fetch('port')",
        "db2 = node['db2']\nuse db2['port']",
        "port 50 if node['db2'].key?('port')",
        "template('/x') { variables(port: node['db2']['port']); source 'x.erb' }",
        "file 'x' do\n  content lazy { node['db2']['port'] }\nend",
        "not_if { node['db2']['port'].nil? }",
        "case node['db2']['port'] when 1 then 2 end",
        "node.default['x'] = node['db2']['port']",
        "node.default['x'] ||= node['db2']['port']",
        "node.default[node['db2']['port']] = 1",
        "use <<-EOH\n#{node['db2']['port']}\nEOH",
    ] {
        let analysis = chef(source);
        assert!(names(&analysis.reads).contains(&"db2/port"), "{source}: {analysis:?}");
        assert_eq!(
            wattle_recipe::never_read(&Analysis { dynamic_reads: false, ..analysis }, ["db2/other"]),
            ["db2/other"],
            "{source}"
        );
    }
}

#[test]
fn wholes_and_computed_keys_are_read_whole() {
    for source in
        ["node['db2'].to_hash", "node['db2'][x]", "node['db2'].each { |k, v| use v }", "d = node['db2']\nuse d"]
    {
        assert!(wattle_recipe::never_read(&chef(source), ["db2/port"]).is_empty(), "{source}");
        assert!(!chef(source).dynamic_reads, "{source}");
    }
    for source in [
        "node[x]",
        "use node",
        "node.to_hash",
        "node.read(x)",
        "node.merged_attributes.each { |key, value| use value }",
        "use node.merged_attributes",
        "template '/etc/x'do\nend",
        "template('x') { source y }",
    ] {
        assert!(chef(source).dynamic_reads, "{source}");
    }
}

#[test]
fn writing_is_no_reading() {
    assert_eq!(names(&chef("node.default['db2']['url'] = 1\nnode.name").reads), ["name"]);
}

#[test]
fn lines_are_counted() {
    let analysis = chef("# db2\n\nnode.default['a'] = {\n  'b' => 1,\n  'c' => node['d'],\n}\n");
    assert_eq!(analysis.writes.into_iter().collect::<Vec<_>>(), [("a/b".into(), 4), ("a/c".into(), 5)]);
    assert_eq!(analysis.reads.into_iter().collect::<Vec<_>>(), [("d".into(), 5)]);
}

#[test]
fn malformed_ruby_is_an_error_with_its_line() {
    for (source, line) in [("node['a']\nif x\n", 3), ("x = (\n", 2), ("end", 1), ("a\nb\n'c\n", 3)] {
        let error = analyse(Tool::Chef, source).expect_err(source);
        assert!(error.line.abs_diff(line) <= 1, "{source}: {error}");
        assert!(!error.message.is_empty());
    }
}

#[test]
fn templates_are_read() {
    for source in [
        "port=<%= node['db2']['port'] %>",
        "<% if node['db2']['port'] -%>\nx\n<% end -%>",
        "<%- [1].each do |x| -%>\n<%= node['db2']['port'] %>\n<%- end -%>",
        "<%# node['x'] %><%= @node['db2']['port'] # why %>",
        "<% if x %><%= node['db2']['port'] %>",
    ] {
        let analysis = template(source);
        assert!(names(&analysis.reads).contains(&"db2/port"), "{source}: {analysis:?}");
        assert!(analysis.writes.is_empty());
    }
    assert_eq!(names(&template("<%= @port %> <%%= @not %> <%# @no %>").reads), ["port"]);
    assert_eq!(names(&template("<%= scope['db2::port'] %><%= scope.lookupvar('::host') %>").reads), ["host", "port"]);
}

#[test]
fn deep_nesting_is_survived() {
    for opening in [
        "(", "[", "{", "!", "-", "a.", "1+", "if a\n", "\"#{", "a ? ", "->(", "x do\n", "def a\n", "a[", "<<A\n",
        "node[", "not ", "x=", "a(", "begin\n", "case a\n",
    ] {
        let _ = analyse(Tool::Chef, &opening.repeat(100_000));
        let _ = analyse(Tool::Chef, &(opening.repeat(20_000) + "1"));
    }
    for (opening, closing) in
        [("(", ")"), ("[", "]"), ("x(", ")"), ("node[", "]"), ("node.default[1][", "]"), ("if a\n", "end\n")]
    {
        let _ = analyse(Tool::Chef, &(opening.repeat(20_000) + "1" + &closing.repeat(20_000)));
    }
}
