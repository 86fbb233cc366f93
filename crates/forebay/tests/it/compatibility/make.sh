#!/bin/sh
# Writes the stores of a small project, as a fixture for later versions:
#   sh make.sh FOREBAY FOLDER
# FOREBAY is the executable of the version to keep, FOLDER is named after it. See README.md.
set -eu
forebay=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export HOME="$work/home" FOREBAY_HOME="$work/data" USER=ann FOREBAY_SESSION=fixture
unset XDG_CONFIG_HOME XDG_DATA_HOME
mkdir -p "$HOME" "$work/app/.git"
echo 'ref: refs/heads/main' > "$work/app/.git/HEAD"
cd "$work/app"

reference() { grep -o 'ctx:[a-z0-9]*' | head -n 1 | cut -d: -f2; }
run=$("$forebay" run -- 'seq 1 9000' | reference)
failed=$("$forebay" run -- 'echo broken >&2; exit 3' | reference)
replaced=$("$forebay" note --kind decision --topic storage 'Entries are files.' | reference)
decision=$("$forebay" note --kind decision --topic storage 'Entries are rows of SQLite.' | reference)
pinned=$("$forebay" note --pin --kind preference 'Answer in short sentences.' | reference)
everywhere=$("$forebay" note --all 'Written for all projects.' | reference)
printf '# Basins\n\nSilt settles in the forebay before the turbines.\n' > basins.md
"$forebay" index basins.md --source basins > /dev/null
hook() { "$forebay" hook claude-code "$1" > /dev/null; }
common="\"session_id\":\"host\",\"cwd\":\"$work/app\",\"transcript_path\":\"$work/none.jsonl\""
printf '{%s,"hook_event_name":"UserPromptSubmit","prompt":"Use cents, never floats."}' "$common" | hook UserPromptSubmit
printf '{%s,"hook_event_name":"PostToolUse","tool_name":"Write","tool_use_id":"t1","tool_input":{"file_path":"%s/price.rs","content":"x"},"tool_response":{"type":"create"}}' \
  "$common" "$work/app" | hook PostToolUse
"$forebay" search 'silt turbines' > /dev/null
"$forebay" export "$folder/notes.forebay" --runs > /dev/null

for store in "$FOREBAY_HOME"/projects/app-*/store.db "$FOREBAY_HOME"/user/store.db; do
  name=$(basename "$(dirname "$store")")
  copy="$folder/${name%%-*}.db"
  python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("VACUUM INTO ?", (sys.argv[2],))' \
    "$store" "$copy"
  gzip --best --no-name --force "$copy"
done
cat > "$folder/references" <<END
run $run
failed $failed
replaced $replaced
decision $decision
pinned $pinned
everywhere $everywhere
END
ls -l "$folder"
