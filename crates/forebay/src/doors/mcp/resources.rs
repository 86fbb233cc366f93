//! `resources/...`: entries and jobs under addresses that a host can list, read and watch.
//!
//! `forebay://entry/k3v9m2a1xq?lines=1-80` is answered as `ctx_get`, `forebay://job/j3` as `ctx_job`, with their rights,
//! bounds and errors. An entry never changes; a job changes with its output until it has ended.

use std::sync::Arc;

use forebay_app::bounds::{MAX_LISTED_RESOURCES, MAX_URI_BYTES, RESOURCES_PER_PAGE, echo};
use forebay_app::resources::{self, JobPhase, JobStatus, ListedEntry};
use forebay_app::tools::{self, ToolDescriptor};
use forebay_app::{App, AppError, ErrorKind};
use forebay_domain::rights::Rights;
use rmcp::model::{
    ErrorCode, ErrorData, ListResourcesResult, PaginatedRequestParams, ReadResourceResult,
    Resource, ResourceContents, ResourceTemplate,
};
use serde_json::{Map, Value, json};
use url::Url;

use super::apps;
use super::handler::{AuthenticatedCaller, Context, Handler, check_right, protocol_error};

const SCHEME: &str = "forebay";
const MIME_TYPE: &str = "text/plain";

/// A kind of resource: the tool that reads it, and the arguments that its address may have.
pub(super) struct Kind {
    name: &'static str,
    tool: &'static str,
    /// The argument that identifies it.
    id: &'static str,
    texts: &'static [&'static str],
    numbers: &'static [&'static str],
    title: &'static str,
    description: &'static str,
}

static ENTRY: Kind = Kind {
    name: "entry",
    tool: "ctx_get",
    id: "ref",
    texts: &["lines", "grep", "json", "stream", "cursor"],
    numbers: &["context", "budget"],
    title: "Stored entry",
    description: "An entry by the id of its reference; lines=1-80, grep=REGEX, json=/POINTER or stream=stderr selects a part",
};
static JOB: Kind = Kind {
    name: "job",
    tool: "ctx_job",
    id: "job",
    texts: &[],
    numbers: &["cursor", "budget"],
    title: "Background job",
    description: "A background job's output so far, or its result; subscribe to follow it",
};
static KINDS: [&Kind; 2] = [&ENTRY, &JOB];

impl Kind {
    fn tool(&self) -> Result<&'static ToolDescriptor, AppError> {
        tools::find(self.tool)
    }

    /// Whether it is offered with these rights.
    fn is_available(&self, app: &App, rights: Rights) -> bool {
        self.tool().is_ok_and(|tool| {
            rights.has(tool.effect.right()) && app.capabilities().has(tool.capability)
        })
    }

    /// Returns an error if it is not offered with these rights.
    pub(super) fn check_available(&self, app: &App, rights: Rights) -> Result<(), AppError> {
        let tool = self.tool()?;
        check_right(tool, rights)?;
        app.check_capability(tool.capability, tool.name)
    }

    pub(super) fn is_job(&self) -> bool {
        self.name == JOB.name
    }

    pub(super) fn has_selector(&self, name: &str) -> bool {
        self.selectors().any(|selector| selector == name)
    }

    fn selectors(&self) -> impl Iterator<Item = &'static str> {
        self.texts.iter().chain(self.numbers).copied()
    }

    /// The kind with this template.
    pub(super) fn of_template(uri: &str) -> Result<&'static Self, AppError> {
        KINDS.into_iter().find(|kind| kind.template_uri() == uri).ok_or_else(|| {
            let message = format!("`{}` is not the template of a resource", echo(uri));
            AppError::not_found(message, "resources/templates/list has them")
        })
    }

    /// `forebay://entry/{id}{?lines,grep}`, by RFC 6570.
    fn template_uri(&self) -> String {
        let selectors: Vec<&str> = self.selectors().collect();
        format!("{SCHEME}://{}/{{id}}{{?{}}}", self.name, selectors.join(","))
    }

    fn template(&self) -> ResourceTemplate {
        ResourceTemplate::new(self.template_uri(), self.name)
            .with_title(self.title)
            .with_description(self.description)
            .with_mime_type(MIME_TYPE)
    }
}

/// A parsed address.
pub(super) struct Address {
    kind: &'static Kind,
    id: String,
    /// The input of its tool.
    input: Map<String, Value>,
}

impl Address {
    pub(super) fn parse(uri: &str) -> Result<Self, AppError> {
        if uri.len() > MAX_URI_BYTES {
            return Err(not_an_address(uri));
        }
        let url = Url::parse(uri).map_err(|_| not_an_address(uri))?;
        let kind = KINDS
            .into_iter()
            .find(|kind| url.scheme() == SCHEME && url.host_str() == Some(kind.name))
            .ok_or_else(|| not_an_address(uri))?;
        let id = url.path().trim_start_matches('/');
        if id.is_empty() || id.contains('/') {
            return Err(not_an_address(uri));
        }
        let mut address = Self { kind, id: id.to_owned(), input: Map::new() };
        address.input.insert(kind.id.to_owned(), Value::String(id.to_owned()));
        for (name, value) in url.query_pairs() {
            address.select(&name, &value)?;
        }
        Ok(address)
    }

