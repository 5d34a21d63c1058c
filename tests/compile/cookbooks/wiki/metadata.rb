name 'wiki'
version '1.0.0'

depends 'web', '>= 1.0'
