name 'native'
version '1.0.0'
