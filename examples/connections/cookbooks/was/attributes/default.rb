# WebSphere Application Server Network Deployment, where IBM's documentation puts it.
default['was']['offering'] = 'com.ibm.websphere.ND.v85'
default['was']['home'] = '/opt/IBM/WebSphere/AppServer'
