//! Tokens: authentication, rights and workspaces.

use std::io::Write;
use std::time::Instant;

use serde_json::json;

use crate::env::{HANG_TIMEOUT, TestEnv, reference_in, wait_until};
use crate::http_client::{Request, Server};

fn note(server: &Server, token: &str, text: &str) -> crate::http_client::Response {
    server.send(&Request::tool("ctx_annotate", json!({ "text": text })).bearer(token))
}

fn search(server: &Server, token: &str, word: &str) -> crate::http_client::Response {
    server.send(&Request::get(&format!("/v1/search?q={word}")).bearer(token))
}

#[test]
fn tokens_are_created_listed_and_revoked() {
    let env = TestEnv::new();
    assert!(env.forebay(["token", "list"]).ok().text().contains("no tokens"));
    let created = env
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
    let text = created["token"].as_str().unwrap();
    assert!(text.starts_with("fby_") && text.len() > 40, "{created}");
    let listed = env.forebay(["--json", "token", "list"]).ok();
    assert!(
        !listed.text().contains(text.rsplit('_').next().unwrap()),
        "the list contains the secret"
    );
    let row = &listed.json()[0];
    assert_eq!(row["rights"], json!(["read", "write"]));
    assert_eq!((&row["workspace"], &row["state"]), (&json!("team"), &json!("in force")));
    env.forebay(["token", "revoke", "ci"]).ok();
    assert_eq!(env.forebay(["--json", "token", "list"]).ok().json()[0]["state"], "revoked");
    env.forebay(["token", "revoke", "ci"]).refused(1, "no valid token", "token list");
}

#[test]
fn token_secret_is_never_stored() {
    let env = TestEnv::new();
    let token = env.token("ci", &[]);
    let secret = token.rsplit('_').next().unwrap();
    let read = |file: &str| std::fs::read(env.data().join(file)).unwrap_or_default();
    let files = ["user/store.db", "user/store.db-wal", "forebay.log"].map(read);
    assert!(files.iter().any(|bytes| contains_bytes(bytes, b"$argon2id$")), "the hash is stored");
    assert!(
        !files.iter().any(|bytes| contains_bytes(bytes, secret.as_bytes())),
        "the secret is not stored"
    );
}

