#!/bin/sh
# Feature of a development container: installs Forebay for all users.
set -eu
if ! command -v curl >/dev/null && command -v apt-get >/dev/null; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends ca-certificates curl
fi
case "${VERSION:-latest}" in
    latest) ;;
    *) export FOREBAY_VERSION="$VERSION" ;;
esac
FOREBAY_INSTALL_DIR=/usr/local/bin sh "$(dirname "$0")/install-forebay.sh"
