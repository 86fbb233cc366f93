//! `FOREBAY_STORE=postgres://…`: every command on a real PostgreSQL server, which `cargo xtask test` starts.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::embedder::Server;
use crate::env::{Output, TestEnv, finish, finished};

/// Returns the server's URL with an unused workspace.
///
/// Without a server it returns `None` and reports the test as skipped.
pub(crate) fn unused_workspace() -> Option<String> {
    let Ok(server) = std::env::var("FOREBAY_TEST_POSTGRES") else {
        forebay_test_support::skip("FOREBAY_TEST_POSTGRES is not set");
        return None;
    };
    Some(format!("{server}?workspace={}", unused_name()))
}

/// Returns a name that is unused on the server.
pub(crate) fn unused_name() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    format!("it_{}_{since}", std::process::id())
}

/// A test environment whose store is an unused workspace on the server.
struct PostgresEnv {
    env: TestEnv,
}

impl PostgresEnv {
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
    let Some(pg) = PostgresEnv::new() else { return };
    let note =
        pg.forebay(["note", "--topic", "db", "the walrus lives in PostgreSQL"]).ok().reference();
    pg.env.write("big.txt", "a line of the log\n".repeat(20_000) + "the needle stands here\n");
    let run = pg.forebay(["run", "--", "cat big.txt"]).ok().reference();
    assert!(pg.forebay(["search", "walrus"]).ok().text().contains(&note));
    assert!(pg.forebay(["search", "needle"]).ok().text().contains(&run));
    assert!(pg.forebay(["search", "warlus"]).ok().text().contains(&note), "typos are corrected");
    assert_eq!(pg.forebay(["get", &note]).ok().body(), "the walrus lives in PostgreSQL");
    let lines = pg.forebay(["get", &run, "--lines", "20001"]).ok().text();
    assert!(lines.contains("the needle stands here"), "{lines}");
    let history = pg.forebay(["history"]).ok().text();
    assert!(history.contains(&note) && history.contains(&run), "{history}");
    assert!(pg.forebay(["stats"]).ok().text().contains("entries"));
    let doctor = pg.forebay(["doctor"]).text();
    assert!(doctor.contains("ok     store       PostgreSQL"), "{doctor}");
    assert!(pg.forebay(["doctor", "--repair"]).ok().text().contains("is intact"));
    pg.forebay(["purge", &run, "--yes"]).ok();
    pg.forebay(["get", &run]).refused(1, "was deleted: it was purged on request", "again");
    assert!(!pg.env.data().join("projects").exists(), "no files were created");
}

#[test]
fn embeddings_are_stored_on_the_server() {
    let Some(pg) = PostgresEnv::new() else { return };
    let model = Server::with_topic_model();
    let with_embedder = |arguments: [&str; 2]| {
        let mut command = pg.command(arguments);
        command.env("FOREBAY_EMBEDDER_URL", model.url()).env("FOREBAY_EMBEDDER_MODEL", "sea");
        finish(command, b"").ok().text()
    };
    let note = pg.forebay(["note", "the zorblat hums"]).ok().reference();
    let found = with_embedder(["search", "quuxling"]);
    assert!(found.contains(&note) && !found.contains("built-in"), "{found}");
    let plain = pg.forebay(["search", "quuxling"]).ok().text();
    assert!(!plain.contains(&note), "{plain}");
}

#[test]
fn indexed_folder_is_searchable() {
    let Some(pg) = PostgresEnv::new() else { return };
    std::fs::create_dir(pg.env.project().join("docs")).unwrap();
    pg.env.write("docs/guide.md", "# Guide\n\nThe pelican eats fish.\n");
    pg.env.write("docs/other.md", "# Other\n\nThe ostrich does not.\n");
    pg.forebay(["index", "docs"]).ok();
    assert!(pg.forebay(["search", "pelican"]).ok().text().contains("guide.md"));
    assert!(pg.forebay(["sources"]).ok().text().contains("docs"));
    pg.env.write("docs/guide.md", "# Guide\n\nThe heron eats fish.\n");
    let again = ["search", "--set", "index.refresh_seconds=1", "heron"];
    let deadline = SystemTime::now() + crate::env::HANG_TIMEOUT;
    while !pg.forebay(again).ok().text().contains("The heron eats fish") {
        assert!(SystemTime::now() < deadline, "the change is not noticed");
        std::thread::yield_now();
    }
}

