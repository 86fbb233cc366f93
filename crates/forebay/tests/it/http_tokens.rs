//! Tokens: who comes in, what for, and into which workspace.

use serde_json::json;

use crate::env::{HANG, TestEnv, reference_in, wait_until};
use crate::http_client::{Request, Server};

fn note(server: &Server, token: &str, text: &str) -> crate::http_client::Response {
    server.send(&Request::tool("ctx_annotate", json!({ "text": text })).bearing(token))
}

fn search(server: &Server, token: &str, word: &str) -> crate::http_client::Response {
    server.send(&Request::get(&format!("/v1/search?q={word}")).bearing(token))
}

#[test]
fn tokens_are_made_listed_and_revoked() {
    let env = TestEnv::new();
    assert!(env.forebay(["token", "list"]).ok().text().contains("no tokens"));
    let made = env
        .forebay([
            "--json",
            "token",
            "create",
            "ci",
            "--rights",
            "read,write",
            "--workspace",
            "team",
        ])
        .ok()
        .json();
    let text = made["token"].as_str().unwrap();
    assert!(text.starts_with("fby_") && text.len() > 40, "{made}");
    let listed = env.forebay(["--json", "token", "list"]).ok();
    assert!(!listed.text().contains(text.rsplit('_').next().unwrap()), "a secret is listed");
    let row = &listed.json()[0];
    assert_eq!(row["rights"], json!(["read", "write"]));
    assert_eq!((&row["workspace"], &row["state"]), (&json!("team"), &json!("in force")));
    env.forebay(["token", "revoke", "ci"]).ok();
    assert_eq!(env.forebay(["--json", "token", "list"]).ok().json()[0]["state"], "revoked");
    env.forebay(["token", "revoke", "ci"]).refused(1, "no valid token", "token list");
}

#[test]
fn the_secret_is_kept_nowhere() {
    let env = TestEnv::new();
    let token = env.token("ci", &[]);
    let secret = token.rsplit('_').next().unwrap();
    let read = |file: &str| std::fs::read(env.data().join(file)).unwrap_or_default();
    let files = ["user/store.db", "user/store.db-wal", "forebay.log"].map(read);
    assert!(files.iter().any(|bytes| has(bytes, b"$argon2id$")), "the hash is there");
    assert!(!files.iter().any(|bytes| has(bytes, secret.as_bytes())), "and the secret is not");
}

fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn bad_tokens_are_not_made() {
    let env = TestEnv::new();
    for (arguments, code, message, hint) in [
        (vec!["a b"], 2, "invalid name", "letters"),
        (vec!["x", "--workspace", "../up"], 2, "invalid workspace", "letters"),
        (vec!["x", "--workspace", "Team"], 2, "invalid workspace", "lowercase letters"),
        (vec!["x", "--days", "0"], 2, "0 days", "at least one"),
    ] {
        let mut command = env.command(["token", "create"]);
        crate::env::finish(
            {
                command.args(arguments);
                command
            },
            b"",
        )
        .refused(code, message, hint);
    }
}

#[test]
fn elsewhere_than_on_this_machine_a_token_is_needed() {
    let env = TestEnv::new();
    env.forebay(["serve", "--listen", "0.0.0.0:0"]).refused(126, "none exists", "token create");
    let token = env.token("ann", &["--rights", "read,write"]);
    let server = env.serve_at("0.0.0.0:0", &[]);
    assert!(server.told.contains("with a token"), "{}", server.told);
    server.get("/health").ok();
    for path in ["/v1/tools", "/v1/search?q=x", "/metrics", "/openapi.json", "/mcp", "/nowhere"] {
        let refused = server.get(path);
        refused.refused(401, "a token is required", "forebay token create");
        assert!(refused.header("www-authenticate").unwrap().starts_with("Bearer"), "{path}");
    }
    let noted = reference_in(&note(&server, &token, "the heron waits").answer());
    assert!(search(&server, &token, "heron").text().contains(&noted));
}

