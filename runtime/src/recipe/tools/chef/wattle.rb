# frozen_string_literal: true

# Feeds a Chef run from wattle's data space, and publishes its outputs there. The recipes stay unchanged.
#
# Reading: a Pending stands in `node.automatic` at the path of each declared input. When somebody reads it there, it asks
# the agent for the value, and waits until the value is known. Chef merges attributes into immutable mashes, and recipes
# read those: they replace a Pending with its value before they return it. If anything else is written at such a path, by
# Ohai or by a recipe, the Pending is put back before attributes are merged. No saved node contains one.
#
# Writing is not hooked. After every step of the run, and before everything that may wait, the merged values at the paths
# of the declared outputs are compared with their previous values.
#
# Works with Chef 16 and later, and with Cinc. Needs only Ruby's standard library (2.7 and later).

require 'json'
require 'monitor'
require 'socket'
require 'chef/delayed_evaluator' unless defined?(Chef::DelayedEvaluator)
require 'chef/event_dispatch/base' unless defined?(Chef::EventDispatch::Base)
require 'chef/node' unless defined?(Chef::Node)
require 'chef/resource' unless defined?(Chef::Resource)

module Wattle
  # Why an input cannot be read, or an output is not published. If a recipe does not rescue it, the recipe fails.
  class Failed < StandardError
    # The agent's message. Chef appends to an exception's message, but not to this.
    attr_reader :reason
    # The input or output.
    attr_reader :name

    # The value that was refused.
    attr_reader :value

    def initialize(reason, name, value = nil)
      super(reason)
      @reason = reason
      @name = name
      @value = value
    end
  end

  # An input that failed, or that does not exist.
  class InputFailed < Failed; end

  # An output that is not published, because it has the wrong type or is too large.
  class OutputRefused < Failed; end

  # The agent, reached through its Unix socket. Each request has its own connection, with one line of JSON each way.
  class Agent
    # The agent's answer to a request that it refuses.
    class Refusal < StandardError; end

    def initialize(socket, token)
      @socket = socket
      @token = token
    end

    # Returns the value of an input, waiting until it is known.
    def get(name)
      ask('get' => name)['value']
    end

    # Publishes an output.
    def set(name, value)
      ask('set' => name, 'value' => value)
    end

    private

    def ask(request)
      line = UNIXSocket.open(@socket) do |socket|
        socket.puts(JSON.generate({ 'token' => @token }.merge(request)))
        socket.gets
      end
      raise Refusal, 'the agent of wattle has ended' unless line

      answer = JSON.parse(line)
      raise Refusal, answer['error'] if answer['error']

      answer
    rescue SystemCallError => e
      raise Refusal, "the agent of wattle cannot be reached: #{e.message}"
    end
  end

  # A declared input. The agent is asked for its value only once.
  class Input
    attr_reader :name, :path

    # The Pending at its path.
    attr_reader :pending

    def initialize(run, name, path)
      @run = run
      @name = name
      @path = path
      @lock = Monitor.new
      @pending = Pending.of(self)
    end

    # Returns its value in the form that attribute values have: frozen, and with hashes whose keys may be strings or symbols.
    # Waits until the value is known.
    def value
      @lock.synchronize do
        @answer ||= ask
        kind, answer = @answer
        raise InputFailed.new(answer, name) if kind == :failed

        answer
      end
    end

    def forget
      @answer = nil
    end

    private

    def ask
      [:value, immutable(@run.wait_for(name))]
    rescue Agent::Refusal => e
      [:failed, e.message]
    end

    def immutable(value)
      case value
      when Hash then Chef::Node::ImmutableMash.new(value)
      when Array then Chef::Node::ImmutableArray.new(value)
      else value.freeze
      end
    end
  end

  # Stands in for the value of an input. It is a DelayedEvaluator, so that Chef treats it correctly wherever it knows about
  # those.
  class Pending < Chef::DelayedEvaluator
    def self.of(input)
      pending = new { input.value }
      pending.instance_variable_set(:@name, input.name)
      pending
    end

    # Merging copies and freezes values. In old versions of Ruby, a copy made by Proc's own method would be a plain Proc.
    def dup
      Wattle.merging? ? self : call.dup
    end

    def clone(**how)
      Wattle.merging? ? self : call.clone(**how)
    end

    def freeze
      self
    end

    # Chef asks whether it is deferred, and whether it needs to know its place. Everyone else asks for its value.
    %i[is_a? kind_of? instance_of?].each do |name|
      define_method(name) do |kind|
        next super(kind) if Wattle.merging? || kind == Chef::Node::Mixin::StateTracking

        super(kind) || call.public_send(name, kind)
      end
    end

    def class
      Wattle.merging? ? super : call.class
    end

    def frozen?
      Wattle.merging? ? super : call.frozen?
    end

    # If it gets past every hook, into a plain hash or a document, it behaves like its value.
    %i[[] == != === =~ !~ ! <=> << >> eql? hash nil? to_json ffi_yajl].each do |name|
      define_method(name) do |*args, &block|
        next super(*args, &block) if Wattle.merging?

        call.public_send(name, *args, &block)
      end
    end

    # Code that describes an error must neither wait nor see a value.
    %i[to_s inspect].each do |name|
      define_method(name) { Wattle.merging? ? "#<input `#{@name}`>" : call.public_send(name) }
    end

    def method_missing(name, *args, &block)
      Wattle.merging? ? super : call.public_send(name, *args, &block)
    end
    ruby2_keywords(:method_missing)

    def respond_to_missing?(name, _)
      !Wattle.merging? && call.respond_to?(name)
    end

    # It must not be stored as code.
    def marshal_dump
      raise InputFailed.new("the input `#{@name}` was stored before it was read: read it where it stands, or use `to_h`", @name)
    end

    # For YAML.
    def encode_with(_)
      marshal_dump
    end
  end

  # While Chef merges attributes, reads do not come from a recipe, and Pendings stay in place.
  def self.merging?
    Thread.current[:wattle_merging]
  end

  def self.merging
    before = Thread.current[:wattle_merging]
    Thread.current[:wattle_merging] = true
    yield
  ensure
    Thread.current[:wattle_merging] = before
  end

  # Returns what is in `hash` at `key`, bypassing all hooks.
  def self.stored(hash, key)
    key = key.to_s if key.is_a?(Symbol)
    Hash.instance_method(:fetch).bind(hash).call(key, nil)
  end

  # Returns the value that `value` stands in for.
  def self.settled(value)
    Pending === value && !merging? ? value.call : value
  end

  # Returns a copy of `hash`, bypassing all hooks, without inputs and without hashes that contain only inputs.
  def self.without_inputs(hash)
    copy = {}
    Hash.instance_method(:each_pair).bind(hash).call do |key, value|
      next if value.is_a?(Pending)

      plain = value.is_a?(Hash) ? without_inputs(value) : value
      copy[key] = plain unless plain.is_a?(Hash) && plain.empty? && !value.empty?
    end
    copy
  end

  # Prepended to ImmutableMash.
  module Forcing
    # Methods that do not return values.
    KEYS_ONLY = %i[
      [] fetch values_at fetch_values slice dig
      key? has_key? include? member? keys each_key empty? length size
      default default_proc compare_by_identity compare_by_identity? normalize_param
    ].freeze

    def initialize(*arguments)
      Wattle.merging { super(*arguments) }
    end

    def internal_set(key, value)
      Wattle.merging { super(key, value) }
    end

    def [](*keys)
      force(keys.first)
      super
    end

    def fetch(key, *)
      force(key)
      super
    end

    def values_at(*keys)
      keys.each { |key| force(key) }
      super
    end

    def fetch_values(*keys)
      keys.each { |key| force(key) }
      super
    end

    def slice(*keys)
      keys.each { |key| force(key) }
      super
    end

    def dup
      force_all
      super
    end

    def to_json(*)
      force_all
      super
    end

    # Comparing and printing need the values as well.
    every = Chef::Node::Mixin::ImmutablizeHash::ALLOWED_METHODS + Enumerable.public_instance_methods +
            %i[== eql? hash to_s inspect freeze <= < >= >]
    (every.uniq - KEYS_ONLY).select { |name| Chef::Node::ImmutableMash.method_defined?(name) }.each do |name|
      define_method(name) do |*args, &block|
        force_all
        super(*args, &block)
      end
      ruby2_keywords(name)
    end

    # For code that takes a hash as it is in memory.
    def force_all
      return if Wattle.merging?

      Hash.instance_method(:keys).bind(self).call.each { |key| force(key) }
    end

    private

    def force(key)
      return if Wattle.merging?

      key = key.to_s if key.is_a?(Symbol)
      pending = Wattle.stored(self, key)
      internal_set(key, pending.call) if Pending === pending
    end
  end

  # Prepended to VividMash, of which a precedence level consists: reading a single level returns values, too. The level
  # itself keeps the Pendings, for merging.
  module Looking
    def [](key)
      value = Wattle.stored(self, key)
      Pending === value ? Wattle.settled(value) : super
    end

    def fetch(key, *)
      value = Wattle.stored(self, key)
      Pending === value ? Wattle.settled(value) : super
    end

    copied = Chef::Node::Mixin::ImmutablizeHash::ALLOWED_METHODS + Enumerable.public_instance_methods +
             %i[== eql? hash to_s inspect <= < >= > fetch_values slice dup]
    copied -= Forcing::KEYS_ONLY - %i[fetch_values slice]
    copied.uniq.select { |name| Chef::Node::VividMash.method_defined?(name) }.each do |name|
      define_method(name) do |*args, &block|
        copy = Wattle.copy(self)
        copy.equal?(self) ? super(*args, &block) : copy.public_send(name, *args, &block)
      end
      ruby2_keywords(name)
    end
  end

  # Returns the level `hash`, or a copy of it in which values replace the inputs that are directly in it.
  def self.copy(hash)
    return hash if merging?

    pairs = Hash.instance_method(:to_a).bind(hash).call
    return hash unless pairs.any? { |_, value| Pending === value }

    pairs.each_with_object(hash.class.allocate) { |(key, value), copy| copy.internal_set(key, settled(value)) }
  end

  # Prepended to Hash: what is merged into a plain hash, or compared with one, is read from memory by Ruby itself.
  module Taking
    %i[merge merge! update replace == eql? <= < >= >].each do |name|
      define_method(name) do |*others, &block|
        super(*others.map { |other| Wattle.settle(other) }, &block)
      end
    end
  end

  # Prepended to Hash's class.
  module Making
    def [](*arguments)
      super(*arguments.map { |argument| Wattle.settle(argument) })
    end
  end

  # Returns `hash` with the values of all inputs that are directly in it, if it is a hash of attributes.
  def self.settle(hash)
    case hash
    when Chef::Node::ImmutableMash then hash.tap(&:force_all)
    when Chef::Node::VividMash then copy(hash)
    else hash
    end
  end

  # Prepended to NameError, whose message shows the receiver: producing the message must not wait.
  module Describing
    # Ruby's did_you_mean looks up the method in modules that have this constant, and calls it from here.
    SKIP_TO_S_FOR_SUPER_LOOKUP = true

    def message
      Wattle.merging { super }
    end

    def to_s
      Wattle.merging { super }
    end
  end

  # Prepended to Resource, which shows its properties when it fails.
  module Showing
    %i[to_text inspect].each do |name|
      define_method(name) { Wattle.merging { super() } }
    end
  end

  # Prepended to Attribute, which reads a path of one segment without the mashes.
  module ForcingTop
    def [](*)
      value = super
      Wattle.merging? || !value.is_a?(Pending) ? value : value.call
    end

    # Returns all attributes, or those at a path.
    def merged_attributes(*)
      Wattle.settled(super)
    end

    # Whether a key exists depends on the levels.
    %i[key? has_key? attribute?].each do |name|
      define_method(name) do |key|
        Wattle.run.link(self, [key])
        super(key)
      end
    end

    private

    def merge_all(path)
      Wattle.run.link(self, path)
      Wattle.merging { super(path) }
    end
  end

  # Prepended to Node: the documents that save or show it contain each level, but no input.
  module Saving
    def for_json
      without_inputs { super }
    end

    def display_hash
      without_inputs { super }
    end

    # Ohai's data may be merged into existing data.
    def consume_ohai_data(*)
      Wattle.merging { super }
    end

    private

    # A recipe's value at the place of an input is not kept either.
    def without_inputs(&document)
      Wattle.run.link(attributes, [])
      Wattle.merging(&document).merge('automatic' => Wattle.without_inputs(attributes.automatic))
    end
  end

  # A declared output.
  class Output
    attr_reader :name, :path

    # Its state, once decided: published, or held until the run ends. Nil before.
    attr_accessor :value
    # Its value when the recipes had been compiled, or when it was last examined.
    attr_accessor :seen

    def initialize(name, path, early)
      @name = name
      @path = path
      @early = early
    end

    def early?
      @early
    end

    def published?
      @published
    end

    def published!(value)
      @value = value
      @published = true
    end
  end

  # Marks a value that is not known yet, within the value of an output.
  class Unknown < StandardError; end

  # Describes why a run failed, in one line.
  module Reason
    class << self
      # `fatal`: Chef's last message before it ended its process.
      def of(exception, fatal)
        return fatal || ended(exception) if exception.is_a?(SystemExit)

        answers = answers(exception)
        line = first_line(exception.message)
        answers.empty? ? "#{exception.class}: #{line}" : "#{answers.join('; ')} (#{line})#{hint(exception, answers)}"
      end

      private

      # `abort` has a message, `exit` has none.
      def ended(exception)
        line = first_line(exception.message)
        line == 'exit' ? "the recipe ended Chef by `exit #{exception.status}`" : "the recipe ended Chef: #{line}"
      end

      # The answer of local mode's server, because an exception has only the status.
      def answers(exception)
        return [] unless exception.respond_to?(:response) && exception.response.respond_to?(:body)

        errors(exception.response.body.to_s).map { |error| first_line(error) }.reject(&:empty?)
      end

      # If the server itself failed, for example on a file that is not JSON, its answer is text.
      def errors(text)
        body = JSON.parse(text)
        Array(body.is_a?(Hash) ? body['error'] : nil).map { |error| inner(error) }
      rescue JSON::ParserError
        [text.delete_prefix('Exception raised! #<').lines.first.to_s.strip.chomp('>')]
      end

      def inner(error)
        told = error.is_a?(Hash) ? error : JSON.parse(error)
        told.is_a?(Hash) && told['message'] ? told['message'].to_s : error.to_s
      rescue JSON::ParserError
        error.to_s
      end

      def hint(exception, answers)
        case exception.response.code.to_s
        when '404' then ": is it among the component's files? Name data bags, roles and environments in the component's `files`"
        when '500' then ': are data bags, roles, environments and metadata well-formed?'
        when '412'
          return ': the cookbook there has another version than `depends` asks for' if answers.any?(/version constraints/)

          ': is the cookbook there? It must be beside the one that depends on it'
        end
      end

      # Ruby and Chef append code and output to messages; both are in the log. For a missing method, Ruby shows the whole receiver.
      def first_line(message)
        first, second = message.lines.map(&:strip)
        line = first&.end_with?(':') && second ? "#{first} #{second}" : first.to_s
        line = line.sub(/#<([\w:]+):0x\h+ .*/, '#<\1>')
        line.length > 500 ? "#{line[0, 500]}..." : line
      end
    end
  end

  # Prepended to Application's class.
  module Ending
    def fatal!(message, *)
      Wattle.run.fatal = message.to_s.lines.first.to_s.strip
      super
    end

    # The trace would contain secrets, so it is not kept, and nobody should be told to look for it.
    def debug_stacktrace(_)
      true
    end
  end

  # One run of one component's recipe.
  class Run
    attr_reader :inputs

    # `table`: the agent's description of the component.
    def initialize(table, agent)
      @agent = agent
      @report = table.fetch('report')
      @inputs = table.fetch('inputs').map { |input| Input.new(self, input['name'], input['path']) }
      @outputs = table.fetch('outputs').map { |output| Output.new(output['name'], output['path'], output['early']) }
      # An input takes precedence over anything that a recipe writes at the same place.
      @outputs.reject! { |output| @inputs.any? { |input| output.path.take(input.path.length) == input.path } }
    end

    def start(node)
      @attributes = node.attributes
      @phase = :compile
      link(@attributes, [])
      @attributes.reset_cache
    end

    # Puts each input at its place, or only those below `path`, before attributes are read there.
    def link(attributes, path)
      return unless @attributes && attributes.equal?(@attributes)

      inputs = path.empty? ? @inputs : @inputs.select { |input| input.path.first == path.first.to_s }
      inputs.each { |input| place(attributes.automatic, input.path, input.pending) }
    end

    # Something else may be waiting for a run that waits.
    def wait_for(name)
      sweep
      @agent.get(name)
    end

    # Looks for outputs that have been written.
    def sweep
      return if @attributes.nil? || @sweeping

      @sweeping = true
      begin
        @outputs.each { |output| look(output) }
      ensure
        @sweeping = false
      end
    end

    # The recipes are compiled. From now on, resources write the values.
    def converge
      sweep
      @phase = :converge
    end

    # All resources have run. From now on, values count that are computed only when they are read. Handlers of Chef's
    # events may still write.
    def converged
      @phase = :complete
      sweep
    end

    # Everything is done. The agent publishes what was held back once the tool has ended successfully.
    def complete
      return unlink unless @phase == :complete

      sweep
      tell('outputs' => @outputs.reject { |output| output.value.nil? }.map { |output| [output.name, output.value] }.to_h)
      unlink
    end

    # Chef's message before it ends its process.
    attr_writer :fatal

    def fail(exception)
      own = behind(exception).grep(Failed).first
      failure = { 'message' => own ? own.reason : Reason.of(exception, @fatal) }
      failure['input'] = own.name if own.is_a?(InputFailed)
      failure['output'] = { 'name' => own.name, 'value' => own.value } if own.is_a?(OutputRefused)
      tell('failure' => failure)
      unlink
    end

    # The run is over. Removes the inputs from the node.
    def unlink
      return if @attributes.nil?

      attributes = @attributes
      @attributes = nil
      @inputs.each do |input|
        remove(attributes.automatic, input.path)
        input.forget
      end
      attributes.reset_cache
    end

    private

    def look(output)
      value = read(output)
      return if value.nil?

      if output.published?
        changed(output, value)
      elsif @phase == :complete
        output.value = value
      elsif output.early? || (@phase == :converge && value != output.seen)
        publish(output, value)
      end
      output.seen = value
    end

    def publish(output, value)
      @agent.set(output.name, value)
      output.published!(value)
    rescue Agent::Refusal => e
      raise OutputRefused.new(e.message, output.name, value)
    end

    def changed(output, value)
      return if value == output.seen

      Chef::Log.warn("wattle: the output `#{output.name}` changed after it was published, which nobody will see")
    end

    def read(output)
      top, *way = output.path
      # Like `@attributes[top]`, except for values that are computed only when they are read.
      merged = Wattle.stored(@attributes.deep_merge_cache, top) || Wattle.merging { @attributes.merged_attributes(top) }
      value = way.inject(merged) do |hash, key|
        return nil unless hash.is_a?(Hash)

        Wattle.stored(hash, key)
      end
      plain(value)
    rescue Unknown
      nil
    rescue TypeError => e
      raise OutputRefused.new("output `#{output.name}`: #{e.message}", output.name)
    end

    # The value in JSON's terms. Values that would have to be computed are left for the end.
    def plain(value)
      case value
      when Chef::DelayedEvaluator
        raise Unknown unless @phase == :complete

        plain(value.call)
      when Hash
        pairs = []
        Hash.instance_method(:each_pair).bind(value).call { |key, item| pairs << [key.to_s, plain(item)] }
        pairs.to_h
      when Array
        items = []
        Array.instance_method(:each).bind(value).call { |item| items << plain(item) }
        items
      when Integer, Float, true, false, nil then value
      when Proc, Method then raise TypeError, 'it is code, and no value'
      else value.to_s
      end
    end

    # `exception` and all of its causes: Chef wraps exceptions, and collects several in one.
    def behind(exception, depth = 0)
      return [] unless exception.is_a?(Exception) && depth < 10

      several = exception.respond_to?(:wrapped_errors) ? exception.wrapped_errors : []
      causes = [exception.cause, *several]
      [exception, *causes.flat_map { |cause| behind(cause, depth + 1) }]
    end

    def tell(what)
      temporary = "#{@report}.new"
      File.open(temporary, File::WRONLY | File::CREAT | File::TRUNC, 0o600) { |file| file.write(JSON.generate(what)) }
      File.rename(temporary, @report)
    end

    # Puts `pending` at `path`, bypassing all hooks, so that nobody is notified of a change.
    def place(mash, path, pending)
      *way, last = path
      holder = way.inject(mash) do |at, key|
        at.internal_set(key, {}) unless Hash === Wattle.stored(at, key)
        Wattle.stored(at, key)
      end
      holder.internal_set(last, pending) unless Wattle.stored(holder, last).equal?(pending)
    end

    # Removes the value at `path`, and everything that is empty afterwards.
    def remove(mash, path)
      *way, last = path
      holders = way.each_with_object([mash]) do |key, found|
        holder = Wattle.stored(found.last, key)
        return unless Hash === holder

        found << holder
      end
      holders.last.delete(last)
      (holders.length - 1).downto(1) do |depth|
        break unless holders[depth].empty?

        holders[depth - 1].delete(way[depth - 1])
      end
    end
  end

  # The last subscriber to hear of the run's end.
  class Last < Chef::EventDispatch::Base
    def run_completed(*)
      Wattle.run.complete
    end
  end

  # Reports Chef's progress to the run.
  class Events < Chef::EventDispatch::Base
    def node_load_completed(node, *)
      Wattle.run.start(node)
    end

    def recipe_file_loaded(*)
      Wattle.run.sweep
    end

    def converge_start(*)
      Wattle.run.converge
    end

    def resource_completed(*)
      Wattle.run.sweep
    end

    def converge_complete(*)
      Wattle.run.converged
    end

    # Other handlers of the run's end may still write, and they come before one that is registered now.
    def run_completed(node, *)
      node.run_context.events.register(Last.new)
    end

    def run_failed(exception, *)
      Wattle.run.fail(exception)
    end

    # The first of Chef's exception handlers, which come before `run_failed`, because others may print or save the node.
    def run_report_safely(*)
      Wattle.run.unlink
    end
  end

  class << self
    # The run of this process.
    attr_reader :run

    # The subscriber to Chef's events for the component that the file `table` is about. Chef reads its configuration, and
    # calls this, more than once.
    def subscriber(table)
      @subscriber ||= begin
        @run = Run.new(JSON.parse(File.read(table)), Agent.new(ENV.fetch('WATTLE_SOCKET'), ENV.fetch('WATTLE_TOKEN')))
        Chef::Node::ImmutableMash.prepend(Forcing)
        Chef::Node::VividMash.prepend(Looking)
        Chef::Node::Attribute.prepend(ForcingTop)
        Chef::Node.prepend(Saving)
        Hash.prepend(Taking)
        Hash.singleton_class.prepend(Making)
        NameError.prepend(Describing)
        Chef::Resource.prepend(Showing)
        Chef::Application.singleton_class.prepend(Ending) if defined?(Chef::Application)
        Events.new
      end
    end
  end
end
