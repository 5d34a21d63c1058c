# Removes the instance.
execute 'db2idrop' do
  command "db2idrop #{node['db2']['owner']}"
end
