#!/bin/sh
# Feature of a development container: installs Forebay for all users.
set -eu
# minisign verifies the signature of the release.
if command -v apt-get >/dev/null && ! { command -v curl && command -v minisign; } >/dev/null; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends ca-certificates curl
    apt-get install -y -qq --no-install-recommends minisign || echo "minisign is not in this distribution"
fi
case "${VERSION:-latest}" in
    latest) ;;
    *) export FOREBAY_VERSION="$VERSION" ;;
esac
FOREBAY_INSTALL_DIR=/usr/local/bin sh "$(dirname "$0")/install-forebay.sh"
