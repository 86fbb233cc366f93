//! The dashboard: who may use it, and what hostile text becomes in its data.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::sync::mpsc;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::env::{HANG_TIMEOUT, TestEnv, finish};
use crate::hook_host::Host;
use crate::http_client::{Request, Response};
use crate::texts::varied_log;

/// A running dashboard and a browser that opened its link.
pub(crate) struct Ui {
    child: Child,
    address: SocketAddr,
    /// The path that all routes are below.
    base: String,
    token: String,
    cookie: String,
}

impl TestEnv {
    /// Starts the dashboard without opening its link.
    pub(crate) fn start_ui(&self, arguments: &[&str]) -> Ui {
        let mut command = self.command(["ui", "--no-open"]);
        command.args(arguments);
        let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let line = lines.recv_timeout(HANG_TIMEOUT).expect("it prints its link");
        let link = line.strip_prefix("dashboard: http://").unwrap_or_else(|| panic!("{line}"));
        let (address, path) = link.split_once('/').unwrap();
        let (base, token) = path.split_once("/open?token=").unwrap();
        Ui {
            child,
            address: address.parse().unwrap(),
            base: format!("/{base}"),
            token: token.to_owned(),
            cookie: String::new(),
        }
    }

    /// Starts the dashboard and opens its link.
    pub(crate) fn ui(&self) -> Ui {
        self.ui_with(&[])
    }

    fn ui_with(&self, arguments: &[&str]) -> Ui {
        let mut ui = self.start_ui(arguments);
        let opened = ui.send(&ui.opening());
        assert_eq!(opened.status, 200, "{}", opened.text());
        let set = opened.header("set-cookie").unwrap().to_owned();
        let (pair, attributes) = set.split_once(';').unwrap();
        assert_eq!(attributes, format!(" Path={}/; HttpOnly; SameSite=Strict", ui.base));
        pair.clone_into(&mut ui.cookie);
        ui
    }
}

impl Ui {
    /// A request of this browser for a route.
    fn request(&self, method: &'static str, route: &str) -> Request {
        let request = Request::new(method, &format!("{}{route}", self.base));
        request.header("host", &self.address.to_string()).header("cookie", &self.cookie)
    }

    pub(crate) fn opening(&self) -> Request {
        self.request("GET", &format!("/open?token={}", self.token))
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(HANG_TIMEOUT)).unwrap();
        stream
    }

    fn send(&self, request: &Request) -> Response {
        let mut stream = self.connect();
        stream.write_all(&request.bytes()).unwrap();
        Response::read(stream)
    }

    /// Reads a view as the page does.
    #[track_caller]
    fn view(&self, view: &str) -> Value {
        let request = self.request("GET", &format!("/api/{view}"));
        self.send(&request.header("sec-fetch-site", "same-origin")).ok()
    }

    /// What the live view gets first.
    pub(crate) fn live_batch(&self) -> String {
        let mut stream = self.connect();
        stream.write_all(&self.request("GET", "/api/live").bytes()).unwrap();
        next_batch(&mut BufReader::new(stream)).1.to_string()
    }

    #[track_caller]
    fn refuses(&self, request: &Request, status: u16, error: &str) {
        self.send(request).refused(status, error, "");
    }
}

