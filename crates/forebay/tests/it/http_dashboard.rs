//! The dashboard of `forebay serve`: what needs a token, and whose data it shows.

use std::io::{BufRead, BufReader, Read, Write};

use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::hook_host::{Host, call};
use crate::http_client::{Request, Server};

/// A server with two workspaces.
struct Workspaces {
    env: TestEnv,
    server: Server,
    ann: String,
    bob: String,
    eve: String,
}

impl Workspaces {
    fn new() -> Self {
        let env = TestEnv::new();
        let ann = env.token("ann", &["--rights", "read,write", "--workspace", "shop"]);
        let bob = env.token("bob", &["--rights", "read", "--workspace", "shop"]);
        let eve = env.token("eve", &["--rights", "read,write", "--workspace", "other"]);
        let server = env.serve(&["--require-token"]);
        let workspaces = Self { env, server, ann, bob, eve };
        workspaces.note(&workspaces.ann, "we deploy on mondays");
        workspaces
    }

    fn note(&self, token: &str, text: &str) {
        let call = Request::tool("ctx_annotate", json!({ "text": text })).bearer(token);
        self.server.send(&call.header("forebay-session", "work")).ok();
    }

    #[track_caller]
    fn view(&self, token: &str, view: &str) -> Value {
        self.server.send(&Request::get(&format!("/ui/api/{view}")).bearer(token)).ok()
    }
}

#[test]
fn the_page_is_public_and_the_data_need_a_token() {
    let Workspaces { server, env, .. } = &Workspaces::new();
    for path in ["/ui/", "/ui/assets/app.js"] {
        let page = server.get(path);
        assert_eq!(page.status, 200, "{path}");
        let policy = page.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'self';") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    }
    assert_eq!(server.get("/ui").header("location"), Some("/ui/"));
    for path in
        ["/ui/api/notes", "/ui/api/access", "/ui/api/team", "/ui/api/live", "/ui/image/aaaaaaaaaa"]
    {
        let refused = server.get(path);
        refused.refused(401, "a token is required", "");
        assert!(refused.header("www-authenticate").unwrap().starts_with("Bearer"), "{path}");
        server.send(&Request::get(path).bearer("fby_x_y")).refused(401, "invalid token", "");
    }
    // Every user of a machine reaches a server on loopback, so it asks for a token here.
    let local = env.serve(&[]);
    assert_eq!(local.get("/v1/search?q=mondays").status, 200);
    local.get("/ui/api/notes").refused(401, "needs a token", "forebay token create");
}

#[test]
fn a_token_shows_its_own_workspace_and_changes_nothing() {
    let workspaces = Workspaces::new();
    let Workspaces { server, ann, bob, eve, .. } = &workspaces;
    for token in [ann, bob] {
        assert_eq!(workspaces.view(token, "notes")["items"][0]["text"], "we deploy on mondays");
    }
    assert_eq!(workspaces.view(eve, "notes")["items"], json!([]));
    assert_eq!(workspaces.view(eve, "search?q=mondays")["hits"], json!([]));
    let access = workspaces.view(ann, "access");
    assert_eq!((&access["csrf_token"], &access["is_server"]), (&Value::Null, &json!(true)));
    for local in ["rules", "judge?input=ls", "isolation"] {
        let get = Request::get(&format!("/ui/api/{local}")).bearer(ann);
        server.send(&get).refused(404, "no such view", "");
    }
    let change = Request::new("POST", "/ui/api/change").bearer(ann);
    assert_eq!(server.send(&change.json(&json!({ "change": "pin" }))).status, 405);
}

#[test]
fn a_token_without_the_right_to_read_shows_nothing() {
    let workspaces = Workspaces::new();
    let writer = workspaces.env.token("writer", &["--rights", "write", "--workspace", "shop"]);
    for view in ["notes", "team", "overview", "live"] {
        let get = Request::get(&format!("/ui/api/{view}")).bearer(&writer);
        workspaces.server.send(&get).refused(403, "needs the right `read`", "");
    }
}

#[test]
fn the_team_is_that_of_the_workspace() {
    let workspaces = Workspaces::new();
    let team = workspaces.view(&workspaces.bob, "team");
    assert_eq!(team["workspace"], "shop");
    let members = team["members"].as_array().unwrap();
    let names: Vec<&str> = members.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ann", "bob"], "{team}");
    assert_eq!(
        (&members[0]["rights"], &members[1]["rights"]),
        (&json!("read,write"), &json!("read"))
    );
    assert_eq!((&members[0]["notes"], &members[0]["sessions"]), (&json!(1), &json!(1)), "{team}");
    assert_eq!((&members[1]["notes"], &members[1]["is_viewer"]), (&json!(0), &json!(true)));
    assert!(!team.to_string().contains("argon2") && !team.to_string().contains("eve"), "{team}");
    workspaces.env.forebay(["token", "revoke", "ann"]).ok();
    let team = workspaces.view(&workspaces.bob, "team");
    assert_eq!(team["members"][0]["state"], "revoked");
}

#[test]
fn the_live_view_ends_with_its_token() {
    let workspaces = Workspaces::new();
    let mut stream = workspaces.server.connect();
    let get = Request::get("/ui/api/live").bearer(&workspaces.bob);
    stream.write_all(&get.bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while !line.contains("we deploy on mondays") {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the stream ended");
    }
    workspaces.env.forebay(["token", "revoke", "bob"]).ok();
    let mut rest = Vec::new();
    // Ends by itself, or the read times out and fails.
    reader.read_to_end(&mut rest).unwrap();
}

/// Errors name folders of the server's machine, which the holder of a token does not see otherwise.
#[test]
fn the_live_view_of_a_server_has_no_errors_of_hooks_on_its_machine() {
    let env = TestEnv::new();
    let ann = env.token("ann", &["--rights", "read"]);
    let server = env.serve(&["--require-token"]);
    Host::new(&env).before_tool("Bash", json!({ "command": "ls" }));
    call(&env, "claude-code", "PreToolUse", b"{").silent();
    let mut stream = server.connect();
    stream.write_all(&Request::get("/ui/api/live").bearer(&ann).bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    let batch = lines.find(|line| line.starts_with("data: ")).unwrap();
    assert!(batch.contains("\"is\":\"call\"") && !batch.contains("\"is\":\"fault\""), "{batch}");
    assert!(env.ui().live_batch().contains("\"is\":\"fault\""), "its own user sees them");
}
