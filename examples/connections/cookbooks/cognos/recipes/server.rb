# Cognos Business Intelligence, which builds its reports from the database METRICS.

home = node['cognos']['home']
transfer = "#{home}/configuration/cogstartup.properties"

im_package 'com.ibm.cognos.bi.v10' do
  installers node['cognos']['installers']
  repository 'cognos'
  install_dir home
  profile 'IBM Cognos Business Intelligence V10'
end

file transfer do
  mode '0600'
  sensitive true
  content <<~PROPERTIES
    gateway.uri=http://#{node['cognos']['address']}:#{node['cognos']['port']}/cognos/servlet/dispatch
    metrics.jdbc.url=#{node['cognos']['metrics_url']}
    metrics.jdbc.user=#{node['cognos']['database_user']}
    metrics.jdbc.password=#{node['cognos']['database_password']}
  PROPERTIES
end

# Starts the server with the configuration above. Does nothing if the server is running already.
execute 'start Cognos' do
  command ["#{home}/bin64/cogconfig.sh", '-s']
end

ruby_block 'publish the address of Cognos' do
  block do
    node.default['cognos']['url'] = "http://#{node['cognos']['address']}:#{node['cognos']['port']}/cognos"
  end
end
