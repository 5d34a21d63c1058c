# A node of a WebSphere cell: joins the cell of a running deployment manager.

home = node['was']['home']
name = node['was']['node_name']
profile = "#{home}/profiles/#{name}"
answers = "#{Chef::Config[:file_cache_path]}/node.properties"

im_package node['was']['offering'] do
  installers node['was']['installers']
  repository 'was-nd'
  install_dir home
  profile 'IBM WebSphere Application Server V8.5'
end

template answers do
  source 'node.properties.erb'
  variables(home: home, profile: profile, name: name, host: node['was']['address'])
end

execute 'create the profile of the node' do
  command ["#{home}/bin/manageprofiles.sh", '-response', answers]
  creates "#{profile}/logs/AboutThisProfile.txt"
end

template "#{profile}/properties/soap.client.props" do
  source 'soap.client.props.erb'
  mode '0600'
  sensitive true
  variables(user: node['was']['admin_user'], password: node['was']['admin_password'])
end

# Joining copies the configuration of the cell, and starts the node agent.
execute 'join the cell' do
  command ["#{profile}/bin/addNode.sh", node['was']['dmgr_host'], node['was']['dmgr_soap_port'].to_s]
  not_if { ::Dir.glob("#{profile}/config/cells/*/nodes/#{name}/servers/nodeagent/server.xml").any? }
end

# A node that joined earlier may have been rebooted since.
execute 'start the node agent' do
  command ["#{profile}/bin/startNode.sh"]
  not_if { shell_out("#{profile}/bin/serverStatus.sh", 'nodeagent').stdout.include?('is STARTED') }
end

ruby_block 'publish the node' do
  block do
    agent = ::Dir.glob("#{profile}/config/cells/*/nodes/#{name}/servers/nodeagent/server.xml").first
    node.default['was']['member'] = agent.split('/nodes/').last.split('/').first
  end
end
