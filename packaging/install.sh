#!/bin/sh
# Installs Forebay from a release: downloads the archive of this platform, verifies it, and puts the program into
# ~/.local/bin. Run it again to install another version; `forebay upgrade` does the same.
#
#   FOREBAY_INSTALL_DIR  the folder to install to       [~/.local/bin]
#   FOREBAY_VERSION      a version such as 0.2.0        [the newest]
#   FOREBAY_RELEASES     the address or folder of a release, for mirrors and machines without network
set -eu

repository="@REPOSITORY@"
public_key="@PUBLIC_KEY@"

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

releases() {
    if [ -n "${FOREBAY_RELEASES:-}" ]; then
        echo "$FOREBAY_RELEASES"
    elif [ -n "${FOREBAY_VERSION:-}" ]; then
        echo "$repository/releases/download/v$FOREBAY_VERSION"
    else
        echo "$repository/releases/latest/download"
    fi
}

target() {
    case "$(uname -m)" in
        x86_64 | amd64) processor=x86_64 ;;
        aarch64 | arm64) processor=aarch64 ;;
        *) fail "there is no program for $(uname -m); build it from source" ;;
    esac
    case "$(uname -s)" in
        Linux) echo "$processor-unknown-linux-$(c_library)" ;;
        Darwin) echo "$processor-apple-darwin" ;;
        *) fail "there is no program for $(uname -s); on Windows use WSL" ;;
    esac
}

# The program for musl is static: it also runs where the C library of GNU is older than 2.28.
c_library() {
    version="$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d ' ' -f 2)"
    minor="${version#2.}"
    if [ -n "$version" ] && [ "${minor%%.*}" -ge 28 ]; then echo gnu; else echo musl; fi
}

# absolute PATH: the path as seen from any folder.
absolute() {
    case "$1" in
        /*) echo "$1" ;;
        *) echo "$PWD/$1" ;;
    esac
}

# missing_folders PATH: the folders that creating this one would create, the innermost first.
missing_folders() {
    one="$1"
    while [ ! -d "$one" ]; do
        echo "$one"
        one="$(dirname "$one")"
    done
}

# download NAME: copies a file of the release into the working folder.
download() {
    case "$from" in
        https://*)
            # A redirect never leaves TLS.
            if has curl; then
                curl --proto '=https' --fail --silent --show-error --location --output "$1" "$from/$1"
            elif has wget; then
                wget --quiet --https-only --output-document "$1" "$from/$1"
            else
                fail "curl or wget is needed"
            fi
            ;;
        http://*)
            if has curl; then
                curl --fail --silent --show-error --location --output "$1" "$from/$1"
            elif has wget; then
                wget --quiet --output-document "$1" "$from/$1"
            else
                fail "curl or wget is needed"
            fi
            ;;
        *) cp "$from/$1" "$1" ;;
    esac || fail "cannot get $from/$1"
}

sha256() {
    if has sha256sum; then sha256sum "$1"; else shasum --algorithm 256 "$1"; fi | cut -d ' ' -f 1
}

verify_signature() {
    if [ -z "$public_key" ]; then
        echo "not verified: this release has no signature"
    elif has minisign; then
        download SHA256SUMS.minisig
        minisign -V -q -P "$public_key" -m SHA256SUMS || fail "the signature of SHA256SUMS is wrong; nothing was installed"
    else
        echo "signature not verified: minisign is not installed (the checksum is verified)"
    fi
}

# Everything is in a function, so that a script cut off in transit does nothing.
main() {
    from="$(releases)"
    case "$from" in
        http://* | https://*) ;;
        *) from="$(absolute "${from#file://}")" ;;
    esac
    wanted="$(target)"
    folder="$(absolute "${FOREBAY_INSTALL_DIR:-$HOME/.local/bin}")"
    work="$(mktemp -d)"
    trap 'rm -rf "$work" "$folder/.forebay.new"' EXIT
    cd "$work"

    download SHA256SUMS
    verify_signature
    line="$(grep -- "-$wanted.tar.gz\$" SHA256SUMS)" || fail "the release has no archive for $wanted"
    archive="${line##* }"
    download "$archive"
    [ "$(sha256 "$archive")" = "${line%% *}" ] || fail "the checksum of $archive is wrong; nothing was installed"

    tar -xzf "$archive"
    program="$work/${archive%.tar.gz}/forebay"
    created="$(missing_folders "$folder")"
    mkdir -p "$folder"
    cp "$program" "$folder/.forebay.new"
    # Not in the temporary folder, where programs may be forbidden to run.
    version="$("$folder/.forebay.new" --version)" || fail "the program does not run on this machine; nothing was installed"
    mv -f "$folder/.forebay.new" "$folder/forebay"
    # For `forebay uninstall`, which removes them if they are empty then.
    [ -z "$created" ] || echo "$created" >"$folder/.forebay.created"
    echo "installed $version: $folder/forebay"
    case ":$PATH:" in
        *":$folder:"*) echo "next: forebay init" ;;
        *) echo "next: add $folder to PATH, then run forebay init" ;;
    esac
}

main
