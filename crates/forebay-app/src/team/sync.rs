//! Push and pull: incremental exchange of entries between the project's store and a server.

use std::net::IpAddr;
use std::time::Duration;

use forebay_sandbox::web::{self, HttpRequest};
use forebay_store::{ImportStep, fingerprint};
use forebay_text::{cut, number};
use serde::Deserialize;
use serde_json::json;

use super::exchange::{self, MAX_ENTRY_BYTES};
use super::records::{Next, Sender};
use super::{ExportFilter, Tally};
use crate::{Answer, App, AppError, Call};

const REQUEST_TIMEOUT: Duration = Duration::from_mins(2);
/// Larger than any page.
const MAX_RESPONSE_BYTES: u64 = 16 * 1024 * 1024;
/// The HTTP endpoint for pages of entries.
pub const PATH: &str = "/v1/team/entries";

/// A server and the credentials for it.
#[derive(Debug, Clone, Default)]
pub struct Server {
    pub url: String,
    pub token: String,
    /// The team's name of this project.
    pub project: String,
}

impl Server {
    /// Combines the given values with the settings.
    pub fn choose(app: &App, url: Option<String>, token: Option<String>) -> Result<Self, AppError> {
        let team = &app.settings.team;
        let url = url.unwrap_or_else(|| team.server.clone());
        let url = url.trim().trim_end_matches('/').to_owned();
        if url.is_empty() {
            return Err(AppError::bad_input(
                "no server given",
                "give --server URL, or set team.server in your settings",
            ));
        }
        let token = token.unwrap_or_else(|| team.token.clone()).trim().to_owned();
        check(&url, &token)?;
        Ok(Self { url, token, project: project_name(app) })
    }

    fn page_url(&self, parameters: &[(&str, String)]) -> String {
        let mut url = format!("{}{PATH}?project={}", self.url, percent_encode(&self.project));
        for (name, value) in parameters {
            url.push_str(&format!("&{name}={}", percent_encode(value)));
        }
        url
    }

