//! `forebay wrap` in front of a server: what passes unchanged, what becomes a digest, and what happens if either side ends.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::env::{TestEnv, announced_process, finish, is_gone, reference_in};
use crate::mcp_client::{McpClient, text_of};

/// A server that answers at length, in odd ways, or not at all.
pub(crate) const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/wrap_server.py");

/// Runs a test if there is a Python to run the server with.
pub(crate) fn with_server(test: impl FnOnce(&TestEnv)) {
    let env = TestEnv::new();
    let mut python = env.program("python3");
    python.arg("--version");
    match python.status() {
        Ok(status) if status.success() => test(&env),
        _ => forebay_test_support::skip("python3 is not installed"),
    }
}

fn wrapped(env: &TestEnv) -> Command {
    env.command(["wrap", "--name", "srv", "--", "python3", SERVER])
}

fn direct(env: &TestEnv) -> Command {
    let mut command = env.program("python3");
    command.arg(SERVER);
    command
}

fn with_rules(env: &TestEnv, rules: &Value) {
    fs::create_dir(env.project().join(".claude")).unwrap();
    env.write(".claude/settings.json", json!({ "permissions": rules }).to_string());
}

pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> String {
    format!(
        "{}\n",
        json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
    )
}

pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> String {
    request(id, "tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// The server gets the same bytes and its answers arrive as it wrote them.
#[track_caller]
fn assert_unchanged(env: &TestEnv, input: &[u8]) {
    let with_exit = |mut command: Command| {
        command.env("EXIT", "3");
        finish(command, input)
    };
    let (wrapped, direct) = (with_exit(wrapped(env)), with_exit(direct(env)));
    assert_eq!(String::from_utf8_lossy(&wrapped.stdout), String::from_utf8_lossy(&direct.stdout));
    assert_eq!((wrapped.code(), &wrapped.stderr), (Some(3), &direct.stderr));
}

#[test]
fn whatever_is_not_long_passes_byte_for_byte() {
    with_server(|env| {
        let mut input: Vec<u8> = [
            request(0, "initialize", json!({ "protocolVersion": "2025-11-25" })),
            request("a\u{e9}", "prompts/get", json!({})),
            request(1, "server/discover", json!({ "_meta": { "x/y": 1.5 } })),
            request(2, "tasks/get", json!({ "taskId": "t" })),
            call(3, "said", json!({ "text": "small" })),
            call("odd", "odd", json!({})),
            call(4, "bad", json!({})),
            call(5, "twice", json!({})),
            call(6, "progress", json!({})),
            call(7, "no such tool", json!({})),
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n".to_owned(),
            "\n  \nnot json\n[]\n{\"id\": 8}\n".to_owned(),
            format!("[{},{}]\n", call(9, "said", json!({ "text": "b" })).trim(), "{\"id\":1}"),
            call(10, "structured", json!({ "count": 3 })),
            call(12, "repeated", json!({})),
            call(13, "deep", json!({ "depth": 500 })),
            format!(
                "{{\"id\":14,\"method\":\"x\",\"params\":{}{}}}\n",
                "[".repeat(500),
                "]".repeat(500)
            ),
            "{\"id\":12345678901234567890123,\"method\":\"x\"}\n".to_owned(),
            call("x".repeat(5_000), "said", json!({ "text": "long id" })),
        ]
        .concat()
        .into_bytes();
        input.extend(b"\xff\xfe\n");
        // The last line has no end.
        input.extend(call(11, "said", json!({ "text": "last" })).trim_end().bytes());
        assert_unchanged(env, &input);
        assert!(!env.data().join("projects").exists(), "nothing was stored");
        // A list of tools is looked at on another thread, and keeps no place in the order.
        assert_unchanged(env, request("a\u{e9}", "tools/list", json!({})).as_bytes());
    });
}

#[test]
fn lines_that_are_too_long_to_keep_pass_too() {
    with_server(|env| assert_unchanged(env, call(1, "flood", json!({ "mb": 66 })).as_bytes()));
}

#[test]
fn a_long_result_is_stored_and_digested() {
    with_server(|env| {
        let mut client = McpClient::initialized(wrapped(env));
        let result = client.call("lines", json!({ "count": 4_000, "fails": true }));
        assert_eq!(result["isError"], true);
        let text = text_of(&result);
        assert!(text.len() < 2_000 && text.contains("4,000 lines"), "{text}");
        let reference = reference_in(&text);
        let whole = env.forebay(["get", &reference, "--raw"]).ok().text();
        assert!(
            whole.starts_with("row 0 of the listing\n")
                && whole.ends_with("row 3999 of the listing")
        );
        let found = env.forebay(["search", "3777 listing"]).ok().text();
        assert!(found.contains("mcp__srv__lines"), "{found}");
        let stats = env.forebay(["stats"]).ok().text();
        assert!(stats.contains("wrap srv"), "{stats}");
        assert_eq!(client.close().code(), Some(0));
    });
}

#[test]
fn a_result_is_digested_however_the_server_spells_the_id() {
    with_server(|env| {
        let mut client = McpClient::initialized(wrapped(env));
        // The server writes them as `"a\u00e9"` and `1.5`.
        for id in ["\"a\u{e9}\"", "1.50", "12345678901234567890123"] {
            client.send_line(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"lines","arguments":{{"count":4000}}}}}}"#
            ));
            let text = text_of(&client.receive()["result"]);
            assert!(text.contains("[ctx:"), "{id}: {text}");
        }
    });
}

