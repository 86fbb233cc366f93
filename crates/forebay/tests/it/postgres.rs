//! `FOREBAY_STORE=postgres://…`: every command on a real PostgreSQL server, which `cargo xtask test` starts.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::embedder::Server;
use crate::env::{Output, TestEnv, finish, finished};

/// The server, in a workspace that nobody else uses.
///
/// Without a server the test is reported as skipped.
pub(crate) fn unused_workspace() -> Option<String> {
    let Ok(server) = std::env::var("FOREBAY_TEST_POSTGRES") else {
        forebay_test_support::skip("FOREBAY_TEST_POSTGRES is not set");
        return None;
    };
    Some(format!("{server}?workspace={}", unused_name()))
}

/// A name that nothing on the server has.
pub(crate) fn unused_name() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    format!("it_{}_{since}", std::process::id())
}

/// A user whose store is on the server, in a workspace of his own.
struct OnServer {
    env: TestEnv,
}

impl OnServer {
    fn new() -> Option<Self> {
        unused_workspace().map(|url| Self { env: TestEnv::on_server(url) })
    }

    fn command<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = self.env.command(arguments);
        command.env("USER", "ann");
        command
    }

    fn forebay<const N: usize>(&self, arguments: [&str; N]) -> Output {
        finish(self.command(arguments), b"")
    }
}

#[test]
fn every_command_works_on_a_server() {
    let Some(on) = OnServer::new() else { return };
    let note =
        on.forebay(["note", "--topic", "db", "the walrus lives in PostgreSQL"]).ok().reference();
    on.env.write("big.txt", "a line of the log\n".repeat(20_000) + "the needle stands here\n");
    let run = on.forebay(["run", "--", "cat big.txt"]).ok().reference();
    assert!(on.forebay(["search", "walrus"]).ok().text().contains(&note));
    assert!(on.forebay(["search", "needle"]).ok().text().contains(&run));
    assert!(on.forebay(["search", "warlus"]).ok().text().contains(&note), "slips are set right");
    assert_eq!(on.forebay(["get", &note]).ok().body(), "the walrus lives in PostgreSQL");
    let lines = on.forebay(["get", &run, "--lines", "20001"]).ok().text();
    assert!(lines.contains("the needle stands here"), "{lines}");
    let history = on.forebay(["history"]).ok().text();
    assert!(history.contains(&note) && history.contains(&run), "{history}");
    assert!(on.forebay(["stats"]).ok().text().contains("entries"));
    let doctor = on.forebay(["doctor"]).text();
    assert!(doctor.contains("ok     store       PostgreSQL"), "{doctor}");
    assert!(on.forebay(["doctor", "--repair"]).ok().text().contains("is intact"));
    on.forebay(["purge", &run, "--yes"]).ok();
    on.forebay(["get", &run]).refused(1, "was deleted: it was purged on request", "again");
    assert!(!on.env.data().join("projects").exists(), "no file was made");
}

#[test]
fn what_a_model_tells_is_kept_on_the_server() {
    let Some(on) = OnServer::new() else { return };
    let model = Server::with_topic_model();
    let asking = |arguments: [&str; 2]| {
        let mut command = on.command(arguments);
        command.env("FOREBAY_EMBEDDER_URL", model.url()).env("FOREBAY_EMBEDDER_MODEL", "sea");
        finish(command, b"").ok().text()
    };
    let note = on.forebay(["note", "the zorblat hums"]).ok().reference();
    let found = asking(["search", "quuxling"]);
    assert!(found.contains(&note) && !found.contains("built-in"), "{found}");
    let plain = on.forebay(["search", "quuxling"]).ok().text();
    assert!(!plain.contains(&note), "{plain}");
}

#[test]
fn folders_are_indexed_and_found() {
    let Some(on) = OnServer::new() else { return };
    std::fs::create_dir(on.env.project().join("docs")).unwrap();
    on.env.write("docs/guide.md", "# Guide\n\nThe pelican eats fish.\n");
    on.env.write("docs/other.md", "# Other\n\nThe ostrich does not.\n");
    on.forebay(["index", "docs"]).ok();
    assert!(on.forebay(["search", "pelican"]).ok().text().contains("guide.md"));
    assert!(on.forebay(["sources"]).ok().text().contains("docs"));
    on.env.write("docs/guide.md", "# Guide\n\nThe heron eats fish.\n");
    let again = ["search", "--set", "index.refresh_seconds=1", "heron"];
    let deadline = SystemTime::now() + crate::env::HANG;
    while !on.forebay(again).ok().text().contains("The heron eats fish") {
        assert!(SystemTime::now() < deadline, "the change is never noticed");
        std::thread::yield_now();
    }
}

#[test]
fn the_user_has_notes_of_his_own_and_projects_stay_apart() {
    let Some(on) = OnServer::new() else { return };
    let everywhere = on.forebay(["note", "--all", "ann prefers tabs"]).ok().reference();
    let here = on.forebay(["note", "tabs are used here"]).ok().reference();
    let other = on.env.add_project("other");
    let mut command = on.command(["search", "tabs"]);
    command.current_dir(&other);
    let elsewhere = finish(command, b"").ok().text();
    assert!(elsewhere.contains(&everywhere) && !elsewhere.contains(&here), "{elsewhere}");
    let mut command = on.command(["search", "--scope", "all", "tabs"]);
    command.current_dir(&other).env("USER", "bob");
    let of_bob = finish(command, b"").ok().text();
    assert!(of_bob.contains(&here) && !of_bob.contains(&everywhere), "{of_bob}");
}

#[test]
fn two_processes_open_a_new_workspace_at_once() {
    let Some(on) = OnServer::new() else { return };
    let children = [0, 1, 2].map(|_| on.command(["note", "the same words"]).spawn().unwrap());
    let references = children.map(|child| finished(child).ok().reference());
    for reference in references {
        assert_eq!(on.forebay(["get", &reference]).ok().body(), "the same words");
    }
}

#[test]
fn a_server_that_is_down_is_told_without_its_password() {
    let env = TestEnv::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("postgres://ann:s3cretpass@127.0.0.1:{port}/team");
    let asked = |url: &str, arguments: &[&str]| {
        let mut command = env.command(arguments);
        command.env("FOREBAY_STORE", url);
        finish(command, b"")
    };
    let told = asked(&url, &["search", "x"]);
    let everything = format!("{}{}", told.text(), told.stderr);
    assert!(
        everything.contains("cannot connect to the store") && !everything.contains("s3cretpass")
    );
    assert_ne!(told.code(), Some(0));
    let settings = asked(&url, &["config"]).ok().text();
    assert!(settings.contains("ann:…@") && !settings.contains("s3cretpass"), "{settings}");
    let ran = asked(&url, &["run", "--", "touch made"]);
    assert!(ran.stderr.contains("cannot connect to the store"), "{ran:?}");
    assert!(!env.project().join("made").exists(), "what could not be kept is not run");
    for wrong in ["mysql://x/y", "postgres://", "nonsense"] {
        let told = asked(wrong, &["search", "x"]);
        assert!(told.stderr.contains("address"), "{wrong}");
    }
}
