MODULES = (
    "/etc/puppetlabs/code/environments/production/modules",
    "/etc/puppetlabs/code/modules",
    "/opt/puppetlabs/puppet/modules",
    "/etc/puppet/code/modules",
    "/usr/share/puppet/modules",
)

# Facts that Puppet itself needs. An input with one of these names is available only through `lookup`.
NEEDED = ("os", "kernel", "networking", "path", "identity")


def command(run):
    manifest = os.path.join(run.files, run.entry)
    run.save("hiera.json", json.dumps(literal(run.values)))
    run.save("hiera.yaml", json.dumps({"version": 5, "hierarchy": [
        {"name": "inputs", "data_hash": "json_data", "datadir": run.private, "path": "hiera.json"}]}))
    os.makedirs(run.path("environments/production"))
    settings = {name: run.path(name) for name in ("vardir", "rundir", "logdir", "publicdir", "ssldir")}
    settings.update(codedir=run.private, environmentpath=run.path("environments"), hiera_config=run.path("hiera.yaml"),
                    report="false", color="false")
    run.save("puppet.conf", "[main]\n" + "".join("%s = %s\n" % setting for setting in settings.items()))
    facts = {name: value for name, value in run.values.items() if name not in NEEDED}
    run.env.update({"FACTER_" + name: printed(value) for name, value in facts.items()})
    run.env.update(FACTER_heat_outputs_path=run.outputs, LC_ALL="C.UTF-8")
    own = (os.path.join(run.files, "modules"), os.path.join(os.path.dirname(manifest), "modules"))
    modules = [path for path in dict.fromkeys(own + MODULES) if os.path.isdir(path)]
    vendor = "/opt/puppetlabs/bin/puppet"
    program = vendor if shutil.which("puppet") is None and os.path.exists(vendor) else "puppet"
    return [program, "apply", "--detailed-exitcodes", "--confdir", run.private, "--modulepath", ":".join(modules),
            manifest]


def literal(value):
    """The value, escaped so that Hiera returns it unchanged: Hiera takes `%{` for the beginning of a variable."""
    if isinstance(value, str):
        return value.replace("%{", "%{literal('%')}{")
    if isinstance(value, list):
        return [literal(item) for item in value]
    if isinstance(value, dict):
        return {literal(name): literal(item) for name, item in value.items()}
    return value


def good(code):
    # Status 2: changes were made, and none failed (`--detailed-exitcodes`).
    return code in (0, 2)
