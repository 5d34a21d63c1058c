# IBM Connections: installed once, on the deployment manager, for all nodes of the cell.

manager = node['connections']['manager']
cluster = 'ConnectionsCluster'

# The applications, with the databases that they use.
databases = {
  'activities' => 'OPNACT', 'blogs' => 'BLOGS', 'communities' => 'SNCOMM', 'dogear' => 'DOGEAR', 'files' => 'FILES',
  'forum' => 'FORUM', 'homepage' => 'HOMEPAGE', 'metrics' => 'METRICS', 'mobile' => 'MOBILE', 'profiles' => 'PEOPLEDB',
  'wikis' => 'WIKIS',
}

settings = {
  'user.was.profileHome' => manager,
  'user.was.adminuser.id' => node['connections']['admin_user'],
  'user.was.adminuser.pw' => node['connections']['admin_password'],
  'user.deployment.type' => 'small',
  'user.deployment.clusterName' => cluster,
  'user.deployment.nodes' => node['connections']['nodes'].join(','),
  'user.contentStore.shared.path' => node['connections']['shared'],
  'user.contentStore.local.path' => "#{node['connections']['home']}/data/local",
  'user.url' => node['connections']['url'],
}
databases.each do |application, database|
  settings.update(
    "user.#{application}.jdbc.url" => "#{node['connections']['jdbc_base']}/#{database}",
    "user.#{application}.jdbc.user" => node['connections']['database_user'],
    "user.#{application}.jdbc.password" => node['connections']['database_password']
  )
end
# Without Cognos, Metrics collects data, but creates no reports.
settings['user.metrics.cognos.url'] = node['connections']['cognos_url'] if node['connections']['cognos_url']

im_package node['connections']['offering'] do
  installers node['connections']['installers']
  repository 'connections'
  install_dir node['connections']['home']
  profile 'IBM Connections'
  features databases.keys
  settings settings
end

ruby_block 'publish the cluster' do
  block do
    unless ::File.exist?("#{manager}/config/cells/#{node['connections']['cell']}/clusters/#{cluster}/cluster.xml")
      raise "the installation ended without a cluster `#{cluster}`: see #{node['connections']['home']}/logs"
    end
    node.default['connections']['cluster'] = cluster
  end
end
