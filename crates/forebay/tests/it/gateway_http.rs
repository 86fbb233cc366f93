//! `forebay gateway --listen`: the servers of a list for a team, with sessions, tokens and rights.

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::env::{HANG_TIMEOUT, TestEnv, is_gone, reference_in, wait_until};
use crate::gateway_client::{Client, call, command, gateway, request};
use crate::http_client::{Request, Response, Server};
use crate::mcp_client::text_of;
use crate::wrap::{SERVER, with_server};

#[test]
fn each_session_has_servers_of_its_own_and_ends_them() {
    with_server(|env| {
        let server = gateway(env, &[]);
        assert!(
            server.startup_line.contains("they may use one, three, two"),
            "{}",
            server.startup_line
        );
        let (ann, ben) = (Client::start(&server, None), Client::start(&server, None));
        let pids = [ann.pid("one_pid"), ann.pid("two_pid"), ben.pid("one_pid"), ben.pid("two_pid")];
        for (at, pid) in pids.iter().enumerate() {
            assert!(!pids[..at].contains(pid), "{pids:?}");
        }
        let digest = ann.text("two_lines", json!({ "count": 4_000 }));
        assert!(digest.contains("4,000 lines"), "{digest}");
        let reference = reference_in(&digest);
        let part = ann.text("ctx_get", json!({ "ref": reference, "grep": "row 3777" }));
        assert!(part.contains("row 3777 of the listing"), "{part}");
        let found = ann.text("ctx_search", json!({ "queries": ["3777 listing"] }));
        assert!(found.contains(&reference), "{found}");
        let stats = env.forebay(["stats"]).ok().text();
        assert!(stats.contains("wrap two") && !stats.contains("wrap one"), "{stats}");
        assert_eq!(ann.end(), 204);
        assert!(is_gone(pids[0]) && is_gone(pids[1]));
        assert_eq!(ann.post(&request(1, "ping", json!({}))).status, 404);
        assert_eq!(ben.pid("one_pid"), pids[2], "the other session goes on");
    });
}

#[test]
fn a_token_opens_the_servers_and_tools_that_it_has_rights_for() {
    with_server(|env| {
        let ann = env.token("ann", &["--rights", "read,one:read,two:write,two:execute"]);
        let ben = env.token("ben", &["--rights", "read,write"]);
        let eve = env.token("eve", &["--rights", "write,four:read"]);
        let server = gateway(env, &["--require-token"]);
        assert_eq!(Client::initialize(&server, None).status, 401);
        let denied = Client::initialize(&server, Some(&eve));
        denied.refused(403, "no right on any server", "token create");

        let client = Client::start(&server, Some(&ann));
        let all = ["lines", "structured", "file", "other"].map(|tool| format!("two_{tool}"));
        let mut expect = vec!["one_lines".to_owned()];
        expect.extend(all);
        expect.extend(["ctx_search", "ctx_get"].map(str::to_owned));
        assert_eq!(client.tools(), expect);
        assert_eq!(client.text("one_lines", json!({ "count": 1 })), "row 0 of the listing");
        for tool in ["one_said", "one_structured", "one_pid"] {
            let refused = client.ask(&call(7, tool, json!({ "text": "x", "count": 1 })));
            assert_eq!(refused["result"]["isError"], true);
            assert!(text_of(&refused["result"]).contains("needs more rights"), "{refused}");
        }
        assert_eq!(client.text("two_said", json!({ "text": "x" })), "x");
        let unknown = client.ask(&call(8, "three_said", json!({ "text": "x" })));
        assert!(unknown["error"]["message"].as_str().unwrap().contains("no server has"));

        // Rights without a server are for every server; the tools are looked up before the first call.
        let client = Client::start(&server, Some(&ben));
        assert_eq!(client.text("three_structured", json!({ "count": 0 })), "{\"rows\": []}");
        let refused = client.ask(&call(7, "three_file", json!({ "count": 1 })));
        assert_eq!(refused["result"]["isError"], true);
        // A session belongs to its token.
        let other = Client { server: &server, token: Some(&ann), session: client.session.clone() };
        assert_eq!(other.post(&request(1, "ping", json!({}))).status, 404);
    });
}

