//! `forebay push`, `forebay pull` and `GET /context` between team members over a real server.

use std::net::TcpListener;
use std::process::Command;

use serde_json::json;

use crate::env::{Output, TestEnv, finish, reference_in};
use crate::http_client::{Request, Server};
use crate::postgres::{unused_name, unused_workspace};

/// Runs each test with a server that stores in files and with one that stores in PostgreSQL.
macro_rules! with_each_store {
    ($($test:ident)*) => {
        mod in_files {
            $(#[test] fn $test() { super::$test(&super::Team::in_files()); })*
        }
        mod on_postgres {
            $(#[test] fn $test() {
                if let Some(team) = super::Team::on_postgres() {
                    super::$test(&team);
                }
            })*
        }
    };
}

with_each_store! {
    pulled_notes_name_their_author
    concurrent_decisions_are_kept_and_marked_as_conflicting
    sources_and_runs_are_shared_only_on_request
    push_and_pull_report_oversized_entries
    interrupted_push_resumes
    workspaces_and_projects_are_isolated
    a_repository_chooses_no_project_of_the_team
    push_requires_the_write_right
    invalid_pages_are_refused_and_change_nothing
    project_context_is_served_as_markdown
    remote_tool_call_writes_into_the_named_project
}

/// A server with a workspace for its members.
struct Team {
    env: TestEnv,
    server: Server,
    workspace: String,
}

impl Team {
    fn in_files() -> Self {
        Self::with(TestEnv::new())
    }

    fn on_postgres() -> Option<Self> {
        unused_workspace().map(|url| Self::with(TestEnv::on_server(url)))
    }

    fn with(env: TestEnv) -> Self {
        // A server that requires tokens starts only if one exists.
        env.token("first", &["--rights", "read"]);
        let server = env.serve(&["--require-token"]);
        Self { env, server, workspace: unused_name() }
    }

    fn member(&self, name: &str) -> Member {
        let rights = ["--rights", "read,write", "--workspace", &self.workspace];
        let token = self.env.token(name, &rights);
        Member { env: TestEnv::new(), url: self.url(), token }
    }

    fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }
}

/// A team member with a separate machine and a project `app`.
struct Member {
    env: TestEnv,
    url: String,
    token: String,
}

impl Member {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.env.command(arguments);
        command.env("FOREBAY_TEAM_SERVER", &self.url).env("FOREBAY_TEAM_TOKEN", &self.token);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        finish(self.command(arguments), b"")
    }

    #[track_caller]
    fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        self.run(&arguments).ok().json()
    }

    #[track_caller]
    fn context(&self) -> String {
        self.run(&["context"]).ok().text()
    }
}

fn pulled_notes_name_their_author(team: &Team) {
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    let noted = ann.run(&["note", "--pin", "-k", "decision", "-t", "db", "we use SQLite"]).ok();
    ann.run(&["--set", "team.author=mallory", "note", "the report is slow"]).ok();
    ann.run(&["note", "--personal", "for me alone"]).ok();
    ann.run(&["note", "--all", "prefers tabs"]).ok();
    ann.env.stored("secret output of a run\n");
    let pushed = ann.json(&["push"]);
    assert_eq!((&pushed["sent"], &pushed["tally"]["added"]), (&json!(2), &json!(2)), "{pushed}");
    assert_eq!(ann.run(&["push"]).ok().text(), format!("{} is up to date", team.url()));

    let pulled = bob.json(&["pull"]);
    assert_eq!(pulled["added"], 2, "{pulled}");
    let context = bob.context();
    assert!(
        context.contains("## Pinned (1)") && context.contains("we use SQLite (ann)"),
        "{context}"
    );
    assert!(
        context.contains("the report is slow** (ann)"),
        "the token determines the author: {context}"
    );
    let all = bob.run(&["history", "--all"]).ok().text();
    for own in ["for me alone", "prefers tabs", "stored.txt"] {
        assert!(!all.contains(own), "{own}: {all}");
    }
    let same = bob.run(&["get", &noted.reference()]).ok();
    assert!(same.text().contains("we use SQLite"), "under the same reference: {}", same.text());
    assert_eq!(bob.run(&["pull"]).ok().text(), format!("nothing new on {}", team.url()));
    let back = bob.json(&["push"]);
    assert_eq!((&back["tally"]["added"], &back["tally"]["known"]), (&json!(0), &json!(2)));
}