impl Drop for Ui {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the reference of the newest entry.
fn newest(env: &TestEnv) -> String {
    let listed = env.forebay(["history", "--all", "--json"]).ok().json();
    listed["entries"][0]["ref"].as_str().unwrap().to_owned()
}

#[test]
fn only_the_browser_that_opened_the_link_is_served() {
    let env = TestEnv::new();
    let ui = env.ui();
    assert_eq!(ui.send(&ui.request("GET", "/")).status, 200);
    ui.refuses(&ui.request("GET", "/").header("cookie", "forebay_ui=guess"), 401, "no access");
    ui.refuses(&ui.request("GET", "/api/rules").header("cookie", ""), 401, "no access");
    ui.refuses(&ui.opening().header("cookie", ""), 401, "no access");
    let elsewhere = Request::get("/").header("host", &ui.address.to_string());
    ui.refuses(&elsewhere.header("cookie", &ui.cookie), 404, "no access");
    let page = ui.send(&ui.request("GET", "/").header("cookie", "").header("accept", "text/html"));
    assert!(page.status == 401 && page.text().contains("works once"), "{}", page.text());
}

/// What another user of the machine may try: `bash` connects as it, and reads files.
#[test]
fn another_user_of_the_machine_gets_nothing() {
    let Some(nobody) = OtherUser::new() else {
        return forebay_test_support::skip("only root can be another user, with setpriv and bash");
    };
    let env = TestEnv::new();
    std::fs::create_dir(env.project().join(".claude")).unwrap();
    env.write(".claude/settings.json", r#"{"permissions":{"deny":["Bash(sudo:*)"]}}"#);
    Host::new(&env).ran("make", &"a line of the secret build\n".repeat(2_000));
    // The modes of the data folder protect it, not those of the folders around it.
    let around = env.project().parent().unwrap().to_owned();
    std::fs::set_permissions(&around, std::fs::Permissions::from_mode(0o755)).unwrap();
    let ui = env.start_ui(&["--write"]);
    let as_nobody = |request: &Request| nobody.send(ui.address, request);
    let anonymous = |route: &str| ui.request("GET", route).header("cookie", "");
    for route in [
        "/",
        "/api/overview",
        "/api/live",
        "/api/access",
        "/assets/app.js",
        "/open",
        "/open?token=0",
    ] {
        as_nobody(&anonymous(route)).refused(401, "no access", "");
    }
    for route in ["/", "/open?token=0", "/api/live", "/0123456789abcdef/api/live"] {
        let request = Request::get(route).header("host", &ui.address.to_string());
        as_nobody(&request).refused(404, "no access", "");
    }
    // The user opens the link; what another one sees of it then is worth nothing.
    let opened = ui.send(&ui.opening());
    let cookie = opened.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    as_nobody(&ui.opening().header("cookie", "")).refused(401, "no access", "");
    let other_browser = anonymous("/api/live").header("cookie", "forebay_ui=0123456789abcdef");
    as_nobody(&other_browser).refused(401, "no access", "");
    let purge = json!({ "change": "purge", "reference": newest(&env), "confirm": 1 });
    let change = ui.request("POST", "/api/change").header("cookie", "").body(purge.to_string());
    as_nobody(&change.header("content-type", "application/json")).refused(401, "no access", "");
    let own = ui.request("GET", "/api/notes").header("cookie", &cookie);
    assert_eq!(ui.send(&own).status, 200, "the user's own browser still has it");
    // Nothing of the link is in a file or in the list of processes, and no file can be read.
    let pid = ui.child.id();
    // A file beside the data folder, which all may read, shows that the other user gets as far as that.
    let control = env.root().join("control");
    std::fs::write(&control, "a readable control").unwrap();
    std::fs::set_permissions(&control, std::fs::Permissions::from_mode(0o644)).unwrap();
    let seen = nobody.shell(&format!(
        "cat /proc/{pid}/cmdline /proc/{pid}/environ; find {} {} -type f -exec cat {{}} +",
        control.display(),
        env.data().display()
    ));
    assert!(seen.contains("a readable control"), "{seen}");
    for secret in [&ui.token, ui.base.trim_start_matches('/'), "secret build", &cookie] {
        assert!(!seen.contains(secret), "{secret} in {seen}");
    }
}

/// A user without rights, for whom root starts programs.
struct OtherUser;

impl OtherUser {
    /// None if it takes rights or programs that are not there.
    fn new() -> Option<Self> {
        let found = Self.try_shell("id -u")?;
        (found.trim() == "65534").then_some(Self)
    }

    #[expect(clippy::disallowed_methods, reason = "another user starts it from outside")]
    fn try_shell(&self, script: &str) -> Option<String> {
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c", script]);
        let output = command.current_dir("/").stdin(Stdio::null()).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn shell(&self, script: &str) -> String {
        self.try_shell(script).unwrap()
    }

    /// Sends a request from a process of this user.
    fn send(&self, address: SocketAddr, request: &Request) -> Response {
        let bytes: String = request.bytes().iter().map(|byte| format!("\\x{byte:02x}")).collect();
        let script = format!(
            "exec 3<>/dev/tcp/{}/{} && printf '{bytes}' >&3 && cat <&3",
            address.ip(),
            address.port()
        );
        Response::read(std::io::Cursor::new(self.shell(&script).into_bytes()))
    }
}

#[test]
fn a_wrong_token_does_not_use_up_the_link() {
    let env = TestEnv::new();
    let ui = env.start_ui(&[]);
    ui.refuses(&ui.request("GET", "/open?token=0123456789abcdef"), 401, "no access");
    ui.refuses(&ui.request("GET", "/open"), 401, "no access");
    assert_eq!(ui.send(&ui.opening()).status, 200);
}

#[test]
fn other_hosts_and_origins_are_refused() {
    let env = TestEnv::new();
    let ui = env.ui();
    let get = || ui.request("GET", "/api/rules");
    for host in ["evil.example", "127.0.0.2:80", "127.0.0.1", "localhost:1"] {
        ui.refuses(&get().header("host", host), 403, "unknown host name");
    }
    let by_name = format!("localhost:{}", ui.address.port());
    assert_eq!(ui.send(&get().header("host", &by_name)).status, 200);
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        ui.refuses(&get().header("origin", origin), 403, "another page");
    }
    let own = format!("http://{}", ui.address);
    assert_eq!(ui.send(&get().header("origin", &own)).status, 200);
    // Another port of this host gets the same cookies, and is same-site.
    for site in ["same-site", "cross-site"] {
        ui.refuses(&get().header("sec-fetch-site", site), 403, "another page");
    }
}

#[test]
fn it_only_reads() {
    let env = TestEnv::new();
    let ui = env.ui();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        ui.refuses(&ui.request(method, "/api/rules"), 405, "only reads");
    }
    let large = ui.request("GET", "/api/rules").body("x".repeat(2_000));
    ui.refuses(&large, 413, "the body is larger");
    assert_eq!(ui.send(&ui.request("GET", "/api/nothing")).status, 404);
    assert_eq!(ui.send(&ui.request("GET", "/assets/..%2fmod.rs")).status, 404);
}

/// A dashboard that may change the memory.
struct Writer<'a> {
    env: &'a TestEnv,
    ui: Ui,
    token: String,
}

impl<'a> Writer<'a> {
    fn new(env: &'a TestEnv) -> Self {
        let ui = env.ui_with(&["--write"]);
        let token = ui.view("access")["csrf_token"].as_str().unwrap().to_owned();
        Self { env, ui, token }
    }

    fn note<const N: usize>(&self, arguments: [&str; N]) -> String {
        let mut command = self.env.command(["note", "--json"]);
        command.args(arguments);
        let noted = finish(command, b"").ok().json();
        noted["ref"].as_str().unwrap().to_owned()
    }

    fn request(&self, change: &Value) -> Request {
        let request =
            self.ui.request("POST", "/api/change").header("sec-fetch-site", "same-origin");
        let request = request.header("content-type", "application/json");
        request.header("x-forebay-csrf-token", &self.token).body(change.to_string())
    }

