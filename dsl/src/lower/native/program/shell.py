def command(run):
    run.env.update({name: printed(value) for name, value in run.values.items()})
    script = os.path.join(run.files, run.entry)
    with open(script, "rb") as file:
        named = file.read(2) == b"#!"
    return [script] if named else ["/bin/sh", script]