fn concurrent_decisions_are_kept_and_marked_as_conflicting(team: &Team) {
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    ann.run(&["note", "-t", "db", "we use Postgres"]).ok();
    ann.run(&["push"]).ok();
    bob.run(&["pull"]).ok();
    ann.run(&["note", "-t", "db", "we use SQLite"]).ok();
    bob.run(&["note", "-t", "db", "we use DuckDB"]).ok();
    ann.run(&["push"]).ok();
    let pushed = bob.json(&["push"]);
    assert_eq!(pushed["tally"]["conflicting"], 1, "{pushed}");
    bob.run(&["pull"]).ok();
    ann.run(&["pull"]).ok();
    for member in [&ann, &bob] {
        let context = member.context();
        assert!(
            context.contains("we use SQLite") && context.contains("we use DuckDB"),
            "{context}"
        );
        assert!(
            context.contains("conflicts with [ctx:") && !context.contains("Postgres"),
            "{context}"
        );
    }
    ann.run(&["note", "-t", "db", "SQLite it is"]).ok();
    ann.run(&["push"]).ok();
    bob.run(&["pull"]).ok();
    let context = bob.context();
    assert!(context.contains("SQLite it is") && !context.contains("DuckDB"), "resolved: {context}");
}

fn sources_and_runs_are_shared_only_on_request(team: &Team) {
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    ann.env.write("guide.md", "# Guide\n\nHow the walrus is fed.\n");
    ann.run(&["index", "guide.md"]).ok();
    ann.env.stored("the heron waits\n");
    assert_eq!(ann.json(&["push"])["sent"], 0);
    assert_eq!(ann.json(&["push", "--source", "*.md"])["sent"], 1);
    assert_eq!(ann.json(&["push", "--runs"])["sent"], 1);
    assert_eq!(bob.json(&["pull"])["added"], 0);
    assert_eq!(bob.json(&["pull", "--source", "guide*", "--runs"])["added"], 2);
    assert!(bob.run(&["search", "walrus"]).ok().text().contains("How the walrus is fed"));
    assert!(bob.run(&["search", "heron"]).ok().text().contains("the heron waits"));
}

fn push_and_pull_report_oversized_entries(team: &Team) {
    let ann = team.member("ann");
    let large = "The walrus sleeps on the ice all day.\n".repeat(100_000);
    ann.env.write("large.md", &large);
    ann.run(&["index", "large.md"]).ok();
    let pushed = ann.run(&["push", "--source", "large*"]).ok().text();
    assert!(pushed.contains("left out: 1 entry over 3 MB; forebay export"), "{pushed}");
    let text = json!({ "text": large, "source": "large" });
    let index = Request::tool("ctx_index", text).header("forebay-project", "app");
    team.server.send(&index.bearer(&ann.token)).answer();
    let pulled = ann.run(&["pull", "--source", "large*"]).ok().text();
    assert!(pulled.starts_with("nothing new on "), "{pulled}");
    assert!(pulled.contains("left out: 1 entry over 3 MB; forebay export"), "{pulled}");
}

fn interrupted_push_resumes(team: &Team) {
    let ann = team.member("ann");
    let mut mcp = ann.env.mcp();
    let body = "a long thought ".repeat(14_000);
    for number in 0..8 {
        mcp.text("ctx_annotate", json!({ "text": format!("note {number}: {body}") }));
    }
    drop(mcp);
    let proxy = FailingProxy::after(&team.server, 1);
    let broken = finish(
        {
            let mut command = ann.command(&["push", "--server", &proxy.url()]);
            command.env("NO_PROXY", "*");
            command
        },
        b"",
    );
    assert_eq!(broken.code(), Some(1), "{broken:?}");
    assert!(broken.stderr.contains("it continues where it stopped"), "{}", broken.stderr);
    proxy.restore();
    let rest = ann.json(&["push", "--server", &proxy.url()]);
    let sent = rest["sent"].as_u64().unwrap();
    assert!((1..8).contains(&sent), "only the missing entries: {rest}");
    assert_eq!(team.member("bob").json(&["pull"])["added"], 8, "each note exactly once");
}

/// A proxy that drops connections after a number of requests.
struct FailingProxy {
    port: u16,
    remaining: std::sync::Arc<std::sync::atomic::AtomicI64>,
}

