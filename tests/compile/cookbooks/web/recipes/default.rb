package 'apache2'