#[test]
fn tokens_with_workspaces_have_their_own_entries() {
    with_server(|env| {
        let tokens = ["red", "blue"]
            .map(|name| env.token(name, &["--rights", "read,execute", "--workspace", name]));
        let server = gateway(env, &["--require-token"]);
        let [red, blue] = [&tokens[0], &tokens[1]].map(|token| Client::start(&server, Some(token)));
        let reference = reference_in(&red.text("one_lines", json!({ "count": 4_000 })));
        let get = json!({ "ref": reference, "lines": "1-1" });
        assert!(red.text("ctx_get", get.clone()).contains("row 0 of the listing"));
        let other = blue.ask(&call(7, "ctx_get", get));
        assert_eq!(other["result"]["isError"], true, "{other}");
    });
}

#[test]
fn what_servers_ask_and_tell_reaches_the_session_that_it_is_about() {
    with_server(|env| {
        let server = gateway(env, &[]);
        let (ann, ben) = (Client::start(&server, None), Client::start(&server, None));
        let mut unasked = ann.stream(&ann.request("GET"));
        // Sampling, during a call.
        let mut asking = ann.call(1, "one_ask", json!({}));
        let question = asking.message();
        assert_eq!(question["method"], "sampling/createMessage");
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "by": "ann" } });
        assert_eq!(ann.post(&answer).status, 202);
        assert!(text_of(&asking.message()["result"]).contains("\"by\":\"ann\""));
        assert!(asking.next().is_none(), "the stream ends with the answer");
        // Progress belongs to the call with its token, whatever is open.
        let params = json!({ "name": "two_progress", "_meta": { "progressToken": "t" } });
        let call = request(2, "tools/call", params);
        let mut progress = ann.stream(&ann.request("POST").json(&call));
        for step in 0..3 {
            assert_eq!(progress.message()["params"]["progress"], step);
        }
        assert_eq!(text_of(&progress.message()["result"]), "done");
        // A changed list is told where no request is answered.
        assert_eq!(ann.text("one_grow", json!({})), "grown");
        assert_eq!(unasked.message()["method"], "notifications/tools/list_changed");
        assert!(ann.tools().contains(&"one_grown".to_owned()));
        assert!(!ben.tools().contains(&"one_grown".to_owned()), "another server");
    });
}

#[test]
fn the_rules_of_the_gateway_ask_the_user_of_the_session() {
    with_server(|env| {
        std::fs::create_dir(env.project().join(".claude")).unwrap();
        let rules =
            json!({ "permissions": { "ask": ["mcp__one__said"], "deny": ["mcp__two__said"] } });
        env.write(".claude/settings.json", rules.to_string());
        let server = gateway(env, &[]);
        let client = Client::start(&server, None);
        let mut asking = client.call(1, "one_said", json!({ "text": "fine" }));
        let question = asking.message();
        assert_eq!(question["method"], "elicitation/create");
        let accept =
            json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept" } });
        client.post(&accept);
        assert_eq!(text_of(&asking.message()["result"]), "fine");
        let denied = client.ask(&call(2, "two_said", json!({ "text": "x" })));
        assert!(text_of(&denied["result"]).contains("denied"), "{denied}");
    });
}

#[test]
fn a_revoked_token_ends_its_streams_and_servers() {
    with_server(|env| {
        let ann = env.token("ann", &["--rights", "execute"]);
        let ben = env.token("ben", &["--rights", "execute"]);
        let server = gateway(env, &["--require-token"]);
        let client = Client::start(&server, Some(&ann));
        let stays = Client::start(&server, Some(&ben));
        let pid = client.pid("one_pid");
        let mut unasked = client.stream(&client.request("GET"));
        env.forebay(["token", "revoke", "ann"]).ok();
        assert!(unasked.next().is_none());
        assert!(is_gone(pid));
        let is_refused = || client.post(&request(1, "ping", json!({}))).status == 401;
        assert!(wait_until(HANG_TIMEOUT, is_refused));
        assert_eq!(stays.text("one_said", json!({ "text": "here" })), "here");
    });
}

#[test]
fn a_stream_that_breaks_is_taken_up_behind_its_last_event() {
    with_server(|env| {
        let server = gateway(env, &[]);
        let client = Client::start(&server, None);
        let mut asking = client.call(1, "one_ask", json!({}));
        let (id, question) = asking.next().unwrap();
        drop(asking);
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": {} });
        client.post(&answer);
        let mut again = client.stream(&client.request("GET").header("last-event-id", &id));
        assert_eq!(again.message()["id"], 1);
        assert!(again.next().is_none());
        for unknown in ["99.0", "x", "1.", "-1.0"] {
            let request = client.request("GET").header("last-event-id", unknown);
            server.send(&request).refused(404, "unknown or forgotten event", "Last-Event-ID");
        }
    });
}

