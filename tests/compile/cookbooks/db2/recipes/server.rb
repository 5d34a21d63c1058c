port = node['db2']['port']
node.normal['db2']['jdbc_base'] = "jdbc:db2://#{node['fqdn']}:#{port}"