    fn select(&mut self, name: &str, value: &str) -> Result<(), AppError> {
        let value = if self.kind.texts.contains(&name) {
            Value::from(value)
        } else if self.kind.numbers.contains(&name) {
            let number: u64 = value.parse().map_err(|_| {
                let message = format!("{name}=`{}` is not a number", echo(value));
                AppError::bad_input(message, format!("for example {name}=400"))
            })?;
            Value::from(number)
        } else {
            let known: Vec<&str> = self.kind.selectors().collect();
            return Err(AppError::bad_input(
                format!("unknown selector `{}`", echo(name)),
                format!("one of: {}", known.join(", ")),
            ));
        };
        if self.input.insert(name.to_owned(), value).is_some() {
            let message = format!("`{}` is given twice", echo(name));
            return Err(AppError::bad_input(message, "give each selector once"));
        }
        Ok(())
    }

    /// The job's name, if it is one.
    pub(super) fn job(&self) -> Option<&str> {
        self.kind.is_job().then_some(self.id.as_str())
    }

    /// Returns an error if there is no such entry or job.
    fn check_target(&self, app: &App) -> Result<(), AppError> {
        self.job().map_or_else(
            || resources::check_entry(app, &self.id),
            |job| resources::job(app, job).map(drop),
        )
    }
}

fn not_an_address(uri: &str) -> AppError {
    let message = format!("`{}` is not the address of a resource", echo(uri));
    AppError::not_found(message, format!("{SCHEME}://entry/ID or {SCHEME}://job/JOB"))
}

impl Handler {
    /// Lists running and recent jobs on the first page, then the newest entries, page by page.
    pub(super) async fn list_page(
        &self,
        request: Option<PaginatedRequestParams>,
        context: &Context,
    ) -> Result<ListResourcesResult, AppError> {
        let AuthenticatedCaller { caller_context, rights } = self.authenticate(context)?;
        let cursor = request.and_then(|request| request.cursor);
        let cursor = cursor.as_deref().map(Cursor::parse).transpose()?;
        self.calls.run_short(move || page(&caller_context.app, rights, cursor)).await
    }

    /// The templates available to the caller.
    pub(super) fn templates(&self, context: &Context) -> Result<Vec<ResourceTemplate>, AppError> {
        let AuthenticatedCaller { caller_context, rights } = self.authenticate(context)?;
        let is_available = |kind: &&&Kind| kind.is_available(&caller_context.app, rights);
        Ok(KINDS.iter().filter(is_available).map(|kind| kind.template()).collect())
    }

    /// Reads a resource through its tool, or the document of a view.
    pub(super) async fn read(
        &self,
        uri: &str,
        context: &Context,
    ) -> Result<ReadResourceResult, AppError> {
        if let Some(view) = apps::document(uri) {
            self.authenticate(context)?;
            return Ok(ReadResourceResult::new(vec![view]));
        }
        let Address { kind, input, .. } = Address::parse(uri)?;
        let (answer, _) = self.run(kind.tool()?, Value::Object(input), context).await?;
        let contents = ResourceContents::text(answer.text, uri);
        Ok(ReadResourceResult::new(vec![contents]))
    }

    /// Checks that the caller may read what an address names, and that it exists.
    pub(super) async fn check_address(
        &self,
        uri: &str,
        context: &Context,
    ) -> Result<(Address, AuthenticatedCaller), AppError> {
        let address = Address::parse(uri)?;
        let caller = self.authenticate(context)?;
        let app = Arc::clone(&caller.caller_context.app);
        address.kind.check_available(&app, caller.rights)?;
        let check = move || address.check_target(&app).map(|()| address);
        let address = self.calls.run_short(check).await?;
        Ok((address, caller))
    }
}

/// Where a page of the list starts: `SEQUENCE.COUNT`, the last entry listed and how many were.
#[derive(Clone, Copy)]
struct Cursor {
    sequence: i64,
    listed: usize,
}

impl Cursor {
    fn parse(text: &str) -> Result<Self, AppError> {
        let numbers = text.split_once('.').and_then(|(sequence, listed)| {
            Some(Self { sequence: sequence.parse().ok()?, listed: listed.parse().ok()? })
        });
        numbers.ok_or_else(|| {
            AppError::bad_input(
                format!("`{}` is not a cursor", echo(text)),
                "repeat nextCursor of the previous page",
            )
        })
    }
}