    /// Returns the key of the cursor for this direction, server and selection.
    fn cursor_key(&self, direction: &str, filter: &ExportFilter) -> String {
        let what = format!("{:?}", (&filter.sources, filter.runs));
        let mark = fingerprint(&[self.token.as_bytes(), what.as_bytes()]);
        let mark: String = mark[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{direction} {} {} {mark}", self.url, self.project)
    }
}

/// Returns the team's name of this project: from the settings, or else the name of its folder.
pub(super) fn project_name(app: &App) -> String {
    let named = app.settings.team.project.trim();
    if !named.is_empty() {
        return cut::one_line(named, 64);
    }
    app.stores.project().map_or_else(|| "notes".to_owned(), |project| project.id.name().to_owned())
}

/// Rejects invalid URLs, and tokens over plain HTTP except on this machine.
fn check(url: &str, token: &str) -> Result<(), AppError> {
    let host = match url.split_once("://") {
        Some(("https", _)) => return Ok(()),
        Some(("http", rest)) => rest.split(['/', '?', '#']).next().unwrap_or_default(),
        _ => {
            return Err(AppError::bad_input(
                format!("invalid server URL `{}`", cut::one_line(url, 100)),
                "it starts with https://, or with http:// on this machine",
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
        "cannot send a token over plain http",
        "use https:// (forebay serve has --tls-cert and --tls-key)",
    ))
}

/// Sends the entries that the server does not have yet.
pub fn push(
    app: &App,
    server: &Server,
    filter: &ExportFilter,
    call: &Call,
) -> Result<Answer, AppError> {
    let store = app.stores.own()?;
    let mut cursor = Cursor::read(app, server.cursor_key("push", filter))?;
    let (mut tally, mut sent, mut too_large) = (Tally::default(), 0, 0);
    loop {
        let page = exchange::page(&*store, cursor.position, filter)?;
        if page.entries > 0 {
            let url = server.page_url(&[]);
            let answer = request(server, &url, Some(page.lines), call)?;
            let entries_text: Tally =
                serde_json::from_slice(&answer).map_err(|_| not_forebay(server))?;
            tally.add(entries_text);
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
        format!("{} is up to date", server.url)
    } else {
        format!("{} to {}: {}", entries_text(sent), server.url, tally.summary())
    };
    text.push_str(&left_out(too_large));
    let data = json!({ "sent": sent, "too_large": too_large, "tally": tally });
    Ok(Answer::new(text, data))
}

/// Fetches new entries from the server.
pub fn pull(
    app: &App,
    server: &Server,
    filter: &ExportFilter,
    call: &Call,
) -> Result<Answer, AppError> {
    let mut cursor = Cursor::read(app, server.cursor_key("pull", filter))?;
    let giver = Sender { member: None, restores_purged: false };
    let (mut tally, mut too_large) = (Tally::default(), 0);
    loop {
        let mut parameters = vec![("after", cursor.position.to_string())];
        parameters.extend(filter.sources.iter().map(|name| ("source", name.clone())));
        if filter.runs {
            parameters.push(("runs", "1".to_owned()));
        }
        let answer = request(server, &server.page_url(&parameters), None, call)?;
        let (taken, next) = exchange::store_page(app, &answer, &giver)?;
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
        _ => format!("from {}: {}", server.url, tally.summary()),
    };
    text.push_str(&left_out(too_large));
    let mut data = json!(tally);
    data["too_large"] = too_large.into();
    Ok(Answer::new(text, data))
}

/// Returns a line about entries too large for a page.
fn left_out(too_large: u64) -> String {
    match too_large {
        0 => String::new(),
        count => format!(
            "\nleft out: {} over {} MB; forebay export includes them",
            entries_text(count),
            MAX_ENTRY_BYTES / (1024 * 1024)
        ),
    }
}

/// The stored progress of one direction.
struct Cursor {
    cursor_key: String,
    position: i64,
}

impl Cursor {
    const MARK: &'static str = "team";

    fn read(app: &App, cursor_key: String) -> Result<Self, AppError> {
        let known = app.stores.own()?.import_position(&cursor_key)?;
        let position = known.map_or(0, |known| known.position);
        Ok(Self { cursor_key, position: i64::try_from(position).unwrap_or_default() })
    }

    /// Saves the new position. A concurrent process may overwrite it; resent entries are deduplicated.
    fn advance(&mut self, app: &App, to: i64) -> Result<(), AppError> {
        if to == self.position {
            return Ok(());
        }
        let step = ImportStep {
            transcript: self.cursor_key.clone(),
            mark: Self::MARK.to_owned(),
            from: self.position.unsigned_abs(),
            to: to.unsigned_abs(),
        };
        app.stores.own()?.import(&[], &step)?;
        self.position = to;
        Ok(())
    }
}

fn entries_text(entries: u64) -> String {
    match entries {
        1 => "1 entry".to_owned(),
        many => format!("{} entries", number::grouped(many)),
    }
}

/// The body of an error response.
#[derive(Deserialize)]
struct ErrorBody {
    error: String,
    #[serde(default)]
    hint: Option<String>,
}

fn request(
    server: &Server,
    url: &str,
    body: Option<Vec<u8>>,
    call: &Call,
) -> Result<Vec<u8>, AppError> {
    if call.cancel.is_cancelled() {
        return Err(AppError::refused("cancelled", "the next run continues from here"));
    }
    let asked = HttpRequest {
        url: url.to_owned(),
        bearer: Some(server.token.clone()).filter(|token| !token.is_empty()),
        body: body.map(|bytes| ("application/x-ndjson".to_owned(), bytes)),
        max_bytes: MAX_RESPONSE_BYTES,
        timeout: REQUEST_TIMEOUT,
    };
    let answer = web::send(&asked).map_err(|error| {
        AppError::unavailable(error.to_string(), Some("try again: it continues where it stopped"))
    })?;
    match answer.status {
        200 => Ok(answer.body),
        status => Err(rejected(server, status, &answer.body)),
    }
}

fn rejected(server: &Server, status: u16, body: &[u8]) -> AppError {
    let said: Option<ErrorBody> = serde_json::from_slice(body).ok();
    let what = said
        .as_ref()
        .map_or_else(String::new, |said| format!(": {}", cut::one_line(&said.error, 200)));
    let message = format!("{} answered with {status}{what}", server.url);
    let own_hint = said.and_then(|said| said.hint).map(|hint| cut::one_line(&hint, 200));
    let hint = match status {
        401 | 403 => "give a token with this permission: --token or FOREBAY_TEAM_TOKEN",
        404 => "is this the address of a Forebay server?",
        _ => "try again: it continues where it stopped",
    };
    match status {
        401 | 403 => AppError::refused(message, own_hint.unwrap_or_else(|| hint.to_owned())),
        _ => AppError::unavailable(message, Some(own_hint.as_deref().unwrap_or(hint))),
    }
}

fn not_forebay(server: &Server) -> AppError {
    AppError::unavailable(
        format!("{} does not respond like a Forebay server", server.url),
        Some("check the URL and the server's version of Forebay"),
    )
}

/// Percent-encodes a query value.
fn percent_encode(value: &str) -> String {
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
    fn sends_tokens_only_over_https_or_loopback() {
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
    fn percent_encodes_query_values() {
        assert_eq!(percent_encode("docs/* ä&x"), "docs%2F%2A%20%C3%A4%26x");
    }
}
