name 'web'
version '1.0.0'

depends 'tls'
