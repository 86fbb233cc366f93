//! `forebay gateway`: several servers in one process.

use std::collections::HashSet;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::env::{HANG_TIMEOUT, TestEnv, finish, is_gone, reference_in, wait_until};
use crate::mcp_client::{McpClient, text_of};
use crate::wrap::{SERVER, call, request, with_server};

/// A gateway of test servers with these names, the first of which has a prefix of its own.
fn gateway(env: &TestEnv, names: &[&str], flags: &[&str]) -> Command {
    let mut list = String::new();
    for (number, name) in names.iter().enumerate() {
        let prefix = if number == 0 { "prefix = \"x-\"\n" } else { "" };
        list += &format!("[servers.{name}]\ncommand = \"python3\"\nargs = ['{SERVER}']\n{prefix}");
        list += "env = { LONG_DESCRIPTIONS = \"${LONG:-}\" }\n";
    }
    env.write("servers.toml", list);
    let words = ["gateway", "servers.toml"].iter().chain(flags).copied();
    env.command(words.collect::<Vec<_>>())
}

fn names(listing: &Value) -> Vec<&str> {
    let tools = listing["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn servers_share_a_list_and_keep_their_calls_apart() {
    with_server(|env| {
        let mut client = McpClient::start(gateway(env, &["one", "two"], &[]));
        let started = client.initialize("2025-06-18");
        assert_eq!(started["protocolVersion"], "2025-06-18");
        assert_eq!(started["capabilities"]["tools"]["listChanged"], true);
        let listing = client.ask("tools/list", json!({}));
        let mut expect: Vec<String> = ["x-", "two_"]
            .iter()
            .flat_map(|prefix| {
                ["lines", "structured", "file", "other"].map(|tool| format!("{prefix}{tool}"))
            })
            .collect();
        expect.extend(["ctx_search", "ctx_get"].map(str::to_owned));
        assert_eq!(names(&listing), expect);
        let pids: HashSet<String> =
            ["x-pid", "two_pid"].iter().map(|tool| client.text(tool, json!({}))).collect();
        assert_eq!(pids.len(), 2);
        let digest = client.text("two_lines", json!({ "count": 4_000 }));
        let get = json!({ "ref": reference_in(&digest), "grep": "row 3777" });
        assert!(client.text("ctx_get", get).contains("row 3777 of the listing"));
        let found = client.text("ctx_search", json!({ "queries": ["3777 listing"] }));
        assert!(found.contains("mcp__two__lines"), "{found}");
        let stats = env.forebay(["stats"]).ok().text();
        assert!(stats.contains("wrap two") && !stats.contains("wrap one"), "{stats}");
        assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
        let unknown = client.ask("no/such/method", json!({}));
        assert_eq!(unknown["error"]["code"], -32601);
        let nobody = client.ask("tools/call", json!({ "name": "three_said" }));
        assert!(nobody["error"]["message"].as_str().unwrap().contains("no server has"), "{nobody}");
        assert_eq!(client.close().code(), Some(0));
    });
}

#[test]
fn requests_and_rules_reach_the_server_they_are_about() {
    with_server(|env| {
        std::fs::create_dir(env.project().join(".claude")).unwrap();
        let rules = json!({ "permissions": { "deny": ["mcp__two__said"] } });
        env.write(".claude/settings.json", rules.to_string());
        let mut client = McpClient::initialized(gateway(env, &["one", "two"], &[]));
        let denied = client.error("two_said", json!({ "text": "x" }));
        assert!(denied.contains("mcp__two__said"), "{denied}");
        assert_eq!(client.text("x-said", json!({ "text": "x" })), "x");
        // Both servers ask under the same id.
        for tool in ["x-ask", "two_ask"] {
            let id = client.begin(tool, json!({}));
            let asked = client.receive();
            assert_eq!(asked["method"], "sampling/createMessage");
            let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "by": tool } });
            client.send_line(&answer.to_string());
            let text = text_of(&client.response(id)["result"]);
            assert!(text.contains("\"id\":\"s1\"") && text.contains(tool), "{text}");
        }
    });
}

