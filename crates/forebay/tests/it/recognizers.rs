//! Recognizers defined in settings: used in every digest, checked on their samples, refused if invalid.

use std::fs;

use serde_json::{Value, json};

use crate::env::TestEnv;

/// A recognizer for the output of a private tool.
const SHIPIT: &str = r"
[recognizers.shipit]
commands = ['cat shipped.log']
keep = ['^FAILED ']
drop = ['^\s*waiting']
counts = [
    { label = 'hosts', pattern = '^host (?<by>\w+):' },
    { label = 'KB sent', pattern = 'sent (?<sum>\d+) KB' },
]
sample = '''
  waiting for a
host done: a, sent 12 KB
FAILED b
'''
expect = ['1 hosts (done: 1)', '12 KB sent', 'FAILED b']
";

/// Parts that every digest of its output contains.
const EXPECTED: &[&str] =
    &["shipit: 400 hosts (done: 343, stuck: 57)", "4,000 KB sent", "FAILED host-3"];

fn shipped_log() -> String {
    let line = |host: u32| {
        let state = if host % 7 == 3 { "stuck" } else { "done" };
        format!("  waiting for host-{host} to answer\nhost {state}: host-{host}, sent 10 KB\n")
    };
    let half = |hosts: std::ops::Range<u32>| hosts.map(line).collect::<String>();
    format!("{}FAILED host-3\n{}", half(0..200), half(200..400))
}

#[track_caller]
fn check_digest(text: &str) {
    for part in EXPECTED {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(!text.contains("waiting"), "{text}");
}

#[test]
fn every_digest_uses_a_project_recognizer() {
    let env = TestEnv::new();
    env.write(".forebay.toml", SHIPIT);
    env.write("shipped.log", shipped_log());
    check_digest(&env.forebay(["run", "--", "cat shipped.log"]).text());
    let piped = ["digest", "--budget", "200", "--command", "cat shipped.log"];
    check_digest(&env.forebay_reading(piped, shipped_log().as_bytes()).ok().text());
    let mut mcp = env.mcp();
    check_digest(&mcp.text("ctx_execute", json!({ "command": "cat shipped.log" })));
}

#[test]
fn project_recognizer_overrides_the_users() {
    let env = TestEnv::new();
    fs::create_dir_all(env.data()).unwrap();
    let files = env.forebay(["config"]).ok().text();
    let user = files.lines().find_map(|line| line.trim().strip_suffix(" (not found)")).unwrap();
    fs::create_dir_all(std::path::Path::new(user).parent().unwrap()).unwrap();
    fs::write(user, SHIPIT).unwrap();
    assert_eq!(env.forebay(["digest", "--check"]).ok().text(), "shipit  ok");
    env.write(".forebay.toml", SHIPIT.replace("12 KB sent', '", "13 KB sent', '"));
    let text = env.forebay(["digest", "--check"]).text();
    assert!(
        text.starts_with("shipit  fails: the digest does not contain \"13 KB sent\""),
        "{text}"
    );
    assert!(env.forebay(["config"]).ok().text().contains("recognizers.shipit"));
}

#[test]
fn check_reports_failures_and_sets_the_exit_code() {
    let env = TestEnv::new();
    let none = env.forebay(["digest", "--check"]).ok().text();
    assert!(none.starts_with("no recognizers are defined"), "{none}");
    let other = "\n[recognizers.lint]\ncommands = ['lint']\nkeep = ['^E', '^W']\n";
    env.write(".forebay.toml", format!("{SHIPIT}{other}sample_file = 'lint.txt'\nexpect = ['E1']"));
    let missing = env.forebay(["digest", "--check"]);
    assert_eq!(missing.code(), Some(1));
    assert!(missing.text().contains("lint    fails: "), "{}", missing.text());
    assert!(missing.text().contains("shipit  ok"), "{}", missing.text());
    env.write("lint.txt", "E1 wrong\n");
    let found = env.forebay(["digest", "--check"]).ok().text();
    assert_eq!(found, "lint    ok, but no line of its sample matches keep[1]\nshipit  ok");
    let data: Value = env.forebay(["digest", "--check", "--json"]).ok().json();
    assert_eq!(data[0]["name"], "lint");
    assert_eq!(data[0]["ok"], true);
}

#[test]
fn invalid_recognizer_is_refused_with_its_key_and_a_hint() {
    let env = TestEnv::new();
    env.write(".forebay.toml", SHIPIT.replace("'^FAILED '", "'^FAILED (', 'x'"));
    env.forebay(["digest", "--check"]).refused(
        2,
        "`recognizers.shipit.keep[0]`: unclosed group",
        "regular expressions",
    );
    env.write(".forebay.toml", SHIPIT.replace("keep =", "kepp ="));
    env.forebay(["run", "--", "true"]).refused(2, "unknown field `kepp`", "digests.md");
    env.write(".forebay.toml", SHIPIT.replace("'^FAILED '", "'(a{999}){999}'"));
    env.forebay(["digest", "--check"]).refused(2, "size limit", "regular expressions");
}
