//! Push and pull: pages of entries between the project's store and a server, each from where it ended.

use std::net::IpAddr;
use std::time::Duration;

use forebay_sandbox::web::{self, HttpRequest};
use forebay_store::{ImportStep, fingerprint};
use forebay_text::{cut, number};
use serde::Deserialize;
use serde_json::json;

use super::exchange::{self, LARGEST_ENTRY};
use super::records::{Giver, Next};
use super::{Chosen, Tally};
use crate::{Answer, App, AppError, Call};

const TIME: Duration = Duration::from_mins(2);
/// More than a page ever has.
const MOST_ANSWER: u64 = 16 * 1024 * 1024;
/// Where a server takes and gives pages.
pub const PATH: &str = "/v1/team/entries";

/// The server, and what opens it.
#[derive(Debug, Clone, Default)]
pub struct Server {
    pub url: String,
    pub token: String,
    /// What the team calls this project.
    pub project: String,
}

impl Server {
    /// What was given, and the settings for what was not.
    pub fn choose(app: &App, url: Option<String>, token: Option<String>) -> Result<Self, AppError> {
        let team = &app.settings.team;
        let url = url.unwrap_or_else(|| team.server.clone());
        let url = url.trim().trim_end_matches('/').to_owned();
        if url.is_empty() {
            return Err(AppError::bad_input(
                "no server is named",
                "give --server URL, or set team.server in your settings",
            ));
        }
        let token = token.unwrap_or_else(|| team.token.clone()).trim().to_owned();
        check(&url, &token)?;
        Ok(Self { url, token, project: project_name(app) })
    }

    fn page_url(&self, parameters: &[(&str, String)]) -> String {
        let mut url = format!("{}{PATH}?project={}", self.url, escaped(&self.project));
        for (name, value) in parameters {
            url.push_str(&format!("&{name}={}", escaped(value)));
        }
        url
    }

    /// What tells this way from others: how far it went is kept for each.
    fn way(&self, direction: &str, chosen: &Chosen) -> String {
        let what = format!("{:?}", (&chosen.sources, chosen.runs));
        let mark = fingerprint(&[self.token.as_bytes(), what.as_bytes()]);
        let mark: String = mark[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{direction} {} {} {mark}", self.url, self.project)
    }
}

/// The name of this project in the team: as the settings say, or as its folder is called.
pub(super) fn project_name(app: &App) -> String {
    let named = app.settings.team.project.trim();
    if !named.is_empty() {
        return cut::one_line(named, 64);
    }
    app.places.project().map_or_else(|| "notes".to_owned(), |project| project.id.name().to_owned())
}

/// A token goes over no wire that others can read.
fn check(url: &str, token: &str) -> Result<(), AppError> {
    let host = match url.split_once("://") {
        Some(("https", _)) => return Ok(()),
        Some(("http", rest)) => rest.split(['/', '?', '#']).next().unwrap_or_default(),
        _ => {
            return Err(AppError::bad_input(
                format!("`{}` is no server's address", cut::one_line(url, 100)),
                "it begins with https://, or with http:// on this machine",
            ));
        }
    };
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    let is_here =
        name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if is_here || token.is_empty() {
        return Ok(());
    }
    Err(AppError::refused(
        "a token is not sent over plain http",
        "use https:// (forebay serve has --tls-cert and --tls-key)",
    ))
}

/// Sends what the server does not have yet.
pub fn push(app: &App, server: &Server, chosen: &Chosen, call: &Call) -> Result<Answer, AppError> {
    let store = app.places.own()?;
    let mut cursor = Cursor::read(app, server.way("push", chosen))?;
    let (mut tally, mut sent, mut too_large) = (Tally::default(), 0, 0);
    loop {
        let page = exchange::page(&*store, cursor.position, chosen)?;
        if page.entries > 0 {
            let url = server.page_url(&[]);
            let answer = ask(server, &url, Some(page.lines), call)?;
            let told: Tally = serde_json::from_slice(&answer).map_err(|_| not_forebay(server))?;
            tally.add(told);
            sent += page.entries;
        }
        too_large += page.too_large;
        cursor.advance(app, page.to)?;
        call.report(sent as f64, "entries pushed");
        if !page.more {
            break;
        }
    }
    let mut text = if sent == 0 {
        format!("{} has everything", server.url)
    } else {
        format!("{} to {}: {}", told(sent), server.url, tally.in_words())
    };
    text.push_str(&left_out(too_large));
    let data = json!({ "sent": sent, "too_large": too_large, "tally": tally });
    Ok(Answer::new(text, data))
}

/// Takes in what is new on the server.
pub fn pull(app: &App, server: &Server, chosen: &Chosen, call: &Call) -> Result<Answer, AppError> {
    let mut cursor = Cursor::read(app, server.way("pull", chosen))?;
    let giver = Giver { member: None, revives: false };
    let (mut tally, mut too_large) = (Tally::default(), 0);
    loop {
        let mut parameters = vec![("after", cursor.position.to_string())];
        parameters.extend(chosen.sources.iter().map(|name| ("source", name.clone())));
        if chosen.runs {
            parameters.push(("runs", "1".to_owned()));
        }
        let answer = ask(server, &server.page_url(&parameters), None, call)?;
        let (taken, next) = exchange::take_page(app, &answer, &giver)?;
        tally.add(taken);
        let Next { to, more, too_large: left } = next.ok_or_else(|| not_forebay(server))?;
        too_large += left;
        if to < cursor.position {
            return Err(not_forebay(server));
        }
        let stands_still = to == cursor.position;
        cursor.advance(app, to)?;
        call.report((tally.added + tally.known) as f64, "entries pulled");
        if !more || stands_still {
            break;
        }
    }
    let mut text = match tally.added + tally.known + tally.forgotten {
        0 => format!("nothing new on {}", server.url),
        _ => format!("from {}: {}", server.url, tally.in_words()),
    };
    text.push_str(&left_out(too_large));
    let mut data = json!(tally);
    data["too_large"] = too_large.into();
    Ok(Answer::new(text, data))
}

/// Says what found no room in a page, on a line of its own.
fn left_out(too_large: u64) -> String {
    match too_large {
        0 => String::new(),
        count => format!(
            "\nleft out: {} over {} MB; forebay export takes them along",
            told(count),
            LARGEST_ENTRY / (1024 * 1024)
        ),
    }
}

/// How far one way went, kept in the store.
struct Cursor {
    way: String,
    position: i64,
}

impl Cursor {
    const MARK: &'static str = "team";

