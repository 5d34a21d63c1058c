class typed {
  $sum = lookup('total', Integer)
  $listens = lookup('ports', Array[Integer])
  file { "${facts['heat_outputs_path']}.line":
    content => "${lookup('before')} by hiera: ${$sum + 1} ${$listens.length}",
  }
}
include typed
