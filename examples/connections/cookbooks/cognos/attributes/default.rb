# Cognos Business Intelligence, where IBM's documentation puts it.
default['cognos']['home'] = '/opt/IBM/Cognos'