    #[track_caller]
    fn post(&self, change: &Value) -> Value {
        self.ui.send(&self.request(change)).ok()
    }

    /// Previews a change and makes it.
    #[track_caller]
    fn change(&self, mut change: Value) -> Value {
        let before = without_ages(self.ui.view("notes"));
        change["confirm"] = self.post(&change)["confirm"].clone();
        assert_eq!(without_ages(self.ui.view("notes")), before, "a preview changes nothing");
        self.post(&change)
    }

    fn notes(&self) -> Vec<String> {
        let notes = self.ui.view("notes");
        let notes = notes["items"].as_array().unwrap().iter();
        notes.map(|note| note["text"].as_str().unwrap().to_owned()).collect()
    }
}

/// Data without how old things are, which differs from one look to the next.
fn without_ages(mut data: Value) -> Value {
    match &mut data {
        Value::Object(fields) => {
            fields.remove("age");
            for value in fields.values_mut() {
                *value = without_ages(value.take());
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = without_ages(item.take());
            }
        }
        _ => {}
    }
    data
}

#[test]
fn a_note_is_edited_pinned_and_deleted() {
    let env = TestEnv::new();
    let writer = Writer::new(&env);
    let note = writer.note(["--topic", "port", "the server listens on 4000"]);
    assert_eq!(
        writer.ui.view(&format!("note_text?ref={note}"))["text"],
        "the server listens on 4000"
    );
    let edit = json!({ "change": "edit", "reference": note, "text": "the server listens on 4001" });
    let edited = writer.change(edit.clone())["data"]["ref"].as_str().unwrap().to_owned();
    assert_eq!(writer.notes(), ["the server listens on 4001"]);
    let again = writer.request(&edit);
    writer.ui.refuses(&again, 400, "was replaced by");
    writer.change(json!({ "change": "pin", "reference": edited, "pinned": true }));
    assert_eq!(writer.ui.view("notes?only=pinned")["items"][0]["ref"], edited.as_str());
    let purge = json!({ "change": "purge", "reference": edited });
    let wrong = json!({ "change": "purge", "reference": edited, "confirm": 7 });
    writer.ui.refuses(&writer.request(&wrong), 400, "nothing was deleted");
    writer.change(purge);
    assert_eq!(writer.notes(), ["the server listens on 4000"], "the one before is in force again");
}

#[test]
fn one_of_two_notes_that_contradict_each_other_is_kept() {
    let env = TestEnv::new();
    let writer = Writer::new(&env);
    let kept = writer.note(["we deploy on mondays"]);
    let given_up = writer.note(["we deploy on fridays"]);
    let keep = json!({ "change": "keep", "reference": kept, "instead_of": given_up });
    writer.change(keep.clone());
    assert_eq!(writer.notes(), ["we deploy on mondays"]);
    writer.ui.refuses(&writer.request(&keep), 400, "was replaced by");
    let itself = json!({ "change": "keep", "reference": kept, "instead_of": kept });
    writer.ui.refuses(&writer.request(&itself), 400, "does not replace itself");
    let own = writer.note(["--all", "we deploy by hand"]);
    let other_store = json!({ "change": "keep", "reference": own, "instead_of": kept });
    writer.ui.refuses(&writer.request(&other_store), 400, "the other one the project's");
}

#[test]
fn a_digest_that_hid_something_becomes_a_sample() {
    let env = TestEnv::new();
    let log: String = (1..900).map(|n| format!("step {n} done in {n} ms\n")).collect();
    env.write("log.txt", &log);
    env.forebay(["run", "--", "cat", "log.txt"]).ok();
    let reference = newest(&env);
    let writer = Writer::new(&env);
    let explained = || writer.ui.view(&format!("explained?ref={reference}"));
    assert_eq!(explained()["needed"], Value::Null);
    let report = |text: &str| json!({ "change": "report", "reference": reference, "text": text });
    for (text, error) in [
        ("step 4000 done", "the text has no"),
        ("step 1 done in 1 ms", "shows these lines now"),
        (" \n", "nothing that the digest should show"),
    ] {
        writer.ui.refuses(&writer.request(&report(text)), 400, error);
    }
    writer.change(report("step 417 done in 417 ms\n"));
    assert_eq!(explained()["needed"], json!(["step 417 done in 417 ms"]));
    let checked = env.forebay(["digest", "--check"]);
    assert_eq!(checked.code(), Some(1));
    let expected =
        format!("{reference}  fails: the digest does not contain \"step 417 done in 417 ms\"");
    assert!(checked.text().contains(&expected), "{}", checked.text());
    env.write(".forebay.toml", "[recognizers.steps]\ncommands = ['cat']\nkeep = ['^step 417 ']\nsample = 'step 417 done'\nexpect = ['step 417']\n");
    let mended = env.forebay(["digest", "--check"]).ok();
    assert!(mended.text().contains(&format!("{reference}  ok")), "{}", mended.text());
    writer.change(json!({ "change": "purge", "reference": reference }));
    let checked = env.forebay(["digest", "--check"]).ok();
    assert!(
        !checked.text().contains(&reference),
        "it is purged with its entry: {}",
        checked.text()
    );
}

