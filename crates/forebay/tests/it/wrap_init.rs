//! `forebay init --wrap`: entries of agents' settings files, what they carry, and their way back.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::env::{TestEnv, finish, reference_in};
use crate::mcp_client::McpClient;
use crate::wrap::{SERVER, with_server};

#[test]
fn init_wraps_the_servers_of_agents_and_restores_their_files() {
    with_server(|env| {
        let cursor = env.home().join(".cursor/mcp.json");
        let codex = env.home().join(".codex/config.toml");
        let log = env.project().join("calls");
        let server = json!({
            "mcpServers": {
                "srv": { "command": "python3", "args": [SERVER], "env": { "CALLS": log }, "cwd": env.home() },
                "far": { "url": "https://mcp.example.test" },
            },
        });
        let files = [
            (&cursor, format!("{server:#}\n")),
            (&codex, format!("[mcp_servers.srv]\ncommand = \"python3\"\nargs = [\"{SERVER}\"]\n")),
        ];
        for (file, text) in &files {
            fs::create_dir(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let shown = env.forebay(["init", "--wrap", "--dry-run"]).ok().text();
        assert!(shown.contains("-      \"command\": \"python3\","), "{shown}");
        assert!(shown.contains("note: far (Cursor) is reached at a URL"), "{shown}");
        assert_eq!(fs::read_to_string(&cursor).unwrap(), files[0].1);

        env.forebay(["init", "--wrap=srv", "--yes"]).ok();
        let settings: Value = serde_json::from_slice(&fs::read(&cursor).unwrap()).unwrap();
        let entry = &settings["mcpServers"]["srv"];
        assert_eq!(entry["env"]["CALLS"], json!(log));
        assert_eq!(entry["cwd"], json!(env.home()));
        let mut started = env.program(entry["command"].as_str().unwrap());
        started.args(entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()));
        let mut client = McpClient::initialized(started);
        assert!(client.text("lines", json!({ "count": 4_000 })).contains("[ctx:"));
        let again = env.forebay(["init", "--wrap", "--yes"]).ok().text();
        assert!(again.contains("nothing to change"), "{again}");
        let unknown = env.forebay(["init", "--wrap=nothing", "--yes"]).ok().text();
        assert!(unknown.contains("no agent has an MCP server named nothing"), "{unknown}");

        // Removing Forebay has to restore them too.
        for undo in [&["init", "--undo", "--yes"][..], &["init", "--wrap", "--undo", "--yes"]] {
            env.forebay(["init", "--wrap", "--yes"]).ok();
            finish(env.command(undo), b"").ok();
            for (file, text) in &files {
                assert_eq!(fs::read_to_string(file).unwrap(), *text, "{undo:?}");
            }
        }
        let shared = env.forebay(["init", "--wrap", "--project"]);
        assert_eq!(shared.code(), Some(2), "{shared:?}");
    });
}

/// Starts the command of an entry with nothing of Forebay in its environment, as hosts do that pass no variable on.
fn start_bare(env: &TestEnv, words: &[&str]) -> Command {
    let mut command = env.program(words[0]);
    command.args(&words[1..]);
    let inherited = command.get_envs().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
    for name in inherited {
        if name.to_string_lossy().starts_with("FOREBAY_") {
            command.env_remove(name);
        }
    }
    command
}

#[test]
fn entries_of_every_host_carry_the_data_folder() {
    with_server(|env| {
        let servers = json!({ "srv": { "command": "python3", "args": [SERVER] } });
        let together =
            json!({ "mcp": { "srv": { "type": "local", "command": ["python3", SERVER] } } });
        let toml = format!("[mcp_servers.srv]\ncommand = \"python3\"\nargs = [\"{SERVER}\"]\n");
        let plain = json!({ "mcpServers": servers });
        let files = [
            (
                ".cursor/mcp.json",
                format!(
                    "{plain:#}
"
                ),
            ),
            (".gemini/settings.json", plain.to_string()),
            (
                "xdg-config/opencode/opencode.json",
                format!(
                    "{together}
"
                ),
            ),
            (".codex/config.toml", toml),
        ];
        // By which OpenCode is found.
        fs::create_dir_all(env.home().join(".config/opencode")).unwrap();
        for (file, text) in &files {
            let path = env.home().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut init = env.command(["init", "--wrap", "--yes"]);
        let token = concat!("ghp_", "a8Kd93jfLq02mZx81PwoTn5vRb6yHc4sEuG7");
        init.env("FOREBAY_HOOKS_THRESHOLD", "1500").env("FOREBAY_WORKSPACE", token);
        let said = finish(init, b"").ok().text();
        assert!(said.contains("FOREBAY_WORKSPACE has a secret"), "{said}");
        for (at, (file, _)) in files.iter().enumerate() {
            let text = fs::read_to_string(env.home().join(file)).unwrap();
            assert!(!text.contains(token) && !text.contains("FOREBAY_SESSION"), "{text}");
            let words = command_in(&text);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let home = format!("FOREBAY_HOME={}", env.data().display());
            assert!(words.contains(&home.as_str()), "{file}: {words:?}");
            assert!(words.contains(&"FOREBAY_HOOKS_THRESHOLD=1500"), "{file}: {words:?}");
            let mut client = McpClient::initialized(start_bare(env, &words));
            let lines = json!({ "count": 4_000 + at });
            let reference = reference_in(&client.text("lines", lines));
            client.close();
            let whole = env.forebay(["get", &reference, "--raw"]).ok().text();
            assert_eq!(whole.lines().count(), 4_000 + at, "{file}");
        }
        env.forebay(["init", "--wrap", "--undo", "--yes"]).ok();
        for (file, text) in &files {
            assert_eq!(fs::read_to_string(env.home().join(file)).unwrap(), *text);
        }
        let foreign = env.forebay(["wrap", "--name", "x", "--env", "PATH=/", "--", "true"]);
        assert!(foreign.code() == Some(2) && foreign.stderr.contains("not a FOREBAY_ variable"));
    });
}

/// The command and its arguments in the entry of `srv`, in any format.
fn command_in(text: &str) -> Vec<String> {
    let settings: Value = serde_json::from_str(text).unwrap_or_else(|_| {
        serde_json::to_value(toml::from_str::<toml::Value>(text).unwrap()).unwrap()
    });
    let servers = ["mcpServers", "mcp", "mcp_servers"].iter().find_map(|key| settings.get(key));
    let entry = &servers.unwrap()["srv"];
    let mut words = match &entry["command"] {
        Value::Array(words) => words.clone(),
        program => vec![program.clone()],
    };
    words.extend(entry["args"].as_array().into_iter().flatten().cloned());
    words.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}