#[test]
fn commands_and_files_stay_off_on_a_network_server() {
    let env = TestEnv::new();
    let token = env.token("ann", &["--rights", "read,write,execute"]);
    env.write("secret.txt", "not for the network");
    let off = env.serve_at("0.0.0.0:0", &[]);
    let call = |server: &Server, tool: &str, input: serde_json::Value| {
        server.send(&Request::tool(tool, input).bearing(&token))
    };
    for (tool, input) in [
        ("ctx_execute", json!({ "command": "id" })),
        ("ctx_execute_file", json!({ "path": ["secret.txt"], "code": "cat", "language": "sh" })),
        ("ctx_batch_execute", json!({ "commands": [{ "code": "id" }] })),
        ("ctx_job", json!({})),
        ("context_read", json!({ "path": "secret.txt" })),
        ("context_peek", json!({ "paths": ["."] })),
        ("context_write", json!({ "path": "x", "content": "x" })),
        ("ctx_index", json!({ "path": "secret.txt" })),
        ("ctx_import", json!({})),
        ("ctx_doctor", json!({})),
    ] {
        call(&off, tool, input).refused(403, "is disabled on this server", "--enable");
    }
    call(&off, "ctx_index", json!({ "text": "words", "source": "s" })).ok();
    let listed = off.send(&Request::get("/v1/tools?format=mcp").bearing(&token)).text();
    assert!(listed.contains("ctx_search") && !listed.contains("ctx_execute"), "{listed}");
    assert!(!listed.contains("context_read"), "{listed}");
    drop(off);
    let on = env.serve_at("0.0.0.0:0", &["--enable", "execute,files"]);
    assert!(call(&on, "ctx_execute", json!({ "command": "echo on" })).answer().contains("on"));
    call(&on, "context_read", json!({ "path": "secret.txt" })).ok();
}

#[test]
fn a_name_for_others_makes_a_server_one_of_the_network() {
    let env = TestEnv::new();
    env.forebay(["serve", "--listen", "127.0.0.1:0", "--host", "mem.example.org"]).refused(
        126,
        "none exists",
        "token create",
    );
}

#[test]
fn rights_bound_what_a_token_does() {
    let env = TestEnv::new();
    let reader = env.token("reader", &[]);
    let writer = env.token("writer", &["--rights", "write"]);
    let server = env.serve(&["--require-token"]);
    server.get("/v1/tools").refused(401, "a token is required", "");
    note(&server, &reader, "x").refused(403, "the right `write`", "--rights write");
    search(&server, &writer, "x").refused(403, "the right `read`", "--rights read");
    let metrics = Request::get("/metrics").bearing(&writer);
    server.send(&metrics).refused(403, "lacks the read right", "");
    let raw = Request::get("/v1/entries/aaaaaaaaaa?raw=true").bearing(&writer);
    server.send(&raw).refused(403, "the right `read`", "");
    note(&server, &writer, "x").ok();
    search(&server, &reader, "x").ok();
    let run = Request::tool("ctx_execute", json!({ "command": "id" })).bearing(&writer);
    server.send(&run).refused(403, "the right `execute`", "--rights execute");
    let listed = server.send(&Request::get("/v1/tools?format=mcp").bearing(&reader)).text();
    assert!(listed.contains("ctx_search") && !listed.contains("ctx_annotate"), "{listed}");
}

#[test]
fn one_workspace_never_sees_another() {
    let env = TestEnv::new();
    let all = ["--rights", "read,write"];
    let of = |workspace: &'static str| [all[0], all[1], "--workspace", workspace];
    let (red, blue) = (env.token("red", &of("red")), env.token("blue", &of("blue")));
    let own = env.token("own", &all);
    let server = env.serve(&["--require-token"]);
    let secret = reference_in(&note(&server, &red, "the heron code is weir").answer());
    let everywhere = note(&server, &red, "unused").answer();
    assert!(!everywhere.is_empty());
    for other in [&blue, &own] {
        let path = format!("/v1/entries/{secret}");
        let get =
            |query: &str| server.send(&Request::get(&format!("{path}{query}")).bearing(other));
        get("").refused(404, &secret, "");
        get("?scope=all").refused(404, &secret, "");
        get("?raw=true").refused(404, &secret, "");
        for scope in ["project", "all", "session"] {
            let found = search(&server, other, &format!("heron&scope={scope}")).text();
            assert!(!found.contains(&secret) && !found.contains("weir"), "{scope}: {found}");
        }
        let history = Request::tool("ctx_history", json!({ "session": "all" })).bearing(other);
        assert!(!server.send(&history).answer().contains(&secret));
        let supersede = json!({ "text": "mine", "supersedes": secret });
        let replaced = server.send(&Request::tool("ctx_annotate", supersede).bearing(other));
        assert_eq!(replaced.status, 404, "{replaced:?}");
        let purge = json!({ "refs": [secret], "confirm": true });
        let purged = server.send(&Request::tool("ctx_purge", purge).bearing(other));
        assert!(!purged.text().contains("heron"), "{purged:?}");
    }
    assert!(search(&server, &red, "heron").text().contains(&secret), "its own are there still");
}