#[test]
fn a_sample_is_deleted_in_the_page_or_at_the_terminal() {
    let env = TestEnv::new();
    let log: String = (1..900).map(|n| format!("step {n} done in {n} ms\n")).collect();
    env.write("log.txt", &log);
    env.forebay(["run", "--", "cat", "log.txt"]).ok();
    let reference = newest(&env);
    let writer = Writer::new(&env);
    let report = json!({ "change": "report", "reference": reference, "text": "step 417 done" });
    for _ in 0..2 {
        writer.change(report.clone());
    }
    writer.change(json!({ "change": "unreport", "reference": reference }));
    env.forebay(["digest", "--check"]).ok();
    writer.change(report);
    env.forebay(["digest", "--forget", &reference]).ok();
    let again = env.forebay(["digest", "--forget", &reference]);
    again.refused(1, "no digest of this entry was reported", "forebay digest --check lists");
}

#[test]
fn changes_need_the_cookie_the_token_and_an_own_page() {
    let env = TestEnv::new();
    let writer = Writer::new(&env);
    let note = writer.note(["kept"]);
    let purge = json!({ "change": "purge", "reference": note, "confirm": 1 });
    let request = || writer.request(&purge);
    let refuses = |request: &Request, status, error| writer.ui.refuses(request, status, error);
    refuses(&request().header("x-forebay-csrf-token", "guess"), 403, "CSRF token");
    refuses(&request().header("cookie", ""), 401, "no access");
    refuses(&request().header("origin", "http://evil.example"), 403, "another page");
    refuses(&request().header("sec-fetch-site", "same-site"), 403, "another page");
    refuses(&request().header("content-type", "text/plain"), 415, "content type");
    refuses(&writer.request(&json!({ "change": "everything" })), 400, "no such change");
    assert_eq!(writer.notes(), ["kept"]);
    let reader = env.ui();
    assert_eq!(reader.view("access")["csrf_token"], Value::Null);
}

#[test]
fn everything_comes_from_the_server_and_nothing_is_inline() {
    let env = TestEnv::new();
    let ui = env.ui();
    for route in ["/", "/assets/app.js", "/assets/style.css", "/api/rules", "/api/nothing"] {
        let response = ui.send(&ui.request("GET", route));
        let policy = response.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'self';") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(response.header(name), Some(value), "{route}");
        }
        assert_eq!(response.header("access-control-allow-origin"), None);
    }
}

#[test]
fn search_is_that_of_the_tool_and_paged() {
    let env = TestEnv::new();
    for number in 0..25 {
        let text = format!("quartz finding number {number}, {}", "x".repeat(number));
        env.forebay_reading(["note", "-"], text.as_bytes()).ok();
    }
    let ui = env.ui();
    let first = ui.view("search?q=quartz");
    assert_eq!(first["hits"].as_array().unwrap().len(), 20, "{first}");
    let second = ui.view(&format!("search?q=quartz&page={}", first["next"]));
    assert_eq!(second["hits"].as_array().unwrap().len(), 5, "{second}");
    assert!(second["next"].is_null());
    for hit in first["hits"].as_array().unwrap() {
        let terms = hit["score_terms"].as_object().unwrap().values();
        let sum: f64 = terms.map(|term| term.as_f64().unwrap()).sum();
        assert!((sum - hit["score"].as_f64().unwrap()).abs() < 1e-9, "{hit}");
    }
    let refused = ui.send(&ui.request("GET", "/api/search?q="));
    refused.refused(400, "the query is empty", "");
}

#[test]
fn hostile_text_is_data() {
    let env = TestEnv::new();
    let hostile =
        "<script>alert(1)</script> \u{202e}drow\u{2066} \u{1b}[31mred\u{1b}[0m \u{1b}[2J\u{7} end";
    let host = Host::new(&env);
    host.prompt(&format!("quartz {hostile}"));
    for result in ["short".to_owned(), format!("{hostile}\n").repeat(2_000)] {
        host.ran(hostile, &result);
        host.tool(hostile, json!({ "x": hostile }), json!(result));
    }
    env.forebay_reading(
        ["note", "--topic", "<b>\u{202e}", "-"],
        format!("quartz {hostile}").as_bytes(),
    )
    .ok();
    let note = newest(&env);
    let ui = env.ui();
    let lines = ui.view(&format!("lines?ref={note}"));
    let pieces = &lines["lines"][0]["text"];
    assert!(
        pieces[0][0].as_str().unwrap().contains("<script>alert(1)</script> \\u{202e}drow"),
        "{pieces}"
    );
    assert_eq!(pieces[1], json!(["red", "f1"]));
    assert!(pieces[2][0].as_str().unwrap().contains("\\u{1b}[2J\\u{7}"), "{pieces}");
    for view in [
        "notes".to_owned(),
        format!("entry?ref={note}"),
        "search?q=quartz".to_owned(),
        "sessions".to_owned(),
        "timeline?key=conversation-1".to_owned(),
        "guide?key=conversation-1".to_owned(),
        "judge?input=echo%20%E2%80%AEx%1b%5b2J".to_owned(),
        "latency".to_owned(),
        "overview?from=0&period=864000000000&periods=3".to_owned(),
        "live".to_owned(),
    ] {
        let text = match view.as_str() {
            "live" => ui.live_batch(),
            _ => ui.view(&view).to_string(),
        };
        let is_hidden = |c: char| {
            c.is_control()
                || ('\u{202a}'..='\u{202e}').contains(&c)
                || ('\u{2066}'..='\u{2069}').contains(&c)
        };
        assert!(!text.contains(is_hidden) && !text.contains("\\u001b"), "{view}: {text}");
    }
}

