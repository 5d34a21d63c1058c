"""Replaces the empty image by a Debian that Nova boots by its kernel, without a boot loader, and adds the same Debian as the
next image. Servers made from the first have a config drive; those made from the second ask the metadata service."""

import sys
import openstack

where = sys.argv[1]
cloud = openstack.connect()


def image(name, file, kind, container, **more):
    return cloud.create_image(name, filename=f"{where}/{file}", disk_format=kind, container_format=container,
                              visibility="public", wait=True, allow_duplicates=True, **more)


kernel = image("debian-12-kernel", "kernel", "aki", "aki")
ramdisk = image("debian-12-ramdisk", "ramdisk", "ari", "ari")
for old in list(cloud.image.images(name="debian-12")):
    cloud.image.update_image(old, name="debian-12-empty")
for name, drive in [("debian-12", "mandatory"), ("debian-12-next", "optional")]:
    image(name, "disk.qcow2", "qcow2", "bare", kernel_id=kernel.id, ramdisk_id=ramdisk.id,
          os_command_line="root=LABEL=root console=ttyS0 quiet", img_config_drive=drive)
