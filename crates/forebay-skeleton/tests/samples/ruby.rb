# frozen_string_literal: true
# Kitchens and what is cooked in them.

require "set"
require_relative "pots"

module Kitchen
  # How hot it gets.
  MAX_HEAT = 300

  # A dish with its ingredients.
  class Dish < Food
    include Comparable
    extend Forwardable

    attr_reader :name, :heat
    attr_accessor :salt

    SIZES = %w[small large].freeze

    # Cooks it.
    def initialize(name, heat: 100, **options)
      @name = name
    end

    # Whether it is done.
    def done?
      @heat > 50 && stirred
    end

    def self.of(*names, &block)
      names.map { |name| new(name) }
    end

    def <=>(other)
      name <=> other.name
    end

    class << self
      def favourite
        new("soup")
      end
    end

    private

    def stirred
      true
    end

    def tasted = false
  end

  module Tools
    def self.knife(length)
      length
    end

    def spoon; end
  end

  class Burnt < StandardError; end

  class Oven
    SECRET = 1
    private_constant :SECRET

    def heat; end
    alias warm heat
    alias_method :roast, :heat
    define_method(:glow) { |colour| colour }
    define_method(:cool) do |minutes|
      minutes
    end

    def soot; end
    def ash; end
    private :soot, :ash

    def self.scrub; end
    private_class_method :scrub
    private attr_reader :dirt
  end

  Tray = Struct.new(:width, :depth) do
    def area
      width * depth
    end
  end
end

def serve(dish, guests)
  dish
end