fn page(
    app: &App,
    rights: Rights,
    cursor: Option<Cursor>,
) -> Result<ListResourcesResult, AppError> {
    let mut listed = Vec::new();
    if cursor.is_none() && JOB.is_available(app, rights) {
        listed.extend(resources::jobs(app).iter().take(RESOURCES_PER_PAGE).map(job_listing));
    }
    if !ENTRY.is_available(app, rights) {
        return Ok(ListResourcesResult::with_all_items(listed));
    }
    let listed_before = cursor.map_or(0, |cursor| cursor.listed);
    let limit = RESOURCES_PER_PAGE.min(MAX_LISTED_RESOURCES.saturating_sub(listed_before));
    let mut entries =
        resources::entries(app, cursor.map(|cursor| cursor.sequence), limit.saturating_add(1))?;
    let has_more = entries.len() > limit;
    entries.truncate(limit);
    let listed_so_far = listed_before + entries.len();
    let next = entries
        .last()
        .filter(|_| has_more && listed_so_far < MAX_LISTED_RESOURCES)
        .map(|last| format!("{}.{listed_so_far}", last.sequence));
    listed.extend(entries.iter().map(entry_listing));
    let mut page = ListResourcesResult::with_all_items(listed);
    page.next_cursor = next;
    Ok(page)
}

fn entry_listing(entry: &ListedEntry) -> Resource {
    Resource::new(format!("{SCHEME}://{}/{}", ENTRY.name, entry.id), &entry.id)
        .with_title(&entry.title)
        .with_description(&entry.what)
        .with_mime_type(MIME_TYPE)
        .with_size(entry.bytes)
}

fn job_listing(job: &JobStatus) -> Resource {
    let phase = match job.phase {
        JobPhase::Running => "running job",
        JobPhase::Ended(_) => "ended job",
        JobPhase::Stopped(_) => "stopped job",
        JobPhase::Lost => "lost job",
    };
    Resource::new(format!("{SCHEME}://{}/{}", JOB.name, job.name), &job.name)
        .with_title(&job.title)
        .with_description(phase)
        .with_mime_type(MIME_TYPE)
}

/// The error of a request about a resource, with its address.
pub(super) fn error_data(error: &AppError, uri: Option<&str>) -> ErrorData {
    let mut data = protocol_error(error);
    if error.kind == ErrorKind::NotFound {
        data.code = ErrorCode::RESOURCE_NOT_FOUND;
    }
    data.data = uri.map(|uri| json!({ "uri": echo(uri) }));
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uri: &str, tool: &str, input: Value) {
        let address = Address::parse(uri).unwrap();
        assert_eq!((address.kind.tool, Value::Object(address.input)), (tool, input), "{uri}");
    }

    #[track_caller]
    fn check_refused(uri: &str, expect: &str) {
        let error = Address::parse(uri).err().unwrap_or_else(|| panic!("{uri}")).to_text();
        assert!(error.contains(expect) && error.contains("hint: "), "{uri}: {error}");
    }

    #[test]
    fn addresses_are_inputs_of_tools() {
        check("forebay://entry/k3v9m2a1xq", "ctx_get", json!({ "ref": "k3v9m2a1xq" }));
        let selected = json!({ "ref": "k3v9m2a1xq", "lines": "1-80,-5", "budget": 400 });
        check("forebay://entry/k3v9m2a1xq?lines=1-80,-5&budget=400", "ctx_get", selected);
        let found = json!({ "ref": "k3v9m2a1xq", "grep": "a b|c", "context": 2 });
        check("forebay://entry/k3v9m2a1xq?grep=a%20b%7Cc&context=2", "ctx_get", found);
        check("forebay://job/j3?cursor=10", "ctx_job", json!({ "job": "j3", "cursor": 10 }));
    }

    #[test]
    fn other_addresses_are_refused() {
        for uri in [
            "",
            "entry/k3v9m2a1xq",
            "file:///etc/passwd",
            "forebay://entry/",
            "forebay://entry",
            "forebay://entry/a/b",
            "forebay://entry/../../etc/passwd",
            "forebay://secret/k3v9m2a1xq",
            "forebay:entry/k3v9m2a1xq",
            "http://entry/k3v9m2a1xq",
        ] {
            check_refused(uri, "is not the address of a resource");
        }
        check_refused(&format!("forebay://entry/{}", "x".repeat(5_000)), "not the address");
    }

    #[test]
    fn wrong_selectors_are_named() {
        check_refused("forebay://entry/k3v9m2a1xq?line=1", "unknown selector `line`");
        check_refused("forebay://entry/k3v9m2a1xq?scope=all", "unknown selector `scope`");
        check_refused("forebay://job/j1?action=stop", "unknown selector `action`");
        check_refused("forebay://job/j1?cursor=-1", "cursor=`-1` is not a number");
        check_refused("forebay://entry/k3v9m2a1xq?ref=aaaaaaaaaa", "unknown selector `ref`");
        check_refused("forebay://entry/k3v9m2a1xq?lines=1&lines=2", "`lines` is given twice");
    }

    #[test]
    fn templates_name_every_selector() {
        assert_eq!(
            ENTRY.template().uri_template,
            "forebay://entry/{id}{?lines,grep,json,stream,cursor,context,budget}"
        );
        assert_eq!(JOB.template().uri_template, "forebay://job/{id}{?cursor,budget}");
    }
}
