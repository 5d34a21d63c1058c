//! Files of the crate that commands of a shell recipe read, and files that it creates itself.

use wattle_recipe::{Tool, UsedFile, used_files};

fn used(source: &str) -> Vec<UsedFile> {
    used_files(Tool::Shell, &["recipes/x.sh"], [("recipes/x.sh", source)])
}

fn places(source: &str) -> Vec<String> {
    used(source).into_iter().map(|used| used.places.join(" ")).collect()
}

#[test]
fn each_command_has_its_files_where_its_row_says() {
    for source in [
        "psql -f conf/x",
        "psql -qf conf/x -d shop",
        "psql --file=conf/x",
        "sudo -u postgres psql -v ON_ERROR_STOP=1 -fconf/x",
        "sed -i s/a/b/ conf/x",
        "sed s/a/b/ conf/x >/etc/x",
        "sed -e s/a/b/ -e s/c/d/ conf/x >/etc/x",
        "sed -f conf/x /etc/y",
        "awk '{ print $1 }' conf/x",
        "grep -q a conf/x",
        "ansible-playbook -i localhost, conf/x",
        "ansible-playbook -e @conf/x /etc/site.yml",
        "docker compose -f conf/x up -d",
        "docker-compose --file conf/x up",
        "docker run --env-file conf/x image",
        "docker build -t image conf/x",
        "curl -d @conf/x http://localhost/",
        "curl -sS -X POST --data-binary \"@conf/x\" http://localhost/",
        "curl -F file=@conf/x http://localhost/",
        "curl -T conf/x http://localhost/",
        "\"$PWD/conf/x\"",
        "cp \"$PWD\"/conf/x /etc",
        "cp \"$WATTLE_RUN_DIR/files/conf/x\" /etc",
        "cd /opt\ncp \"$WATTLE_RUN_DIR/files/conf/x\" .",
        "./conf/x",
        ". ./conf/x",
        "bash -euxo pipefail conf/x --fast",
        "python3 conf/x",
        "psql <conf/x",
        "while read -r x; do echo \"$x\"; done <conf/x",
        "envsubst <conf/x >/etc/x",
        "tar xf conf/x -C /opt",
        "tar -C /opt -xzf conf/x",
        "tar czf /srv/x.tgz conf/x",
        "unzip -d /opt conf/x",
        "install -m 0644 -o root conf/x /etc/x",
        "cp conf/x /etc",
        "cp -t /etc conf/x",
        "rsync -a conf/x /srv/",
        "openssl req -config conf/x -new",
        "ldapadd -x -D cn=admin -f conf/x",
        "kubectl apply -f conf/x",
        "dd if=conf/x of=/dev/sdb",
        "crontab conf/x",
        "pip3 install -r conf/x",
    ] {
        let found = places(source);
        assert_eq!(found, ["conf/x"], "{source}");
    }
    assert_eq!(places("apt-get install -y ./x.deb nginx"), ["x.deb"]);
    assert_eq!(places("cp conf/*.conf conf.d/x? /etc"), ["conf", "conf.d"], "the folder of a pattern");
    assert_eq!(places("cd \"${0%/*}\"\nread -r x <lib"), ["recipes/lib lib"], "beside the script after it went there");
}

#[test]
fn what_is_no_file_or_elsewhere_is_none() {
    for source in [
        "psql -c 'select 1' shop",
        "psql -d conf",
        "sed -i s/a/b/ /etc/x",
        "sed -n conf",
        "grep -q conf /etc/x",
        "curl -d conf http://localhost/",
        "curl -o conf http://localhost/",
        "ansible-playbook /etc/site.yml",
        "docker compose up conf",
        "docker exec conf cat /etc/x",
        "cd /opt\ncat <conf",
        "(cd /opt && make)\ncat conf",
        "cd \"$1\"\ncat \"$PWD/conf\"",
        "apt-get install -y conf",
        "python3 -c conf",
        "bash -c conf x",
        "head -n conf",
        "tar xf /srv/x.tgz conf",
        "tar czf /srv/x.tgz -C /srv conf",
        "docker build .",
        "crontab -l -u conf",
        "ssh host cat conf",
        "scp host:conf /srv/",
        "awk '{ print a }' a=conf /etc/passwd",
    ] {
        assert_eq!(places(source), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn what_the_recipe_makes_is_its_own() {
    for source in [
        "echo a >conf\ncat conf",
        "cat conf\necho a >conf",
        "mkdir -p conf\ncat conf/x",
        "touch conf; sed -i s/a/b/ conf",
        "curl -fo conf http://localhost/ && tar xf conf -C /opt",
        "curl -fsSLO http://localhost/conf && cat conf",
        "wget http://localhost/conf\ncat conf",
        "git clone https://localhost/conf.git\npython3 conf/x.py",
        "cp /etc/x conf\ncat conf",
        "sort -o conf /etc/x\ncat conf",
        "openssl genrsa -out conf 2048\nopenssl req -new -key conf -out /etc/x",
        "pg_dump -f conf shop\npsql -f conf",
        "tar xf /srv/x.tgz\ncat conf/x",
        "unzip /srv/x.zip\n./conf/x",
        "seq 3 | tee conf\ncat conf",
        "echo a >\"${0%/*}/conf\"\n. \"${0%/*}/conf\"",
    ] {
        assert_eq!(places(source), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn what_nothing_can_have_made_is_lacking() {
    let lacks = |source: &str| used(source).iter().any(|used| used.is_needed);
    for source in [
        ". ./lib.sh",
        "#!/bin/sh\nset -eu\n. recipes/lib.sh",
        "set -eu\napt-get install -y nginx\ncp conf/nginx.conf /etc/nginx/\nsystemctl restart nginx",
        "mkdir -p /etc/x\ninstall -m 0644 conf/x.conf /etc/x/",
        "x=$1\npsql -f \"$PWD/schema.sql\"",
        "helper() { echo; }\nhelper\n. ./lib.sh",
        "psql -f \"${0%/*}/schema.sql\"",
        "curl -d \"@${0%/*}/body.json\" http://localhost/",
    ] {
        assert!(lacks(source), "{source}");
    }
    for source in [
        "make\n. ./lib.sh",
        "./configure\ncp conf/x.conf /etc",
        "if [ -e lib.sh ]; then . ./lib.sh; fi",
        "test -r conf/x || exit\ncat conf/x",
        "f() { . ./lib.sh; }\nmake\nf",
        "(. ./lib.sh)",
        ". /etc/profile\ncat conf/x",
        "cat x",
        ". ./local.env 2>/dev/null || true",
        ". \"${0%/*}/local.env\" || :",
        "if cat conf/x; then echo; fi",
        "grep -q a conf/x 2>/dev/null && cp conf/x /etc",
        "head -Z 5.1 /etc/x",
        "cd /opt\n. ./lib.sh",
        "cp -r conf/*.d /etc",
        "python3 setup.py\ncp build/x /usr/bin",
    ] {
        let source = format!("#!/bin/sh\n{source}");
        let of_lib = |used: &&UsedFile| {
            used.is_needed && !used.places.iter().any(|place| place == "setup.py" || place == "configure")
        };
        assert_eq!(used(&source).iter().find(of_lib), None, "{source}");
    }
    let sources = ". ./lib.sh";
    let found = used_files(Tool::Shell, &["recipes/y.sh"], [("recipes/x.sh", sources)]);
    assert!(found.iter().all(|used| !used.is_needed), "another recipe may have made it before it runs this one");
}
