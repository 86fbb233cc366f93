//! A disk that is full, and one that is read-only. Both are mounts in a namespace of their own.

use anyhow::{Context, Result};

use super::{Call, Row, Trial};

/// Succeeds where an unprivileged process may mount.
const CAN_MOUNT: &str = "unshare --user --map-root-user --mount true";

/// Writes until the disk is full, purges everything, and writes again. Prints `key value` lines.
const FILL: &str = r#"
mkdir -p "$FOREBAY_HOME"
mount -t tmpfs -o size=6m tmpfs "$FOREBAY_HOME"
written=0; told=0
"$FOREBAY" note 'the first note' > "$TMPDIR/first" || exit 1
for number in $(seq 60); do
  if head -c 300000 /dev/urandom | base64 | "$FOREBAY" index - --source "dump $number" > "$TMPDIR/out" 2> "$TMPDIR/err"; then
    written=$((written + 1))
  else
    grep -qiE 'full|space' "$TMPDIR/err" && told=1
    break
  fi
done
echo "written $written"
echo "told $told"
reference=$(grep -o 'ctx:[a-z0-9]*' "$TMPDIR/first" | head -n 1 | cut -d: -f2)
"$FOREBAY" get "$reference" 2>&1 | grep -q 'the first note' && echo "readable 1"
used() { df --output=used "$FOREBAY_HOME" | tail -n 1; }
before=$(used)
"$FOREBAY" purge --everything --yes > "$TMPDIR/purge" 2>&1 && echo "purged 1"
[ "$(used)" -lt "$((before / 2))" ] && echo "freed 1"
"$FOREBAY" note 'after the purge' > /dev/null 2> "$TMPDIR/err" && echo "writes 1"
"#;

const READ_ONLY: &str = r#"
reference=$("$FOREBAY" note 'before it was read-only' | grep -o 'ctx:[a-z0-9]*' | head -n 1 | cut -d: -f2)
mount --bind "$FOREBAY_HOME" "$FOREBAY_HOME"
mount -o remount,ro,bind "$FOREBAY_HOME"
"$FOREBAY" get "$reference" 2>&1 | grep -q 'before it was read-only' && echo "readable 1"
"$FOREBAY" search 'read-only' 2>&1 | grep -q 'before it was' && echo "found 1"
"$FOREBAY" note 'lost' > /dev/null 2> "$TMPDIR/err" || { grep -q 'cannot write the store' "$TMPDIR/err" && echo "told 1"; }
"$FOREBAY" run -- echo hi > "$TMPDIR/out" 2>&1; echo "ran $?"
"#;

pub(super) fn fill(trial: &Trial) -> Result<Row> {
    in_namespace(trial, FILL, &["told 1", "readable 1", "purged 1", "freed 1", "writes 1"])
}

pub(super) fn make_read_only(trial: &Trial) -> Result<Row> {
    in_namespace(trial, READ_ONLY, &["readable 1", "found 1", "told 1"])
}

/// Runs a script that mounts, and counts the lines it must print.
fn in_namespace(trial: &Trial, script: &str, expected: &[&str]) -> Result<Row> {
    let installation = &trial.installation;
    if !Call::run(&mut installation.shell(CAN_MOUNT))?.succeeded() {
        return Ok(Row::skipped("user namespaces are not available"));
    }
    let path = installation.file("script");
    std::fs::write(&path, script).context("cannot write the script")?;
    let enter = format!("exec unshare --user --map-root-user --mount sh '{}'", path.display());
    let call = Call::run(&mut installation.shell(&enter))?;
    let printed = call.stdout();
    let missing: Vec<&str> =
        expected.iter().copied().filter(|line| !printed.lines().any(|got| got == *line)).collect();
    let remark = if missing.is_empty() {
        printed.lines().collect::<Vec<_>>().join(", ")
    } else {
        format!("missing: {}; {}", missing.join(", "), call.stderr().trim())
    };
    Ok(Row::new(expected.len(), expected.len() - missing.len(), 0, remark))
}