#[test]
fn servers_get_only_answers_that_they_wait_for_and_no_request_without_an_id() {
    with_server(|env| {
        let log = env.project().join("received");
        let mut command = gateway(env, &["one", "two"], &[]);
        command.env("RECEIVED", &log);
        let mut client = McpClient::initialized(command);
        let id = client.begin("two_ask", json!({}));
        let asked = client.receive();
        let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "x": "unwanted" } });
        // The first one is what the server waits for; it reads that one itself.
        client.send_line(&answer.to_string());
        assert!(text_of(&client.response(id)["result"]).contains("unwanted"));
        for line in [
            answer.to_string().as_str(),
            r#"{"jsonrpc":"2.0","id":"1/7","result":{"x":"unwanted"}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"two_unwanted"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/x","Method":"tools/call","params":{"name":"unwanted"}}"#,
        ] {
            client.send_line(line);
        }
        for line in [
            r#"{"jsonrpc":"2.0","id":"1/7","Method":"tools/call","params":{"name":"unwanted"}}"#,
            r#"{"jsonrpc":"2.0","id":8,"method":["tools/call"],"params":{"name":"unwanted"}}"#,
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"x-said","Name":"unwanted"}}"#,
        ] {
            client.send_line(line);
            assert_eq!(client.receive()["error"]["code"], -32600, "{line}");
        }
        for tool in ["x-said", "two_said"] {
            assert_eq!(client.text(tool, json!({ "text": "last" })), "last");
        }
        let received = std::fs::read_to_string(log).unwrap();
        assert!(received.contains("last") && !received.contains("unwanted"), "{received}");
    });
}

#[test]
fn a_server_that_dies_takes_no_other_with_it() {
    with_server(|env| {
        let mut client = McpClient::initialized(gateway(env, &["one", "two"], &[]));
        let hanging = client.begin("two_never", json!({}));
        // It is started again three times; then it stays away.
        for _ in 0..4 {
            client.ask("tools/call", json!({ "name": "x-die", "arguments": { "code": 5 } }));
        }
        let gone =
            client.ask("tools/call", json!({ "name": "x-said", "arguments": { "text": "y" } }));
        assert!(gone["error"]["message"].as_str().unwrap().contains("has ended"), "{gone}");
        assert_eq!(client.text("two_said", json!({ "text": "here" })), "here");
        assert!(
            names(&client.ask("tools/list", json!({}))).iter().all(|name| !name.starts_with("x-"))
        );
        client.notify("notifications/cancelled", json!({ "requestId": hanging }));
        let server: i32 = client.text("two_pid", json!({})).parse().unwrap();
        client.kill();
        assert!(is_gone(Pid::from_raw(server).unwrap()));
    });
}

