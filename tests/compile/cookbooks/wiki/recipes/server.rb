node.default['wiki']['url'] = "https://#{node['fqdn']}/wiki"