impl FailingProxy {
    fn after(server: &Server, requests: i64) -> Self {
        use std::sync::atomic::{AtomicI64, Ordering};
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let remaining = std::sync::Arc::new(AtomicI64::new(requests));
        let (address, counted) = (server.address, std::sync::Arc::clone(&remaining));
        std::thread::spawn(move || {
            for incoming in listener.incoming().flatten() {
                if counted.fetch_sub(1, Ordering::SeqCst) <= 0 {
                    continue;
                }
                let outgoing = std::net::TcpStream::connect(address).unwrap();
                for (mut from, mut to) in [
                    (incoming.try_clone().unwrap(), outgoing.try_clone().unwrap()),
                    (outgoing, incoming),
                ] {
                    std::thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(std::net::Shutdown::Write);
                    });
                }
            }
        });
        Self { port, remaining }
    }

    fn restore(&self) {
        self.remaining.store(i64::MAX, std::sync::atomic::Ordering::SeqCst);
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

fn workspaces_and_projects_are_isolated(team: &Team) {
    let ann = team.member("ann");
    ann.run(&["note", "of the team"]).ok();
    ann.run(&["push"]).ok();
    let token = team.env.token("eve", &["--rights", "read,write", "--workspace", &unused_name()]);
    let eve = Member { env: TestEnv::new(), url: team.url(), token };
    assert_eq!(eve.json(&["pull"])["added"], 0);
    let elsewhere = ann.json(&["--set", "team.project=another", "pull"]);
    assert_eq!(elsewhere["added"], 0, "{elsewhere}");
    assert_eq!(ann.json(&["pull"])["known"], 1);
}

/// The attack: a repository whose settings name another project, to get its notes or to give it some.
fn a_repository_chooses_no_project_of_the_team(team: &Team) {
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    ann.run(&["note", "the plan of payments"]).ok();
    ann.run(&["--set", "team.project=payments", "push"]).ok();
    bob.env.write(".forebay.toml", "team.project = 'payments'\n");
    let find = || bob.run(&["search", "plan of payments"]).text().contains("the plan of payments");
    let pulled = bob.run(&["pull"]);
    assert!(pulled.stderr.contains("cannot loosen `team.project`"), "{pulled:?}");
    assert!(!find());
    // The control: the user may name that project.
    let mut asked = bob.command(&["pull"]);
    asked.env("FOREBAY_TEAM_PROJECT", "payments");
    finish(asked, b"").ok();
    assert!(find());
    // A name that the project has anyway: that of its remote.
    bob.env.write(".git/config", "[remote \"origin\"]\nurl = git@example.com:x/shop.git\n");
    bob.env.write(".forebay.toml", "team.project = 'shop'\n");
    assert_eq!(bob.json(&["pull"])["added"], 0);
}

fn push_requires_the_write_right(team: &Team) {
    let token = team.env.token("guest", &["--rights", "read", "--workspace", &team.workspace]);
    let guest = Member { env: TestEnv::new(), url: team.url(), token };
    guest.run(&["note", "let me in"]).ok();
    let refused = guest.run(&["push"]);
    assert!(refused.stderr.contains("403") && refused.stderr.contains("hint: "), "{refused:?}");
    guest.run(&["pull"]).ok();
    let stranger = Member { token: "fby_x_y".to_owned(), ..guest };
    let refused = stranger.run(&["pull"]);
    assert!(refused.stderr.contains("401") && refused.stderr.contains("hint: "), "{refused:?}");
    assert!(!refused.stderr.contains("fby_x_y"), "{refused:?}");
}

#[test]
fn missing_or_invalid_server_is_an_error() {
    let env = TestEnv::new();
    env.forebay(["push"]).refused(2, "no server given", "--server");
    env.forebay(["push", "--server", "ftp://x"]).refused(2, "invalid server URL", "https://");
    env.forebay(["pull", "--server", "http://example.org", "--token", "t"]).refused(
        126,
        "cannot send a token over plain http",
        "https://",
    );
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let gone = format!("http://127.0.0.1:{port}");
    env.forebay(["pull", "--server", &gone]).refused(1, &gone, "try again");
    env.write(".forebay.toml", "team.server = 'https://evil.example'");
    env.forebay(["push"]).refused(2, "cannot loosen `team.server`", "settings");
}

fn invalid_pages_are_refused_and_change_nothing(team: &Team) {
    let token = team.env.token("ann", &["--rights", "read,write", "--workspace", &team.workspace]);
    let post = |path: &str, body: &str| {
        let request = Request::new("POST", path).body(body).bearer(&token);
        team.server.send(&request.header("content-type", "application/x-ndjson"))
    };
    let path = "/v1/team/entries?project=app";
    post(path, "not JSON\n").refused(400, "invalid page of entries", "again");
    post(path, "{\"text\":\"astray\"}\n").refused(400, "outside of any entry", "again");
    let entry = |kind: &str, bytes: u64| {
        json!({ "entry": { "ref": "aaaaaaaaaa", "kind": kind, "title": "x'; DROP TABLE note; --",
                "session": "s", "created": 1, "bytes": bytes, "note": { "kind": "note" } } })
        .to_string()
    };
    post(path, &format!("{}\n", entry("secret", 1))).refused(400, "unknown kind", "again");
    let short = format!("{}\n{{\"text\":\"x\"}}\n", entry("note", 9));
    post(path, &short).refused(400, "is incomplete", "again");
    let long = format!("{}\n{{\"text\":\"xxxx\"}}\n", entry("note", 2));
    post(path, &long).refused(400, "exceeds the size", "again");
    post("/v1/team/entries", "").refused(400, "missing parameter `project`", "project=");
    let wrong = Request::new("POST", path).json(&json!({})).bearer(&token);
    team.server.send(&wrong).refused(415, "JSON lines", "forebay push");
    let fine = format!("{}\n{{\"text\":\"x\"}}\n", entry("note", 1));
    assert_eq!(post(path, &fine).ok()["added"], 1, "a valid page is accepted");
    assert_eq!(post(path, &fine).ok()["known"], 1);
    let bad = Request::get("/v1/team/entries?project=app&after=x").bearer(&token);
    team.server.send(&bad).refused(400, "invalid `after`", "previous page");
}

fn project_context_is_served_as_markdown(team: &Team) {
    let ann = team.member("ann");
    for number in 0..30 {
        ann.run(&["note", "-k", "finding", &format!("finding number {number}: ünïcödé")]).ok();
    }
    ann.run(&["note", "--pin", "never push to main"]).ok();
    ann.run(&["push"]).ok();
    let get = |query: &str| {
        let request = Request::get(&format!("/context?project=app{query}")).bearer(&ann.token);
        let response = team.server.send(&request);
        assert_eq!(response.status, 200, "{query}: {}", response.text());
        assert_eq!(response.header("content-type"), Some("text/markdown; charset=utf-8"));
        response.text()
    };
    let context = get("");
    assert!(
        context.contains("## Pinned (1)") && context.contains("## Notes (20 of 30)"),
        "{context}"
    );
    for same in ["&limit=abc", "&compact=yep", "&notes=0&sessions=", "&max_bytes=%zz", "&x=1&x=2"] {
        assert_eq!(get(same), context, "{same}");
    }
    let compact = get("&limit=8&compact=1");
    assert_eq!(compact.matches("\n- [").count(), 8, "{compact}");
    assert!(compact.len() < 800 && !compact.contains("**:"), "{compact}");
    assert!(get("&pinned=-1&notes=-1").starts_with("no data"), "both sections are left out");
    let nowhere = Request::get("/context?project=nowhere").bearer(&ann.token);
    assert!(team.server.send(&nowhere).text().contains("no data about a project `nowhere`"));
}

fn remote_tool_call_writes_into_the_named_project(team: &Team) {
    let ann = team.member("ann");
    let note = Request::tool("ctx_annotate", json!({ "text": "learned over the network" }));
    let named = note.header("forebay-project", "app").bearer(&ann.token);
    let answer = team.server.send(&named).answer();
    assert!(answer.contains("saved"), "{answer}");
    assert_eq!(ann.json(&["pull"])["added"], 1);
    let own = ann.run(&["get", &reference_in(&answer)]).ok().text();
    assert!(own.contains("learned over the network") && own.contains("by ann"), "{own}");
    let personal = json!({ "text": "mine", "scope": "personal" });
    let personal = Request::tool("ctx_annotate", personal).bearer(&ann.token);
    team.server.send(&personal).refused(403, "does not store personal notes", "own machine");
    let reader = team.env.token("guest", &["--rights", "read", "--workspace", &team.workspace]);
    let unknown = Request::get("/v1/search?q=x").header("forebay-project", "new").bearer(&reader);
    team.server.send(&unknown).refused(404, "unknown project `new`", "forebay push");
}
