//! Programs that run none of their words. The words of any other program may be a command.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Whether no word of a program is run by it; what some of its options run is listed with the runners.
pub(super) fn is_plain(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> =
        LazyLock::new(|| PLAIN.iter().flat_map(|names| names.split_ascii_whitespace()).collect());
    NAMES.contains(name)
}

/// By kind.
const PLAIN: &[&str] = &[
    // Builtins
    ": . [ [[ alias bg break builtin cd continue declare dirs disown echo exit export false fc fg getopts hash help \
     history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt \
     source suspend test times true type typeset ulimit umask unalias unset wait complete compgen compopt bind caller",
    // Files
    "ls ll dir vdir exa eza lsd tree cat bat batcat tac nl head tail less more most wc du df ncdu stat file touch \
     mkdir rmdir rm unlink shred cp mv ln install chmod chown chgrp chattr lsattr setfacl getfacl mktemp mkfifo mknod \
     truncate fallocate dd sync readlink realpath basename dirname rsync scp sftp rclone trash find locate updatedb \
     mount umount findmnt lsblk blkid",
    // Text
    "grep egrep fgrep zgrep rg ag ack ugrep sed gsed awk gawk mawk nawk cut paste join sort uniq comm tr rev fold fmt \
     pr column expand unexpand split csplit diff sdiff cmp colordiff delta difft patch iconv dos2unix unix2dos od xxd \
     hexdump hd hexyl strings base64 base32 jq yq xq gron xmllint xsltproc pandoc glow look ptx tsort shuf seq yes bc \
     dc expr factor numfmt date cal ncal spell aspell hunspell wdiff csvcut csvgrep csvlook mlr tee sponge vipe \
     envsubst m4 gettext msgfmt",
    // Checks and archives
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5 b3sum openssl gpg age tar \
     bsdtar gtar cpio zip unzip zipinfo gzip gunzip zcat bzip2 bunzip2 bzcat xz unxz xzcat zstd unzstd zstdcat lz4 7z \
     7za rar unrar ar",
    // The machine
    "ps top htop pgrep pkill killall pidof uptime free vmstat iostat lsof fuser ss netstat ip ifconfig ping traceroute \
     dig nslookup host whois hostname uname arch nproc lscpu lsusb lspci dmesg journalctl who whoami id groups users w \
     last tty stty clear reset tput sleep printenv getconf locale localectl timedatectl sysctl ulimit which whereis \
     man info apropos whatis tldr systemctl service loginctl",
    // The network
    "curl wget http https xh aria2c ftp lftp telnet nmap openssl ssh-keygen ssh-keyscan ssh-add",
    // Version control and forges; git has rows of its own
    "git gh glab svn hg bzr fossil cvs tig lazygit gitk pre-commit",
    // Languages: compilers, package managers, linters, test runners
    "rustc rustfmt cargo rust-analyzer clippy-driver wasm-pack maturin cross go gofmt goimports golangci-lint gotestsum \
     staticcheck dlv cc gcc g++ c++ clang clang++ ld lld mold as ar nm objdump objcopy readelf ldd size strip addr2line \
     cmake ctest cpack meson ninja bazel bazelisk buck2 scons autoconf automake autoreconf pkg-config conan vcpkg \
     clang-format clang-tidy cppcheck valgrind javac java jar javap kotlinc mvn mvnw gradle gradlew ant sbt scalac \
     dotnet msbuild nuget csc fsharpc swiftc xcodebuild xcrun pod swiftlint pip pip2 pip3 pytest py.test tox nox flake8 \
     pylint ruff black isort mypy pyright bandit coverage twine build hatch pdm flit jupyter sphinx-build mkdocs tsc \
     eslint prettier jest vitest mocha ava karma cypress playwright webpack vite rollup esbuild parcel next nuxt astro \
     turbo nx lerna biome oxlint stylelint storybook ng vue svelte-kit gatsby expo eas metro typedoc gem rake rspec \
     rubocop rails bin/rails composer phpunit phpstan psalm artisan luarocks luacheck stylua mix rebar3 cabal stack \
     hlint ormolu opam dune zig nim crystal shards dart flutter protoc buf shellcheck shfmt hadolint yamllint \
     markdownlint vale codespell typos actionlint tokei cloc scc doxygen graphviz dot plantuml mmdc",
    // Tasks
    "make gmake just task rake mage invoke fab",
    // Containers and clouds
    "docker-compose podman-compose buildah skopeo trivy dive kustomize helm helmfile k9s stern kind minikube k3d oc \
     istioctl argocd flux terraform tofu terragrunt pulumi packer ansible ansible-lint aws sam cdk az azd gcloud gsutil \
     bq doctl heroku fly flyctl vercel netlify wrangler supabase firebase railway vault consul nomad s3cmd mc",
    // Databases
    "psql pg_dump pg_restore createdb dropdb pg_isready mysql mysqldump mysqladmin mariadb sqlite3 redis-cli duckdb clickhouse-client cqlsh influx sqlx diesel alembic flyway liquibase prisma",
    // Packages of systems
    "apt apt-get apt-cache dpkg dnf yum rpm apk pacman zypper brew port snap flatpak",
    // Editors and media
    "vi vim nvim nano emacs ed code subl view ffmpeg ffprobe convert magick identify exiftool sox xdg-open open pbcopy \
     pbpaste xclip xsel wl-copy wl-paste say",
    // Followed word by word
    "forebay",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_every_kind() {
        for name in ["ls", "cargo", "journalctl", "psql", "forebay"] {
            assert!(is_plain(name), "{name}");
        }
        assert!(!is_plain("unshare") && !is_plain(""));
    }
}
