# Pushes Connections from the manager to the nodes, starts it, and writes what the web server must know about the cell.

manager = node['connections']['manager']
script = "#{Chef::Config[:file_cache_path]}/push.py"
report = "#{Chef::Config[:file_cache_path]}/applications"
plugin = "#{node['connections']['shared']}/plugin-cfg.xml"

template script do
  source 'push.py.erb'
  variables(
    cluster: node['connections']['cluster'],
    nodes: node['connections']['nodes'],
    report: report
  )
end

# This needs no login: the manager's profile knows its own administrator.
execute 'push to the nodes and start' do
  command ["#{manager}/bin/wsadmin.sh", '-lang', 'jython', '-f', script]
end

execute 'generate the configuration of the web server plug-in' do
  command ["#{manager}/bin/GenPluginCfg.sh", '-output.file.name', plugin]
end

ruby_block 'publish the applications' do
  block do
    node.default['connections']['plugin_config'] = plugin
    node.default['connections']['applications'] = ::File.readlines(report, chomp: true)
  end
end
