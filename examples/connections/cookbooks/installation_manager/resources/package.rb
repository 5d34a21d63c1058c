# Installs one IBM offering silently, with a response file. Stops, and says what is missing, if its repository is not there.
provides :im_package
unified_mode true

property :offering, String, name_property: true
property :installers, String, required: true
property :repository, String, required: true
property :install_dir, String, required: true
property :profile, String, required: true
property :features, Array, default: []
property :settings, Hash, default: {}, sensitive: true

action :install do
  manager = node['installation_manager']['home']
  imcl = "#{manager}/eclipse/tools/imcl"
  setup = "#{new_resource.installers}/installation-manager"
  repository = "#{new_resource.installers}/#{new_resource.repository}"
  response = "#{Chef::Config[:file_cache_path]}/#{new_resource.offering}.xml"

  { 'Installation Manager' => "#{setup}/installc",
    new_resource.offering => "#{repository}/repository.config" }.each do |product, file|
    raise "#{product} is not there: unpack its installer so that `#{file}` exists" unless ::File.exist?(file)
  end

  execute 'install Installation Manager' do
    command ["#{setup}/installc", '-acceptLicense', '-installationDirectory', manager]
    creates imcl
  end

  template response do
    cookbook 'installation_manager'
    source 'response.xml.erb'
    mode '0600'
    sensitive true
    variables(package: new_resource, repository: repository, shared: node['installation_manager']['shared'])
  end

  execute "install #{new_resource.offering}" do
    command [imcl, 'input', response, '-acceptLicense', '-showProgress']
    not_if { shell_out(imcl, 'listInstalledPackages').stdout.include?(new_resource.offering) }
  end

  # The file may contain passwords, and nothing needs it any more.
  file response do
    action :delete
  end
end