#[test]
fn a_line_of_50_mb_is_read_in_parts() {
    let env = TestEnv::new();
    let long = "0123456789".repeat(5_000_000) + "\nsecond line\n";
    let path = env.write("long.txt", long);
    env.forebay(["run", "--", "cat", path.to_str().unwrap()]).ok();
    let reference = newest(&env);
    let ui = env.ui();
    let response = ui.send(&ui.request("GET", &format!("/api/lines?ref={reference}")));
    assert!(response.body.len() < 100_000, "{}", response.body.len());
    let page = response.ok();
    assert_eq!(page["lines"][1]["text"], json!([["second line", ""]]));
    let rest = &page["lines"][0]["rest"];
    assert_eq!(rest["from"], "1+4096");
    assert_eq!(rest["bytes"], 50_000_000 - 4_096 + 1, "with its line end");
    let more = ui.view(&format!("lines?ref={reference}&from=1%2B49999990"));
    assert_eq!(more["lines"][0]["text"], json!([["0123456789", ""]]));
    for view in ["entry", "explained"] {
        let response = ui.send(&ui.request("GET", &format!("/api/{view}?ref={reference}")));
        assert!(
            response.status == 200 && response.body.len() < 200_000,
            "{view}: {}",
            response.body.len()
        );
    }
}

#[test]
fn json_is_read_member_by_member() {
    let env = TestEnv::new();
    let document = json!({ "a/b": { "list": (0..150).collect::<Vec<_>>() }, "n": 12 });
    env.write("x.json", document.to_string());
    env.forebay(["run", "--", "cat", "x.json"]).ok();
    let reference = newest(&env);
    let ui = env.ui();
    assert_eq!(ui.view(&format!("entry?ref={reference}"))["is_json"], true);
    let root = ui.view(&format!("json?ref={reference}"));
    assert_eq!(root["members"][0]["pointer"], "/a~1b");
    assert_eq!(root["members"][1]["text"], "12");
    let list = ui.view(&format!("json?ref={reference}&pointer=/a~1b/list&page=1"));
    assert_eq!((list["members"].as_array().unwrap().len(), &list["next"]), (50, &Value::Null));
    assert_eq!(list["members"][0]["text"], "100");
}

#[test]
fn a_digest_is_explained_beside_its_text() {
    let env = TestEnv::new();
    let log: String = (1..900).map(|n| format!("test case_{n} ... ok\n")).collect();
    let log = log + "test store ... FAILED\ntest result: FAILED. 899 passed; 1 failed\n";
    env.write("log.txt", &log);
    env.forebay(["run", "--", "sh", "-c", "cat log.txt; exit 101"]);
    let reference = newest(&env);
    let ui = env.ui();
    let data = ui.view(&format!("explained?ref={reference}"));
    assert!(data["rows"].as_array().unwrap().iter().any(|row| row["why"].is_string()), "{data}");
    let mut next = 1;
    for range in data["ranges"].as_array().unwrap() {
        assert_eq!(range["first"], next, "no line is missing: {data}");
        next = range["last"].as_u64().unwrap() + 1;
    }
    assert_eq!(next, 902);
    let kept: Vec<&Value> = data["ranges"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|range| !range["kept"].is_null())
        .collect();
    assert!(kept.iter().any(|range| range.to_string().contains("test store ... FAILED")), "{data}");
}

#[test]
fn the_digest_of_a_long_output_in_a_batch_is_stored_as_it_was_delivered() {
    let env = TestEnv::new();
    env.write("log", varied_log(3_000));
    let commands = json!(["echo one", "echo two", "cat log"]);
    let batch = json!({ "commands": commands, "budget": 1_000 });
    let answer = env.mcp().text("ctx_batch_execute", batch);
    let (_, long) = answer.split_once("## 3 cat log\n[ctx:").unwrap();
    let (reference, _) = long.split_once(']').unwrap();
    let stored = env.ui().view(&format!("entry?ref={reference}"))["digest"].clone();
    let stored = stored.as_str().unwrap();
    assert!(stored.len() > 2_000 && answer.contains(stored), "{stored}\n---\n{answer}");
}

#[test]
fn a_session_shows_what_happened_and_its_guide() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.prompt("Build the login page. Never change auth.rs.");
    host.answered("The form is done. Next I write the test.");
    host.failed("cargo test login", "assertion failed: ok");
    host.hook("PreCompact", json!({ "trigger": "auto" }));
    host.hook("UserPromptSubmit", json!({ "prompt": "go on" }));
    let guide = host.start("resume");
    let ui = env.ui();
    let list = ui.view("sessions");
    assert_eq!(list["items"][0]["last_request"], "go on", "{list}");
    let shown = ui.view("guide?key=conversation-1");
    let lines: Vec<&str> = shown["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["text"].as_str().unwrap())
        .collect();
    assert_eq!(lines.join("\n"), guide, "exactly what a resume gets");
    let rule = shown["lines"]
        .as_array()
        .unwrap()
        .iter()
        .find(|line| line["text"] == "- Never change auth.rs.")
        .unwrap();
    assert_eq!(rule["sources"][0]["kind"], "prompt", "{rule}");
    let errors = ui.view("timeline?key=conversation-1&filter=errors");
    assert_eq!(errors["items"].as_array().unwrap().len(), 1, "{errors}");
    let compactions = ui.view("stored?key=conversation-1&filter=compactions");
    assert_eq!(compactions["items"][0]["source"], "session snapshot", "{compactions}");
    ui.send(&ui.request("GET", "/api/session?key=other")).refused(404, "no such session", "");
}

#[test]
fn a_session_with_a_hidden_name_can_be_opened() {
    let env = TestEnv::new();
    let host = Host { env: &env, session: "quiet\u{202e}name" };
    host.prompt("hello quartz");
    let ui = env.ui();
    let named = ui.view("sessions")["items"][0]["key"].as_str().unwrap().to_owned();
    assert_eq!(named, "quiet\\u{202e}name");
    let query = named.replace('\\', "%5C").replace('{', "%7B").replace('}', "%7D");
    assert_eq!(ui.view(&format!("session?key={query}"))["last_request"], "hello quartz");
    let events = ui.view(&format!("timeline?key={query}"));
    assert_eq!(events["items"].as_array().unwrap().len(), 1, "{events}");
}

