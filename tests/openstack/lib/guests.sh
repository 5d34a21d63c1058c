# shellcheck shell=bash disable=SC2154
# Guests that boot: libvirt, QEMU, and an image.
# Sourced by `lab`, which sets the variables used here.

debian_libvirt=(qemu-system-x86 qemu-utils seabios ipxe-qemu libvirt-daemon libvirt-daemon-driver-qemu libvirt-clients
    python3-libvirt dnsmasq-base genisoimage debootstrap e2fsprogs openssh-client nftables)
# Packages preinstalled in guests, which reach no package mirror: those of the three_tier recipes and of a data space.
guest_packages=openssh-server,postgresql,postgresql-client,nginx-light,jq,python3-psycopg2
guest_packages+=,openjdk-17-jre-headless,libzookeeper-java,libnetty-java

# Uses Debian's backports for these packages only, if the machine already has other parts of QEMU from there.
backports() {
    mkdir -p "$lab/apt/lists/partial"
    sed 's/^\(Suites: bookworm bookworm-updates\)$/\1 bookworm-backports/' /etc/apt/sources.list.d/debian.sources \
        >"$lab/apt/debian.sources"
    printf 'Package: qemu* seabios ipxe-qemu libvirt* python3-libvirt\nPin: release n=bookworm-backports\nPin-Priority: 600\n' \
        >"$lab/apt/preferences"
    apt_options=(-o "Dir::Etc::sourcelist=$lab/apt/debian.sources" -o Dir::Etc::sourceparts=-
        -o "Dir::Etc::preferences=$lab/apt/preferences" -o "Dir::State::lists=$lab/apt/lists"
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
    hookless
    apt-get -q "${apt_options[@]}" -o APT::Sandbox::User=root update >"$lab/apt.log" 2>&1
}

libvirt_packages() {
    local site
    case $(dpkg-query -W -f '${db:Status-Status} ${Version}' qemu-utils 2>/dev/null) in
        installed*~bpo12*) backports; packages "${debian_libvirt[@]}"; apt_options=() ;;
        *) packages "${debian_libvirt[@]}" ;;
    esac
    # libvirt looks up this user even if its configuration names another. In Debian, the package of the system daemon
    # creates it.
    getent passwd libvirt-qemu >/dev/null ||
        useradd --system --user-group --no-create-home --shell /usr/sbin/nologin libvirt-qemu
    site=$("$py" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
    cp /usr/lib/python3/dist-packages/libvirt*.py /usr/lib/python3/dist-packages/libvirtmod*.so "$site/"
}

# Builds a Debian image with cloud-init that Nova boots by its kernel, without a boot loader.
guest_image() {
    if as admin admin openstack image show debian-12-next -f value -c properties 2>/dev/null | grep -q kernel_id; then return; fi
    local from
    from=$(sha256sum <<<"$guest_packages" && sha256sum <"$here/lib/guest.sh" && sha256sum <"$here/../../release/image")
    if [ "$(cat "$lab/image/from" 2>/dev/null)" != "$from" ]; then
        say "making the image debian-12"
        rm -rf "$lab/image"
        mkdir -p "$lab/image"
        ssh-keygen -q -t ed25519 -N '' -C lab -f "$lab/image/key"
        "$here/../../release/image" --size 3G --include "$guest_packages" --customize "$here/lib/guest.sh" "$lab/image" ||
            die "there is no image"
        echo "$from" >"$lab/image/from"
    fi
    as admin admin "$py" "$here/python/image.py" "$lab/image"
}

# The daemon sees the lab's directories in place of the machine's; guests run as root in the lab's namespace.
start_libvirt() {
    local dir
    mkdir -p "$lab/etc/libvirt/qemu" "$lab/run/libvirt" "$lab"/state/libvirt/{lib,cache,log}
    printf 'unix_sock_dir = "/run/libvirt"\nauth_unix_rw = "none"\nauth_unix_ro = "none"\nlog_outputs = "2:stderr"\n' \
        >"$lab/etc/libvirt/libvirtd.conf"
    printf 'user = "root"\ngroup = "root"\nsecurity_driver = "none"\nstdio_handler = "file"\ncgroup_controllers = []\n%s\n' \
        'namespaces = []' >"$lab/etc/libvirt/qemu.conf"
    mkdir -p /run/libvirt /var/lib/libvirt /var/cache/libvirt /var/log/libvirt /etc/libvirt
    # shellcheck disable=SC2016
    start libvirtd unshare --mount bash -euc 'mount --bind "$1/etc/libvirt" /etc/libvirt
        mount --bind "$1/run/libvirt" /run/libvirt
        mount --bind "$1/state/libvirt/lib" /var/lib/libvirt
        mount --bind "$1/state/libvirt/cache" /var/cache/libvirt
        mount --bind "$1/state/libvirt/log" /var/log/libvirt
        exec libvirtd --pid-file "$1/run/libvirtd.lock"' - "$lab"
    until [ -S "$lab/run/libvirt/libvirt-sock" ]; do
        alive libvirtd || { tail -n 20 "$lab/log/libvirtd.log" >&2; die "libvirtd has ended"; }
        sleep 0.2
    done
    # shellcheck disable=SC2046
    start bridges env $(variables admin admin | sed 's/^export //') "$py" "$here/python/bridges.py" "$lab/run/bridges" "$ip"
    # Nova looks for taps in /sys, which must be that of the namespace.
    # shellcheck disable=SC2016
    start nova-libvirt unshare --mount bash -euc 'mount -t sysfs sysfs /sys; exec nova-compute "$@"' - \
        --config-file "$lab/etc/nova/nova.conf" --config-file "$lab/etc/nova/libvirt.ini"
}