/// A gateway whose first server lists its calls in a file.
fn gateway_with_log(env: &TestEnv) -> (Server, PathBuf) {
    let log = env.project().join("calls");
    let mut own = command(env, &[]);
    own.env("CALLS", &log);
    (Server::start(own), log)
}

#[test]
fn a_cancelled_call_ends_its_stream_and_holds_up_no_other() {
    with_server(|env| {
        let (server, log) = gateway_with_log(env);
        let client = Client::start(&server, None);
        let mut connection = server.connect();
        let hanging = client.request("POST").json(&call(5, "one_never", json!({})));
        connection.write_all(&hanging.bytes()).unwrap();
        let is_called = || std::fs::read_to_string(&log).is_ok_and(|calls| calls.contains("never"));
        assert!(wait_until(HANG_TIMEOUT, is_called));
        let twice = client.post(&call(5, "one_said", json!({ "text": "x" })));
        assert!(twice.status == 400 && twice.text().contains("not answered yet"), "{twice:?}");
        let cancel = json!({ "requestId": 5 });
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel });
        assert_eq!(client.post(&cancel).status, 202);
        let ended = Response::read(connection);
        assert!(
            ended.status == 202 || ended.body.iter().all(|byte| b": \n".contains(byte)),
            "{ended:?}"
        );
        assert_eq!(client.text("one_said", json!({ "text": "on" })), "on");
    });
}

#[test]
fn a_call_that_is_cancelled_while_its_rights_are_looked_up_reaches_no_server() {
    with_server(|env| {
        let log = env.project().join("received");
        let ann = env.token("ann", &["--rights", "one:read"]);
        let mut own = command(env, &["--require-token"]);
        own.envs([("NO_LISTS", "1"), ("RECEIVED", log.to_str().unwrap())]);
        let server = Server::start(own);
        let client = Client::start(&server, Some(&ann));
        let mut connection = server.connect();
        let call = client.request("POST").json(&call(5, "one_lines", json!({ "count": 1 })));
        connection.write_all(&call.bytes()).unwrap();
        let count = |what: &str| {
            std::fs::read_to_string(&log).map_or(0, |lines| lines.matches(what).count())
        };
        assert!(wait_until(HANG_TIMEOUT, || count("tools/list") == 1));
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 5 } });
        assert_eq!(client.post(&cancel).status, 202);
        let ended = Response::read(connection);
        assert!(
            ended.status == 202 || ended.body.iter().all(|byte| b": \n".contains(byte)),
            "{ended:?}"
        );
        assert!(wait_until(HANG_TIMEOUT, || count("notifications/cancelled") == 1));
        // The id is free again, and whatever was sent before is at the server.
        assert_eq!(client.ask(&request(5, "ping", json!({})))["id"], 5);
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
        assert_eq!(client.post(&ready).status, 202);
        assert!(wait_until(HANG_TIMEOUT, || count("roots/list_changed") == 1));
        assert_eq!(count("tools/call"), 0);
    });
}

#[test]
fn a_session_without_a_server_is_503_with_the_reason() {
    let env = TestEnv::new();
    env.write("servers.toml", "[servers.gone]\ncommand = \"no-such-program\"\n");
    let mut own = env.command(["gateway", "servers.toml", "--listen", "127.0.0.1:0"]);
    own.envs([("FOREBAY_GATEWAY_SESSIONS_PER_CALLER", "1"), ("FOREBAY_GATEWAY_SERVERS", "1")]);
    let server = Server::start(own);
    // Each takes the room that the one before has left.
    for _ in 0..3 {
        let refused = Client::initialize(&server, None);
        refused.refused(503, "the session cannot be started: gone does not start", "log");
        assert!(refused.text().contains("no-such-program"), "{}", refused.text());
        assert_eq!(refused.header("mcp-session-id"), None);
    }
}

#[test]
fn a_session_starts_with_the_servers_that_start() {
    with_server(|env| {
        let here = format!("[servers.here]\ncommand = \"python3\"\nargs = ['{SERVER}']\n");
        env.write("servers.toml", format!("[servers.gone]\ncommand = \"no-such-program\"\n{here}"));
        let words = ["gateway", "servers.toml", "--listen", "127.0.0.1:0"];
        let server = Server::start(env.command(words));
        let client = Client::start(&server, None);
        assert_eq!(client.text("here_said", json!({ "text": "x" })), "x");
        let gone = client.ask(&call(8, "gone_said", json!({})));
        assert!(gone["error"]["message"].as_str().unwrap().contains("no server has"), "{gone}");
    });
}

