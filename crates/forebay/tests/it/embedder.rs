//! A configured embedding server: batched requests, one request per search, and fallback when it fails.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::env::{HANG_TIMEOUT, Output, TestEnv, finish, wait_until};
use crate::mcp_client::McpClient;

/// Invented words that only the test model relates to each other.
const SEA: [&str; 2] = ["zorblat", "quuxling"];
const BILLS: [&str; 2] = ["vextorp", "grimblen"];

/// Returns the status and body of the response to a request.
type Model = dyn Fn(&Request) -> (u16, String) + Send + Sync;

type ModelFn = fn(&Request) -> (u16, String);

#[derive(Debug, Clone)]
struct Request {
    head: String,
    body: Value,
}

impl Request {
    fn texts(&self) -> Vec<&str> {
        self.body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
    }
}

/// A local embedding server whose model can be replaced.
pub(crate) struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
    model: Arc<Mutex<Arc<Model>>>,
}

impl Server {
    fn new(model: impl Fn(&Request) -> (u16, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let model: Arc<Mutex<Arc<Model>>> = Arc::new(Mutex::new(Arc::new(model)));
        let (shared_requests, shared_model) = (Arc::clone(&requests), Arc::clone(&model));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (requests, model) = (Arc::clone(&shared_requests), Arc::clone(&shared_model));
                thread::spawn(move || serve(stream, &requests, &model));
            }
        });
        Self { port, requests, model }
    }

    /// Starts a server whose model embeds `zorblat` and `quuxling` alike.
    pub(crate) fn with_topic_model() -> Self {
        Self::new(embed_by_topic)
    }

    fn set_model(&self, model: impl Fn(&Request) -> (u16, String) + Send + Sync + 'static) {
        *self.model.lock().unwrap() = Arc::new(model);
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Returns the requests received since the last call.
    fn take_requests(&self) -> Vec<Request> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }

    /// Builds a `forebay` command that uses this server.
    fn command(&self, env: &TestEnv, arguments: &[&str]) -> std::process::Command {
        let mut command = env.command(arguments);
        command.env("FOREBAY_EMBEDDER_URL", self.url()).env("FOREBAY_EMBEDDER_MODEL", "sea");
        command
    }

    fn forebay(&self, env: &TestEnv, arguments: &[&str]) -> Output {
        finish(self.command(env, arguments), b"")
    }

    fn search(&self, env: &TestEnv, query: &str) -> String {
        self.forebay(env, &["search", query]).ok().text()
    }
}