#[test]
fn a_result_is_digested_however_deep_it_is() {
    with_server(|env| {
        let output = finish(wrapped(env), call(1, "deep", json!({ "depth": 100_000 })).as_bytes());
        assert!(output.text().contains("[ctx:"), "{} bytes", output.stdout.len());
    });
}

#[test]
fn the_result_of_a_task_is_digested_too() {
    with_server(|env| {
        with_rules(env, &json!({ "deny": ["mcp__srv__said"] }));
        let mut client = McpClient::initialized(wrapped(env));
        let task =
            |tool: &str| json!({ "name": tool, "arguments": { "count": 4_000 }, "task": {} });
        let started = client.ask("tools/call", task("lines"));
        assert_eq!(started["result"]["task"]["taskId"], "t1");
        let result = client.ask("tasks/result", json!({ "taskId": "t1" }));
        let text = text_of(&result["result"]);
        assert!(text.contains("[ctx:") && text.contains("4,000 lines"), "{text}");
        // A result without a task would be invalid.
        let denied = client.ask("tools/call", task("said"));
        assert!(denied["error"]["message"].as_str().unwrap().contains("denied"), "{denied}");
    });
}

#[test]
fn results_named_by_hooks_never_pass_whole() {
    with_server(|env| {
        let mut command = wrapped(env);
        command.env("FOREBAY_HOOKS_NEVER", "[\"mcp__srv__lines\"]");
        let mut client = McpClient::initialized(command);
        let text = client.text("lines", json!({ "count": 4_000 }));
        assert!(text.ends_with("row 3999 of the listing"));
    });
}

#[test]
fn a_repeated_result_is_told_as_a_difference() {
    with_server(|env| {
        let mut client = McpClient::initialized(wrapped(env));
        let first = reference_in(&client.text("snapshot", json!({})));
        let second = client.text("snapshot", json!({}));
        assert_ne!(reference_in(&second), first);
        assert!(second.contains(&format!("[ctx:{first}]")), "{second}");
        assert!(second.contains("Total 2"), "{second}");
    });
}

#[test]
fn a_large_image_becomes_its_description() {
    with_server(|env| {
        let mut client = McpClient::initialized(wrapped(env));
        let result = client.call("shot", json!({}));
        assert_eq!(result["content"][0], json!({ "type": "text", "text": "taken" }));
        assert_eq!(result["content"].as_array().unwrap().len(), 2);
        let text = result["content"][1]["text"].as_str().unwrap();
        assert!(text.contains("image/png, 1280x720, 204.8 KB"), "{text}");
        let image = env.forebay(["get", &reference_in(text), "--raw"]).ok().stdout;
        assert!(image.starts_with(b"\x89PNG") && image.len() == 204_833, "{}", image.len());
    });
}

