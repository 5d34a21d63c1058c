# IBM HTTP Server, which passes requests to the nodes of the cell through WebSphere's plug-in.

home = node['ihs']['home']
plugin = node['ihs']['plugin_home']

im_package 'com.ibm.websphere.IHS.v85' do
  installers node['ihs']['installers']
  repository 'was-supplements'
  install_dir home
  profile 'IBM HTTP Server V8.5'
  settings 'user.ihs.httpPort' => node['ihs']['port'], 'user.ihs.allowNonRootSilentInstall' => 'true'
end

im_package 'com.ibm.websphere.PLG.v85' do
  installers node['ihs']['installers']
  repository 'was-supplements'
  install_dir plugin
  profile 'Web Server Plug-ins for IBM WebSphere Application Server V8.5'
end

template "#{home}/conf/connections.conf" do
  source 'connections.conf.erb'
  variables(server_name: node['ihs']['server_name'], plugin: plugin, plugin_config: node['ihs']['plugin_config'])
end

execute 'include the configuration of Connections' do
  command "echo 'Include conf/connections.conf' >>#{home}/conf/httpd.conf"
  not_if { ::File.readlines("#{home}/conf/httpd.conf", chomp: true).include?('Include conf/connections.conf') }
end

# Starts the server if it is not running; otherwise makes it reload its configuration.
execute 'start IBM HTTP Server' do
  command ["#{home}/bin/apachectl", '-k', 'graceful']
end

ruby_block 'publish the address of Connections' do
  block do
    node.default['ihs']['url'] = "http://#{node['ihs']['server_name']}:#{node['ihs']['port']}/homepage"
  end
end
