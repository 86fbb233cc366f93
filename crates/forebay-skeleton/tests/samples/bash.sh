#!/usr/bin/env bash
# Keeps the lamps of a lighthouse lit.
set -euo pipefail

. ./oil.sh
source "./wicks.sh"

export LAMPS=4
readonly TOWER="north"
COLOUR=white
declare -A KEEPERS=([north]=anna [south]=ben)

# Lights a lamp.
light() {
  local lamp="$1"
  echo "$lamp"
}

# Puts it out.
function douse {
  inner=1
  if [[ $inner ]]; then
    echo out
  fi
}

function sweep() {
  echo sweep
}

light "$LAMPS"
