# frozen_string_literal: true

# Stands in for `chef-solo` in tests where no real one is installed.
#
# Node attributes behave as in Chef, as far as wattle depends on it: precedence levels that are merged per top-level key on
# its first read, and again after a write below it; merged values in immutable mashes, which are copied when they become
# part of another merge; deferred values as in each major version. CHEF_STAND_IN chooses the version: 16 (the merge reads
# like any other reader; deferred values are not evaluated), 17 (they are evaluated), 18 and later (immutable mashes are not
# copied). Also supports cookbooks with attribute files, recipes and a few resources, notifications, events in Chef's order,
# and saving the node as JSON.
#
#   ruby stand_in.rb --config solo.rb --json-attributes node.json

require 'fileutils'
require 'json'
require 'open3'

MAJOR = ENV.fetch('CHEF_STAND_IN', '18').to_i

# A hash that treats symbols and strings as the same keys.
class Mash < Hash
  alias regular_writer []=
  alias regular_delete delete
  alias regular_clear clear
  alias regular_reader []

  def initialize(from = {})
    super()
    update(from) unless from.empty?
  end

  def default(key = nil)
    key.is_a?(Symbol) && key?(key) ? self[key.to_s] : super
  end

  def [](key)
    regular_reader(key)
  end

  def []=(key, value)
    regular_writer(convert_key(key), convert_value(value))
  end

  def internal_get(key)
    regular_reader(key)
  end

  def internal_set(key, value)
    regular_writer(key, convert_value(value))
  end

  def update(other)
    other.each_pair { |key, value| self[key] = value }
    self
  end
  alias merge! update

  def merge(other)
    dup.update(other)
  end

  def key?(key)
    super(convert_key(key))
  end
  alias include? key?
  alias has_key? key?
  alias member? key?

  def fetch(key, *default)
    super(convert_key(key), *default)
  end

  def values_at(*keys)
    keys.map { |key| self[convert_key(key)] }
  end

  def delete(key)
    super(convert_key(key))
  end

  protected

  def convert_key(key)
    key.is_a?(Symbol) ? key.to_s : key
  end

  def convert_value(value)
    case value
    when Mash then value
    when Hash then Mash.new(value)
    when Array then value.map { |item| convert_value(item) }
    else value
    end
  end
end

