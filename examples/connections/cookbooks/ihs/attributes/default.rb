# IBM HTTP Server and WebSphere's plug-in for it, where IBM's documentation puts them.
default['ihs']['home'] = '/opt/IBM/HTTPServer'
default['ihs']['plugin_home'] = '/opt/IBM/WebSphere/Plugins'
