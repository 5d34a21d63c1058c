CALLBACK = r'''
import json
import os

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: outputs
type: aggregate
short_description: collects what set_stats sets
description:
    - Writes the values that C(set_stats) set, those of the run and those of the host, to a file.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "outputs"
    CALLBACK_NEEDS_ENABLED = False

    def v2_playbook_on_stats(self, stats):
        values = {}
        custom = dict(getattr(stats, "custom", None) or {})
        run = custom.pop("_run", {})
        for host in custom.values():
            values.update(host)
        values.update(run)
        with open(os.environ["WATTLE_STATS"], "w", encoding="utf-8") as file:
            json.dump(values, file, default=str)
'''


def command(run):
    os.mkdir(run.path("callbacks"))
    run.save("callbacks/outputs.py", CALLBACK)
    playbook = os.path.join(run.files, run.entry)
    beside = [os.path.join(os.path.dirname(playbook), "ansible.cfg"), os.path.join(run.files, "ansible.cfg")]
    # Use only a configuration that came with the recipe: the server's own is for its operator.
    config = next((path for path in beside if os.path.exists(path)), None) or run.save("ansible.cfg", "")
    # JSON is YAML. The marks keep Ansible from taking any value for a template.
    given = run.save("given.yml", marked(dict(run.values, heat_outputs_path=run.outputs)))
    run.env.update(
        ANSIBLE_CONFIG=config,
        ANSIBLE_CALLBACK_PLUGINS=run.path("callbacks"),
        ANSIBLE_CALLBACKS_ENABLED="outputs",
        ANSIBLE_ROLES_PATH=os.path.join(run.files, "roles") + ":~/.ansible/roles:/usr/share/ansible/roles:/etc/ansible/roles",
        ANSIBLE_LOCAL_TEMP=run.path("local"),
        ANSIBLE_REMOTE_TEMP=run.path("remote"),
        ANSIBLE_PYTHON_INTERPRETER="{{ ansible_playbook_python }}",
        ANSIBLE_NOCOWS="1",
        ANSIBLE_NOCOLOR="1",
        ANSIBLE_RETRY_FILES_ENABLED="0",
        ANSIBLE_LOCALHOST_WARNING="0",
        LC_ALL="C.UTF-8",
        WATTLE_STATS=run.path("stats.json"),
    )
    return ["ansible-playbook", "--connection", "local", "--inventory", "localhost,", "--extra-vars", "@" + given,
            playbook]


def marked(value):
    if isinstance(value, str):
        return "!unsafe " + json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[%s]" % ", ".join(marked(item) for item in value)
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s: %s" % (json.dumps(name), marked(item)) for name, item in value.items())
    return json.dumps(value)


def collect(run):
    try:
        with open(run.path("stats.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}
