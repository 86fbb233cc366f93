//! Resources of MCP: entries and jobs under addresses, in pages, and with notifications.

use serde_json::{Value, json};

use crate::env::{TestEnv, reference_in};
use crate::mcp_client::{McpClient, stateless_meta};

/// The ten characters of the reference in a text.
fn id_in(text: &str) -> String {
    reference_in(text).trim_start_matches("[ctx:").trim_end_matches(']').to_owned()
}

/// Reads a resource that exists.
#[track_caller]
fn read(mcp: &mut McpClient, uri: &str) -> String {
    let answer = mcp.ask("resources/read", json!({ "uri": uri }));
    let contents = &answer["result"]["contents"];
    assert_eq!(contents[0]["uri"], uri, "{answer}");
    assert_eq!(contents[0]["mimeType"], "text/plain");
    contents[0]["text"].as_str().unwrap().to_owned()
}

/// Asserts the error of a request with an address, and that the server goes on.
#[track_caller]
fn check_refused(mcp: &mut McpClient, method: &str, uri: &str, code: i64, expect: &str) {
    let refused = mcp.ask(method, json!({ "uri": uri }));
    assert_eq!(refused["error"]["code"], code, "{uri}: {refused}");
    let error = refused["error"]["message"].as_str().unwrap();
    assert!(error.contains(expect) && error.contains("hint: "), "{uri}: {error}");
    assert!(refused["error"]["data"]["uri"].is_string(), "{refused}");
}

#[test]
fn an_entry_is_read_as_the_tool_reads_it() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let ran = mcp.text("ctx_execute", json!({ "code": "seq 1 300" }));
    let id = id_in(&ran);
    let whole = mcp.text("ctx_get", json!({ "ref": id }));
    assert_eq!(read(&mut mcp, &format!("forebay://entry/{id}")), whole);
    let part = read(&mut mcp, &format!("forebay://entry/{id}?lines=40-42,-1"));
    assert_eq!(part, mcp.text("ctx_get", json!({ "ref": id, "lines": "40-42,-1" })));
    assert!(part.contains("\n41\n") && !part.contains("\n45\n"), "{part}");
    let matching = read(&mut mcp, &format!("forebay://entry/{id}?grep=%5E29.%24&budget=200"));
    assert!(matching.contains("290: 290") && !matching.contains("\n300"), "{matching}");
}

#[test]
fn the_template_leads_to_the_same_address() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let listed = mcp.ask("resources/templates/list", json!({}));
    let templates = listed["result"]["resourceTemplates"].as_array().unwrap();
    let uris: Vec<&str> =
        templates.iter().map(|template| template["uriTemplate"].as_str().unwrap()).collect();
    assert_eq!(
        uris,
        [
            "forebay://entry/{id}{?lines,grep,json,stream,cursor,context,budget}",
            "forebay://job/{id}{?cursor,budget}",
        ]
    );
}

#[test]
fn wrong_addresses_are_refused() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let id = id_in(&mcp.text("ctx_execute", json!({ "code": "seq 1 300" })));
    for method in ["resources/read", "resources/subscribe"] {
        let mut check =
            |uri: &str, code, expect| check_refused(&mut mcp, method, uri, code, expect);
        check("file:///etc/passwd", -32002, "is not the address of a resource");
        check("forebay://entry/../../../etc/passwd", -32002, "is not the address");
        check("forebay://entry/zzzzzzzzzz", -32002, "not in this project");
        check("forebay://entry/%00%1b[31m", -32602, "is not a reference");
        check("forebay://job/j99", -32002, "no job is named `j99`");
        check("forebay://job/..", -32002, "is not the address");
        check("forebay://job/%2e%2e%2f1", -32002, "no job is named");
        check(&format!("forebay://entry/{id}?page=2"), -32602, "unknown selector `page`");
        check(&format!("forebay://entry/{}", "a".repeat(100_000)), -32002, "is not the address");
    }
    let mut check = |query: &str, expect| {
        let uri = format!("forebay://entry/{id}?{query}");
        check_refused(&mut mcp, "resources/read", &uri, -32602, expect);
    };
    check("lines=9-1", "9-1");
    check("lines=99999999999999999999-", "9999");
    check("budget=1", "budget 1 is out of range");
    check("grep=a&json=/b", "cannot combine");
    check("stream=stdin", "unknown stream");
    assert!(read(&mut mcp, &format!("forebay://entry/{id}?lines=1-2")).ends_with("1\n2"));
}

