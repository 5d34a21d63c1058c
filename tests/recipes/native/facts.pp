file { "${facts['heat_outputs_path']}.line":
  content => "${facts['before']} by facts",
}
