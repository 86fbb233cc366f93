//! A purge frees space on a disk that has none left, also for itself.

use crate::env::{TestEnv, finish};

/// Mounts a small disk as the data folder, fills it, and purges. `$1` fills what the store leaves.
const SCRIPT: &str = r#"
set -u
mkdir -p "$FOREBAY_HOME" && mount -t tmpfs -o size=12m tmpfs "$FOREBAY_HOME" || exit 3
dump() { head -c 700000 /dev/urandom | base64 | "$FOREBAY" index - --source "dump-$1" > /dev/null 2>&1; }
dump 1; dump 2
for _ in $(seq 100); do [ -e "$FOREBAY_HOME"/projects/*/store.reserve ] && break; sleep 0.1; done
sh -c "$1"
number=3; while dump $number && [ $number -lt 30 ]; do number=$((number + 1)); done
# A checkpoint may have freed space meanwhile.
sh -c "$1"
"$FOREBAY" note 'no space for this' 2>&1
before=$(stat -c %s "$FOREBAY_HOME"/projects/*/store.db)
"$FOREBAY" purge --everything --yes 2>&1; echo "purge exits with $?"
echo "shrunk $((before - $(stat -c %s "$FOREBAY_HOME"/projects/*/store.db)))"
"$FOREBAY" note 'space again' 2>&1
"$FOREBAY" search 'space again' 2>&1
"#;

/// Runs the script on a disk of its own, or reports that this machine has no namespaces.
fn on_a_full_disk(filler: &str) -> Option<String> {
    let env = TestEnv::new();
    let mut probe = env.program("unshare");
    if !probe
        .args(["--user", "--map-root-user", "--mount", "true"])
        .status()
        .is_ok_and(|status| status.success())
    {
        forebay_test_support::skip("user namespaces are not available");
        return None;
    }
    let mut command = env.program("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh", filler]);
    command.env("FOREBAY", env!("CARGO_BIN_EXE_forebay"));
    Some(finish(command, b"").ok().text())
}

#[track_caller]
fn assert_purged(output: &str) {
    assert!(output.contains("no space left for the store"), "{output}");
    assert!(output.contains("deleted\n") && output.contains("purge exits with 0"), "{output}");
    let shrunk = output.lines().find_map(|line| line.strip_prefix("shrunk ")).unwrap();
    assert!(shrunk.parse::<i64>().unwrap() > 2_000_000, "{output}");
    assert!(
        output.matches("space again").count() >= 1 && output.contains("note saved"),
        "{output}"
    );
}

#[test]
fn a_purge_frees_a_disk_that_the_store_filled() {
    let Some(output) = on_a_full_disk(":") else { return };
    assert_purged(&output);
}

#[test]
fn a_purge_frees_a_disk_that_something_else_filled() {
    let Some(output) = on_a_full_disk(r#"cat /dev/zero > "$FOREBAY_HOME/filler" 2> /dev/null"#)
    else {
        return;
    };
    assert_purged(&output);
    assert!(output.contains("the disk was full: "), "{output}");
}
