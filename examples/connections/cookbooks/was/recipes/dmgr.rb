# The deployment manager: the head of a WebSphere cell. Its users are the people in a directory.

require 'uri'

home = node['was']['home']
profile = "#{home}/profiles/Dmgr01"
answers = "#{Chef::Config[:file_cache_path]}/dmgr.properties"
federate = "#{Chef::Config[:file_cache_path]}/federate_directory.py"

im_package node['was']['offering'] do
  installers node['was']['installers']
  repository 'was-nd'
  install_dir home
  profile 'IBM WebSphere Application Server V8.5'
end

template answers do
  source 'dmgr.properties.erb'
  mode '0600'
  sensitive true
  variables(
    home: home,
    profile: profile,
    cell: node['was']['cell'],
    host: node['was']['address'],
    user: node['was']['admin_user'],
    password: node['was']['admin_password']
  )
end

execute 'create the profile of the deployment manager' do
  command ["#{home}/bin/manageprofiles.sh", '-response', answers]
  creates "#{profile}/logs/AboutThisProfile.txt"
end

# From here on, the tools of this profile log in by themselves.
template "#{profile}/properties/soap.client.props" do
  source 'soap.client.props.erb'
  mode '0600'
  sensitive true
  variables(user: node['was']['admin_user'], password: node['was']['admin_password'])
end

execute 'start the deployment manager' do
  command ["#{profile}/bin/startManager.sh"]
  not_if { shell_out("#{profile}/bin/serverStatus.sh", 'dmgr').stdout.include?('is STARTED') }
end

template federate do
  source 'federate_directory.py.erb'
  mode '0600'
  sensitive true
  variables(
    directory: URI(node['was']['ldap_url']),
    base_dn: node['was']['ldap_base_dn'],
    bind_dn: node['was']['ldap_bind_dn'],
    bind_password: node['was']['ldap_bind_password']
  )
end

# A user repository takes effect at the next start. No node knows the manager yet, so the restart disturbs nobody.
execute 'federate the directory' do
  command ["#{profile}/bin/wsadmin.sh", '-lang', 'jython', '-f', federate]
  notifies :run, 'execute[stop the deployment manager]', :immediately
  notifies :run, 'execute[start the deployment manager again]', :immediately
  not_if { ::File.read("#{profile}/config/cells/#{node['was']['cell']}/wim/config/wimconfig.xml").include?('id="ldap"') }
end

execute 'stop the deployment manager' do
  command ["#{profile}/bin/stopManager.sh"]
  action :nothing
end

execute 'start the deployment manager again' do
  command ["#{profile}/bin/startManager.sh"]
  action :nothing
end

# The report says what the profile tool chose. Publish it only now: before this, there was no manager for a node to join.
ruby_block 'publish the deployment manager' do
  block do
    report = ::File.read("#{profile}/logs/AboutThisProfile.txt")
    node.default['was']['host'] = node['was']['address']
    node.default['was']['soap_port'] = report[/SOAP connector port: (\d+)/, 1].to_i
  end
end