#[test]
fn wrong_tokens_open_nothing_and_are_counted() {
    let env = TestEnv::new();
    let good = env.token("ann", &[]);
    let (start, _) = good.rsplit_once('_').unwrap();
    let expired = env.token("old", &["--days", "1"]);
    let server = env.serve(&["--require-token"]);
    expire(&env, &expired);
    let ask = |token: &str| server.send(&Request::get("/v1/tools").bearing(token));
    for wrong in
        ["nonsense", "fby_aaaaaaaaaa_bbbbbbbb", &format!("{start}_{}", "a".repeat(32)), &expired]
    {
        let refused = ask(wrong);
        refused.refused(401, "invalid token", "wrong, expired or revoked");
        assert!(refused.header("www-authenticate").unwrap().contains("invalid_token"), "{wrong}");
    }
    let basic = Request::get("/v1/tools").header("authorization", "Basic YTpi");
    server.send(&basic).refused(401, "a token is required", "Bearer");
    ask(&good).ok();
    // Whoever goes on guessing has to wait; who has a good token does not.
    let tried_out = (0..50).map(|n| ask(&format!("fby_{n}aaaaaaaa_x"))).find(|r| r.status == 429);
    let tried_out = tried_out.expect("guessing has an end");
    tried_out.refused(429, "too many", "wait");
    assert!(tried_out.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    ask(&good).ok();
    let log = std::fs::read_to_string(env.data().join("forebay.log")).unwrap();
    assert!(log.contains("wrong secret") && log.contains("expired token"), "{log}");
    for secret in [&good, &expired] {
        assert!(!log.contains(secret.rsplit('_').next().unwrap()), "a secret in the log");
    }
}

/// Has a token's last day be over.
fn expire(env: &TestEnv, token: &str) {
    let id = token.split('_').nth(1).unwrap();
    let store = rusqlite::Connection::open(env.data().join("user/store.db")).unwrap();
    store.execute("UPDATE token SET expires = 1 WHERE id = ?1", [id]).unwrap();
}

#[test]
fn a_revoked_token_is_refused_without_a_restart() {
    let env = TestEnv::new();
    let token = env.token("ann", &[]);
    let server = env.serve(&["--require-token"]);
    let ask = || server.send(&Request::get("/v1/tools").bearing(&token)).status;
    assert_eq!(ask(), 200);
    env.forebay(["token", "revoke", "ann"]).ok();
    assert!(wait_until(HANG, || ask() == 401), "it still opens");
}

#[test]
fn a_rate_is_held_for_each_token() {
    let env = TestEnv::new();
    let (ann, bob) = (env.token("ann", &[]), env.token("bob", &[]));
    let server = env.serve(&["--require-token", "--set", "serve.rate=1"]);
    let ask = |token: &str| server.send(&Request::get("/v1/tools").bearing(token));
    let refused = (0..20).map(|_| ask(&ann)).find(|answer| answer.status != 200).unwrap();
    refused.refused(429, "too many requests", "wait");
    assert_eq!(refused.header("retry-after"), Some("1"));
    ask(&bob).ok();
}

#[test]
fn clients_without_a_token_are_told_who_hands_them_out() {
    let env = TestEnv::new();
    env.token("ann", &[]);
    let server = env.serve(&["--issuer", "https://login.example.org"]);
    let refused = server.get("/mcp");
    let challenge = refused.header("www-authenticate").unwrap();
    assert!(challenge.contains("/.well-known/oauth-protected-resource"), "{challenge}");
    for path in ["", "/mcp"] {
        let told = server.get(&format!("/.well-known/oauth-protected-resource{path}")).ok();
        assert_eq!(told["authorization_servers"], json!(["https://login.example.org"]));
        assert_eq!(told["resource"], "http://localhost/mcp");
    }
    let without = env.serve(&[]);
    assert_eq!(without.get("/.well-known/oauth-protected-resource").status, 404);
}