#[test]
fn memory_has_topics_and_what_was_replaced() {
    let env = TestEnv::new();
    env.forebay(["note", "--topic", "database", "We use MySQL."]).ok();
    let older = newest(&env);
    env.forebay(["note", "--topic", "database", "We use PostgreSQL."]).ok();
    let newer = newest(&env);
    env.forebay(["note", "--topic", "cache", "Redis holds sessions."]).ok();
    env.forebay(["pin", &newer]).ok();
    let ui = env.ui();
    let notes = ui.view("notes");
    let topics: Vec<&str> = notes["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| note["topic"].as_str().unwrap())
        .collect();
    assert_eq!(topics, ["cache", "database"], "{notes}");
    assert_eq!(notes["items"][1]["replaced"][0]["ref"], older, "{notes}");
    assert_eq!(ui.view("notes?only=pinned")["items"][0]["ref"], newer);
    assert_eq!(ui.view(&format!("entry?ref={older}"))["note"]["replaced_by"], newer);
    env.write("guide.md", "# Guide\n\ntext\n");
    env.forebay(["index", "guide.md"]).ok();
    let sources = ui.view("sources");
    assert_eq!(sources["items"][0]["kind"], "file", "{sources}");
}

#[test]
fn rules_are_listed_and_judge_without_running() {
    let env = TestEnv::new();
    std::fs::create_dir(env.project().join(".claude")).unwrap();
    env.write(".claude/settings.json", r#"{"permissions":{"deny":["Bash(sudo:*)"]}}"#);
    let ui = env.ui();
    let rules = ui.view("rules");
    assert_eq!(rules["rules"][0]["rule"], "Bash(sudo:*)");
    let judged = ui.view("judge?input=touch%20ran%20%26%26%20sudo%20ls");
    assert_eq!((&judged["verdict"], &judged["rule"]), (&json!("deny"), &json!("Bash(sudo:*)")));
    assert_eq!(judged["parsed"]["commands"][1]["words"], json!(["sudo", "ls"]));
    assert!(!env.project().join("ran").exists());
}

#[test]
fn the_overview_counts_by_period_and_tool() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    let log: String = (0..2_000).map(|n| format!("line {n} of the build\n")).collect();
    let answer = host.ran("make", &log).answer();
    let digest = answer["updatedToolOutput"]["stdout"].as_str().unwrap();
    // The host would have shown 30,000 characters, and a token is 4 bytes.
    let (host_tokens, delivered) = (7_500, digest.len().div_ceil(4) as i64);
    let removed = host_tokens - delivered;
    assert!(removed > 7_000, "{digest}");
    let ui = env.ui();
    let day = 24 * 60 * 60 * 1_000_i64;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let from = now.as_millis() as i64 - day;
    let data = ui.view(&format!("overview?from={from}&period={day}&periods=2"));
    let periods = data["usage"]["periods"].as_array().unwrap();
    let saved = |data: &Value| data["saved_tokens"].as_i64().unwrap();
    assert_eq!(periods.iter().map(saved).collect::<Vec<_>>(), [removed, 0], "{data}");
    let tools: Vec<(&str, i64)> = data["usage"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (tool["tool"].as_str().unwrap(), saved(tool)))
        .collect();
    assert_eq!(tools, [("capture", removed)], "{data}");
    let total = &data["account"]["total"];
    assert_eq!(
        (&total["host_tokens"], &total["delivered_tokens"]),
        (&json!(host_tokens), &json!(delivered))
    );
    assert_eq!(saved(total), removed);
    assert_eq!((&data["account"]["digests"], &data["account"]["rereads"]), (&json!(1), &json!(0)));
    let sides: Vec<[i64; 2]> = periods
        .iter()
        .map(|period| ["gained_tokens", "spent_tokens"].map(|name| period[name].as_i64().unwrap()))
        .collect();
    assert_eq!(sides, [[removed, 0], [0, 0]], "{data}");
    let digests = &data["digests"];
    let (_, verdict) = digests["recognizers"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(
        (&verdict["uses"], &verdict["finding"]),
        (&json!(1), &json!("too few")),
        "{digests}"
    );
    assert_eq!(verdict["removed_tokens"], removed, "{digests}");
    assert_eq!(digests["holdout"]["comparison"], Value::Null, "nothing was held out");
    let grown = ui.view(&format!("growth?from={from}&period={day}&periods=2"));
    let periods = grown["periods"].as_array().unwrap();
    let bytes: u64 = periods.iter().map(|one| one["raw_bytes"].as_u64().unwrap()).sum();
    assert_eq!(bytes, data["store"]["raw_bytes"].as_u64().unwrap(), "{grown}");
    ui.send(&ui.request("GET", "/api/overview?period=1&periods=2")).refused(
        400,
        "no such span",
        "",
    );
}

/// The start of an image of one kind or another: enough for its type and size.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend(b"\x08\x02\0\0\0");
    bytes
}

#[test]
fn an_image_is_what_its_bytes_say_and_in_a_sandbox() {
    let env = TestEnv::new();
    let ui = env.ui();
    let stored = |name: &str, content: &[u8]| {
        env.write(name, content);
        env.forebay(["run", "--", "cat", name]).ok();
        newest(&env)
    };
    let image = stored("shot.html", &png(640, 480));
    let entry = ui.view(&format!("entry?ref={image}"));
    assert_eq!((&entry["image"]["width"], &entry["image"]["height"]), (&json!(640), &json!(480)));
    let get = |reference: &str| ui.request("GET", &format!("/image/{reference}"));
    let shown = ui.send(&get(&image));
    assert_eq!((shown.status, shown.header("content-type")), (200, Some("image/png")));
    assert_eq!(shown.header("x-content-type-options"), Some("nosniff"));
    let policy = shown.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("sandbox"), "{policy}");
    assert_eq!(shown.body, png(640, 480));
    ui.refuses(&get(&image).header("cookie", ""), 401, "no access");
    ui.refuses(&get(&image).header("sec-fetch-site", "same-site"), 403, "another page");
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
    for (name, bytes) in [
        ("a.png", &svg[..]),
        ("b.png", b"<script>alert(1)</script>"),
        ("c.png", &png(60_000, 60_000)),
    ] {
        let other = stored(name, bytes);
        assert_eq!(ui.view(&format!("entry?ref={other}"))["image"], Value::Null, "{name}");
        ui.refuses(&get(&other), 404, "no image");
    }
}