#[test]
fn sessions_and_servers_are_bounded() {
    with_server(|env| {
        let mut own = command(env, &[]);
        own.envs([("FOREBAY_GATEWAY_SESSIONS_PER_CALLER", "2"), ("FOREBAY_GATEWAY_SERVERS", "5")]);
        let server = Server::start(own);
        let first = Client::start(&server, None);
        // Two servers are left, a session needs three.
        let full = Client::initialize(&server, None);
        full.refused(503, "no room", "gateway.servers");
        assert!(full.header("retry-after").is_some());
        let pid = first.pid("one_pid");
        first.end();
        assert!(is_gone(pid));
        let has_room = || Client::initialize(&server, None).status == 200;
        assert!(wait_until(HANG_TIMEOUT, has_room), "the room of a session that has ended");

        let ann = env.token("ann", &["--rights", "one:execute"]);
        let [first, second] = [(); 2].map(|()| Client::start(&server, Some(&ann)));
        let third = Client::initialize(&server, Some(&ann));
        third.refused(429, "too many sessions of this caller", "DELETE");
        second.end();
        assert_eq!(first.text("one_said", json!({ "text": "here" })), "here");
        let has_room = || Client::initialize(&server, Some(&ann)).status == 200;
        assert!(wait_until(HANG_TIMEOUT, has_room));
    });
}

#[test]
fn a_session_that_nobody_uses_ends() {
    with_server(|env| {
        let mut own = command(env, &[]);
        own.env("FOREBAY_GATEWAY_IDLE_SECONDS", "8");
        let server = Server::start(own);
        let (idle, listening) = (Client::start(&server, None), Client::start(&server, None));
        let _unasked = listening.stream(&listening.request("GET"));
        let [gone, stays] = [idle.pid("one_pid"), listening.pid("one_pid")];
        assert!(wait_until(HANG_TIMEOUT, || is_gone(gone)));
        assert_eq!(listening.pid("one_pid"), stays);
    });
}

#[test]
fn a_batch_is_taken_whole_or_not_at_all_and_an_ended_session_is_unknown() {
    with_server(|env| {
        let (server, log) = gateway_with_log(env);
        let client = Client::start(&server, None);
        // More than an inbox has room for.
        let notices = (0..1_000).map(|_| json!({ "jsonrpc": "2.0", "method": "notifications/x" }));
        let first = call(1, "one_said", json!({ "text": "x" }));
        let batch: Vec<Value> = std::iter::once(first).chain(notices).collect();
        assert_eq!(client.post(&json!(batch)).status, 429);
        // The id is free, and nothing was called.
        let mut connection = server.connect();
        let hanging = client.request("POST").json(&call(1, "one_never", json!({})));
        connection.write_all(&hanging.bytes()).unwrap();
        let is_called = || std::fs::read_to_string(&log).is_ok_and(|calls| calls.contains("never"));
        assert!(wait_until(HANG_TIMEOUT, is_called));
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "never\n");
        client.end();
        assert_eq!(Response::read(connection).status, 404);
        let again = client.request("POST").json(&request("init", "initialize", json!({})));
        assert_eq!(server.send(&again).status, 404);
    });
}

#[test]
fn the_end_of_the_gateway_is_that_of_its_servers() {
    with_server(|env| {
        for is_killed in [false, true] {
            let server = gateway(env, &[]);
            let client = Client::start(&server, None);
            let pids = [client.pid("one_pid"), client.pid("two_pid")];
            let hanging = client.stream(&client.request("GET"));
            if is_killed {
                server.kill();
            } else {
                server.terminate();
                assert_eq!(server.wait().code(), Some(0));
            }
            assert!(pids.into_iter().all(is_gone), "killed: {is_killed}");
            drop(hanging);
        }
    });
}

#[test]
fn a_server_that_does_not_read_holds_up_no_other() {
    with_server(|env| {
        let server = gateway(env, &[]);
        let client = Client::start(&server, None);
        assert_eq!(client.text("one_deaf", json!({})), "deaf");
        // More than the pipes between have room for.
        let long = json!({ "text": "x".repeat(400_000) });
        let unread = client.request("POST").json(&call(1, "one_said", long));
        let mut connection = server.connect();
        connection.write_all(&unread.bytes()).unwrap();
        assert_eq!(client.text("two_said", json!({ "text": "here" })), "here");
        let pid = client.pid("two_pid");
        client.end();
        assert!(is_gone(pid));
        assert!(!Response::read(connection).text().contains("result"), "it has no answer");
    });
}