fn contains_bytes(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn invalid_token_options_are_refused() {
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
fn two_valid_tokens_cannot_share_a_name() {
    let env = TestEnv::new();
    env.forebay(["token", "create", "ci"]).ok();
    let refused = env.forebay(["token", "create", "ci"]);
    refused.refused(2, "a token named `ci` exists", "token revoke");
    env.forebay(["token", "revoke", "ci"]).ok();
    env.forebay(["token", "create", "ci"]).ok();
}

#[test]
fn network_server_requires_a_token() {
    let env = TestEnv::new();
    env.forebay(["serve", "--listen", "0.0.0.0:0"]).refused(126, "none exists", "token create");
    let token = env.token("ann", &["--rights", "read,write"]);
    let server = env.serve_on("0.0.0.0:0", &[]);
    assert!(server.startup_line.contains("with a token"), "{}", server.startup_line);
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
fn network_server_disables_commands_and_files_by_default() {
    let env = TestEnv::new();
    let token = env.token("ann", &["--rights", "read,write,execute"]);
    env.write("secret.txt", "not for the network");
    let off = env.serve_on("0.0.0.0:0", &[]);
    let call = |server: &Server, tool: &str, input: serde_json::Value| {
        server.send(&Request::tool(tool, input).bearer(&token))
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
    let listed = off.send(&Request::get("/v1/tools?format=mcp").bearer(&token)).text();
    assert!(listed.contains("ctx_search") && !listed.contains("ctx_execute"), "{listed}");
    assert!(!listed.contains("context_read"), "{listed}");
    drop(off);
    let on = env.serve_on("0.0.0.0:0", &["--enable", "execute,files"]);
    assert!(call(&on, "ctx_execute", json!({ "command": "echo on" })).answer().contains("on"));
    call(&on, "context_read", json!({ "path": "secret.txt" })).ok();
}

#[test]
fn public_host_name_requires_a_token() {
    let env = TestEnv::new();
    env.forebay(["serve", "--listen", "127.0.0.1:0", "--host", "mem.example.org"]).refused(
        126,
        "none exists",
        "token create",
    );
}

#[test]
fn rights_limit_what_a_token_can_do() {
    let env = TestEnv::new();
    let reader = env.token("reader", &[]);
    let writer = env.token("writer", &["--rights", "write"]);
    let server = env.serve(&["--require-token"]);
    server.get("/v1/tools").refused(401, "a token is required", "");
    note(&server, &reader, "x").refused(403, "the right `write`", "--rights write");
    search(&server, &writer, "x").refused(403, "the right `read`", "--rights read");
    let metrics = Request::get("/metrics").bearer(&writer);
    server.send(&metrics).refused(403, "lacks the read right", "");
    let raw = Request::get("/v1/entries/aaaaaaaaaa?raw=true").bearer(&writer);
    server.send(&raw).refused(403, "the right `read`", "");
    note(&server, &writer, "x").ok();
    search(&server, &reader, "x").ok();
    let run = Request::tool("ctx_execute", json!({ "command": "id" })).bearer(&writer);
    server.send(&run).refused(403, "the right `execute`", "--rights execute");
    let listed = server.send(&Request::get("/v1/tools?format=mcp").bearer(&reader)).text();
    assert!(listed.contains("ctx_search") && !listed.contains("ctx_annotate"), "{listed}");
}

#[test]
fn workspaces_are_isolated() {
    let env = TestEnv::new();
    let all = ["--rights", "read,write"];
    let in_workspace = |workspace: &'static str| [all[0], all[1], "--workspace", workspace];
    let (red, blue) =
        (env.token("red", &in_workspace("red")), env.token("blue", &in_workspace("blue")));
    let own = env.token("own", &all);
    let server = env.serve(&["--require-token"]);
    let secret = reference_in(&note(&server, &red, "the heron code is weir").answer());
    let everywhere = note(&server, &red, "unused").answer();
    assert!(!everywhere.is_empty());
    for other in [&blue, &own] {
        let path = format!("/v1/entries/{secret}");
        let get = |query: &str| server.send(&Request::get(&format!("{path}{query}")).bearer(other));
        get("").refused(404, &secret, "");
        get("?scope=all").refused(404, &secret, "");
        get("?raw=true").refused(404, &secret, "");
        for scope in ["project", "all", "session"] {
            let found = search(&server, other, &format!("heron&scope={scope}")).text();
            assert!(!found.contains(&secret) && !found.contains("weir"), "{scope}: {found}");
        }
        let history = Request::tool("ctx_history", json!({ "session": "all" })).bearer(other);
        assert!(!server.send(&history).answer().contains(&secret));
        let supersede = json!({ "text": "mine", "supersedes": secret });
        let replaced = server.send(&Request::tool("ctx_annotate", supersede).bearer(other));
        assert_eq!(replaced.status, 404, "{replaced:?}");
        let purge = json!({ "refs": [secret], "confirm": true });
        let purged = server.send(&Request::tool("ctx_purge", purge).bearer(other));
        assert!(!purged.text().contains("heron"), "{purged:?}");
    }
    assert!(search(&server, &red, "heron").text().contains(&secret), "its own entries remain");
}

#[test]
fn invalid_tokens_are_refused_and_rate_limited() {
    let env = TestEnv::new();
    let good = env.token("ann", &[]);
    let (start, _) = good.rsplit_once('_').unwrap();
    let expired = env.token("old", &["--days", "1"]);
    let server = env.serve(&["--require-token"]);
    expire(&env, &expired);
    let ask = |token: &str| server.send(&Request::get("/v1/tools").bearer(token));
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
    // Repeated guesses are rate-limited; a valid token is not.
    let limited = (0..50).map(|n| ask(&format!("fby_{n}aaaaaaaa_x"))).find(|r| r.status == 429);
    let limited = limited.expect("guesses are rate-limited");
    limited.refused(429, "too many", "wait");
    assert!(limited.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    ask(&good).ok();
    let log = std::fs::read_to_string(env.data().join("forebay.log")).unwrap();
    assert!(log.contains("wrong secret") && log.contains("expired token"), "{log}");
    for secret in [&good, &expired] {
        assert!(!log.contains(secret.rsplit('_').next().unwrap()), "a secret in the log");
    }
}

#[test]
fn guesses_are_counted_before_they_are_verified() {
    let env = TestEnv::new();
    let good = env.token("ann", &[]);
    let (start, _) = good.rsplit_once('_').unwrap();
    let server = env.serve(&["--require-token"]);
    let started = Instant::now();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let ask = |token: String| server.send(&Request::get("/v1/tools").bearer(&token)).status;
        let guesses: Vec<_> = (0..40)
            .map(|number| scope.spawn(move || ask(format!("{start}_{number:032}"))))
            .collect();
        guesses.into_iter().map(|guess| guess.join().unwrap()).collect()
    });
    let verified = statuses.iter().filter(|status| **status == 401).count();
    // A burst of 10, and one more for every two seconds that the guesses took.
    let allowed = 11 + usize::try_from(started.elapsed().as_secs() / 2).unwrap();
    assert!((1..=allowed).contains(&verified), "{allowed}: {statuses:?}");
    assert!(statuses.iter().all(|status| [401, 429].contains(status)), "{statuses:?}");
}

#[test]
fn many_requests_with_a_new_token_are_all_answered() {
    let env = TestEnv::new();
    let good = env.token("ann", &[]);
    let server = env.serve(&["--require-token"]);
    std::thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| server.send(&Request::get("/v1/tools").bearer(&good)).ok());
        }
    });
}