#[test]
fn a_source_has_a_skeleton_beside_it() {
    let env = TestEnv::new();
    env.write("cart.rs", "/// Adds.\npub fn add(a: u8) -> u8 {\n    a + 1\n}\n\npub struct Cart {\n    pub total: u32,\n}\n");
    env.forebay(["index", "cart.rs"]).ok();
    let reference = newest(&env);
    let ui = env.ui();
    assert_eq!(ui.view(&format!("entry?ref={reference}"))["language"], "Rust");
    let data = ui.view(&format!("skeleton?ref={reference}"));
    let text = data["lines"].to_string();
    assert!(text.contains("pub fn add(a: u8) -> u8") && !text.contains("a + 1"), "{data}");
    assert_eq!(data["symbols"][0], json!({ "name": "add", "kind": "function", "line": 2 }));
    let note = env.noted("no source");
    ui.refuses(&ui.request("GET", &format!("/api/skeleton?ref={note}")), 400, "no source file");
}

#[test]
fn the_formulas_come_with_the_program() {
    let env = TestEnv::new();
    let ui = env.ui();
    let page = ui.send(&ui.request("GET", "/assets/savings.md"));
    assert!(page.header("content-type").unwrap().starts_with("text/plain"));
    assert!(page.text().contains("gross minus all others"), "{}", page.text());
}

