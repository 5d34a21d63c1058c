# IBM Connections on the deployment manager, where IBM's documentation puts it.
default['connections']['offering'] = 'com.ibm.lotus.connections'
default['connections']['home'] = '/opt/IBM/Connections'
default['connections']['manager'] = '/opt/IBM/WebSphere/AppServer/profiles/Dmgr01'
