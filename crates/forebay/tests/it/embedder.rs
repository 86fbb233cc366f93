//! A server's model that the user named: asked in batches and once a search, and never in anybody's way.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::env::{HANG, Output, TestEnv, finish, wait_until};
use crate::mcp_client::McpClient;

/// Words of no language, so that only the model below knows what they have to do with each other.
const SEA: [&str; 2] = ["zorblat", "quuxling"];
const BILLS: [&str; 2] = ["vextorp", "grimblen"];

/// What the model answers, as a status and a body.
type Model = dyn Fn(&Request) -> (u16, String) + Send + Sync;

type Answering = fn(&Request) -> (u16, String);

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

/// A server on this machine, whose model can be exchanged.
pub(crate) struct Server {
    port: u16,
    heard: Arc<Mutex<Vec<Request>>>,
    model: Arc<Mutex<Arc<Model>>>,
}

impl Server {
    fn new(model: impl Fn(&Request) -> (u16, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let model: Arc<Mutex<Arc<Model>>> = Arc::new(Mutex::new(Arc::new(model)));
        let (noted, asked) = (Arc::clone(&heard), Arc::clone(&model));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (noted, asked) = (Arc::clone(&noted), Arc::clone(&asked));
                thread::spawn(move || serve(stream, &noted, &asked));
            }
        });
        Self { port, heard, model }
    }

    /// One whose model knows that a zorblat is a quuxling.
    pub(crate) fn sound() -> Self {
        Self::new(by_topic)
    }

    fn becomes(&self, model: impl Fn(&Request) -> (u16, String) + Send + Sync + 'static) {
        *self.model.lock().unwrap() = Arc::new(model);
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Forgets the requests so far and returns them.
    fn take(&self) -> Vec<Request> {
        std::mem::take(&mut self.heard.lock().unwrap())
    }

    /// `forebay` with this server in the user's own settings.
    fn command(&self, env: &TestEnv, arguments: &[&str]) -> std::process::Command {
        let mut command = env.command(arguments);
        command.env("FOREBAY_EMBEDDER_URL", self.url()).env("FOREBAY_EMBEDDER_MODEL", "sea");
        command
    }

    fn forebay(&self, env: &TestEnv, arguments: &[&str]) -> Output {
        finish(self.command(env, arguments), b"")
    }

    fn search(&self, env: &TestEnv, question: &str) -> String {
        self.forebay(env, &["search", question]).ok().text()
    }
}

