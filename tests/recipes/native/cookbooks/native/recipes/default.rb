native = node['native']

ruby_block 'publish' do
  block do
    node.default['native']['line'] = "#{native['before']} by chef: #{native['ports'].sum}"
  end
end