class Chef
  VERSION = "#{MAJOR}.0.0"

  # The data that Ohai reports about the machine.
  OHAI = {
    'platform' => 'debian',
    'ipaddress' => '192.0.2.1',
    'network' => { 'interfaces' => { 'lo' => { 'state' => 'up' } } },
  }.freeze

  class Exceptions
    class NoSuchAttribute < KeyError; end
    class ImmutableAttributeModification < NoMethodError; end
    class AttributeTypeMismatch < ArgumentError; end
  end

  # The result of `lazy`.
  class DelayedEvaluator < Proc
    if MAJOR >= 17
      def dup
        self.class.new(&super)
      end
    end

    if MAJOR >= 18
      def inspect
        "lazy { (evaluates to) #{call.inspect} }"
      end
    end
  end

  module Log
    class << self
      %i[debug info warn error].each do |level|
        define_method(level) { |text = nil, &block| puts "[2026-01-31T10:00:00+00:00] #{level.to_s.upcase}: #{text || block&.call}" unless level == :debug }
      end
    end
  end

  class Config
    @settings = { event_handlers: [] }

    class << self
      def [](name)
        @settings[name]
      end

      def []=(name, value)
        @settings[name] = value
      end

      def method_missing(name, *values)
        values.empty? ? @settings[name] : @settings[name] = values.first
      end

      def respond_to_missing?(*)
        true
      end

      def from_file(path)
        instance_eval(File.read(path), path)
      end
    end
  end

  # Ends the process with a message.
  class Application
    class << self
      def fatal!(message, code = nil)
        puts "[2026-01-31T10:00:00+00:00] FATAL: #{message}"
        Process.exit(code.is_a?(Integer) ? code : 1)
      end

      def debug_stacktrace(exception)
        trace = File.join(Config[:file_cache_path], 'chef-stacktrace.out')
        File.write(trace, exception.full_message(highlight: false))
        puts "[2026-01-31T10:00:00+00:00] FATAL: Stacktrace dumped to #{trace}"
        true
      end
    end
  end

  # An error response of the local-mode server, for example for a missing data bag item. The server answers with text
  # if it has failed itself.
  class Refused < StandardError
    Response = Struct.new(:code, :body)

    attr_reader :response

    def initialize(code, status, errors)
      super("#{code} \"#{status}\"")
      @response = Response.new(code, errors.is_a?(String) ? errors : JSON.generate('error' => errors))
    end
  end

  class << self
    attr_accessor :node

    # Event handlers by name.
    def event_handler(&block)
      handler = EventDispatch::Base.new
      handler.define_singleton_method(:on) { |event, &told| define_singleton_method(event) { |*details| told.call(*details) } }
      handler.instance_eval(&block)
      node.run_context.events.register(handler)
    end
  end

  module EventDispatch
    EVENTS = %i[
      run_start run_completed run_failed node_load_completed cookbook_compilation_start recipe_file_loaded
      recipe_file_load_failed cookbook_compilation_complete converge_start converge_complete converge_failed
      resource_action_start resource_failed resource_completed attribute_changed
    ].freeze

    class Base
      EVENTS.each { |event| define_method(event) { |*| } }
    end

    # Delivers an event raised during the delivery of others after them.
    class Dispatcher
      def initialize(subscribers)
        @subscribers = subscribers
        @waiting = []
      end

      EVENTS.each do |event|
        define_method(event) do |*details|
          @waiting << [event, details]
          tell unless @telling
        end
      end

      def register(subscriber)
        @subscribers << subscriber
      end

      private

      def tell
        while (event, details = @waiting.shift)
          begin
            @telling = true
            @subscribers.each do |subscriber|
              arity = subscriber.method(event).arity
              subscriber.public_send(event, *(arity.negative? ? details : details.take(arity)))
            end
          ensure
            @telling = false
          end
        end
      end
    end
  end

  class Node
    module Mixin
      # Tracks the position in the node, and passes it on to the values read from it.
      module StateTracking
        attr_reader :__path__, :__root__, :__node__, :__precedence__

        def initialize(data = nil, root = self, node = nil, precedence = nil)
          data.nil? ? super() : super(data)
          @__path__ = []
          @__root__ = root
          @__node__ = node
          @__precedence__ = precedence
        end

        def [](*keys)
          found = super
          hand_on(found, keys.first)
        end

        def []=(*keys, value)
          super
          path = below(keys.first)
          __node__&.run_context&.events&.attribute_changed(__precedence__, path, value)
          hand_on(value, keys.first)
        end

        protected

        def stand_at(path, root, node, precedence)
          @__path__ = path
          @__root__ = root
          @__node__ = node
          @__precedence__ = precedence
        end

        private

        def below(key)
          [*__path__, key.is_a?(Symbol) ? key.to_s : key].compact
        end

        def hand_on(value, key)
          value.stand_at(below(key), __root__, __node__, __precedence__) if value.is_a?(StateTracking)
          value
        end

        def send_reset_cache(key = nil)
          __root__.reset_cache([*__path__, key].compact.first) if __root__.respond_to?(:reset_cache)
        end
      end

      # Allows reads and refuses changes.
      module ImmutablizeHash
        DISALLOWED_MUTATOR_METHODS = %i[
          []= clear collect! compact! default= default_proc= delete delete_if except! filter! keep_if map! merge! rehash
          reject! replace select! shift store transform_keys! transform_values! unlink! unlink update write! write
        ].freeze
        ALLOWED_METHODS = (
          Hash.public_instance_methods(false) + Enumerable.public_instance_methods + %i[normalize_param symbolize_keys to_set] -
            DISALLOWED_MUTATOR_METHODS - %i[== eql? hash inspect to_s initialize_copy freeze]
        ).uniq.freeze

        DISALLOWED_MUTATOR_METHODS.each do |name|
          define_method(name) { |*| raise Exceptions::ImmutableAttributeModification, "`#{name}` on merged attributes" }
        end
      end

      # Caches the merged values by top-level key, until something below a key is written.
      module DeepMergeCache
        attr_accessor :deep_merge_cache

        def initialize
          @deep_merge_cache = ImmutableMash.new
        end

        def reset_cache(key = nil)
          key.nil? ? deep_merge_cache.regular_clear : deep_merge_cache.regular_delete(key.to_s)
        end
        alias reset reset_cache

        def [](key)
          cached = deep_merge_cache.key?(key.to_s)
          found = cached ? deep_merge_cache[key.to_s] : deep_merge_cache.internal_set(key.to_s, merged_attributes(key))
          found = found.call while MAJOR >= 17 && found.is_a?(DelayedEvaluator)
          found
        end
      end
    end

    # Access to paths across several levels.
    module CommonAPI
      def write(*path, value)
        *way, last = path
        holder = way.inject(self) do |at, key|
          at[key] = {} unless at.key?(key) && container?(at[key])
          at[key]
        end
        holder[last] = value
      end

      def exist?(*path)
        path.inject(self) do |at, key|
          there = at.is_a?(Hash) ? at.key?(key) : at.is_a?(Array) && key.is_a?(Integer) && key < at.length
          return false unless there

          at[key]
        end
        true
      end

      def read!(*path)
        raise Exceptions::NoSuchAttribute, path.join('.') unless exist?(*path)

        path.inject(self) { |at, key| at[key] }
      end

      def read(*path)
        read!(*path)
      rescue Exceptions::NoSuchAttribute
        nil
      end
      alias dig read

      def unlink(*way, last)
        holder = way.empty? ? self : read(*way)
        holder.delete(last) if container?(holder)
      end

      private

      def container?(value)
        value.is_a?(Hash) || value.is_a?(Array)
      end
    end

    # Makes merged values immutable.
    module Immutablize
      def convert_value(value)
        case value
        when Hash then reuse?(value, ImmutableMash) ? value : ImmutableMash.new(value, __root__, __node__, __precedence__)
        when Array then reuse?(value, ImmutableArray) ? value : ImmutableArray.new(value, __root__, __node__, __precedence__)
        else safe_dup(value).freeze
        end
      end

      def safe_dup(value)
        value.dup
      rescue TypeError
        value
      end

      private

      def reuse?(value, kind)
        MAJOR >= 18 && value.is_a?(kind)
      end
    end

    class ImmutableArray < Array
      include Immutablize
      prepend Mixin::StateTracking

      def initialize(items = [])
        super()
        items.each { |item| Array.instance_method(:<<).bind(self).call(convert_value(item)) }
      end

      def dup
        map { |item| safe_dup(item) }
      end

      def to_a
        map { |item| item.respond_to?(:to_h) && item.is_a?(Hash) ? item.to_h : item.is_a?(Array) ? item.to_a : safe_dup(item) }
      end

      %i[<< push concat clear delete map! replace []= pop shift].each do |name|
        define_method(name) { |*| raise Exceptions::ImmutableAttributeModification, "`#{name}` on merged attributes" }
      end
    end

    class ImmutableMash < Mash
      include Immutablize
      include CommonAPI

      def initialize(pairs = {})
        super()
        pairs.each { |key, value| internal_set(key, value) }
      end

      def internal_set(key, value)
        regular_writer(key, convert_value(value))
      end

      def [](*keys)
        found = super
        found = found.call while MAJOR >= 17 && found.is_a?(DelayedEvaluator)
        found
      end

      def dup
        each_pair.with_object(Mash.new) { |(key, value), copy| copy[key] = safe_dup(value) }
      end

      def to_h
        each_pair.with_object({}) do |(key, value), plain|
          plain[key] = case value
                       when ImmutableMash then value.to_h
                       when ImmutableArray then value.to_a
                       else safe_dup(value)
                       end
        end
      end
      alias to_hash to_h
      alias attribute? has_key?

      prepend Mixin::StateTracking
      prepend Mixin::ImmutablizeHash
    end

    class AttrArray < Array
      %i[<< push concat clear delete delete_if map! replace []= pop shift unshift insert].each do |name|
        define_method(name) do |*arguments, &block|
          result = super(*arguments, &block)
          send_reset_cache
          result
        end
      end

      prepend Mixin::StateTracking
    end

    # The container of a precedence level: reading a missing key creates it.
    class VividMash < Mash
      include CommonAPI

      # Invalidates all merged values.
      %i[clear delete_if keep_if merge! reject! replace select! update].each do |name|
        define_method(name) do |*arguments, &block|
          __root__.reset_cache if __root__.respond_to?(:reset_cache)
          super(*arguments, &block)
        end
      end

      def [](key)
        found = super
        key?(key) ? found : self[key] = self.class.new({}, __root__)
        super
      end

      def []=(key, value)
        super
        send_reset_cache(key)
      end

      def delete(key)
        send_reset_cache(key)
        super
      end

      def dup
        Mash.new(self)
      end

      # Converts only the outermost hash.
      def to_hash
        {}.merge(self)
      end

      def convert_value(value)
        case value
        when VividMash, AttrArray then value
        when Hash then VividMash.new(value, __root__, __node__, __precedence__)
        when Array then AttrArray.new(value.map { |item| convert_value(item) }, __root__, __node__, __precedence__)
        else value
        end
      end

      prepend Mixin::StateTracking
    end

    # All precedence levels.
    class Attribute < Mash
      include Immutablize
      include Mixin::DeepMergeCache
      include Mixin::StateTracking
      include Mixin::ImmutablizeHash

      DEFAULTS = %i[default env_default role_default force_default].freeze
      OVERRIDES = %i[override role_override env_override force_override].freeze
      LEVELS = [*DEFAULTS, :normal, *OVERRIDES, :automatic].freeze
      NOTHING = Object.new
      private_constant :NOTHING

      attr_reader(*LEVELS)

      def initialize(node)
        LEVELS.each { |level| instance_variable_set("@#{level}", VividMash.new({}, self, node, level)) }
        super(nil, self, node, :merged)
      end

      LEVELS.each do |level|
        define_method("#{level}=") do |value|
          reset
          instance_variable_set("@#{level}", VividMash.new(value, self, __node__, level))
        end
      end

      (Mixin::ImmutablizeHash::ALLOWED_METHODS - %i[[] key? has_key? include? member? dig default default_proc]).each do |name|
        define_method(name) { |*arguments, &block| merged_attributes.send(name, *arguments, &block) }
      end

      def merged_attributes(*path)
        merge_all(path)
      end

      { combined_default: DEFAULTS, combined_override: OVERRIDES }.each do |name, levels|
        define_method(name) do |*path|
          found = merged(levels, path)
          found == NOTHING ? nil : found
        end
      end

      def key?(key)
        LEVELS.any? { |level| instance_variable_get("@#{level}").key?(key) }
      end
      alias has_key? key?
      alias attribute? key?

      %i[read read! exist?].each do |name|
        define_method(name) do |*path|
          self[path.first]
          deep_merge_cache.public_send(name, *path)
        end
      end
      alias dig read

      def write(level, *path)
        public_send(level).write(*path)
      end

      private

      def merge_all(path)
        parts = [merged(DEFAULTS, path), at(:normal, path), merged(OVERRIDES, path), at(:automatic, path)]
        result = parts.inject(NOTHING) { |onto, part| part == NOTHING ? onto : join(onto, part, lists: false) }
        result == NOTHING ? nil : result
      end

      def merged(levels, path)
        levels.inject(NOTHING) do |onto, level|
          part = at(level, path)
          part == NOTHING ? onto : join(onto, part, lists: true)
        end
      end

      def at(level, path)
        path.inject(instance_variable_get("@#{level}")) do |value, key|
          return NOTHING unless value.is_a?(Hash) && value.key?(key)

          value[key]
        end
      end

      def join(onto, part, lists:)
        if onto.is_a?(Hash) && part.is_a?(Hash)
          part.each do |key, value|
            there = onto.key?(key)
            before = (MAJOR >= 17 ? onto.internal_get(key) : onto[key]) if there
            onto.internal_set(key, there ? join(safe_dup(before), value, lists: lists) : value)
          end
          onto
        elsif lists && onto.is_a?(Array) && part.is_a?(Array) then onto | part
        elsif part.is_a?(Hash) then ImmutableMash.new(part)
        elsif part.is_a?(Array) then ImmutableArray.new(part)
        else part
        end
      end
    end

    attr_reader :attributes, :name
    attr_accessor :run_context

    def initialize(name)
      @name = name
      @attributes = Attribute.new(self)
    end

    def [](key)
      attributes[key]
    end

    def node
      self
    end

    %i[default normal override automatic automatic= read read! exist? dig write key? attribute?].each do |method|
      define_method(method) { |*arguments| attributes.public_send(method, *arguments) }
    end

    def method_missing(method, *arguments, &block)
      attributes.public_send(method, *arguments, &block)
    end

    def respond_to_missing?(method, *)
      attributes.respond_to?(method)
    end

    # The levels themselves, not their merged values.
    def for_json
      {
        'name' => name,
        'automatic' => attributes.automatic.to_hash,
        'normal' => attributes.normal.to_hash,
        'default' => attributes.combined_default.to_hash,
        'override' => attributes.combined_override.to_hash,
      }
    end
    alias display_hash for_json

    def to_json(*options)
      for_json.to_json(*options)
    end

    def save
      FileUtils.mkdir_p(Config[:node_path])
      File.write(File.join(Config[:node_path], "#{name}.json"), JSON.generate(for_json))
      self
    end

    # Merges Ohai's data over existing values.
    def consume_ohai_data(data)
      attributes.automatic = Node.deep_merge(attributes.automatic, data)
    end

    def self.deep_merge(onto, data)
      data.each_with_object(onto.dup) do |(key, value), merged|
        there = merged[key]
        merged[key] = there.is_a?(Hash) && value.is_a?(Hash) ? deep_merge(there, value) : value
      end
    end
  end

  # A resource to converge.
  class Resource
    attr_reader :kind, :name, :notifications, :guards
    attr_accessor :updated

    def initialize(kind, name, recipe)
      @kind = kind
      @name = name
      @recipe = recipe
      @properties = {}
      @notifications = []
      @guards = []
    end

    %i[content mode sensitive command creates message cwd environment variables source cookbook].each do |property|
      define_method(property) { |*values| values.empty? ? property_of(property) : @properties[property] = values.first }
    end

    def path(*values)
      values.empty? ? @properties[:path] || name : @properties[:path] = values.first
    end

    def action(*values)
      values.empty? ? Array(@properties[:action] || DEFAULT_ACTIONS.fetch(kind)) : @properties[:action] = values.first
    end

    def block(&block)
      block ? @block = block : @block
    end

    def lazy(&block)
      DelayedEvaluator.new(&block)
    end

    def notifies(action, resource, timing = :delayed)
      @notifications << [action, resource, timing]
    end

    def ignore_failure(value)
      @ignore_failure = value
    end

    def not_if(command = nil, &block)
      @guards << -> { !(block ? block.call : system(command)) }
    end

    def only_if(command = nil, &block)
      @guards << -> { block ? block.call : system(command) }
    end

    def node
      @recipe.node
    end

    def cookbook_name
      @recipe.cookbook
    end

    def new_resource
      @recipe.new_resource
    end

    def shell_out(*command)
      output, status = Open3.capture2e(*command)
      Struct.new(:stdout, :exitstatus).new(output, status.exitstatus)
    end

    def to_s
      "#{kind}[#{name}]"
    end

    def run_action(action)
      events = node.run_context.events
      events.resource_action_start(self, action)
      provider.call(self, action) if @guards.all?(&:call)
      puts "  * #{self} action #{action}"
    rescue StandardError => e
      raise e.exception("#{self} (#{cookbook_name}) had an error: #{e.class}: #{e.message}") unless @ignore_failure
    ensure
      events.resource_completed(self)
    end

    private

    def provider
      PROVIDERS.fetch(kind)
    end

    def property_of(name)
      value = @properties[name]
      value.is_a?(DelayedEvaluator) ? instance_eval(&value) : value
    end

    DEFAULT_ACTIONS = {
      file: :create, ruby_block: :run, log: :write, execute: :run, package: :install, service: :nothing, template: :create,
      ohai: :reload,
    }.freeze
    PROVIDERS = {
      file: lambda do |file, action|
        next FileUtils.rm_f(file.path) if action == :delete

        before = File.exist?(file.path) && File.read(file.path)
        file.updated = before != file.content.to_s
        File.write(file.path, file.content.to_s)
      end,
      ruby_block: lambda do |ruby, _|
        ruby.block.call
        ruby.updated = true
      end,
      log: ->(log, _) { puts log.message || log.name },
      execute: lambda do |execute, _|
        next if execute.creates && File.exist?(execute.creates)

        output, status = Open3.capture2e(*Array(execute.command || execute.name))
        puts output
        raise "Expected process to exit with [0], but received '#{status.exitstatus}'" unless status.success?

        execute.updated = true
      end,
      template: lambda do |template, _|
        require 'erb'
        text = File.read(File.join(Cookbooks.folder(template.cookbook || template.cookbook_name), 'templates', template.source))
        scope = Object.new
        scope.define_singleton_method(:node) { template.node }
        template.variables&.each { |name, value| scope.instance_variable_set("@#{name}", value) }
        File.write(template.path, ERB.new(text, trim_mode: '-').result(scope.instance_eval { binding }))
      end,
      # Replaces top-level keys without merging.
      ohai: ->(ohai, _) { ohai.node.automatic.merge!(OHAI) },
      package: ->(_, _) {},
      service: ->(_, _) {},
    }.freeze
  end

  # A custom resource of a cookbook, whose actions run the resources that they declare immediately.
  class CustomResource < Resource
    # The file that defines the resource.
    class Definition
      attr_reader :name, :properties, :actions

      def initialize(cookbook, file)
        @cookbook = cookbook
        @properties = {}
        @actions = {}
        instance_eval(File.read(file), file)
      end

      attr_reader :cookbook

      def provides(name)
        @name = name
      end

      def unified_mode(_) end

      def property(name, _type, **options)
        @properties[name] = options
      end

      def action(name, &block)
        @actions[name] = block
      end
    end

    def initialize(definition, name, recipe)
      super(definition.name, name, recipe)
      @definition = definition
      definition.properties.each do |property, options|
        define_singleton_method(property) do |*values|
          next @properties[property] = values.first unless values.empty?

          @properties.fetch(property) { options[:name_property] ? self.name : options[:default] }
        end
      end
    end

    def action(*)
      [@definition.actions.keys.first]
    end

    private

    def provider
      lambda do |resource, action|
        scope = Recipe.new(@definition.cookbook, node.run_context, at_once: true)
        scope.define_singleton_method(:new_resource) { resource }
        scope.instance_eval(&@definition.actions.fetch(action))
      end
    end
  end

  # A recipe file, whose lines declare resources.
  class Recipe
    attr_reader :cookbook

    def initialize(cookbook, context, at_once: false)
      @cookbook = cookbook
      @context = context
      @at_once = at_once
    end

    def node
      @context.node
    end

    def include_recipe(name)
      @context.load_recipe(name)
    end

    def data_bag_item(bag, item)
      file = File.join(Config[:chef_repo_path], 'data_bags', bag, "#{item}.json")
      return JSON.parse(File.read(file)) if File.exist?(file)

      raise Refused.new('404', 'Not Found', ["Object not found: chefzero://localhost:1/data/#{bag}/#{item}"])
    rescue JSON::ParserError
      fault = '#<FFI_Yajl::ParseError: parse error: premature EOF'
      raise Refused.new('500', 'Internal Server Error', "Exception raised! #{fault}\n  (right here) ------^\n>\n#{file}:1")
    end

    Resource::PROVIDERS.each_key do |kind|
      define_method(kind) { |name, &block| declare(Resource.new(kind, name, self), &block) }
    end

    def method_missing(kind, name = nil, &block)
      definition = @context.definitions[kind]
      definition ? declare(CustomResource.new(definition, name, self), &block) : super
    end

    def respond_to_missing?(kind, *)
      @context.definitions.key?(kind) || super
    end

    private

    def declare(resource, &block)
      resource.instance_eval(&block) if block
      @at_once ? resource.action.each { |action| resource.run_action(action) } : @context.resources << resource
      resource
    end
  end

  # The directories of cookbooks.
  module Cookbooks
    def self.folder(name)
      folders = Array(Config[:cookbook_path]).map { |path| File.join(path, name) }
      folders.find { |folder| File.directory?(folder) } || raise("cookbook `#{name}` not found in #{folders.join(', ')}")
    end

    # The dependencies of `name` come first.
    def self.closure(name, found = [])
      metadata = File.join(folder(name), 'metadata.rb')
      asked = File.exist?(metadata) ? File.read(metadata).scan(/^depends ['"]([^'"]+)['"](?:, ['"]([^'"]+))?/) : []
      depends = asked.map(&:first)
      missing = depends.reject { |other| Array(Config[:cookbook_path]).any? { |path| File.directory?(File.join(path, other)) } }
      unsolved("No such cookbook: #{missing.first}", missing) unless missing.empty?
      asked.each do |other, constraint|
        next if constraint.nil? || Gem::Requirement.new(constraint).satisfied_by?(version(other))

        unsolved("Could not satisfy version constraints for: #{other}", [])
      end
      depends.each { |other| closure(other, found) unless found.include?(other) }
      found << name unless found.include?(name)
      found
    end

    def self.version(name)
      Gem::Version.new(File.read(File.join(folder(name), 'metadata.rb'))[/^version ['"]([^'"]+)/, 1] || '0.0.0')
    end

    # The response of the local-mode server if cookbook dependencies cannot be resolved.
    def self.unsolved(message, missing)
      raise Refused.new('412', 'Precondition Failed', [JSON.generate('message' => message, 'non_existent_cookbooks' => missing)])
    end
  end

  class RunContext
    attr_reader :node, :events, :resources, :definitions

    def initialize(node, events)
      @node = node
      @events = events
      @resources = []
      @definitions = {}
      @loaded = []
      node.run_context = self
    end

    def compile(run_list)
      names = run_list.map { |item| item[/\Arecipe\[(.*)\]\z/, 1] || item }
      cookbooks = names.flat_map { |name| Cookbooks.closure(name.split('::').first) }.uniq
      cookbooks.each { |cookbook| node.automatic['cookbooks'][cookbook]['version'] = '1.0.0' }
      events.cookbook_compilation_start(self)
      cookbooks.each do |cookbook|
        Dir.glob(File.join(Cookbooks.folder(cookbook), 'attributes', '*.rb')).sort.each { |file| node.instance_eval(File.read(file), file) }
      end
      cookbooks.each do |cookbook|
        Dir.glob(File.join(Cookbooks.folder(cookbook), 'resources', '*.rb')).each do |file|
          definition = CustomResource::Definition.new(cookbook, file)
          @definitions[definition.name] = definition
        end
      end
      names.each { |name| load_recipe(name) }
      events.cookbook_compilation_complete(self)
    end

    def load_recipe(name)
      cookbook, recipe = name.split('::')
      return if @loaded.include?(name)

      @loaded << name
      file = File.join(Cookbooks.folder(cookbook), 'recipes', "#{recipe || 'default'}.rb")
      begin
        Recipe.new(cookbook, self).instance_eval(File.read(file), file)
      rescue StandardError => e
        events.recipe_file_load_failed(file, e, name)
        raise
      end
      events.recipe_file_loaded(file, name)
    end

    def converge
      catch(:end_client_run_early) do
        events.converge_start(self)
        delayed = []
        resources.each { |resource| run(resource, resource.action, delayed) }
        run(*delayed.shift, delayed) until delayed.empty?
        events.converge_complete
      rescue StandardError => e
        events.converge_failed(e)
        raise
      end
    end

    private

    def run(resource, actions, delayed)
      Array(actions).each do |action|
        next if action == :nothing

        resource.run_action(action)
        next unless resource.updated

        resource.notifications.each do |notified, name, timing|
          other = resources.find { |candidate| candidate.to_s == name } || raise("no resource `#{name}`")
          if timing.to_s.start_with?('immediate')
            run(other, notified, delayed)
          else
            delayed << [other, notified]
          end
        end
      end
    end
  end

  def self.run(arguments)
    options = arguments.each_slice(2).to_h
    2.times { Config.from_file(options.fetch('--config')) }
    attributes = JSON.parse(File.read(options.fetch('--json-attributes')))
    events = EventDispatch::Dispatcher.new(Array(Config[:event_handlers]))
    FileUtils.mkdir_p(Config[:file_cache_path])
    puts "Stand-in for Chef #{MAJOR}"
    begin
      events.run_start(VERSION, nil)
      node = Chef.node = Node.new(Config[:node_name])
      run_list = attributes.delete('run_list')
      node.attributes.normal = attributes
      node.attributes.automatic = OHAI.merge('name' => node.name)
      events.node_load_completed(node, run_list, Config)
      context = RunContext.new(node, events)
      context.compile(run_list)
      context.converge
      node.save
      events.run_completed(node, nil)
    rescue Exception => e # rubocop:disable Lint/RescueException
      Array(Config[:exception_handlers]).each { |handler| handler.run_report_safely(nil) }
      events.run_failed(e, nil)
      Application.debug_stacktrace(e)
      warn e.full_message(highlight: false)
      exit(e.is_a?(SystemExit) ? e.status : 1)
    end
  end
end

Chef.run(ARGV) if $PROGRAM_NAME == __FILE__
