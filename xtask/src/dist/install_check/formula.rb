# Installs a formula as Homebrew would: the archive is verified and unpacked, `install` runs in it, and the program is
# linked. Arguments: the formula, the folder with the archive, the folder to install to.
require "digest"
require "fileutils"
require "tmpdir"

# The part of Homebrew's class that the formula uses.
class Formula
  class << self
    attr_reader :address, :checksum, :number

    def desc(*) end
    def homepage(*) end
    def license(*) end
    def test(*) end
    def on_macos; end

    def version(text)
      @number = text
    end

    def url(text)
      @address = text
    end

    def sha256(text)
      @checksum = text
    end

    def on_linux
      yield
    end

    def on_intel
      yield if RUBY_PLATFORM.start_with?("x86_64")
    end

    def on_arm
      yield if RUBY_PLATFORM.start_with?("aarch64")
    end
  end

  Place = Struct.new(:folder) do
    def install(what)
      from, name = what.is_a?(Hash) ? what.first : [what, File.basename(what)]
      FileUtils.mkdir_p(folder)
      FileUtils.cp(from, File.join(folder, name), preserve: true)
    end
  end

  def initialize(prefix)
    @prefix = prefix
  end

  {
    bin: "bin",
    man1: "share/man/man1",
    bash_completion: "etc/bash_completion.d",
    zsh_completion: "share/zsh/site-functions",
    fish_completion: "share/fish/vendor_completions.d",
  }.each do |name, folder|
    define_method(name) { Place.new(File.join(@prefix, folder)) }
  end
end

formula, packages, brew = ARGV
load formula
archive = File.join(packages, File.basename(Forebay.address))
abort "the checksum differs" unless Digest::SHA256.file(archive).hexdigest == Forebay.checksum
cellar = File.join(brew, "Cellar/forebay", Forebay.number)
Dir.mktmpdir do |folder|
  system("tar", "-xzf", archive, "-C", folder, "--strip-components=1", exception: true)
  Dir.chdir(folder) { Forebay.new(cellar).install }
end
FileUtils.mkdir_p(File.join(brew, "bin"))
FileUtils.ln_s(File.join(cellar, "bin/forebay"), File.join(brew, "bin/forebay"))
printed = `#{brew}/bin/forebay --version`.strip
abort "it is #{printed}" unless printed == "forebay #{Forebay.number}"
missing = %w[share/man/man1/forebay.1 etc/bash_completion.d/forebay share/zsh/site-functions/_forebay
             share/fish/vendor_completions.d/forebay.fish].reject { |file| File.file?(File.join(cellar, file)) }
abort "not installed: #{missing.join(", ")}" unless missing.empty?