fn serve(mut stream: TcpStream, heard: &Mutex<Vec<Request>>, model: &Mutex<Arc<Model>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while reader.read_line(&mut head).is_ok_and(|bytes| bytes > 0) && !head.ends_with("\r\n\r\n") {}
    let length = head.to_lowercase().lines().find_map(|line| {
        line.strip_prefix("content-length: ").map(|length| length.trim().parse::<u64>().unwrap())
    });
    let mut body = Vec::new();
    reader.take(length.unwrap_or_default()).read_to_end(&mut body).unwrap();
    let request = Request { head, body: serde_json::from_slice(&body).unwrap_or_default() };
    heard.lock().unwrap().push(request.clone());
    let model = Arc::clone(&model.lock().unwrap());
    let (status, body) = model(&request);
    let _ = write!(
        stream,
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
}

/// A model that knows two topics and says the same of everything else.
fn by_topic(request: &Request) -> (u16, String) {
    (
        200,
        vectors(request, |text| {
            let is_of = |words: [&str; 2]| words.iter().any(|word| text.contains(word));
            match (is_of(SEA), is_of(BILLS)) {
                (true, _) => [1.0, 0.0, 0.0, 0.1],
                (_, true) => [0.0, 1.0, 0.0, 0.1],
                _ => [0.0, 0.0, 1.0, 0.1],
            }
        }),
    )
}

fn vectors<const N: usize>(request: &Request, of: impl Fn(&str) -> [f64; N]) -> String {
    let rows = request.texts().into_iter().enumerate();
    let rows = rows.map(|(index, text)| json!({ "index": index, "embedding": of(text).to_vec() }));
    json!({ "object": "list", "data": rows.collect::<Vec<_>>() }).to_string()
}

fn fails(_: &Request) -> (u16, String) {
    (503, r#"{"error":{"message":"loading"}}"#.to_owned())
}

/// Documents about the two topics, in words that no question here has.
fn index_topics(env: &TestEnv, server: &Server) -> Output {
    env.write("sea.md", "# Sea\n\nThe zorblat hums at dawn.\n");
    env.write("bills.md", "# Bills\n\nEvery vextorp is due in March.\n");
    server.forebay(env, &["index", ".", "--source", "topics"]).ok()
}

/// How many vectors of a server's models the project's store has.
fn kept_vectors(env: &TestEnv) -> Vec<(String, i64)> {
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
fn a_question_without_a_common_word_finds_the_passage() {
    let env = TestEnv::new();
    let server = Server::sound();
    index_topics(&env, &server);
    assert_eq!(kept_vectors(&env), [("remote:sea/4".to_owned(), 2)]);
    let found = server.search(&env, "quuxling");
    assert!(found.contains("zorblat hums") && !found.contains("note:"), "{found}");
    let first = found.find("zorblat").unwrap();
    assert!(found.find("vextorp").is_none_or(|other| first < other), "{found}");
    let plain = env.forebay(["search", "quuxling"]).ok().text();
    assert!(!plain.contains("zorblat hums"), "the built-in model knows none of it: {plain}");
}

#[test]
fn passages_are_sent_in_batches_and_questions_once() {
    let env = TestEnv::new();
    let server = Server::sound();
    let lines: String = (0..150)
        .map(|id| format!("{{\"id\":{id},\"text\":\"document {id} of many\"}}\n"))
        .collect();
    let file = env.write("many.jsonl", lines);
    server.forebay(&env, &["index", "--jsonl", file.to_str().unwrap()]).ok();
    let counts: Vec<usize> = server.take().iter().map(|request| request.texts().len()).collect();
    assert_eq!(counts, [1, 64, 64, 22], "a word to see the length, then the passages");
    let mut client = McpClient::initialized(server.command(&env, &["mcp"]));
    client.text("ctx_search", json!({ "queries": ["quuxling", "many", "vextorp"] }));
    let asked = server.take();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(asked[0].texts(), ["quuxling", "many", "vextorp"]);
    assert_eq!(asked[0].body["model"], "sea");
    assert!(asked[0].head.starts_with("POST /v1/embeddings "), "{}", asked[0].head);
}

#[test]
fn an_idle_server_has_the_model_told_of_what_came_in() {
    let env = TestEnv::new();
    let server = Server::sound();
    let mut client = McpClient::initialized(server.command(&env, &["mcp"]));
    client.text("ctx_index", json!({ "text": "The zorblat hums.", "source": "a" }));
    assert!(wait_until(HANG, || kept_vectors(&env).iter().any(|(_, count)| *count == 1)));
    let found = client.text("ctx_search", json!({ "queries": ["quuxling"] }));
    assert!(found.contains("zorblat hums"), "{found}");
}

#[test]
fn nobody_waits_for_the_network_who_only_stores() {
    let env = TestEnv::new();
    let server = Server::sound();
    server.forebay(&env, &["note", "the zorblat hums"]).ok();
    server.forebay(&env, &["run", "--", "echo", "vextorp"]).ok();
    let payload = json!({
        "session_id": "s", "cwd": env.project(), "hook_event_name": "UserPromptSubmit",
        "prompt": "what does the quuxling do?",
    });
    let hook = server.command(&env, &["hook", "claude-code", "UserPromptSubmit"]);
    assert_eq!(finish(hook, payload.to_string().as_bytes()).code(), Some(0));
    assert!(server.take().is_empty());
    // The next search has it told.
    let found = server.search(&env, "quuxling");
    assert!(found.contains("zorblat hums"), "{found}");
}

#[test]
fn a_server_that_is_away_is_told_and_asked_again_later() {
    let env = TestEnv::new();
    let server = Server::new(fails);
    let indexed = index_topics(&env, &server);
    assert!(
        indexed.stderr.contains("it answered with 503: loading; chunks are left to embed"),
        "{indexed:?}"
    );
    let found = server.search(&env, "zorblat");
    assert!(found.contains("zorblat hums"), "words find: {found}");
    assert!(found.contains("it answered with 503: loading; used the built-in model"), "{found}");
    assert_eq!(server.take().len(), 2, "one request each, however much there was to ask");
    assert_eq!(kept_vectors(&env), []);
    server.becomes(by_topic);
    let found = server.search(&env, "quuxling");
    assert!(found.contains("zorblat hums") && !found.contains("built-in"), "{found}");
    assert_eq!(kept_vectors(&env), [("remote:sea/4".to_owned(), 2)]);
}

#[test]
fn a_search_without_a_server_answers_as_it_does_without_the_setting() {
    let env = TestEnv::new();
    let server = Server::sound();
    env.write("a.md", "# Login\n\nUsers authenticate with a password and a code.\n");
    env.forebay(["index", "."]).ok();
    let mut command = env.command(["search", "how do people sign in", "--json"]);
    command.env("FOREBAY_EMBEDDER_URL", "http://127.0.0.1:1/v1");
    command.env("FOREBAY_EMBEDDER_MODEL", "away");
    let away = finish(command, b"").ok().json();
    assert!(away["embedder"].as_str().unwrap().contains("cannot connect"), "{away}");
    let plain = env.forebay(["search", "how do people sign in", "--json"]).ok().json();
    assert_eq!(away["queries"][0]["hits"], plain["queries"][0]["hits"]);
    assert!(plain.get("embedder").is_none() && server.take().is_empty());
}

#[test]
fn nonsense_is_told_and_nothing_of_it_is_kept() {
    let env = TestEnv::new();
    let server = Server::new(fails);
    index_topics(&env, &server);
    let answers: [(&str, &str, Answering); 7] = [
        ("not a list of vectors", "", |_| (200, "<html>busy</html>".to_owned())),
        ("not a list of vectors", "", |_| (200, r#"{"data":[{"embedding":[NaN]}]}"#.to_owned())),
        ("2 vectors for 1 texts", "", |_| (200, r#"{"embeddings":[[1],[2]]}"#.to_owned())),
        ("4 dimensions, expected 8", "8", |request| by_topic(request)),
        ("a number that is not finite", "", |request| (200, vectors(request, |_| [1e300]))),
        ("answered with 401: bad", "", |_| (401, r#"{"error":"bad"}"#.to_owned())),
        ("response is too large", "", |_| (200, " ".repeat(1_000_000))),
    ];
    for (told, dimensions, model) in answers {
        server.becomes(model);
        let mut command = server.command(&env, &["search", "zorblat"]);
        if !dimensions.is_empty() {
            command.env("FOREBAY_EMBEDDER_DIMENSIONS", dimensions);
        }
        let found = finish(command, b"").ok().text();
        assert!(found.contains("zorblat hums") && found.contains(told), "{told}: {found}");
    }
    assert_eq!(kept_vectors(&env), []);
}

#[test]
fn a_server_that_does_not_answer_holds_nobody_up() {
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
fn one_passage_that_the_server_does_not_take_keeps_no_other_from_it() {
    let env = TestEnv::new();
    let server = Server::new(|request| {
        if request.texts().iter().any(|text| text.contains("unbearable")) {
            return (400, r#"{"error":"input is too long"}"#.to_owned());
        }
        by_topic(request)
    });
    env.write("c.md", "An unbearable text.\n");
    index_topics(&env, &server);
    assert_eq!(kept_vectors(&env), [("remote:sea/4".to_owned(), 2)]);
    server.take();
    let found = server.search(&env, "quuxling");
    assert!(found.contains("zorblat hums"), "{found}");
    assert_eq!(server.take().len(), 1, "it is not asked about again");
    // A server that takes none at all is not asked about each.
    server.becomes(|_| (400, r#"{"error":"no such model"}"#.to_owned()));
    env.noted("another zorblat");
    let told = server.forebay(&env, &["index", "."]).ok().stderr;
    assert!(
        told.contains("it answered with 400: no such model; chunks are left to embed"),
        "{told}"
    );
    assert_eq!(server.take().len(), 1);
    assert!(server.search(&env, "unbearable").contains("An unbearable text"));
}

#[test]
fn another_model_is_asked_anew_and_its_vectors_meet_no_others() {
    let env = TestEnv::new();
    let server = Server::sound();
    index_topics(&env, &server);
    // The same length and the opposite topics: whoever compared them would find the wrong passage.
    let turned = |request: &Request| {
        (
            200,
            vectors(request, |text| {
                let is_sea = SEA.iter().any(|word| text.contains(word));
                if is_sea { [0.0, 1.0, 0.0, 0.1] } else { [1.0, 0.0, 0.0, 0.1] }
            }),
        )
    };
    let search = |question: &str| {
        let mut command = server.command(&env, &["search", question]);
        command.env("FOREBAY_EMBEDDER_MODEL", "turned");
        finish(command, b"").ok().text()
    };
    server.becomes(move |request| {
        // It answers questions and takes no passages.
        if request.texts().iter().any(|text| text.contains('\n')) {
            return (429, "{}".to_owned());
        }
        turned(request)
    });
    let found = search("quuxling");
    assert!(!found.contains("hums") && !found.contains("due in March"), "{found}");
    assert!(
        found.contains("2 chunks not embedded by turned yet: using the built-in model"),
        "{found}"
    );
    server.becomes(turned);
    let found = search("quuxling");
    assert!(found.contains("zorblat hums"), "{found}");
    let kept = [("remote:sea/4".to_owned(), 2), ("remote:turned/4".to_owned(), 2)];
    assert_eq!(kept_vectors(&env), kept);
    // And back: the first model's are still there.
    server.becomes(by_topic);
    server.take();
    assert!(server.search(&env, "quuxling").contains("zorblat hums"));
    assert_eq!(server.take().len(), 1);
    // A third takes the place of the one that was asked first.
    let mut command = server.command(&env, &["search", "quuxling"]);
    command.env("FOREBAY_EMBEDDER_MODEL", "third");
    finish(command, b"").ok();
    assert_eq!(kept_vectors(&env).len(), 2);
}

#[test]
fn the_key_goes_to_the_server_and_nowhere_else() {
    const KEY: &str = "plain-words-7719";
    let env = TestEnv::new();
    let server = Server::sound();
    let run = |arguments: &[&str]| {
        let mut command = server.command(&env, arguments);
        command.env("FOREBAY_EMBEDDER_KEY_ENV", "SEA_ACCESS").env("SEA_ACCESS", KEY);
        command.env("FOREBAY_LOG", "trace");
        finish(command, b"")
    };
    env.write("a.md", format!("# Sea\n\nThe zorblat hums {KEY}.\n"));
    let mut shown = vec![run(&["index", "."]).ok(), run(&["search", "quuxling"]).ok()];
    shown.extend([run(&["config"]).ok(), run(&["doctor"])]);
    let requests = server.take();
    assert!(requests.len() > 3);
    for request in &requests {
        let head = request.head.to_lowercase();
        assert!(head.contains(&format!("authorization: bearer {KEY}")), "{head}");
        assert!(!request.body.to_string().contains(KEY), "{}", request.body);
    }
    server.becomes(|_| (401, format!(r#"{{"error":{{"message":"wrong key {KEY}"}}}}"#)));
    shown.push(run(&["search", "quuxling"]).ok());
    assert!(shown[4].text().contains("wrong key [key]"), "{:?}", shown[4]);
    for output in &shown {
        assert!(!output.text().contains(KEY) && !output.stderr.contains(KEY), "{output:?}");
    }
    assert_eq!(files_with(&env.data(), KEY), Vec::<String>::new());
    let mut command = server.command(&env, &["search", "zorblat"]);
    command.env("FOREBAY_EMBEDDER_KEY_ENV", "SEA_ACCESS");
    let found = finish(command, b"").ok().text();
    assert!(
        found.contains("environment variable SEA_ACCESS (embedder.key_env) is not set"),
        "{found}"
    );
    assert_eq!(server.take().len(), 1, "without its key it is not asked");
}

/// Files below a folder that have these bytes.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if fs::read(&path).unwrap().windows(text.len()).any(|part| part == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn secrets_are_not_sent() {
    let env = TestEnv::new();
    let server = Server::sound();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    env.write("a.md", format!("# Sea\n\nThe zorblat hums with {secret} at dawn.\n"));
    server.forebay(&env, &["index", "."]).ok();
    server.search(&env, &format!("quuxling {secret}"));
    let sent: String = server.take().iter().map(|request| request.body.to_string()).collect();
    assert!(sent.contains("The zorblat hums with [redacted:"), "{sent}");
    assert!(sent.contains("quuxling") && !sent.contains(&secret), "{sent}");
}

#[test]
fn a_project_cannot_have_texts_sent_anywhere() {
    let env = TestEnv::new();
    let server = Server::sound();
    for line in [
        format!("url = \"{}\"", server.url()),
        "key_env = \"AWS_SECRET_ACCESS_KEY\"".to_owned(),
        "model = \"costly\"".to_owned(),
    ] {
        env.write(".forebay.toml", format!("[embedder]\n{line}\n"));
        let key = line.split(' ').next().unwrap();
        let refused = env.forebay(["search", "x"]);
        refused.refused(
            2,
            &format!("a project cannot loosen `embedder.{key}`"),
            "set it in your own settings file",
        );
    }
    assert!(server.take().is_empty());
    // The user's own file can, whatever address it is.
    env.write(".forebay.toml", "");
    fs::create_dir_all(env.data()).unwrap();
    let settings = format!("[embedder]\nurl = \"{}\"\nmodel = \"sea\"\n", server.url());
    fs::write(env.data().join("settings.toml"), settings).unwrap();
    env.noted("the zorblat hums");
    assert!(env.forebay(["search", "quuxling"]).ok().text().contains("zorblat hums"));
}

#[test]
fn prefixes_and_dimensions_are_sent_as_the_model_wants_them() {
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
    let asked = server.take();
    assert!(asked[0].head.starts_with("POST /api/embed "), "{}", asked[0].head);
    assert_eq!(asked[0].texts(), ["search_query: quuxling"]);
    assert!(asked[1].texts()[0].starts_with("search_document: "), "{asked:?}");
    assert!(asked.iter().all(|request| request.body["dimensions"] == 2), "{asked:?}");
    assert_eq!(kept_vectors(&env), [("remote:sea/2/search_document: ".to_owned(), 1)]);
}

#[test]
fn doctor_tells_whether_the_model_answers() {
    let env = TestEnv::new();
    let server = Server::sound();
    env.noted("the zorblat hums");
    let plain = env.forebay(["doctor"]).ok().text();
    assert!(!plain.contains("embedder"), "{plain}");
    let told = server.forebay(&env, &["doctor"]).ok().text();
    let line = told.lines().find(|line| line.contains("embedder")).unwrap();
    assert!(line.starts_with("note") && line.contains("sea at http://127.0.0.1:"), "{line}");
    assert!(line.contains("\"remote:sea/4\"; not embedded yet: 1 chunk"), "{line}");
    server.search(&env, "quuxling");
    let told = server.forebay(&env, &["doctor"]).ok().text();
    assert!(told.contains("ok     embedder"), "{told}");
    server.becomes(fails);
    let told = server.forebay(&env, &["doctor"]);
    assert_eq!(told.code(), Some(1));
    assert!(told.text().contains("BROKEN embedder"), "{told:?}");
}
