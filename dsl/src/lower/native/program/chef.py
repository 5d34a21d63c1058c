EVENTS = r'''
require 'json'

# Gives the node its inputs, and collects its outputs. Defined once, although Chef reads its configuration several times.
unless defined?(WattleEvents)
  class WattleEvents < Chef::EventDispatch::Base
    def initialize(table)
      super()
      @table = JSON.parse(File.read(table))
    end

    def node_load_completed(node, *)
      @node = node
      @table['inputs'].each do |input|
        *way, last = input['path']
        way.reduce(node.automatic) { |hash, key| hash[key] }[last] = input['value']
      end
    end

    def converge_complete(*)
      values = @table['outputs'].map do |output|
        [output['name'], output['path'].reduce(@node) { |hash, key| hash.nil? ? nil : hash[key] }]
      end
      File.write(@table['report'], JSON.generate(values.reject { |_, value| value.nil? }.to_h))
    end
  end
end
'''

# The first of these that is installed runs the recipe.
PROGRAMS = (("chef-solo",), ("cinc-solo",), ("chef-client", "--local-mode"), ("cinc-client", "--local-mode"))


def command(run):
    program = next((names for names in PROGRAMS if shutil.which(names[0])), None)
    if program is None:
        raise Failure("neither Chef nor Cinc is installed")
    cookbook, _, recipe = run.entry.partition("::")
    file = os.path.join(cookbook, "recipes", (recipe or "default") + ".rb")
    # A cookbook that is part of another one is deeper, so it comes later.
    found = sorted((path for path in COMPONENT["files"] if ("/" + path).endswith("/" + file)), key=lambda path: path.count("/"))
    if not found:
        raise Failure("its files do not include `%s`" % file)
    cookbooks = os.path.join(run.files, found[0][:-len(file)])
    inputs = [{"path": declared["path"], "value": run.values[name]}
              for name, declared in COMPONENT["inputs"].items() if name in run.values]
    removes = run.entry != COMPONENT["recipe"]
    outputs = [] if removes else [dict(declared, name=name) for name, declared in COMPONENT["outputs"].items()]
    table = run.save("table.json", json.dumps({"inputs": inputs, "outputs": outputs, "report": run.path("report.json")}))
    events = run.save("events.rb", EVENTS)
    settings = [("chef_repo_path", os.path.dirname(cookbooks.rstrip("/"))), ("cookbook_path", cookbooks)]
    settings += [(name, run.path(name)) for name in ("node_path", "client_path", "cache_path", "file_cache_path")]
    settings += [("file_backup_path", run.path("backup")), ("node_name", COMPONENT["name"])]
    text = "require %s\n" % quoted(events)
    text += "".join("%s %s\n" % (name, quoted(value)) for name, value in settings)
    text += "log_location STDOUT\nlog_level :warn\ncolor false\nevent_handlers [WattleEvents.new(%s)]\n" % quoted(table)
    config = run.save("solo.rb", text)
    node = run.save("node.json", json.dumps({"run_list": ["recipe[%s]" % run.entry]}))
    return [*program, "--config", config, "--json-attributes", node]


def quoted(text):
    return "'%s'" % text.replace("\\", "\\\\").replace("'", "\\'")


def collect(run):
    try:
        with open(run.path("report.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}