#[test]
fn media_of_tools_on_the_pass_list_stay() {
    with_server(|env| {
        let mut command = wrapped(env);
        command.env("FOREBAY_WRAP_PASS", "[\"mcp__srv__sh*\"]");
        let mut client = McpClient::initialized(command);
        assert_eq!(client.call("shot", json!({}))["content"][1]["type"], "image");
    });
}

#[test]
fn a_caller_may_ask_for_the_whole_result() {
    with_server(|env| {
        let mut client = McpClient::initialized(wrapped(env));
        let meta = json!({ "forebay/whole": true });
        let ask =
            |tool: &str| json!({ "name": tool, "arguments": { "count": 4_000 }, "_meta": meta });
        let image = client.ask("tools/call", ask("shot"));
        assert_eq!(image["result"]["content"][1]["type"], "image");
        let whole = text_of(&client.ask("tools/call", ask("lines"))["result"]);
        assert!(whole.ends_with("row 3999 of the listing"));
    });
}

#[test]
fn audio_and_other_binary_parts_become_their_descriptions() {
    with_server(|env| {
        let mut client = McpClient::initialized(wrapped(env));
        let result = client.call("sounds", json!({}));
        let texts: Vec<&str> = result["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|block| block["text"].as_str().unwrap())
            .collect();
        assert!(texts[0].contains("audio/wav, 204.8 KB"), "{texts:?}");
        assert!(texts[1].contains("application/pdf, 204.8 KB"), "{texts:?}");
        let stored = env.forebay(["get", &reference_in(texts[1]), "--raw"]).ok().stdout;
        assert_eq!(stored.len(), 204_800);
    });
}

#[test]
fn secrets_in_arguments_are_redacted_before_they_are_stored() {
    with_server(|env| {
        let secret = concat!("ghp_", "a8Kd93jfLq02mZx81PwoTn5vRb6yHc4sEuG7");
        let log = env.project().join("arguments");
        let mut command = wrapped(env);
        command.env("ARGUMENTS", &log);
        let mut client = McpClient::initialized(command);
        let digest = client.text("lines", json!({ "count": 4_000, "token": secret }));
        assert!(!digest.contains(secret), "{digest}");
        client.close();
        assert!(fs::read_to_string(log).unwrap().contains(secret), "the server gets it");
        let history = env.forebay(["search", "lines listing"]).ok().text();
        assert!(!history.contains(secret), "{history}");
        for file in fs::read_dir(env.database().parent().unwrap()).unwrap() {
            let path = file.unwrap().path();
            let bytes = fs::read(&path).unwrap_or_default();
            assert!(memchr::memmem::find(&bytes, secret.as_bytes()).is_none(), "{path:?}");
        }
    });
}

fn schemas(listing: &Value) -> Vec<&str> {
    let tools = listing["result"]["tools"].as_array().unwrap();
    tools.iter().filter_map(|tool| tool["outputSchema"]["title"].as_str()).collect()
}

#[test]
fn a_digested_tool_is_listed_without_its_output_schema() {
    with_server(|env| {
        let mut client = McpClient::initialized(wrapped(env));
        assert_eq!(schemas(&client.ask("tools/list", json!({}))), ["rows", "file", "kept"]);
        let small = client.call("structured", json!({ "count": 3 }));
        assert_eq!(small["structuredContent"]["rows"][2]["name"], "row 2");
        // The client still requires what the schema describes.
        let first = client.call("structured", json!({ "count": 2_000 }));
        assert!(first["structuredContent"].is_object());
        assert!(text_of(&first).contains("[ctx:"), "{}", text_of(&first));
        let changed = client.take_pending();
        assert!(
            changed.iter().any(|one| one["method"] == "notifications/tools/list_changed"),
            "{changed:?}"
        );
        assert_eq!(schemas(&client.ask("tools/list", json!({}))), ["file", "kept"]);
        let second = client.call("structured", json!({ "count": 2_000 }));
        assert!(second.get("structuredContent").is_none() && text_of(&second).contains("[ctx:"));
        drop(client);
        let mut later = McpClient::initialized(wrapped(env));
        assert_eq!(schemas(&later.ask("tools/list", json!({}))), ["file", "kept"]);
    });
}

#[test]
fn structured_content_that_repeats_the_text_has_the_digest_too() {
    with_server(|env| {
        let mut client = McpClient::initialized(wrapped(env));
        client.ask("tools/list", json!({}));
        let result = client.call("file", json!({ "count": 3_000 }));
        let text = text_of(&result);
        assert_eq!(result["structuredContent"], json!({ "path": "a.txt", "content": text }));
        let stored = env.forebay(["get", &reference_in(&text), "--raw"]).ok().text();
        assert_eq!(stored.lines().count(), 3_000, "stored once");
        assert_eq!(client.take_pending(), Vec::<Value>::new());
        assert_eq!(schemas(&client.ask("tools/list", json!({}))), ["rows", "file", "kept"]);
    });
}

#[test]
fn secrets_in_results_are_redacted_before_they_are_stored() {
    with_server(|env| {
        let secret = concat!("ghp_", "a8Kd93jfLq02mZx81PwoTn5vRb6yHc4sEuG7");
        let mut client = McpClient::initialized(wrapped(env));
        let long = format!("{secret}\n").repeat(900);
        let text = client.text("said", json!({ "text": long }));
        assert!(!text.contains(secret) && text.contains("redacted"), "{text}");
        let stored = env.forebay(["get", &reference_in(&text), "--raw"]).ok().text();
        assert!(!stored.contains(secret) && stored.contains("[redacted:"), "{stored}");
        client.close();
        let database = fs::read(env.database()).unwrap();
        assert!(memchr::memmem::find(&database, secret.as_bytes()).is_none());
    });
}

#[test]
fn a_denied_call_does_not_reach_the_server() {
    with_server(|env| {
        with_rules(env, &json!({ "deny": ["mcp__srv__die"] }));
        let log = env.project().join("calls");
        let mut command = wrapped(env);
        command.env("CALLS", &log);
        let mut client = McpClient::initialized(command);
        let denied = client.error("die", json!({ "code": 1 }));
        assert!(denied.contains("denied") && denied.contains("mcp__srv__die"), "{denied}");
        assert_eq!(client.text("said", json!({ "text": "allowed" })), "allowed");
        client.send_line(&format!(
            "[{},{}]",
            call(90, "die", json!({ "code": 1 })).trim(),
            call(91, "said", json!({ "text": "beside" })).trim()
        ));
        assert_eq!(client.response(90)["result"]["isError"], true);
        assert_eq!(text_of(&client.response(91)["result"]), "beside");
        client.send_line(r#"{"jsonrpc":"2.0","id":92,"method":"ping","method":"tools/call"}"#);
        assert_eq!(client.response(92)["error"]["code"], -32600);
        for (id, params) in [
            (93, r#"{"name":"said","name":"die"}"#),
            (94, r#"{"name":"die","arguments":{"x":NaN}}"#),
            (96, r#"{"name":"said","Name":"die"}"#),
            (97, r#"{"\ud800":1,"name":"die"}"#),
        ] {
            client.send_line(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#
            ));
            assert_eq!(client.response(id)["error"]["code"], -32600, "{params}");
        }
        for line in [
            r#"{"jsonrpc":"2.0","id":98,"Method":"tools/call","params":{"name":"die"}}"#,
            r#"{"jsonrpc":"2.0","id":98,"method":"tools/call","PARAMS":{"name":"die"}}"#,
            r#"{"jsonrpc":"2.0","id":98,"\ud800":1,"method":"tools/call","params":{"name":"die"}}"#,
        ] {
            client.send_line(line);
            assert_eq!(client.receive()["error"]["code"], -32600, "{line}");
        }
        // What some servers skip, or read as the end of a line.
        for before in ["\u{feff}", "\u{b}", "/* */", "{\"x\":\r"] {
            let hidden = call(95, "die", json!({})).trim().to_owned();
            let after = if before.ends_with('\r') { "\r}" } else { "" };
            client.send_line(&format!("{before}{hidden}{after}"));
            assert_eq!(client.receive()["error"]["code"], -32600, "{before:?}");
        }
        client.close();
        assert_eq!(fs::read_to_string(log).unwrap(), "said\nsaid\n");
    });
}

#[test]
fn the_user_is_asked_where_a_rule_says_so() {
    with_server(|env| {
        with_rules(env, &json!({ "ask": ["mcp__srv__said"] }));
        let mut client = McpClient::start(wrapped(env));
        client.initialize_with_capabilities(json!({ "elicitation": {} }));
        for (action, expect) in [("accept", "fine"), ("decline", "declined")] {
            let id = client.begin("said", json!({ "text": "fine" }));
            let question = client.receive();
            assert_eq!(question["method"], "elicitation/create");
            let shown = question["params"]["message"].as_str().unwrap();
            assert!(shown.contains("mcp__srv__said {\"text\":\"fine\"}"), "{shown}");
            let answer =
                json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": action } });
            client.send_line(&answer.to_string());
            let text = text_of(&client.response(id)["result"]);
            assert!(text.contains(expect), "{text}");
        }
        // A call that is given up is withdrawn from the user as well.
        let id = client.begin("said", json!({ "text": "fine" }));
        let question = client.receive();
        client.notify("notifications/cancelled", json!({ "requestId": id }));
        let withdrawn = client.receive();
        assert_eq!(withdrawn["params"]["requestId"], question["id"]);
        assert_eq!(client.close().code(), Some(0));
    });
}

#[test]
fn a_client_that_cannot_ask_is_denied_with_the_reason() {
    with_server(|env| {
        with_rules(env, &json!({ "ask": ["mcp__srv"] }));
        let mut client = McpClient::initialized(wrapped(env));
        let error = client.error("said", json!({ "text": "x" }));
        assert!(
            error.contains("needs the user's approval") && error.contains("cannot ask"),
            "{error}"
        );
    });
}

#[test]
fn requests_of_the_server_reach_the_client() {
    with_server(|env| {
        let mut client = McpClient::initialized(wrapped(env));
        let id = client.begin("ask", json!({}));
        let asked = client.receive();
        assert_eq!(
            (&asked["id"], &asked["method"]),
            (&json!("s1"), &json!("sampling/createMessage"))
        );
        let answer = r#"{"jsonrpc":"2.0","id":"s1","result":{"role":"assistant"}}"#;
        client.send_line(answer);
        assert_eq!(text_of(&client.response(id)["result"]), format!("answered: {answer}"));
    });
}

#[test]
fn a_long_result_holds_up_no_other_message() {
    with_server(|env| {
        let mut client = McpClient::initialized(wrapped(env));
        let calls: Vec<(i64, i64)> = (0..20)
            .map(|number| {
                let long = client.begin("lines", json!({ "count": 3_000 }));
                (long, client.begin("said", json!({ "text": number.to_string() })))
            })
            .collect();
        for (number, (long, short)) in calls.into_iter().enumerate() {
            assert_eq!(text_of(&client.response(short)["result"]), number.to_string());
            assert!(text_of(&client.response(long)["result"]).contains("[ctx:"));
        }
    });
}

#[test]
fn the_end_of_the_server_is_that_of_the_wrapper() {
    with_server(|env| {
        let input = [call(1, "said", json!({ "text": "x" })), call(2, "die", json!({ "code": 9 }))];
        let output = finish(wrapped(env), input.concat().as_bytes());
        assert_eq!(output.code(), Some(9));
        assert!(output.stderr.contains("out of memory"), "{}", output.stderr);
        assert!(output.text().contains("dying"), "what it said before its end arrives");
        let missing = env.forebay(["wrap", "--name", "x", "--", "no-such-server"]);
        assert!(
            !missing.status.success() && missing.stderr.contains("no-such-server"),
            "{missing:?}"
        );
    });
}

#[test]
fn killing_either_side_leaves_no_process() {
    with_server(|env| {
        for ends in [Ended::Killed, Ended::ClientGone, Ended::Terminated] {
            let file = env.project().join("child");
            let _ = fs::remove_file(&file);
            let mut client = McpClient::initialized(wrapped(env));
            client.text("children", json!({ "file": file }));
            let child = announced_process(&file);
            let wrapper = client.process();
            ends.end(client);
            assert!(is_gone(child), "{ends:?}");
            assert!(is_gone(wrapper), "{ends:?}");
        }
    });
}

#[derive(Debug, Clone, Copy)]
enum Ended {
    Killed,
    ClientGone,
    Terminated,
}

impl Ended {
    fn end(self, mut client: McpClient) {
        match self {
            Self::Killed => drop(client.kill()),
            Self::ClientGone => drop(client.close()),
            Self::Terminated => {
                kill_process(client.process(), Signal::TERM).unwrap();
                client.wait();
            }
        }
    }
}

#[test]
fn the_server_has_the_arguments_folder_and_environment_of_the_caller() {
    with_server(|env| {
        let script = "import os, sys; print(sys.argv[1:], os.getcwd(), os.environ['TOKEN_OF'])";
        let mut command =
            env.command(["wrap", "--name", "x", "--", "python3", "-c", script, "--name", "-y"]);
        command.env("TOKEN_OF", "the host");
        let project = env.project().canonicalize().unwrap();
        assert_eq!(
            finish(command, b"").ok().text(),
            format!("['--name', '-y'] {} the host", Path::display(&project))
        );
    });
}

#[test]
fn a_project_file_with_an_error_does_not_keep_the_server_from_starting() {
    with_server(|env| {
        env.write(".forebay.toml", "[wrap]\nno_such_setting = 1\n");
        let output = finish(wrapped(env), call(1, "said", json!({ "text": "x" })).as_bytes()).ok();
        assert!(output.text().contains("\"x\""), "{}", output.text());
    });
}

/// What stands between `[ref=` and `]`, or behind a name in a list of references.
fn is_reference(word: &str) -> bool {
    let digits = word.strip_prefix('e').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[test]
fn a_large_page_becomes_small_and_its_references_stay_true() {
    with_server(|env| {
        let mut page = "### Page state\n- Page URL: http://shop.test/orders\n- Page Title: Orders\n- Page Snapshot:\n```yaml\n- main [ref=e1]:\n  - heading \"Orders\" [level=1] [ref=e2]\n  - searchbox \"Find an order\" [ref=e3]\n  - button \"Export\" [ref=e4]\n".to_owned();
        for number in (10..15_000).step_by(3) {
            page.push_str(&format!(
                "  - listitem [ref=e{number}]:\n    - link \"Order {number}\" [ref=e{}] [cursor=pointer]:\n      - /url: /orders/{number}\n    - button \"Pay\" [ref=e{}]\n",
                number + 1,
                number + 2
            ));
        }
        assert!(page.len() > 500_000);
        let mut client = McpClient::initialized(wrapped(env));
        let digest = client.text("said", json!({ "text": page }));
        assert!(digest.len() <= 600 * 4, "{} bytes", digest.len());
        for wanted in ["searchbox Find an order e3", "Export e4", "Order 10 e11", "Pay e12"] {
            assert!(digest.contains(wanted), "no {wanted}: {digest}");
        }
        let words = digest.split(|c: char| !c.is_ascii_alphanumeric());
        for reference in words.filter(|word| is_reference(word)) {
            assert!(page.contains(&format!("[ref={reference}]")), "{reference}: {digest}");
        }
    });
}
