//! The tasks extension of MCP: a background job is a task of a client that declares it.

use serde_json::{Value, json};

use crate::env::{TestEnv, wait_until};
use crate::mcp_client::{McpClient, stateless_meta, text_of};

/// A client that sends its metadata, with the extension declared, in every request.
struct TaskClient {
    mcp: McpClient,
}

impl TaskClient {
    fn new(env: &TestEnv) -> Self {
        Self { mcp: McpClient::start(env.command(["mcp"])) }
    }

    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = stateless_meta();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
        self.mcp.ask(method, params)
    }

    fn execute(&mut self, code: &str, background: bool) -> Value {
        let arguments = json!({ "code": code, "background": background });
        self.ask("tools/call", json!({ "name": "ctx_execute", "arguments": arguments }))["result"]
            .clone()
    }

    fn get(&mut self, task: &Value) -> Value {
        self.ask("tasks/get", json!({ "taskId": task["taskId"] }))["result"].clone()
    }

    /// Polls until the task is no longer working.
    fn end(&mut self, task: &Value) -> Value {
        let mut state = Value::Null;
        let has_ended = wait_until(std::time::Duration::from_secs(30), || {
            state = self.get(task);
            state["status"] != "working"
        });
        assert!(has_ended, "{state}");
        state
    }
}

const WAITING: &str = "echo one; until [ -e go ]; do sleep 0.05; done; echo two";

#[test]
fn a_job_is_a_task_until_its_result() {
    let env = TestEnv::new();
    let mut client = TaskClient::new(&env);
    let task = client.execute(WAITING, true);
    assert_eq!(
        (&task["resultType"], &task["status"]),
        (&json!("task"), &json!("working")),
        "{task}"
    );
    assert!(task["statusMessage"].as_str().unwrap().starts_with("job j1: "), "{task}");
    assert!(task["createdAt"].as_str().unwrap().ends_with('Z'), "{task}");
    assert!(task["pollIntervalMs"].is_u64() && task["ttlMs"].is_null(), "{task}");
    assert_eq!(client.get(&task)["status"], "working");
    std::fs::write(env.project().join("go"), "").unwrap();
    let ended = client.end(&task);
    assert_eq!((&ended["status"], &ended["resultType"]), (&json!("completed"), &json!("complete")));
    let text = text_of(&ended["result"]);
    assert!(text.contains("exit 0") && text.contains("two") && text.contains("[ctx:"), "{text}");
    assert_eq!(client.get(&task)["status"], "completed", "the result stays");
}

#[test]
fn other_calls_and_other_clients_get_an_answer() {
    let env = TestEnv::new();
    let mut client = TaskClient::new(&env);
    let answer = client.execute("echo at once", false);
    assert!(text_of(&answer).ends_with("at once"), "{answer}");
    let mut plain = env.mcp();
    let text = plain.text("ctx_execute", json!({ "code": "sleep 100", "background": true }));
    assert!(text.contains("j1 running"), "{text}");
    let read = client.ask("tools/call", json!({ "name": "ctx_job", "arguments": { "job": "j1" } }));
    assert!(text_of(&read["result"]).contains("j1 running"), "only a start is a task: {read}");
}

#[test]
fn a_cancelled_task_is_stopped() {
    let env = TestEnv::new();
    let mut client = TaskClient::new(&env);
    let task = client.execute(WAITING, true);
    let id = json!({ "taskId": task["taskId"] });
    let acknowledged = client.ask("tasks/cancel", id.clone())["result"].clone();
    assert_eq!(acknowledged["resultType"], "complete", "{acknowledged}");
    assert_eq!(client.end(&task)["status"], "cancelled");
    let again = client.ask("tasks/cancel", id);
    assert!(again["result"].is_object(), "{again}");
}

#[test]
fn responses_that_nothing_asked_for_are_ignored() {
    let env = TestEnv::new();
    let mut client = TaskClient::new(&env);
    let task = client.execute(WAITING, true);
    let responses = json!({ "taskId": task["taskId"], "inputResponses": {} });
    assert_eq!(client.ask("tasks/update", responses)["result"]["resultType"], "complete");
    assert_eq!(client.get(&task)["status"], "working");
}

#[test]
fn unknown_tasks_are_refused() {
    let env = TestEnv::new();
    let mut client = TaskClient::new(&env);
    for id in ["j1", "", "../1", "j99999999999999999999999999", "\u{0}"] {
        for method in ["tasks/get", "tasks/cancel"] {
            let refused = client.ask(method, json!({ "taskId": id }));
            assert_eq!(refused["error"]["code"], -32602, "{id:?}: {refused}");
        }
    }
}

#[test]
fn a_client_that_does_not_declare_the_extension_is_told_so() {
    let env = TestEnv::new();
    let mut mcp = McpClient::start(env.command(["mcp"]));
    let refused = mcp.ask("tasks/get", json!({ "taskId": "j1", "_meta": stateless_meta() }));
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    let found = mcp.ask("server/discover", json!({ "_meta": stateless_meta() }));
    let extensions = &found["result"]["capabilities"]["extensions"];
    assert!(extensions["io.modelcontextprotocol/tasks"].is_object(), "{found}");
}