#[test]
fn a_thousand_concurrent_calls_over_twenty_servers_lose_none() {
    with_server(|env| {
        let all: Vec<String> = (0..20).map(|number| format!("s{number}")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let mut client = McpClient::initialized(gateway(env, &all, &[]));
        let tool = |call: usize| match call % 20 {
            0 => "x-said".to_owned(),
            server => format!("s{server}_said"),
        };
        let calls: Vec<(i64, usize)> = (0..1_000)
            .map(|call| (client.begin(&tool(call), json!({ "text": call.to_string() })), call))
            .collect();
        for (id, call) in calls {
            assert_eq!(text_of(&client.response(id)["result"]), call.to_string());
        }
        assert_eq!(client.take_pending(), Vec::<Value>::new(), "each is answered once");
        assert_eq!(client.close().code(), Some(0));
    });
}

/// A gateway of servers with these settings, none of which has a prefix.
fn without_prefixes(env: &TestEnv, servers: &[(&str, &[(&str, &str)])]) -> Command {
    let entry = |(name, variables): &(&str, &[(&str, &str)])| {
        let variables: serde_json::Map<String, Value> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let entry =
            json!({ "command": "python3", "args": [SERVER], "prefix": "", "env": variables });
        ((*name).to_owned(), entry)
    };
    let servers: serde_json::Map<String, Value> = servers.iter().map(entry).collect();
    env.write("list.json", json!({ "mcpServers": servers }).to_string());
    env.command(["gateway", "list.json"])
}

#[test]
fn without_prefixes_each_name_is_that_of_one_server() {
    with_server(|env| {
        let own = ("EXTRA_TOOL", "ctx_get");
        let command = without_prefixes(env, &[("a", &[own]), ("b", &[("EXTRA_TOOL", "pid")])]);
        let mut client = McpClient::initialized(command);
        // Before the first list, too.
        let second = client.text("pid", json!({}));
        let expect = ["lines", "structured", "file", "other", "pid", "ctx_search", "ctx_get"];
        let listing = client.ask("tools/list", json!({}));
        assert_eq!(names(&listing), expect);
        assert_eq!(client.text("pid", json!({})), second);
        let digest = client.text("lines", json!({ "count": 4_000 }));
        let get = json!({ "ref": reference_in(&digest), "grep": "row 3777" });
        assert!(client.text("ctx_get", get).contains("row 3777 of the listing"));
        let stats = env.forebay(["stats"]).ok().text();
        assert!(stats.contains("wrap a") && !stats.contains("wrap b"), "{stats}");
        let unclear = client.ask("tools/call", json!({ "name": "said" }));
        assert!(unclear["error"]["message"].as_str().unwrap().contains("no server has"));
    });
}

#[test]
fn a_subscription_goes_to_the_server_that_has_the_resource() {
    with_server(|env| {
        let log = env.project().join("subscribed");
        let log_text = log.to_str().unwrap();
        let variables = |of: &'static str| [("RESOURCES", of), ("SUBSCRIBED", log_text)];
        let (first, second) = (variables("first://"), variables("second://"));
        let servers = without_prefixes(env, &[("a", &first), ("b", &second)]);
        let mut client = McpClient::initialized(servers);
        let uri = json!({ "uri": "second://made/by/a/template" });
        assert_eq!(client.ask("resources/subscribe", uri.clone())["result"], json!({}));
        let read = client.ask("resources/read", uri);
        assert_eq!(read["result"]["contents"][0]["text"], "second://");
        let subscribed = std::fs::read_to_string(&log).unwrap();
        assert_eq!(subscribed, "second:// second://made/by/a/template\n");
        let nobody = client.ask("resources/subscribe", json!({ "uri": "third://x" }));
        assert_eq!(nobody["error"]["message"], "no server has this resource");
    });
}

#[test]
fn a_cancelled_list_is_withdrawn_from_the_servers_and_has_no_answer() {
    with_server(|env| {
        let log = env.project().join("received");
        let mut command = gateway(env, &["one", "two"], &[]);
        command.envs([("NO_LISTS", "1"), ("RECEIVED", log.to_str().unwrap())]);
        let mut client = McpClient::initialized(command);
        let id = client.request("tools/list", json!({}));
        let count = |what: &str| {
            std::fs::read_to_string(&log).map_or(0, |lines| lines.matches(what).count())
        };
        assert!(wait_until(HANG_TIMEOUT, || count("tools/list") == 2));
        // Calls go on meanwhile.
        assert_eq!(client.text("two_said", json!({ "text": "x" })), "x");
        let again = request(id, "tools/list", json!({}));
        client.send_line(again.trim());
        let refused = client.receive();
        assert!(refused["error"]["message"].as_str().unwrap().contains("not answered yet"));
        client.notify("notifications/cancelled", json!({ "requestId": id }));
        assert!(wait_until(HANG_TIMEOUT, || count("notifications/cancelled") == 2));
        assert_eq!(client.text("x-said", json!({ "text": "y" })), "y");
        assert_eq!(client.take_pending(), Vec::<Value>::new());
    });
}

#[test]
fn lists_are_read_to_their_last_page() {
    with_server(|env| {
        let mut command = gateway(env, &["one", "two"], &[]);
        command.env("PAGES", "1");
        let mut client = McpClient::initialized(command);
        let listing = client.ask("tools/list", json!({}));
        assert_eq!(names(&listing).len(), 2 * 4 + 2, "{listing}");
        assert_eq!(names(&listing)[3..5], ["x-other", "two_lines"]);
    });
}

#[test]
fn several_messages_in_one_line_reach_the_client_one_by_one() {
    with_server(|env| {
        let mut client = McpClient::initialized(gateway(env, &["one", "two"], &[]));
        assert_eq!(client.text("two_together", json!({})), "both");
        let notices = client.take_pending();
        assert_eq!(notices.len(), 1);
        assert_eq!(notices[0]["params"]["progress"], 7);
    });
}

#[test]
fn one_facade_stands_for_all_servers() {
    with_server(|env| {
        let mut command = gateway(env, &["one", "two"], &["--facade"]);
        command.env("LONG", "1");
        let mut client = McpClient::initialized(command);
        let listing = client.ask("tools/list", json!({}));
        assert_eq!(names(&listing), ["forebay_search", "forebay_describe", "forebay_call"]);
        let found = client.text("forebay_search", json!({ "query": "repeat a text" }));
        assert!(found.contains("x-said: Repeats a text\ntwo_said: Repeats a text"), "{found}");
        let call = json!({ "name": "two_said", "arguments": { "text": "hello" } });
        assert_eq!(client.text("forebay_call", call), "hello");
    });
}

#[test]
fn a_server_that_does_not_start_is_left_out() {
    with_server(|env| {
        let list = json!({ "mcpServers": {
            "gone": { "command": "no-such-program" },
            "silent": { "command": "sh", "args": ["-c", "exit 3"] },
            "here": { "command": "python3", "args": [SERVER] },
        } });
        env.write("list.json", list.to_string());
        let mut client = McpClient::initialized(env.command(["gateway", "list.json"]));
        let listing = client.ask("tools/list", json!({}));
        let listed = names(&listing);
        let is_here = |name: &&str| name.starts_with("here_") || name.starts_with("ctx_");
        assert!(listed.len() == 6 && listed.iter().all(is_here), "{listing}");
        let wrong = env.forebay(["gateway", "no-such-list"]);
        assert!(wrong.code() != Some(0) && wrong.stderr.contains("no-such-list"), "{wrong:?}");
    });
}

#[test]
fn a_gateway_without_a_server_says_why() {
    let env = TestEnv::new();
    let list = json!({ "mcpServers": { "gone": { "command": "no-such-program" } } });
    env.write("list.json", list.to_string());
    let output = env.forebay(["gateway", "list.json"]);
    assert_ne!(output.code(), Some(0));
    let told = "gone does not start";
    assert!(
        output.stderr.contains(told) && output.stderr.contains("no-such-program"),
        "{output:?}"
    );
}

#[test]
fn prompts_completions_and_tasks_reach_their_server() {
    with_server(|env| {
        let mut command = gateway(env, &["one", "two"], &[]);
        command.env("PROMPTS", "1");
        let mut client = McpClient::initialized(command);
        let listed = client.ask("prompts/list", json!({}));
        let names = json!([{ "name": "x-greet" }, { "name": "two_greet" }]);
        assert_eq!(listed["result"]["prompts"], names);
        let prompt = client.ask("prompts/get", json!({ "name": "two_greet" }));
        assert_eq!(prompt["result"]["description"], "greet");
        let about = json!({ "type": "ref/prompt", "name": "x-greet" });
        let completed = client.ask("completion/complete", json!({ "ref": about }));
        assert_eq!(completed["result"]["completion"]["values"], json!(["greet"]));
        let task = json!({ "name": "two_lines", "arguments": { "count": 4_000 }, "task": {} });
        assert_eq!(client.ask("tools/call", task)["result"]["task"]["taskId"], "t1");
        let result = client.ask("tasks/result", json!({ "taskId": "t1" }));
        assert!(text_of(&result["result"]).contains("[ctx:"), "{result}");
        for (method, params) in [
            ("prompts/get", json!({ "name": "three_greet" })),
            ("completion/complete", json!({ "ref": { "name": "three_greet" } })),
            ("tasks/result", json!({ "taskId": "t2" })),
        ] {
            assert_eq!(client.ask(method, params)["error"]["code"], -32602, "{method}");
        }
    });
}

#[test]
fn servers_keep_the_names_of_their_tools_behind_a_facade() {
    with_server(|env| {
        let mut command = without_prefixes(env, &[("a", &[("EXTRA_TOOL", "forebay_search")])]);
        command.arg("--facade");
        let mut client = McpClient::initialized(command);
        let listing = client.ask("tools/list", json!({}));
        assert_eq!(names(&listing), ["forebay_search_2", "forebay_describe", "forebay_call"]);
        for (tool, arguments) in [
            ("forebay_search", json!({})),
            ("forebay_call", json!({ "name": "forebay_search", "arguments": {} })),
        ] {
            assert_eq!(client.error(tool, arguments), "no tool forebay_search", "{tool}");
        }
    });
}

#[test]
fn a_server_that_answers_late_joins_and_holds_up_no_other() {
    with_server(|env| {
        let gate = env.project().join("open");
        let list = json!({ "mcpServers": {
            "late": { "command": "sh", "args": ["-c", format!("until [ -e {} ]; do sleep 0.05; done; exec python3 {SERVER}", gate.display())] },
            "silent": { "command": "sleep", "args": ["1000"] },
            "here": { "command": "python3", "args": [SERVER] },
        } });
        env.write("list.json", list.to_string());
        let mut client = McpClient::initialized(env.command(["gateway", "list.json"]));
        assert_eq!(client.text("here_said", json!({ "text": "x" })), "x");
        let listing = client.ask("tools/list", json!({}));
        assert!(!names(&listing).iter().any(|name| name.starts_with("late_")), "{listing}");
        std::fs::write(gate, "").unwrap();
        assert_eq!(client.receive()["method"], "notifications/tools/list_changed");
        let listing = client.ask("tools/list", json!({}));
        assert!(names(&listing).contains(&"late_lines"), "{listing}");
        assert_eq!(client.text("late_said", json!({ "text": "y" })), "y");
        client.kill();
    });
}

#[test]
fn answers_that_are_too_long_are_told_as_errors() {
    with_server(|env| {
        let mut client = McpClient::initialized(gateway(env, &["one", "two"], &[]));
        let id = client.begin("two_endless", json!({ "mb": 66 }));
        assert_eq!(client.text("x-said", json!({ "text": "beside" })), "beside");
        let answer = client.response(id);
        let why = answer["error"]["message"].as_str().unwrap();
        assert!(why.contains("the answer of two is longer than 64 MB"), "{why}");
        let long = json!({ "jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": "x".repeat(65 << 20) });
        client.send_line(&long.to_string());
        let refused = client.response(77);
        assert!(refused["error"]["message"].as_str().unwrap().contains("longer than 64 MB"));
        assert_eq!(client.text("two_said", json!({ "text": "still here" })), "still here");
    });
}

#[test]
fn a_server_that_reads_no_more_holds_up_no_other() {
    with_server(|env| {
        let mut client = McpClient::initialized(gateway(env, &["one", "two"], &[]));
        let server: i32 = client.text("two_pid", json!({})).parse().unwrap();
        assert_eq!(client.text("two_deaf", json!({})), "deaf");
        for _ in 0..10 {
            client.begin("two_said", json!({ "text": "x".repeat(300_000) }));
        }
        assert_eq!(client.text("x-said", json!({ "text": "here" })), "here");
        client.kill();
        assert!(is_gone(Pid::from_raw(server).unwrap()));
    });
}

#[test]
fn ids_of_all_kinds_come_back_as_they_were_written() {
    with_server(|env| {
        let mut client = McpClient::initialized(gateway(env, &["one", "two"], &[]));
        let ids = [r#""""#, r#""a\"b\u00e9""#, "0", "-7", "1.50", "9007199254740993", "\"1\""];
        for id in ids {
            client.send_line(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"two_said","arguments":{{"text":"x"}}}}}}"#
            ));
            let answer = client.receive();
            let wanted: Value = serde_json::from_str(id).unwrap();
            assert_eq!(answer["id"], wanted, "{answer}");
        }
        // The first one is still answered.
        let hanging = client.begin("two_never", json!({}));
        let again = call(hanging, "x-said", json!({ "text": "y" }));
        client.send_line(again.trim());
        let refused = client.receive();
        assert!(refused["error"]["message"].as_str().unwrap().contains("not answered yet"));
    });
}

#[test]
fn a_signal_ends_the_gateway_with_its_servers() {
    with_server(|env| {
        let mut client = McpClient::initialized(gateway(env, &["one", "two"], &[]));
        let server: i32 = client.text("two_pid", json!({})).parse().unwrap();
        kill_process(client.process(), Signal::TERM).unwrap();
        assert_eq!(client.wait().code(), Some(143));
        assert!(is_gone(Pid::from_raw(server).unwrap()));
    });
}

#[test]
fn answers_arrive_after_the_client_has_ended_its_side() {
    with_server(|env| {
        let mut input = request(0, "initialize", json!({ "protocolVersion": "2025-11-25" }));
        for id in 1..=50 {
            input += &call(id, "two_said", json!({ "text": id.to_string() }));
        }
        let output = finish(gateway(env, &["one", "two"], &[]), input.as_bytes()).ok();
        assert_eq!(output.text().matches("\"content\"").count(), 50, "{}", output.text());
    });
}
