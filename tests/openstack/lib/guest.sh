#!/usr/bin/env bash
# Makes a root file system one of the lab's guests: guest.sh ROOT, beside which is the key that may log in.
set -euo pipefail

root=$1
printf '%s\n' 'datasource_list: [ConfigDrive, OpenStack, None]' 'locale: C.UTF-8' 'ssh_genkeytypes: [ed25519]' 'disable_root: false' \
    'resize_rootfs: false' 'growpart: {mode: "off"}' >"$root/etc/cloud/cloud.cfg.d/99-lab.cfg"
echo 'root:lab' | chroot "$root" chpasswd
install -D -m 600 "$root/../key.pub" "$root/root/.ssh/authorized_keys"
# As after an installation that starts nothing.
for service in nginx postgresql; do
    if [ -e "$root/lib/systemd/system/$service.service" ]; then chroot "$root" systemctl disable --quiet "$service.service"; fi
done