#[test]
fn live_sends_what_is_stored_and_goes_on_where_it_stopped() {
    let env = TestEnv::new();
    env.forebay(["note", "before the page is open"]).ok();
    let ui = env.ui();
    let mut stream = ui.connect();
    stream.write_all(&ui.request("GET", "/api/live").bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let (position, first) = next_batch(&mut reader);
    assert!(first.to_string().contains("before the page is open"), "{first}");
    drop(reader);
    env.forebay(["note", "while the page is closed"]).ok();
    let mut stream = ui.connect();
    let again = ui.request("GET", "/api/live").header("last-event-id", &position);
    stream.write_all(&again.bytes()).unwrap();
    let (_, missed) = next_batch(&mut BufReader::new(stream));
    assert_eq!(missed["items"].as_array().unwrap().len(), 1, "{missed}");
    assert_eq!(missed["items"][0]["title"], "while the page is closed");
}

#[test]
fn live_sends_each_of_many_events_once() {
    const EVENTS: usize = 3_000;
    let env = TestEnv::new();
    Host::new(&env).prompt("hello");
    let ui = env.ui();
    let mut stream = ui.connect();
    stream.write_all(&ui.request("GET", "/api/live").bytes()).unwrap();
    let database = env.database();
    let writer = std::thread::spawn(move || {
        let connection = Connection::open(database).unwrap();
        connection.busy_timeout(HANG_TIMEOUT).unwrap();
        for number in 0..EVENTS {
            let sql =
                "INSERT INTO event (session, kind, subject, text, priority, times, stands, created)
                SELECT max(id), 'file read', ?1, ?1, 0, 1, 1, 1 FROM session";
            connection.execute(sql, (format!("load {number}"),)).unwrap();
        }
    });
    let mut reader = BufReader::new(stream);
    let mut seen: Vec<String> = Vec::new();
    while seen.len() < EVENTS {
        let (_, batch) = next_batch(&mut reader);
        let items = batch["items"].as_array().unwrap().iter();
        let subjects = items.filter_map(|item| item["subject"].as_str());
        seen.extend(subjects.filter(|text| text.starts_with("load ")).map(str::to_owned));
    }
    writer.join().unwrap();
    let expected: Vec<String> = (0..EVENTS).map(|number| format!("load {number}")).collect();
    assert!(seen == expected, "in order, and each once");
}

#[test]
fn live_tells_what_became_of_a_call() {
    let env = TestEnv::new();
    std::fs::create_dir(env.project().join(".claude")).unwrap();
    let rules = r#"{"permissions":{"deny":["Bash(sudo:*)"],"ask":["Bash(git push:*)"]}}"#;
    env.write(".claude/settings.json", rules);
    let host = Host::new(&env);
    let log: String = (0..2_000).map(|n| format!("line {n} of the build\n")).collect();
    host.ran("make", &log);
    for command in ["sudo reboot", "git push --force", "ls"] {
        host.hook(
            "PreToolUse",
            json!({ "tool_name": "Bash", "tool_input": { "command": command } }),
        );
    }
    env.mcp().error("ctx_execute", json!({ "command": "sudo ls" }));
    env.forebay(["run", "--", "echo", "short"]).ok();
    let ui = env.ui();
    let mut stream = ui.connect();
    stream.write_all(&ui.request("GET", "/api/live").bytes()).unwrap();
    let (_, batch) = next_batch(&mut BufReader::new(stream));
    let items = batch["items"].as_array().unwrap();
    let verdicts: Vec<&str> = items
        .iter()
        .filter(|item| item["kind"] == "verdict")
        .map(|item| item["subject"].as_str().unwrap())
        .collect();
    assert_eq!(
        verdicts,
        ["denied Bash: sudo reboot", "asked Bash: git push --force", "denied Bash: sudo ls"],
        "{batch}"
    );
    let denied = items.iter().find(|item| item["subject"] == "denied Bash: sudo reboot").unwrap();
    assert!(denied["text"].as_str().unwrap().contains("Bash(sudo:*)"), "{denied}");
    let outcomes: Vec<&Value> =
        items.iter().filter(|item| item["is"] == "entry").map(|item| &item["outcome"]).collect();
    assert_eq!(outcomes, [&json!("replaced"), &json!("passed")], "{batch}");
    let calls: Vec<&Value> = items.iter().filter(|item| item["is"] == "call").collect();
    let told: Vec<[&str; 3]> = calls
        .iter()
        .map(|call| ["event", "outcome", "title"].map(|field| call[field].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ["after a tool", "replaced", "make"],
            ["before a tool", "denied", "sudo reboot"],
            ["before a tool", "asked", "git push --force"],
            ["before a tool", "passed", ""],
        ]
    );
    let entry = items.iter().find(|item| item["is"] == "entry").unwrap();
    assert_eq!(calls[0]["ref"], entry["ref"]);
    // The page counts a call once if what is stored of it comes before its hook.
    let place = |of: &dyn Fn(&Value) -> bool| items.iter().position(of).unwrap();
    assert!(
        place(&|item| item["is"] == "entry")
            < place(&|item| item["outcome"] == "replaced" && item["is"] == "call")
    );
    assert!(place(&|item| item["kind"] == "verdict") < place(&|item| item["outcome"] == "denied"));
    let latency = ui.view("latency");
    assert_eq!(latency["all"]["calls"], 4, "{latency}");
    let micros = |call: &&Value| call["micros"].as_u64().unwrap();
    let longest = calls.iter().map(micros).max().unwrap();
    assert!(calls.iter().all(|call| micros(call) > 0));
    assert_eq!(latency["all"]["max_micros"], longest, "{latency}");
    assert_eq!(latency["events"][0]["event"], "after a tool");
}

#[test]
fn tokens_of_a_call_are_those_that_the_ledger_credits() {
    let env = TestEnv::new();
    env.forebay(["run", "--", "seq", "1", "60000"]).ok();
    let ui = env.ui();
    let mut stream = ui.connect();
    stream.write_all(&ui.request("GET", "/api/live").bytes()).unwrap();
    let (_, batch) = next_batch(&mut BufReader::new(stream));
    let items = batch["items"].as_array().unwrap();
    let entry = items.iter().find(|item| item["is"] == "entry").unwrap();
    assert!(entry["bytes"].as_u64().unwrap() > 300_000, "{entry}");
    // A host would have shown 30,000 characters of it.
    assert_eq!(entry["host_tokens"], 7_500, "{entry}");
    let explained = ui.view(&format!("explained?ref={}", entry["ref"].as_str().unwrap()));
    assert_eq!(explained["host_tokens"], 7_500);
    assert!(explained["raw_tokens"].as_u64().unwrap() > 75_000);
}

#[test]
fn the_list_of_calls_has_no_secrets_and_ends_with_a_purge() {
    let env = TestEnv::new();
    let host = Host::new(&env);
    host.ran("curl -H 'Authorization: Bearer ghp_0123456789abcdefghijklmnopqrstuvwxyz'", "short");
    let listed = || {
        let folders = std::fs::read_dir(env.data().join("calls")).into_iter().flatten();
        let files = folders.flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap());
        files.map(|file| file.unwrap().path()).collect::<Vec<_>>()
    };
    let [file] = &listed()[..] else { panic!("{:?}", listed()) };
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("curl") && !text.contains("ghp_0123"), "{text}");
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    let preview = env.forebay(["purge", "--everything"]).ok().text();
    assert!(preview.contains("list of hook calls would be deleted too"), "{preview}");
    let done = env.forebay(["purge", "--everything", "--yes"]).ok().text();
    assert!(done.contains("list of hook calls was deleted too"), "{done}");
    assert_eq!(listed(), [] as [std::path::PathBuf; 0]);
    let again = env.forebay(["purge", "--everything", "--yes"]).ok().text();
    assert!(!again.contains("hook calls"), "{again}");
}

#[test]
fn isolation_is_tried() {
    let env = TestEnv::new();
    let data = env.ui().view("isolation");
    assert_eq!(data["profile"], "project");
    assert_eq!(data["checks"][0]["name"], "isolation", "{data}");
    let escapes = data["escapes"].as_array().unwrap();
    assert!(
        escapes.iter().any(|one| one["escape"].is_string() && one["project"].is_string()),
        "{data}"
    );
}

/// Reads server-sent events until one has items; returns its id and data.
fn next_batch(reader: &mut impl BufRead) -> (String, Value) {
    let mut id = String::new();
    for line in reader.lines() {
        let line = line.unwrap();
        if let Some(position) = line.strip_prefix("id: ") {
            position.clone_into(&mut id);
        }
        if let Some(data) = line.strip_prefix("data: ") {
            return (id, serde_json::from_str(data).unwrap());
        }
    }
    panic!("the stream ended");
}