    fn read(app: &App, way: String) -> Result<Self, AppError> {
        let known = app.places.own()?.imported(&way)?;
        let position = known.map_or(0, |known| known.position);
        Ok(Self { way, position: i64::try_from(position).unwrap_or_default() })
    }

    /// What another process did meanwhile is done; nothing comes twice, so it does no harm.
    fn advance(&mut self, app: &App, to: i64) -> Result<(), AppError> {
        if to == self.position {
            return Ok(());
        }
        let step = ImportStep {
            transcript: self.way.clone(),
            mark: Self::MARK.to_owned(),
            from: self.position.unsigned_abs(),
            to: to.unsigned_abs(),
        };
        app.places.own()?.import(&[], &step)?;
        self.position = to;
        Ok(())
    }
}

fn told(entries: u64) -> String {
    match entries {
        1 => "1 entry".to_owned(),
        many => format!("{} entries", number::grouped(many)),
    }
}

/// What a server says where it refuses.
#[derive(Deserialize)]
struct Refusal {
    error: String,
    #[serde(default)]
    hint: Option<String>,
}

fn ask(
    server: &Server,
    url: &str,
    body: Option<Vec<u8>>,
    call: &Call,
) -> Result<Vec<u8>, AppError> {
    if call.cancel.is_cancelled() {
        return Err(AppError::refused("cancelled", "the next time goes on from here"));
    }
    let asked = HttpRequest {
        url: url.to_owned(),
        bearer: Some(server.token.clone()).filter(|token| !token.is_empty()),
        body: body.map(|bytes| ("application/x-ndjson".to_owned(), bytes)),
        max_bytes: MOST_ANSWER,
        timeout: TIME,
    };
    let answer = web::send(&asked).map_err(|error| {
        AppError::unavailable(error.to_string(), Some("try again: it goes on where it ended"))
    })?;
    match answer.status {
        200 => Ok(answer.body),
        status => Err(refused(server, status, &answer.body)),
    }
}

fn refused(server: &Server, status: u16, body: &[u8]) -> AppError {
    let said: Option<Refusal> = serde_json::from_slice(body).ok();
    let what = said
        .as_ref()
        .map_or_else(String::new, |said| format!(": {}", cut::one_line(&said.error, 200)));
    let message = format!("{} answered with {status}{what}", server.url);
    let own_hint = said.and_then(|said| said.hint).map(|hint| cut::one_line(&hint, 200));
    let hint = match status {
        401 | 403 => "give a token with the right to do this: --token or FOREBAY_TEAM_TOKEN",
        404 => "is this the address of a Forebay server?",
        _ => "try again: it goes on where it ended",
    };
    match status {
        401 | 403 => AppError::refused(message, own_hint.unwrap_or_else(|| hint.to_owned())),
        _ => AppError::unavailable(message, Some(own_hint.as_deref().unwrap_or(hint))),
    }
}

fn not_forebay(server: &Server) -> AppError {
    AppError::unavailable(
        format!("{} does not answer as a Forebay server does", server.url),
        Some("check the address; does the server have this version of Forebay?"),
    )
}

/// A value as a query takes it.
fn escaped(value: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    value
        .bytes()
        .map(
            |byte| {
                if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_sent_where_nobody_listens_in() {
        for fine in
            ["https://x.example", "http://127.0.0.1:7878", "http://localhost", "http://[::1]:1"]
        {
            assert!(check(fine, "secret").is_ok(), "{fine}");
        }
        assert!(check("http://x.example", "").is_ok());
        for bad in ["http://x.example", "http://127.0.0.1.x.example", "ftp://localhost", "x"] {
            assert!(check(bad, "secret").is_err(), "{bad}");
        }
    }

    #[test]
    fn what_stands_in_an_address_is_escaped() {
        assert_eq!(escaped("docs/* ä&x"), "docs%2F%2A%20%C3%A4%26x");
    }
}
