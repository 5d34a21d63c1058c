# shellcheck shell=bash disable=SC2154
# What the lab installs: packages from Debian and PyPI, and its own drivers.
# Sourced by `lab`, which sets the variables used here.

debian=(mariadb-server rabbitmq-server memcached iproute2 procps python3 python3-venv)
apt_options=()

# Uses a private archive directory, without the hook of Docker's images, which empties the shared one while any other
# apt-get is still running.
hookless() {
    local part
    mkdir -p "$lab/apt/parts" "$lab/apt/archives/partial"
    for part in /etc/apt/apt.conf.d/*; do
        case $part in *docker-clean) ;; *) ln -sf "$part" "$lab/apt/parts/" ;; esac
    done
    printf 'Dir::Etc::Parts "%s/apt/parts";\n' "$lab" >"$lab/apt/apt.conf"
    export APT_CONFIG=$lab/apt/apt.conf
}

packages() { # packages NAME...: those that are missing, without starting any of their services
    local missing=() name rc=/usr/sbin/policy-rc.d ours=
    for name; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing ${missing[*]}"
    if [ ! -e "$rc" ]; then
        ours=1
        printf '#!/bin/sh\nexit 101\n' >"$rc"
        chmod 0755 "$rc"
    fi
    hookless
    local options=("${apt_options[@]}" -q -y --no-install-recommends -o "Dir::Cache::archives=$lab/apt/archives" -o APT::Sandbox::User=root
        -o DPkg::Lock::Timeout=300)
    local status=0
    DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install "${missing[@]}" >"$lab/apt.log" 2>&1 || {
        apt-get -q "${apt_options[@]}" -o DPkg::Lock::Timeout=300 update >>"$lab/apt.log" 2>&1
        DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install "${missing[@]}" >>"$lab/apt.log" 2>&1 || status=$?
    }
    if [ -n "$ours" ]; then rm -f "$rc"; fi
    rm -rf "$lab/apt/archives"
    [ $status = 0 ] || { tail -n 20 "$lab/apt.log" >&2; die "apt-get failed: see $lab/apt.log"; }
}

python_packages() {
    local stamp=$venv/.complete
    if [ -f "$stamp" ] && cmp -s "$here/requirements.txt" "$stamp"; then return; fi
    say "installing OpenStack from PyPI"
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check uv
    VIRTUAL_ENV=$venv "$venv/bin/uv" pip install -q --compile-bytecode --no-deps -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$stamp"
}


# Installs the lab's replacements for agents and hypervisors, as modules of the virtual environment.
drivers() {
    local site
    site=$("$py" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
    cp "$here/python/ml2.py" "$site/openstack_lab_ml2.py"
    mkdir -p "$site/openstack_lab-1.dist-info"
    printf 'Metadata-Version: 2.1\nName: openstack-lab\nVersion: 1\n' >"$site/openstack_lab-1.dist-info/METADATA"
    printf '[neutron.ml2.mechanism_drivers]\nlab = openstack_lab_ml2:Driver\n' \
        >"$site/openstack_lab-1.dist-info/entry_points.txt"
    # Nova loads drivers from that package only.
    cp "$here/python/nova.py" "$site/nova/virt/openstack_lab.py"
}