#[test]
fn a_client_may_take_no_events_or_send_batches() {
    with_server(|env| {
        let server = gateway(env, &[]);
        let client = Client::start(&server, None);
        let params = json!({ "name": "two_progress", "_meta": { "progressToken": "t" } });
        let only_json = client.request("POST").header("accept", "application/json").json(&request(
            1,
            "tools/call",
            params,
        ));
        assert_eq!(text_of(&server.send(&only_json).ok()["result"]), "done");
        let batch = json!([
            call("a", "one_said", json!({ "text": "first" })),
            { "jsonrpc": "2.0", "method": "notifications/x" },
            call(-3, "two_said", json!({ "text": "second" })),
        ]);
        let mut events = client.stream(&client.request("POST").json(&batch));
        let mut answers = [events.message(), events.message()];
        answers.sort_by_key(|answer| answer["id"].is_number());
        assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!("a"), &json!(-3)));
        assert!(events.next().is_none());
        let no_stream = client.request("GET").header("accept", "application/json");
        assert_eq!(server.send(&no_stream).status, 406);
    });
}

#[test]
fn what_is_not_the_protocol_is_refused() {
    with_server(|env| {
        let server = gateway(env, &[]);
        let client = Client::start(&server, None);
        let post = |body: &str| {
            let request = client.request("POST").header("content-type", "application/json");
            server.send(&request.body(body))
        };
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let no_objects = ["", "{", "7", "[]", "[7]", "{\"id\":1,\"id\":2,\"method\":\"ping\"}"];
        for body in no_objects.into_iter().chain(["{\"id\":null,\"method\":\"ping\"}", &deep]) {
            let refused = post(body);
            let shown = body.get(..40).unwrap_or(body);
            assert_eq!(
                (refused.status, &refused.json()["error"]["code"]),
                (400, &json!(-32700)),
                "{shown}"
            );
        }
        assert_eq!(post("{\"id\":1.5e0,\n\"method\":\"ping\"}").ok()["id"], 1.5);
        let again = client.post(&request(2, "initialize", json!({})));
        assert!(again.status == 400 && again.text().contains("initialized already"));
        let without = Request::new("POST", "/mcp").json(&request(3, "tools/list", json!({})));
        assert!(server.send(&without).text().contains("send `initialize` first"));
        let newer = client.request("POST").header("mcp-protocol-version", "2026-07-28");
        let newer = server.send(&newer.json(&request(4, "server/discover", json!({}))));
        assert_eq!((newer.status, &newer.json()["error"]["code"]), (400, &json!(-32022)));
        assert_eq!(server.send(&client.request("PUT")).status, 405);
        let unknown = client.ask(&request(5, "no/such/method", json!({})));
        assert_eq!(unknown["error"]["code"], -32601);
        // The commands and files of the machine are no part of a gateway.
        let run = server.tool("ctx_execute", json!({ "code": "id", "language": "shell" }));
        assert!(run.status == 403 || run.status == 400, "{}", run.text());
    });
}

#[test]
fn a_thousand_calls_of_ten_sessions_lose_none() {
    with_server(|env| {
        let mut own = command(env, &[]);
        own.envs([("FOREBAY_GATEWAY_SESSIONS_PER_CALLER", "10"), ("FOREBAY_SERVE_RATE", "0")]);
        let server = Server::start(own);
        std::thread::scope(|scope| {
            for session in 0..10 {
                let server = &server;
                scope.spawn(move || {
                    let client = Client::start(server, None);
                    for batch in 0..10 {
                        let calls: Vec<Value> = (0..10)
                            .map(|one| {
                                let text = format!("{session}.{batch}.{one}");
                                let tool = ["one_said", "two_said", "three_said"][one % 3];
                                call(batch * 10 + one, tool, json!({ "text": text }))
                            })
                            .collect();
                        let request = client.request("POST").json(&Value::from(calls));
                        let mut events = client.stream(&request);
                        let mut answers: Vec<String> =
                            (0..10).map(|_| text_of(&events.message()["result"])).collect();
                        answers.sort();
                        let expect = (0..10).map(|one| format!("{session}.{batch}.{one}"));
                        assert!(answers.iter().cloned().eq(expect), "{answers:?}");
                        assert!(events.next().is_none());
                    }
                });
            }
        });
    });
}
