//! Answers MCP requests by asking the app on a blocking thread.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::ask;
use super::idle::Idle;
use forebay_app::tools::{self, INSTRUCTIONS, Nature, ToolRow};
use forebay_app::{Answer, App, AppError, Call};
use forebay_domain::tokens;
use forebay_sandbox::Cancel;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value};

/// Makes the app for a client of this name; settings that are wrong are told with the first call.
pub(crate) type AppMaker = Box<dyn Fn(&str) -> Result<App, AppError> + Send + Sync>;

/// Tools whose data says all that their text says, and is therefore sent beside it.
const STRUCTURED: &[&str] = &["ctx_stats", "ctx_doctor"];

pub(super) struct Handler {
    make_app: AppMaker,
    app: OnceLock<Arc<App>>,
    running: Mutex<Vec<Cancel>>,
    idle: Idle,
}

impl Handler {
    pub(super) fn new(make_app: AppMaker) -> Self {
        Self { make_app, app: OnceLock::new(), running: Mutex::default(), idle: Idle::default() }
    }

    /// Ends what still runs; its output so far is stored.
    pub(super) fn end_all_calls(&self) {
        self.running().iter().for_each(Cancel::cancel);
    }

    /// Writes what was put off, when no call is left.
    pub(super) fn write_last_words(&self) {
        if let Some(app) = self.app.get() {
            app.flush_ledger();
        }
    }

    /// The app, made when it is first needed, because only then the client has told its name.
    fn app(&self, context: &RequestContext<RoleServer>) -> Result<Arc<App>, AppError> {
        if let Some(app) = self.app.get() {
            return Ok(Arc::clone(app));
        }
        let client = context.client_info().map_or_else(|| "mcp".to_owned(), |client| client.name);
        let app = Arc::new((self.make_app)(&client)?);
        let kept = self.app.get_or_init(|| app);
        count_tool_list(kept);
        Ok(Arc::clone(kept))
    }

    fn running(&self) -> std::sync::MutexGuard<'_, Vec<Cancel>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call that the client can cancel and watch.
    fn new_call(&self, context: &RequestContext<RoleServer>) -> std::io::Result<Call> {
        let mut call = Call::new()?;
        if let Some(token) = context.meta.get_progress_token() {
            let (peer, runtime) = (context.peer.clone(), tokio::runtime::Handle::current());
            call = call.reporting_to(move |done, what| {
                let mut progress = ProgressNotificationParam::new(token.clone(), done);
                progress.message = Some(what.to_owned());
                let peer = peer.clone();
                runtime.spawn(async move { peer.notify_progress(progress).await });
            });
        }
        let call = ask::through_client(call, context);
        self.running().push(call.cancel.clone());
        Ok(call)
    }

    /// Runs a tool on a blocking thread; the client's cancellation reaches it.
    async fn answer(
        &self,
        name: String,
        input: Value,
        context: RequestContext<RoleServer>,
    ) -> Result<Answer, AppError> {
        let app = self.app(&context)?;
        let call = self.new_call(&context).map_err(internal)?;
        let cancel = call.cancel.clone();
        let cancelled_by_client = context.ct.clone();
        let watcher = tokio::spawn({
            let cancel = cancel.clone();
            async move {
                cancelled_by_client.cancelled().await;
                cancel.cancel();
            }
        });
        let settling = Arc::clone(&app);
        let answer = tokio::task::spawn_blocking(move || app.call(&name, input, &call)).await;
        watcher.abort();
        // Each holds a pipe open: a server that forgot none would run out of them.
        self.running().retain(|running| !running.is(&cancel));
        self.idle.settle_soon(settling);
        answer.map_err(internal)?
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("forebay", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // Settings that are wrong are told with the first call; a list there must be.
        let app = self.app(&context).ok();
        let settings = app.map(|app| app.settings.tools.clone()).unwrap_or_default();
        Ok(ListToolsResult::with_all_items(tools::listed(&settings).map(listing).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        if let Err(error) = tools::find(&name) {
            return Err(ErrorData::new(ErrorCode::INVALID_PARAMS, error.to_text(), None));
        }
        let input = Value::Object(request.arguments.unwrap_or_default());
        let mut result = match self.answer(name.clone(), input, context).await {
            Ok(answer) => success(&name, answer),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_text())]),
        };
        // Beside the answer, not in it: the answer has a budget.
        let notices = self.app.get().map(|app| app.take_notices()).unwrap_or_default();
        result.content.extend(notices.into_iter().map(ContentBlock::text));
        Ok(result.into())
    }
}

fn success(name: &str, answer: Answer) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    if STRUCTURED.contains(&name) {
        result.structured_content = Some(answer.data);
    }
    result
}

/// A tool as the protocol lists it.
fn listing(tool: &ToolRow) -> Tool {
    let Value::Object(schema) = (tool.schema)() else {
        return Tool::new(tool.name, tool.description, Arc::new(Map::new()));
    };
    Tool::new(tool.name, tool.description, Arc::new(schema))
        .with_annotations(annotations(tool.nature))
}

fn annotations(nature: Nature) -> ToolAnnotations {
    let mut annotations = ToolAnnotations::default();
    match nature {
        Nature::Reads => annotations.read_only_hint = Some(true),
        Nature::Adds | Nature::Fetches => annotations.destructive_hint = Some(false),
        // The protocol assumes the worst of a tool that says nothing; that is right here.
        Nature::Edits | Nature::Removes | Nature::Runs => {}
    }
    if !matches!(nature, Nature::Runs | Nature::Fetches) {
        annotations.open_world_hint = Some(false);
    }
    annotations
}

/// What the list costs a conversation, in estimated tokens.
fn list_tokens(app: &App) -> u64 {
    let listed: Vec<Tool> = tools::listed(&app.settings.tools).map(listing).collect();
    tokens::of(&serde_json::to_string(&listed).unwrap_or_default()) + tokens::of(INSTRUCTIONS)
}

/// Enters the list in the ledger, off the path of the first answer.
fn count_tool_list(app: &Arc<App>) {
    let app = Arc::clone(app);
    tokio::task::spawn_blocking(move || app.count_tool_list(list_tokens(&app)));
}

fn internal(error: impl std::fmt::Display) -> AppError {
    AppError::unavailable(format!("the call could not be carried out: {error}"), None)
}