#[test]
fn user_notes_and_projects_are_separate() {
    let Some(pg) = PostgresEnv::new() else { return };
    let everywhere = pg.forebay(["note", "--all", "ann prefers tabs"]).ok().reference();
    let here = pg.forebay(["note", "tabs are used here"]).ok().reference();
    let other = pg.env.add_project("other");
    let mut command = pg.command(["search", "tabs"]);
    command.current_dir(&other);
    let elsewhere = finish(command, b"").ok().text();
    assert!(elsewhere.contains(&everywhere) && !elsewhere.contains(&here), "{elsewhere}");
    let mut command = pg.command(["search", "--scope", "all", "tabs"]);
    command.current_dir(&other).env("USER", "bob");
    let found_by_bob = finish(command, b"").ok().text();
    assert!(found_by_bob.contains(&here) && !found_by_bob.contains(&everywhere), "{found_by_bob}");
}

/// The attack: a `.git` folder in a parent folder that others can write, naming a project of the team as its origin.
#[test]
fn an_origin_planted_by_another_user_takes_no_project() {
    let Some(pg) = PostgresEnv::new() else { return };
    let config = "[remote \"origin\"]\n\turl = https://example.com/team/app\n";
    pg.env.write(".git/config", config);
    let of_team = pg.forebay(["note", "the team's walrus"]).ok().reference();
    let elsewhere = pg.env.add_project("elsewhere");
    let search = || {
        let mut command = pg.command(["search", "walrus"]);
        finish(
            {
                command.current_dir(&elsewhere);
                command
            },
            b"",
        )
        .ok()
        .text()
    };
    let planted = elsewhere.join(".git/config");
    std::fs::write(&planted, config).unwrap();
    assert!(search().contains(&of_team), "a clone of one's own is the same project");
    if std::os::unix::fs::chown(&planted, Some(65_534), None).is_err() {
        return forebay_test_support::skip("only root can give files away");
    }
    assert!(!search().contains(&of_team));
}

#[test]
fn several_processes_open_a_new_workspace_concurrently() {
    let Some(pg) = PostgresEnv::new() else { return };
    let children = [0, 1, 2].map(|_| pg.command(["note", "the same words"]).spawn().unwrap());
    let references = children.map(|child| finished(child).ok().reference());
    for reference in references {
        assert_eq!(pg.forebay(["get", &reference]).ok().body(), "the same words");
    }
}

/// A frozen server: the kernel accepts connections for it.
#[test]
fn a_server_that_stays_silent_is_told() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://ann@{}/team", listener.local_addr().unwrap());
    let env = TestEnv::on_server(url);
    env.forebay(["note", "x"]).refused(1, "does not answer", "PostgreSQL server is running");
}

#[test]
fn connection_error_hides_the_password() {
    let env = TestEnv::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("postgres://ann:s3cretpass@127.0.0.1:{port}/team");
    let run_with_store = |url: &str, arguments: &[&str]| {
        let mut command = env.command(arguments);
        command.env("FOREBAY_STORE", url);
        finish(command, b"")
    };
    let failed = run_with_store(&url, &["search", "x"]);
    let output = format!("{}{}", failed.text(), failed.stderr);
    assert!(output.contains("cannot connect to the store") && !output.contains("s3cretpass"));
    assert_ne!(failed.code(), Some(0));
    let settings = run_with_store(&url, &["config"]).ok().text();
    assert!(settings.contains("ann:…@") && !settings.contains("s3cretpass"), "{settings}");
    let ran = run_with_store(&url, &["run", "--", "touch made"]);
    assert!(ran.stderr.contains("cannot connect to the store"), "{ran:?}");
    assert!(
        !env.project().join("made").exists(),
        "a command does not run if its output cannot be stored"
    );
    for wrong in ["mysql://x/y", "postgres://", "nonsense"] {
        let failed = run_with_store(wrong, &["search", "x"]);
        assert!(failed.stderr.contains("address"), "{wrong}");
    }
}
