//! Tests of wrapped entries of servers at a URL.

use super::*;

const PATH: [&str; 2] = ["mcpServers", "far"];
const PLAIN: ServerEntry = ServerEntry::Plain;

fn wrapper() -> Wrapper {
    Wrapper { program: "/bin/forebay".to_owned(), variables: Vec::new() }
}

#[track_caller]
fn check(entry: ServerEntry, before: &str, after: &str) {
    assert!(can_wrap(before, &PATH, entry).unwrap(), "{before}");
    let wrapped = wrap(before, &PATH, entry, &wrapper()).unwrap();
    assert_eq!(wrapped, after);
    assert!(is_wrapped(&wrapped, &PATH, entry).unwrap());
    assert!(!can_wrap(&wrapped, &PATH, entry).unwrap());
    assert_eq!(unwrap(&wrapped, &PATH, entry).unwrap(), before);
    let variables = vec![("FOREBAY_HOME".to_owned(), "/d".to_owned())];
    let carrying = wrap(before, &PATH, entry, &Wrapper { variables, ..wrapper() }).unwrap();
    assert!(carrying.contains(r#""far", "--env", "FOREBAY_HOME=/d", "--url""#), "{carrying}");
    assert_eq!(unwrap(&carrying, &PATH, entry).unwrap(), before);
}

#[test]
fn entries_with_headers_are_changed_and_restored() {
    check(
        PLAIN,
        r#"{ "mcpServers": { "far": { "type": "http", "url": "https://a.example/mcp", "headers": { "Authorization": "Bearer ${TOKEN}", "X-Team" : "blue" } } } }"#,
        r#"{ "mcpServers": { "far": { "type": "stdio", "command": "/bin/forebay", "args": ["wrap", "--name", "far", "--url", "https://a.example/mcp", "--header-env", "Authorization=MCP_FAR_AUTHORIZATION", "--header-env", "X-Team=MCP_FAR_X_TEAM"], "env": { "MCP_FAR_AUTHORIZATION": "Bearer ${TOKEN}", "MCP_FAR_X_TEAM" : "blue" } } } }"#,
    );
    check(
        PLAIN,
        "{\n  \"mcpServers\": {\n    // mine\n    \"far\": {\n      \"url\" : \"http:\\/\\/127.0.0.1:8/mcp\", // here\n      \"type\":\"http\"\n    }\n  }\n}\n",
        "{\n  \"mcpServers\": {\n    // mine\n    \"far\": {\n      \"command\" : \"/bin/forebay\", \"args\": [\"wrap\", \"--name\", \"far\", \"--url\", \"http:\\/\\/127.0.0.1:8/mcp\"], // here\n      \"type\":\"stdio\"\n    }\n  }\n}\n",
    );
}

#[test]
fn each_host_writes_the_address_in_its_way() {
    // Gemini CLI and Qwen Code.
    check(
        PLAIN,
        r#"{"mcpServers":{"far":{"httpUrl":"http://[::1]:8/mcp","timeout":5,"headers":{}}}}"#,
        r#"{"mcpServers":{"far":{"command":"/bin/forebay", "args": ["wrap", "--name", "far", "--url", "http://[::1]:8/mcp", "--entry", "httpUrl"],"timeout":5,"env":{}}}}"#,
    );
    // Cursor; in Gemini CLI the older transport.
    check(
        PLAIN,
        r#"{"mcpServers":{"far":{"url":"https://a.example/sse","headers":{"A":"x"}}}}"#,
        r#"{"mcpServers":{"far":{"command":"/bin/forebay", "args": ["wrap", "--name", "far", "--url", "https://a.example/sse", "--entry", "url", "--header-env", "A=MCP_FAR_A"],"env":{"MCP_FAR_A":"x"}}}}"#,
    );
    // Claude Code with the older transport, Cline.
    for kind in ["sse", "streamableHttp"] {
        let before = r#"{"mcpServers":{"far":{"type":"KIND","url":"http://localhost/x"}}}"#;
        let after = r#"{"mcpServers":{"far":{"type":"stdio","command":"/bin/forebay", "args": ["wrap", "--name", "far", "--url", "http://localhost/x", "--entry", "url:KIND"]}}}"#;
        check(PLAIN, &before.replace("KIND", kind), &after.replace("KIND", kind));
    }
    // Windsurf.
    check(
        PLAIN,
        r#"{"mcpServers":{"far":{"serverUrl":"http://localhost/x"}}}"#,
        r#"{"mcpServers":{"far":{"command":"/bin/forebay", "args": ["wrap", "--name", "far", "--url", "http://localhost/x", "--entry", "serverUrl"]}}}"#,
    );
    check(
        ServerEntry::OpenCode,
        r#"{"mcpServers":{"far":{"type":"remote","url":"https://a.example/mcp","headers":{"A":"{env:K}"},"enabled":true}}}"#,
        r#"{"mcpServers":{"far":{"type":"local","command":["/bin/forebay", "wrap", "--name", "far", "--url", "https://a.example/mcp", "--header-env", "A=MCP_FAR_A"],"environment":{"MCP_FAR_A":"{env:K}"},"enabled":true}}}"#,
    );
}

/// The file as an agent writes it that sorts keys and has its own layout.
fn rewritten(text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap();
    format!("{:#}", sorted(value))
}

fn sorted(value: Value) -> Value {
    let Value::Object(object) = value else { return value };
    let mut members: Vec<(String, Value)> = object.into_iter().collect();
    members.sort_by(|one, other| one.0.cmp(&other.0));
    Value::Object(members.into_iter().map(|(key, value)| (key, sorted(value))).collect())
}

#[track_caller]
fn check_after_change(entry: ServerEntry, before: &str, change: impl Fn(&str) -> String) {
    let changed = change(&wrap(before, &PATH, entry, &wrapper()).unwrap());
    assert!(is_wrapped(&changed, &PATH, entry).unwrap(), "{changed}");
    let restored: Value = serde_json::from_str(&unwrap(&changed, &PATH, entry).unwrap()).unwrap();
    let before: Value = serde_json::from_str(before).unwrap();
    assert_eq!(restored, before, "{changed}");
}

#[test]
fn entries_are_restored_after_their_agent_has_rewritten_the_file() {
    let with_headers = r#"{"mcpServers":{"far":{"type":"http","url":"https://a.example/mcp","timeout":9,"headers":{"X-Team":"blue","A":"x"}}}}"#;
    let local = r#"{"mcpServers":{"far":{"url":"http://localhost/x","disabled":false}}}"#;
    let opencode = r#"{"mcpServers":{"far":{"type":"remote","url":"https://a.example/mcp","headers":{"A":"{env:K}"},"enabled":true}}}"#;
    check_after_change(PLAIN, with_headers, rewritten);
    check_after_change(PLAIN, local, rewritten);
    check_after_change(ServerEntry::OpenCode, opencode, rewritten);
    // The type is left out, or is written for every entry.
    check_after_change(PLAIN, with_headers, |text| text.replace(r#""type":"stdio","#, ""));
    check_after_change(PLAIN, local, |text| {
        rewritten(&text.replace(r#""disabled""#, r#""type":"stdio","disabled""#))
    });
    // Something stands between the command and its arguments.
    check_after_change(PLAIN, with_headers, |text| {
        let moved = text.replace(r#""timeout":9,"#, "");
        moved.replace(r#", "args""#, r#", "timeout":9, "args""#)
    });
}

#[test]
fn variables_that_were_added_stay_out_of_the_headers() {
    let before = r#"{"mcpServers":{"far":{"url":"https://a.example/mcp","headers":{"A":"x"}}}}"#;
    let wrapped = wrap(before, &PATH, PLAIN, &wrapper()).unwrap();
    let changed = wrapped.replace(r#""MCP_FAR_A":"x""#, r#""MORE":"y","MCP_FAR_A":"x""#);
    let restored: Value = serde_json::from_str(&unwrap(&changed, &PATH, PLAIN).unwrap()).unwrap();
    assert_eq!(
        restored["mcpServers"]["far"],
        serde_json::json!({ "url": "https://a.example/mcp", "env": { "MORE": "y" }, "headers": { "A": "x" } })
    );
}

#[test]
fn secrets_in_addresses_are_found() {
    for url in [
        "https://u:p@a.example/mcp",
        "https://token@a.example",
        "https://a.example/mcp?profile=x&apiKey=k",
        "https://a.example/?X-Amz-Signature=s",
        "https://a.example/?%74oken=t",
    ] {
        assert!(has_secret(url), "{url}");
    }
    for url in ["http://[::1]:8/mcp", "https://a.example/@x/mcp?profile=token#key", "x"] {
        assert!(!has_secret(url), "{url}");
    }
}

#[test]
fn entries_that_may_need_more_than_headers_stay() {
    for entry in [
        r#"{"type":"http","url":"https://a.example/mcp"}"#,
        r#"{"type":"ws","url":"https://a.example/mcp","headers":{"A":"x"}}"#,
        r#"{"url":"https://a.example/mcp","httpUrl":"https://a.example/mcp","headers":{"A":"x"}}"#,
        r#"{"type":"http","url":"https://a.example/mcp","headers":{"A":"x"},"oauth":{}}"#,
        r#"{"type":"http","url":"https://a.example/mcp","headers":{"X-A":"x","X_A":"y"}}"#,
        r#"{"type":"http","url":"https://a.example/mcp","headers":{"\u0041":"x"}}"#,
        r#"{"type":"http","url":"https://a.example/mcp","headers":{"A":1}}"#,
        r#"{"url":"http://localhost/x?api_key=k"}"#,
        r#"{"url":"http://localhost:x@a.example/x"}"#,
        r#"{"command":"x"}"#,
        "7",
    ] {
        let text = format!("{{\"mcpServers\":{{\"far\":{entry}}}}}");
        assert!(!can_wrap(&text, &PATH, PLAIN).unwrap(), "{entry}");
    }
    let text = r#"{"mcpServers":{"far":{"url":"http://localhost/x"}}}"#;
    assert!(!can_wrap(text, &PATH, ServerEntry::OpenCode).unwrap());
}