fn serve(mut stream: TcpStream, requests: &Mutex<Vec<Request>>, model: &Mutex<Arc<Model>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while reader.read_line(&mut head).is_ok_and(|bytes| bytes > 0) && !head.ends_with("\r\n\r\n") {}
    let length = head.to_lowercase().lines().find_map(|line| {
        line.strip_prefix("content-length: ").map(|length| length.trim().parse::<u64>().unwrap())
    });
    let mut body = Vec::new();
    reader.take(length.unwrap_or_default()).read_to_end(&mut body).unwrap();
    let request = Request { head, body: serde_json::from_slice(&body).unwrap_or_default() };
    requests.lock().unwrap().push(request.clone());
    let model = Arc::clone(&model.lock().unwrap());
    let (status, body) = model(&request);
    let _ = write!(
        stream,
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
}

/// Embeds texts by topic: sea, bills or anything else.
fn embed_by_topic(request: &Request) -> (u16, String) {
    (
        200,
        vectors(request, |text| {
            let mentions = |words: [&str; 2]| words.iter().any(|word| text.contains(word));
            match (mentions(SEA), mentions(BILLS)) {
                (true, _) => [1.0, 0.0, 0.0, 0.1],
                (_, true) => [0.0, 1.0, 0.0, 0.1],
                _ => [0.0, 0.0, 1.0, 0.1],
            }
        }),
    )
}

fn vectors<const N: usize>(request: &Request, embed: impl Fn(&str) -> [f64; N]) -> String {
    let rows = request.texts().into_iter().enumerate();
    let rows =
        rows.map(|(index, text)| json!({ "index": index, "embedding": embed(text).to_vec() }));
    json!({ "object": "list", "data": rows.collect::<Vec<_>>() }).to_string()
}

fn unavailable(_: &Request) -> (u16, String) {
    (503, r#"{"error":{"message":"loading"}}"#.to_owned())
}

/// Indexes one document per topic.
fn index_topics(env: &TestEnv, server: &Server) -> Output {
    env.write("sea.md", "# Sea\n\nThe zorblat hums at dawn.\n");
    env.write("bills.md", "# Bills\n\nEvery vextorp is due in March.\n");
    server.forebay(env, &["index", ".", "--source", "topics"]).ok()
}

/// Counts the stored vectors of each remote model.
fn count_stored_vectors(env: &TestEnv) -> Vec<(String, i64)> {
    let database = rusqlite::Connection::open(env.database()).unwrap();
    let mut statement = database
        .prepare(
            "SELECT name, count(vector) FROM embedding JOIN model ON model.id = embedding.model
             GROUP BY name ORDER BY name",
        )
        .unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn finds_a_chunk_without_a_common_word() {
    let env = TestEnv::new();
    let server = Server::with_topic_model();
    index_topics(&env, &server);
    assert_eq!(count_stored_vectors(&env), [("remote:sea/4".to_owned(), 2)]);
    let found = server.search(&env, "quuxling");
    assert!(found.contains("zorblat hums") && !found.contains("note:"), "{found}");
    let first = found.find("zorblat").unwrap();
    assert!(found.find("vextorp").is_none_or(|other| first < other), "{found}");
    let plain = env.forebay(["search", "quuxling"]).ok().text();
    assert!(
        !plain.contains("zorblat hums"),
        "the built-in model does not relate the words: {plain}"
    );
}

#[test]
fn embeds_chunks_in_batches_and_all_queries_in_one_request() {
    let env = TestEnv::new();
    let server = Server::with_topic_model();
    let lines: String = (0..150)
        .map(|id| format!("{{\"id\":{id},\"text\":\"document {id} of many\"}}\n"))
        .collect();
    let file = env.write("many.jsonl", lines);
    server.forebay(&env, &["index", "--jsonl", file.to_str().unwrap()]).ok();
    let counts: Vec<usize> =
        server.take_requests().iter().map(|request| request.texts().len()).collect();
    assert_eq!(counts, [1, 64, 64, 22], "one probe for the dimensions, then batches of chunks");
    let mut client = McpClient::initialized(server.command(&env, &["mcp"]));
    client.text("ctx_search", json!({ "queries": ["quuxling", "many", "vextorp"] }));
    let requests = server.take_requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert_eq!(requests[0].texts(), ["quuxling", "many", "vextorp"]);
    assert_eq!(requests[0].body["model"], "sea");
    assert!(requests[0].head.starts_with("POST /v1/embeddings "), "{}", requests[0].head);
}

#[test]
fn an_idle_server_embeds_new_chunks() {
    let env = TestEnv::new();
    let server = Server::with_topic_model();
    let mut client = McpClient::initialized(server.command(&env, &["mcp"]));
    client.text("ctx_index", json!({ "text": "The zorblat hums.", "source": "a" }));
    assert!(wait_until(HANG_TIMEOUT, || count_stored_vectors(&env)
        .iter()
        .any(|(_, count)| *count == 1)));
    let found = client.text("ctx_search", json!({ "queries": ["quuxling"] }));
    assert!(found.contains("zorblat hums"), "{found}");
}

#[test]
fn storing_sends_no_request() {
    let env = TestEnv::new();
    let server = Server::with_topic_model();
    server.forebay(&env, &["note", "the zorblat hums"]).ok();
    server.forebay(&env, &["run", "--", "echo", "vextorp"]).ok();
    let payload = json!({
        "session_id": "s", "cwd": env.project(), "hook_event_name": "UserPromptSubmit",
        "prompt": "what does the quuxling do?",
    });
    let hook = server.command(&env, &["hook", "claude-code", "UserPromptSubmit"]);
    assert_eq!(finish(hook, payload.to_string().as_bytes()).code(), Some(0));
    assert!(server.take_requests().is_empty());
    // The next search embeds what was stored.
    let found = server.search(&env, "quuxling");
    assert!(found.contains("zorblat hums"), "{found}");
}

#[test]
fn a_failing_server_is_reported_and_retried_later() {
    let env = TestEnv::new();
    let server = Server::new(unavailable);
    let indexed = index_topics(&env, &server);
    assert!(
        indexed.stderr.contains("it answered with 503: loading; some chunks are not embedded"),
        "{indexed:?}"
    );
    let found = server.search(&env, "zorblat");
    assert!(found.contains("zorblat hums"), "found by keyword: {found}");
    assert!(found.contains("it answered with 503: loading; used the built-in model"), "{found}");
    assert_eq!(server.take_requests().len(), 2, "one request per command");
    assert_eq!(count_stored_vectors(&env), []);
    server.set_model(embed_by_topic);
    let found = server.search(&env, "quuxling");
    assert!(found.contains("zorblat hums") && !found.contains("built-in"), "{found}");
    assert_eq!(count_stored_vectors(&env), [("remote:sea/4".to_owned(), 2)]);
}

#[test]
fn an_unreachable_server_falls_back_to_the_built_in_model() {
    let env = TestEnv::new();
    let server = Server::with_topic_model();
    env.write("a.md", "# Login\n\nUsers authenticate with a password and a code.\n");
    env.forebay(["index", "."]).ok();
    let mut command = env.command(["search", "how do people sign in", "--json"]);
    command.env("FOREBAY_EMBEDDER_URL", "http://127.0.0.1:1/v1");
    command.env("FOREBAY_EMBEDDER_MODEL", "away");
    let away = finish(command, b"").ok().json();
    assert!(away["embedder"].as_str().unwrap().contains("cannot connect"), "{away}");
    let plain = env.forebay(["search", "how do people sign in", "--json"]).ok().json();
    assert_eq!(away["queries"][0]["hits"], plain["queries"][0]["hits"]);
    assert!(plain.get("embedder").is_none() && server.take_requests().is_empty());
}

#[test]
fn invalid_responses_are_reported_and_not_stored() {
    let env = TestEnv::new();
    let server = Server::new(unavailable);
    index_topics(&env, &server);
    let answers: [(&str, &str, ModelFn); 7] = [
        ("not a list of vectors", "", |_| (200, "<html>busy</html>".to_owned())),
        ("not a list of vectors", "", |_| (200, r#"{"data":[{"embedding":[NaN]}]}"#.to_owned())),
        ("2 vectors for 1 texts", "", |_| (200, r#"{"embeddings":[[1],[2]]}"#.to_owned())),
        ("4 dimensions, expected 8", "8", |request| embed_by_topic(request)),
        ("a number that is not finite", "", |request| (200, vectors(request, |_| [1e300]))),
        ("answered with 401: bad", "", |_| (401, r#"{"error":"bad"}"#.to_owned())),
        ("response is too large", "", |_| (200, " ".repeat(1_000_000))),
    ];
    for (message, dimensions, model) in answers {
        server.set_model(model);
        let mut command = server.command(&env, &["search", "zorblat"]);
        if !dimensions.is_empty() {
            command.env("FOREBAY_EMBEDDER_DIMENSIONS", dimensions);
        }
        let found = finish(command, b"").ok().text();
        assert!(found.contains("zorblat hums") && found.contains(message), "{message}: {found}");
    }
    assert_eq!(count_stored_vectors(&env), []);
}

#[test]
fn a_server_that_does_not_answer_times_out() {
    let env = TestEnv::new();
    let server = Server::new(|_| {
        loop {
            thread::park();
        }
    });
    env.noted("the zorblat hums");
    let mut command = server.command(&env, &["search", "zorblat"]);
    command.env("FOREBAY_EMBEDDER_TIMEOUT_MS", "300");
    let started = Instant::now();
    let found = finish(command, b"").ok().text();
    assert!(found.contains("no answer within 300 ms"), "{found}");
    assert!(started.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_rejected_chunk_does_not_block_others() {
    let env = TestEnv::new();
    let server = Server::new(|request| {
        if request.texts().iter().any(|text| text.contains("unbearable")) {
            return (400, r#"{"error":"input is too long"}"#.to_owned());
        }
        embed_by_topic(request)
    });
    env.write("c.md", "An unbearable text.\n");
    index_topics(&env, &server);
    assert_eq!(count_stored_vectors(&env), [("remote:sea/4".to_owned(), 2)]);
    server.take_requests();
    let found = server.search(&env, "quuxling");
    assert!(found.contains("zorblat hums"), "{found}");
    assert_eq!(server.take_requests().len(), 1, "the rejected chunk is not sent again");
    // If the server rejects every chunk, they are not sent one by one.
    server.set_model(|_| (400, r#"{"error":"no such model"}"#.to_owned()));
    env.noted("another zorblat");
    let answer = server.forebay(&env, &["index", "."]).ok().stderr;
    assert!(
        answer.contains("it answered with 400: no such model; some chunks are not embedded"),
        "{answer}"
    );
    assert_eq!(server.take_requests().len(), 1);
    assert!(server.search(&env, "unbearable").contains("An unbearable text"));
}

#[test]
fn vectors_of_different_models_are_kept_separate() {
    let env = TestEnv::new();
    let server = Server::with_topic_model();
    index_topics(&env, &server);
    // Same dimensions, swapped topics: comparing vectors of both models would find the wrong chunk.
    let swapped_topics = |request: &Request| {
        (
            200,
            vectors(request, |text| {
                let is_sea = SEA.iter().any(|word| text.contains(word));
                if is_sea { [0.0, 1.0, 0.0, 0.1] } else { [1.0, 0.0, 0.0, 0.1] }
            }),
        )
    };
    let search = |query: &str| {
        let mut command = server.command(&env, &["search", query]);
        command.env("FOREBAY_EMBEDDER_MODEL", "turned");
        finish(command, b"").ok().text()
    };
    server.set_model(move |request| {
        // Embeds queries but rejects chunks.
        if request.texts().iter().any(|text| text.contains('\n')) {
            return (429, "{}".to_owned());
        }
        swapped_topics(request)
    });
    let found = search("quuxling");
    assert!(!found.contains("hums") && !found.contains("due in March"), "{found}");
    assert!(
        found.contains("2 chunks not embedded by turned yet: using the built-in model"),
        "{found}"
    );
    server.set_model(swapped_topics);
    let found = search("quuxling");
    assert!(found.contains("zorblat hums"), "{found}");
    let kept = [("remote:sea/4".to_owned(), 2), ("remote:turned/4".to_owned(), 2)];
    assert_eq!(count_stored_vectors(&env), kept);
    // The vectors of the first model are still stored.
    server.set_model(embed_by_topic);
    server.take_requests();
    assert!(server.search(&env, "quuxling").contains("zorblat hums"));
    assert_eq!(server.take_requests().len(), 1);
    // The store keeps the vectors of at most two models.
    let mut command = server.command(&env, &["search", "quuxling"]);
    command.env("FOREBAY_EMBEDDER_MODEL", "third");
    finish(command, b"").ok();
    assert_eq!(count_stored_vectors(&env).len(), 2);
}

#[test]
fn the_key_is_sent_only_to_the_server() {
    const KEY: &str = "plain-words-7719";
    let env = TestEnv::new();
    let server = Server::with_topic_model();
    let run = |arguments: &[&str]| {
        let mut command = server.command(&env, arguments);
        command.env("FOREBAY_EMBEDDER_KEY_ENV", "SEA_ACCESS").env("SEA_ACCESS", KEY);
        command.env("FOREBAY_LOG", "trace");
        finish(command, b"")
    };
    env.write("a.md", format!("# Sea\n\nThe zorblat hums {KEY}.\n"));
    let mut shown = vec![run(&["index", "."]).ok(), run(&["search", "quuxling"]).ok()];
    shown.extend([run(&["config"]).ok(), run(&["doctor"])]);
    let requests = server.take_requests();
    assert!(requests.len() > 3);
    for request in &requests {
        let head = request.head.to_lowercase();
        assert!(head.contains(&format!("authorization: bearer {KEY}")), "{head}");
        assert!(!request.body.to_string().contains(KEY), "{}", request.body);
    }
    server.set_model(|_| (401, format!(r#"{{"error":{{"message":"wrong key {KEY}"}}}}"#)));
    shown.push(run(&["search", "quuxling"]).ok());
    assert!(shown[4].text().contains("wrong key [key]"), "{:?}", shown[4]);
    for output in &shown {
        assert!(!output.text().contains(KEY) && !output.stderr.contains(KEY), "{output:?}");
    }
    assert_eq!(files_containing(&env.data(), KEY), Vec::<String>::new());
    let mut command = server.command(&env, &["search", "zorblat"]);
    command.env("FOREBAY_EMBEDDER_KEY_ENV", "SEA_ACCESS");
    let found = finish(command, b"").ok().text();
    assert!(
        found.contains("environment variable SEA_ACCESS (embedder.key_env) is not set"),
        "{found}"
    );
    assert_eq!(server.take_requests().len(), 1, "no request without the key");
}

/// Lists files below a folder that contain a text.
fn files_containing(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_containing(&path, text));
        } else if fs::read(&path).unwrap().windows(text.len()).any(|part| part == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn secrets_are_not_sent() {
    let env = TestEnv::new();
    let server = Server::with_topic_model();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    env.write("a.md", format!("# Sea\n\nThe zorblat hums with {secret} at dawn.\n"));
    server.forebay(&env, &["index", "."]).ok();
    server.search(&env, &format!("quuxling {secret}"));
    let sent: String =
        server.take_requests().iter().map(|request| request.body.to_string()).collect();
    assert!(sent.contains("The zorblat hums with [redacted:"), "{sent}");
    assert!(sent.contains("quuxling") && !sent.contains(&secret), "{sent}");
}

#[test]
fn a_project_cannot_configure_the_embedder() {
    let env = TestEnv::new();
    let server = Server::with_topic_model();
    for line in [
        format!("url = \"{}\"", server.url()),
        "key_env = \"AWS_SECRET_ACCESS_KEY\"".to_owned(),
        "model = \"costly\"".to_owned(),
    ] {
        env.write(".forebay.toml", format!("[embedder]\n{line}\n"));
        let key = line.split(' ').next().unwrap();
        let refusal = format!("a project cannot loosen `embedder.{key}`");
        env.forebay(["note", "x"]).refused(2, &refusal, "set it in your own settings file");
        // A search goes on without the file.
        let search = env.forebay(["search", "x"]).ok();
        assert!(search.stderr.contains(&refusal), "{}", search.stderr);
    }
    assert!(server.take_requests().is_empty());
    // The user's own settings file may set any address.
    env.write(".forebay.toml", "");
    fs::create_dir_all(env.data()).unwrap();
    let settings = format!("[embedder]\nurl = \"{}\"\nmodel = \"sea\"\n", server.url());
    fs::write(env.data().join("settings.toml"), settings).unwrap();
    env.noted("the zorblat hums");
    assert!(env.forebay(["search", "quuxling"]).ok().text().contains("zorblat hums"));
}

#[test]
fn sends_configured_prefixes_and_dimensions() {
    let env = TestEnv::new();
    let server = Server::new(|request| {
        let rows = request.texts().into_iter().map(|_| json!([1.0, 0.5]));
        (200, json!({ "embeddings": rows.collect::<Vec<_>>() }).to_string())
    });
    env.noted("the zorblat hums");
    let mut command = server.command(&env, &["search", "quuxling"]);
    command
        .env("FOREBAY_EMBEDDER_URL", format!("http://127.0.0.1:{}/api/embed", server.port))
        .env("FOREBAY_EMBEDDER_DIMENSIONS", "2")
        .env("FOREBAY_EMBEDDER_QUESTION_PREFIX", "search_query: ")
        .env("FOREBAY_EMBEDDER_PASSAGE_PREFIX", "search_document: ");
    let found = finish(command, b"").ok().text();
    assert!(found.contains("zorblat hums"), "{found}");
    let requests = server.take_requests();
    assert!(requests[0].head.starts_with("POST /api/embed "), "{}", requests[0].head);
    assert_eq!(requests[0].texts(), ["search_query: quuxling"]);
    assert!(requests[1].texts()[0].starts_with("search_document: "), "{requests:?}");
    assert!(requests.iter().all(|request| request.body["dimensions"] == 2), "{requests:?}");
    assert_eq!(count_stored_vectors(&env), [("remote:sea/2/search_document: ".to_owned(), 1)]);
}

#[test]
fn doctor_reports_whether_the_model_answers() {
    let env = TestEnv::new();
    let server = Server::with_topic_model();
    env.noted("the zorblat hums");
    let plain = env.forebay(["doctor"]).ok().text();
    assert!(!plain.contains("embedder"), "{plain}");
    let answer = server.forebay(&env, &["doctor"]).ok().text();
    let line = answer.lines().find(|line| line.contains("embedder")).unwrap();
    assert!(line.starts_with("note") && line.contains("sea at http://127.0.0.1:"), "{line}");
    assert!(line.contains("\"remote:sea/4\"; not embedded yet: 1 chunk"), "{line}");
    server.search(&env, "quuxling");
    let answer = server.forebay(&env, &["doctor"]).ok().text();
    assert!(answer.contains("ok     embedder"), "{answer}");
    server.set_model(unavailable);
    let answer = server.forebay(&env, &["doctor"]);
    assert_eq!(answer.code(), Some(1));
    assert!(answer.text().contains("BROKEN embedder"), "{answer:?}");
}
