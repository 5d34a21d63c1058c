file { "${facts['heat_outputs_path']}.frontend":
  content => $facts['networking']['fqdn'],
}