#[test]
fn the_list_is_paged_and_bounded() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let first = mcp.text("ctx_annotate", json!({ "text": "the oldest note" }));
    for number in 0..210 {
        mcp.text("ctx_annotate", json!({ "text": format!("note number {number}") }));
    }
    let (mut cursor, mut pages, mut listed) = (None::<String>, 0, Vec::new());
    loop {
        let params = cursor.map_or(json!({}), |cursor| json!({ "cursor": cursor }));
        let page = mcp.ask("resources/list", params)["result"].clone();
        let resources = page["resources"].as_array().unwrap();
        assert!(resources.len() <= 50, "{}", resources.len());
        listed
            .extend(resources.iter().map(|resource| resource["uri"].as_str().unwrap().to_owned()));
        pages += 1;
        cursor = page["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((pages, listed.len()), (4, 200));
    let newest = read(&mut mcp, &listed[0]);
    assert!(newest.contains("note number 209"), "{newest}");
    listed.sort();
    listed.dedup();
    assert_eq!(listed.len(), 200);
    let oldest = format!("forebay://entry/{}", id_in(&first));
    assert!(!listed.contains(&oldest));
    assert!(read(&mut mcp, &oldest).contains("the oldest note"));
    let refused = mcp.ask("resources/list", json!({ "cursor": "1; DROP TABLE entries" }));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn a_listed_entry_has_a_title_and_a_size() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.text("ctx_execute", json!({ "code": "echo twelve bytes" }));
    let listed = mcp.ask("resources/list", json!({}))["result"]["resources"][0].clone();
    assert_eq!((&listed["title"], &listed["size"]), (&json!("echo twelve bytes"), &json!(13)));
    assert_eq!(listed["description"], "run exit 0");
}

/// Starts a job that goes on when the file `go` exists.
fn start_job(env: &TestEnv, mcp: &mut McpClient) {
    let code = "echo one; until [ -e go ]; do sleep 0.05; done; echo two";
    mcp.text("ctx_execute", json!({ "code": code, "background": true }));
    assert!(!env.project().join("go").exists());
}

/// Waits for a notification that a resource has changed.
#[track_caller]
fn updated(mcp: &mut McpClient) -> Value {
    loop {
        let message = mcp.receive();
        if message["method"] == "notifications/resources/updated" {
            return message["params"].clone();
        }
    }
}

#[test]
fn a_job_is_listed_and_read() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    start_job(&env, &mut mcp);
    let listed = mcp.ask("resources/list", json!({}))["result"]["resources"][0].clone();
    assert_eq!(
        (&listed["uri"], &listed["description"]),
        (&json!("forebay://job/j1"), &json!("running job"))
    );
    let text = read(&mut mcp, "forebay://job/j1");
    assert!(text.contains("j1 running") && text.contains("one"), "{text}");
}

#[test]
fn a_subscriber_hears_when_the_job_has_ended() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    start_job(&env, &mut mcp);
    let job = json!({ "uri": "forebay://job/j1" });
    assert_eq!(mcp.ask("resources/subscribe", job.clone())["result"], json!({}));
    std::fs::write(env.project().join("go"), "").unwrap();
    let mut text = String::new();
    while !text.contains("j1 ended") {
        assert_eq!(updated(&mut mcp)["uri"], "forebay://job/j1");
        text = read(&mut mcp, "forebay://job/j1");
    }
    assert!(text.contains("two"), "{text}");
}

#[test]
fn nothing_is_sent_after_unsubscribing() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    start_job(&env, &mut mcp);
    let job = json!({ "uri": "forebay://job/j1" });
    mcp.ask("resources/subscribe", job.clone());
    assert_eq!(mcp.ask("resources/unsubscribe", job.clone())["result"], json!({}));
    assert_eq!(mcp.ask("resources/unsubscribe", job)["result"], json!({}), "twice is no error");
    // Ends later than the interval between checks after the first job, and is still followed.
    let code = "until [ -e go ]; do sleep 0.05; done; sleep 1.2";
    mcp.text("ctx_execute", json!({ "code": code, "background": true }));
    mcp.ask("resources/subscribe", json!({ "uri": "forebay://job/j2" }));
    std::fs::write(env.project().join("go"), "").unwrap();
    assert_eq!(updated(&mut mcp)["uri"], "forebay://job/j2");
}

#[test]
fn subscriptions_are_bounded() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let ids: Vec<String> = (0..65)
        .map(|number| id_in(&mcp.text("ctx_annotate", json!({ "text": format!("note {number}") }))))
        .collect();
    for id in &ids[..64] {
        let uri = json!({ "uri": format!("forebay://entry/{id}") });
        assert_eq!(mcp.ask("resources/subscribe", uri.clone())["result"], json!({}));
        assert_eq!(mcp.ask("resources/subscribe", uri)["result"], json!({}), "again");
    }
    let last = format!("forebay://entry/{}", ids[64]);
    check_refused(&mut mcp, "resources/subscribe", &last, -32600, "already follows 64 resources");
    let uri = json!({ "uri": format!("forebay://entry/{}", ids[0]) });
    mcp.ask("resources/unsubscribe", uri);
    assert_eq!(mcp.ask("resources/subscribe", json!({ "uri": last }))["result"], json!({}));
}

#[test]
fn a_listening_request_hears_when_the_job_has_ended() {
    let env = TestEnv::new();
    // Jobs end with the server that started them.
    let mut starter = env.mcp();
    start_job(&env, &mut starter);
    let mut mcp = McpClient::start(env.command(["mcp"]));
    let watched = ["forebay://job/j1", "forebay://job/j99", "file:///etc/passwd"];
    let listening = mcp.request(
        "subscriptions/listen",
        json!({ "notifications": { "resourceSubscriptions": watched }, "_meta": stateless_meta() }),
    );
    let acknowledged = mcp.receive();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(
        acknowledged["params"]["notifications"]["resourceSubscriptions"],
        json!(["forebay://job/j1", "forebay://job/j99"]),
        "{acknowledged}"
    );
    std::fs::write(env.project().join("go"), "").unwrap();
    assert_eq!(updated(&mut mcp)["uri"], "forebay://job/j1");
    mcp.notify("notifications/cancelled", json!({ "requestId": listening }));
    let listed = mcp.ask("resources/list", json!({ "_meta": stateless_meta() }));
    assert!(listed["result"]["resources"].is_array(), "{listed}");
    assert_eq!(mcp.close().code(), Some(0));
}
