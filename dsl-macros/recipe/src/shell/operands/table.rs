//! The table: programs by subject.

use super::Read::{All, AllButFirst, AllButLast, First, Nothing, Packages, Program};
use super::Row;

/// All programs whose file arguments are known.
pub(in super::super) const ROWS: &[Row] = &[
    // Text.
    Row::new(&["cat", "tac", "nl", "wc", "base64", "xxd", "od", "file", "less", "more", "diff", "cmp", "paste"], All),
    Row::new(&["cut", "fold", "column", "sha1sum", "sha256sum", "sha512sum", "md5sum", "dos2unix", "mustache"], All)
        .values(&["-d", "-f", "-c", "-b", "-w", "-s", "-t"]),
    Row::new(&["head", "tail"], All).values(&["-n", "-c", "--lines", "--bytes"]),
    Row::new(&["sort"], All).values(&["-k", "-t", "-S", "-T", "--key", "--field-separator"]).makes(&["-o", "--output"]),
    Row::new(&["sed", "gsed"], AllButFirst).values(&["-e", "--expression", "-l"]).files(&["-f", "--file"]).instead(&[
        "-e",
        "--expression",
        "-f",
        "--file",
    ]),
    Row::new(&["awk", "gawk", "mawk", "nawk"], AllButFirst)
        .values(&["-v", "-F", "--assign"])
        .files(&["-f", "--file"])
        .instead(&["-f", "--file"]),
    Row::new(&["grep", "egrep", "fgrep", "zgrep"], AllButFirst)
        .values(&["-e", "--regexp", "-A", "-B", "-C", "-m", "--include", "--exclude"])
        .files(&["-f", "--file"])
        .instead(&["-e", "--regexp", "-f", "--file"]),
    Row::new(&["yq"], AllButFirst),
    Row::new(&["m4", "envtpl", "j2", "jinja2", "iconv"], All).values(&["-D", "-f", "-t", "-o"]),
    Row::new(&["gomplate"], Nothing).files(&["-f", "--file"]).makes(&["-o", "--out"]),
    Row::new(&["patch"], First).files(&["-i", "--input"]).values(&["-p", "-d"]),
    Row::new(&["xargs"], Program)
        .running()
        .files(&["-a", "--arg-file"])
        .instead(&["-a"])
        .values(&["-n", "-I", "-P", "-d", "-L"]),
    Row::new(&["tee", "touch", "truncate"], Nothing).values(&["-s", "-d", "-r"]).maker(),
    Row::new(&["mkdir", "mkfifo"], Nothing).values(&["-m", "--mode"]).maker(),
    Row::new(&["dd"], Nothing).key("if="),
    // Copies.
    Row::new(&["cp", "mv"], AllButLast).makes(&["-t", "--target-directory"]).values(&["-S", "--suffix"]),
    Row::new(&["ln"], AllButLast).makes(&["-t", "--target-directory"]).values(&["-S", "--suffix"]),
    Row::new(&["install"], AllButLast)
        .makes(&["-t", "--target-directory"])
        .values(&["-m", "-o", "-g", "-S", "--mode", "--owner", "--group", "--suffix"])
        .inline(&["-d", "--directory"]),
    Row::new(&["rsync"], AllButLast)
        .files(&["--files-from", "--exclude-from", "--include-from", "--password-file"])
        .values(&["-e", "--rsh", "--exclude", "--include", "--chmod", "--chown", "-f", "--filter"]),
    Row::new(&["scp"], AllButLast).files(&["-i", "-F"]).values(&["-P", "-o", "-l", "-c", "-J"]),
    Row::new(&["ssh"], Nothing).files(&["-i", "-F"]).values(&["-p", "-o", "-l", "-L", "-R", "-J", "-b"]),
    Row::new(&["ssh-copy-id", "ssh-add"], Nothing).files(&["-i"]),
    // Archives and packages.
    Row::new(&["tar", "bsdtar", "gtar"], Nothing)
        .files(&["-f", "--file"])
        .makes(&["-C", "--directory"])
        .values(&["-T", "-X", "-b", "-I"])
        .unpacking(),
    Row::new(&["unzip"], First).makes(&["-d"]).values(&["-x", "-P"]).unpacking(),
    Row::new(&["gunzip", "bunzip2", "unxz", "unzstd", "gzip", "bzip2", "xz", "zstd"], All).running(),
    Row::new(&["zcat", "bzcat", "xzcat", "zstdcat"], All),
    Row::new(&["cpio", "7z", "7za", "svn", "hg"], Nothing).unpacking(),
    Row::new(&["git clone"], Nothing).values(&["-b", "--branch", "--depth", "-c"]).maker(),
    Row::new(&["git apply", "git am"], All).running(),
    Row::new(&["apt", "apt-get", "yum", "dnf", "apk", "zypper", "gem"], Packages).values(&["-o", "-t", "-c", "-v"]),
    Row::new(&["rpm", "dpkg"], Packages),
    Row::new(&["pip", "pip3"], Packages).files(&["-r", "--requirement", "-c", "--constraint"]).values(&[
        "-i",
        "--index-url",
        "-t",
        "--target",
    ]),
    Row::new(&["npm", "yarn", "pnpm"], Nothing).unpacking(),
    // Databases.
    Row::new(&["psql"], Nothing)
        .files(&["-f", "--file"])
        .values(&["-U", "-d", "-h", "-p", "-c", "-v", "-P", "-F", "-R", "-T", "--command", "--dbname", "--username"])
        .makes(&["-o", "-L", "--output", "--log-file"]),
    Row::new(&["pg_restore"], First).values(&["-U", "-d", "-h", "-p", "-j", "-n", "-t", "-F", "--dbname"]),
    Row::new(&["pg_dump", "pg_dumpall", "mysqldump"], Nothing)
        .makes(&["-f", "--file", "-r", "--result-file"])
        .values(&["-U", "-d", "-h", "-p", "-n", "-t", "-F"]),
    Row::new(&["mysql", "mariadb"], Nothing).files(&["--defaults-file", "--defaults-extra-file", "--init-file"]),
    Row::new(&["sqlite3"], Nothing).files(&["-init"]),
    Row::new(&["db2"], Nothing).files(&["-f"]).makes(&["-l", "-r", "-z"]),
    Row::new(&["mongosh", "mongo"], Nothing).files(&["-f", "--file"]).values(&["--eval"]),
    Row::new(&["mongod", "mongos"], Nothing).files(&["-f", "--config"]),
    Row::new(&["cqlsh"], Nothing).files(&["-f", "--file"]),
    Row::new(&["ldapadd", "ldapmodify", "ldapdelete"], Nothing)
        .files(&["-f", "-y"])
        .values(&["-D", "-w", "-H", "-h", "-p", "-Y"]),
    Row::new(&["slapadd", "slaptest", "slapd"], Nothing)
        .files(&["-l", "-f"])
        .values(&["-F", "-b", "-n", "-h", "-u", "-g"]),
    // The network.
    Row::new(&["curl"], Nothing)
        .marked(&[
            "-d",
            "--data",
            "--data-ascii",
            "--data-binary",
            "--data-urlencode",
            "--json",
            "-F",
            "--form",
            "-H",
            "--header",
        ])
        .files(&["-T", "--upload-file", "-K", "--config", "--cacert", "-E", "--cert", "--key", "--netrc-file"])
        .makes(&["-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--output-dir"])
        .values(&[
            "-X",
            "--request",
            "-u",
            "--user",
            "-A",
            "-e",
            "-m",
            "-w",
            "-x",
            "-r",
            "-C",
            "-b",
            "--retry",
            "--max-time",
        ])
        .maker(),
    Row::new(&["wget"], Nothing)
        .files(&["--post-file", "--body-file", "-i", "--input-file", "--ca-certificate"])
        .makes(&["-O", "--output-document", "-P", "--directory-prefix", "-o"])
        .values(&["-t", "-T", "-U", "--header", "--user", "--password"])
        .maker(),
    Row::new(&["nft"], Nothing).files(&["-f", "--file"]),
    Row::new(&["iptables-restore", "ip6tables-restore"], First).values(&["-T", "-w", "-M"]),
    Row::new(&["sysctl"], Nothing).files(&["-p", "--load"]),
    Row::new(&["openssl"], Nothing)
        .files(&[
            "-in",
            "-inkey",
            "-CA",
            "-CAkey",
            "-CAfile",
            "-config",
            "-extfile",
            "-cert",
            "-signkey",
            "-certfile",
            "-key",
        ])
        .makes(&["-out", "-keyout", "-CAserial", "-writerand"])
        .values(&["-subj", "-days", "-newkey", "-addext", "-extensions", "-passin", "-passout", "-name"]),
    Row::new(&["gpg"], All)
        .makes(&["-o", "--output"])
        .values(&["--keyring", "--homedir", "--passphrase", "-r"])
        .inline(&["--gen-key", "--recv-keys", "--keyserver", "--list-keys", "--export"]),
    Row::new(&["apt-key"], AllButFirst).inline(&["--keyserver", "del"]),
    // Services.
    Row::new(&["nginx"], Nothing).files(&["-c"]).values(&["-g", "-s", "-p"]),
    Row::new(&["haproxy"], Nothing).files(&["-f"]).values(&["-p", "-sf", "-n"]),
    Row::new(&["redis-server"], First).inline(&["--port", "--version"]),
    Row::new(&["crontab"], First).values(&["-u"]).inline(&["-l", "-r", "-e"]),
    Row::new(&["visudo"], First).files(&["-f", "--file"]),
    // Containers and clouds.
    Row::new(&["docker compose", "podman compose"], Nothing).files(&["-f", "--file", "--env-file"]).values(&[
        "-p",
        "--project-name",
        "--profile",
    ]),
    Row::new(&["docker-compose", "podman-compose"], Nothing).files(&["-f", "--file", "--env-file"]).values(&[
        "-p",
        "--project-name",
        "--profile",
    ]),
    Row::new(&["docker build", "podman build", "docker buildx"], First).files(&["-f", "--file"]).values(&[
        "-t",
        "--tag",
        "--build-arg",
        "--target",
        "--network",
        "--platform",
    ]),
    Row::new(&["docker load", "podman load"], Nothing).files(&["-i", "--input"]),
    Row::new(&["docker stack", "docker config", "docker secret"], Nothing).files(&["-c", "--compose-file"]),
    Row::new(&["docker run", "podman run", "docker create"], Nothing).files(&["--env-file"]),
    Row::new(&["podman play", "podman kube"], AllButFirst),
    Row::new(&["kubectl", "oc", "k3s"], Nothing).files(&["-f", "--filename", "-k", "--kustomize"]),
    Row::new(&["helm"], Nothing).files(&["-f", "--values"]),
    Row::new(&["terraform", "tofu"], Nothing).files(&["-var-file"]).running(),
    Row::new(&["openstack"], Nothing).files(&[
        "-t",
        "--template",
        "-e",
        "--environment",
        "--user-data",
        "--file",
        "--public-key",
    ]),
    Row::new(&["vault", "consul", "etcdctl"], Nothing),
    // Configuration management.
    Row::new(&["ansible-playbook"], All)
        .running()
        .files(&["-i", "--inventory", "--vault-password-file", "--private-key", "--key-file"])
        .marked(&["-e", "--extra-vars"])
        .values(&[
            "-l",
            "--limit",
            "-t",
            "--tags",
            "--skip-tags",
            "-u",
            "--user",
            "-c",
            "--connection",
            "-f",
            "--forks",
        ]),
    Row::new(&["ansible-galaxy"], Nothing).files(&["-r", "--role-file", "--requirements-file"]).running(),
    Row::new(&["puppet apply"], First)
        .values(&["--modulepath", "--hiera_config", "-e"])
        .inline(&["-e", "--execute"])
        .running(),
    Row::new(&["chef-solo", "chef-client", "cinc-client"], Nothing)
        .files(&["-c", "--config", "-j", "--json-attributes"])
        .running(),
    // Programs that run a file, with unknown effects.
    Row::new(&[".", "source"], Program).running(),
    Row::new(&["sh", "bash", "dash", "ksh", "zsh", "ash", "busybox"], Program)
        .values(&["-o", "-O", "--rcfile", "--init-file"])
        .inline(&["-c", "-s"])
        .running(),
    Row::new(&["python", "python3", "perl", "ruby", "node", "php", "lua", "Rscript"], Program)
        .values(&["-W", "-X", "-I", "-r", "-m"])
        .inline(&["-c", "-m", "-e", "-E", "-s", "-"])
        .running(),
    Row::new(&["java"], Nothing).files(&["-jar"]).values(&["-cp", "-classpath"]).running(),
    Row::new(&["make"], Nothing).files(&["-f", "--file", "--makefile"]).values(&["-j", "-C"]).running(),
    Row::new(&["go run"], Program).running(),
];