#[test]
fn a_flood_without_a_token_does_not_fill_the_log() {
    let env = TestEnv::new();
    env.token("ann", &[]);
    let server = env.serve(&["--require-token"]);
    let path = format!("/{}", "x".repeat(20_000));
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let mut stream = server.connect();
    let mut answers = stream.try_clone().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || std::io::copy(&mut answers, &mut std::io::sink()));
        for _ in 0..3_000 {
            stream.write_all(request.as_bytes()).unwrap();
        }
        stream.shutdown(std::net::Shutdown::Write).unwrap();
    });
    let log = std::fs::read_to_string(env.data().join("forebay.log")).unwrap();
    assert!(log.contains("a token is required"), "{log}");
    assert!(log.len() < 20_000, "{} bytes", log.len());
}

/// Makes a token expire.
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
    let ask = || server.send(&Request::get("/v1/tools").bearer(&token)).status;
    assert_eq!(ask(), 200);
    env.forebay(["token", "revoke", "ann"]).ok();
    assert!(wait_until(HANG_TIMEOUT, || ask() == 401), "the token is still accepted");
}

#[test]
fn rate_limit_applies_per_token() {
    let env = TestEnv::new();
    let (ann, bob) = (env.token("ann", &[]), env.token("bob", &[]));
    let server = env.serve(&["--require-token", "--set", "serve.rate=1"]);
    let ask = |token: &str| server.send(&Request::get("/v1/tools").bearer(token));
    let refused = (0..20).map(|_| ask(&ann)).find(|answer| answer.status != 200).unwrap();
    refused.refused(429, "too many requests", "wait");
    assert_eq!(refused.header("retry-after"), Some("1"));
    ask(&bob).ok();
}

#[test]
fn unauthorized_clients_get_the_authorization_server() {
    let env = TestEnv::new();
    env.token("ann", &[]);
    let server = env.serve(&["--issuer", "https://login.example.org"]);
    let refused = server.get("/mcp");
    let challenge = refused.header("www-authenticate").unwrap();
    assert!(challenge.contains("/.well-known/oauth-protected-resource"), "{challenge}");
    for path in ["", "/mcp"] {
        let metadata = server.get(&format!("/.well-known/oauth-protected-resource{path}")).ok();
        assert_eq!(metadata["authorization_servers"], json!(["https://login.example.org"]));
        assert_eq!(metadata["resource"], "http://localhost/mcp");
    }
    let without = env.serve(&[]);
    assert_eq!(without.get("/.well-known/oauth-protected-resource").status, 404);
}
