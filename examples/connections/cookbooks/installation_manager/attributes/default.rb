# Where Installation Manager itself goes, and where it keeps the packages that several offerings share.
default['installation_manager']['home'] = '/opt/IBM/InstallationManager'
default['installation_manager']['shared'] = '/opt/IBM/IMShared'
