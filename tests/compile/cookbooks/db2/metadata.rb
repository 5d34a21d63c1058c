name 'db2'
version '1.0.0'
