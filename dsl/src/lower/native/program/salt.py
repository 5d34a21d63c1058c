def command(run):
    folder, name = os.path.split(run.entry[:-len(".sls")])
    # `redis/init.sls` is the state `redis`.
    if name == "init" and folder:
        folder, name = os.path.split(folder)
    os.mkdir(run.path("pillar"))
    # Salt reads these files as JSON only, so nothing in a value is taken for a template.
    run.save("pillar/top.sls", "#!json\n" + json.dumps({"base": {"*": ["inputs"]}}))
    run.save("pillar/inputs.sls", "#!json\n" + json.dumps(dict(run.values, heat_outputs_path=run.outputs)))
    settings = {setting: run.path(setting) for setting in ("cachedir", "pki_dir", "sock_dir", "extension_modules")}
    settings.update(
        id=COMPONENT["name"],
        file_client="local",
        file_roots={"base": [os.path.join(run.files, folder).rstrip("/")] + ([run.files] if folder else [])},
        pillar_roots={"base": [run.path("pillar")]},
        root_dir=run.private,
        log_level_logfile="quiet",
        enable_fqdns_grains=False,
    )
    # JSON is YAML.
    run.save("minion", json.dumps(settings))
    run.env.update(LC_ALL="C.UTF-8")
    return ["salt-call", "--local", "--config-dir", run.private, "--retcode-passthrough", "--no-color", "state.apply", name]
