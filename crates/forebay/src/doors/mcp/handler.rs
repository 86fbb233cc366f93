//! Handles MCP requests by calling the app on a blocking thread.

use std::sync::Arc;

use super::ask;
use crate::doors::calls::{CallerContext, Calls};
use forebay_app::bounds::MAX_ID_BYTES;
use forebay_app::tools::{self, Effect, INSTRUCTIONS, ToolDescriptor};
use forebay_app::{Answer, App, AppError, Call, settings};
use forebay_domain::rights::Rights;
use forebay_domain::tokens;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode, ErrorData,
    Implementation, ListToolsResult, NumberOrString, PaginatedRequestParams,
    ProgressNotificationParam, ProgressToken, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value};

pub(crate) type Context = RequestContext<RoleServer>;

/// An authenticated caller and its rights.
pub(crate) struct AuthenticatedCaller {
    pub(crate) caller_context: CallerContext,
    pub(crate) rights: Rights,
}

/// Authenticates the caller of a request.
pub(crate) type Authenticate =
    Box<dyn Fn(&Context) -> Result<AuthenticatedCaller, AppError> + Send + Sync>;

/// Tools whose data equals their text and is sent as structured content.
const STRUCTURED: &[&str] = &["ctx_stats", "ctx_doctor"];

pub(crate) struct Handler {
    authenticate: Authenticate,
    calls: Arc<Calls>,
}

impl Handler {
    pub(crate) fn new(authenticate: Authenticate, calls: Arc<Calls>) -> Self {
        Self { authenticate, calls }
    }

    /// A tool's answer with the app's notices.
    async fn answer(
        &self,
        tool: &'static ToolDescriptor,
        input: Value,
        context: Context,
    ) -> Result<CallToolResult, AppError> {
        let AuthenticatedCaller { caller_context, rights } = (self.authenticate)(&context)?;
        check_right(tool, rights)?;
        let call = new_call(&context);
        let app = Arc::clone(&caller_context.app);
        let answer = self.calls.run(caller_context, tool, input, call, context.ct.clone()).await?;
        Ok(success(tool.name, answer, &app))
    }
}

/// Refuses a tool that the caller's rights do not cover.
pub(crate) fn check_right(tool: &ToolDescriptor, rights: Rights) -> Result<(), AppError> {
    let needed = tool.effect.right();
    if rights.has(needed) {
        return Ok(());
    }
    let word = needed.as_str();
    Err(AppError::refused(
        format!("{} needs the right `{word}`, which this token lacks", tool.name),
        format!("get a token with it: forebay token create --rights {word}"),
    ))
}

/// Whether a progress token is short enough to be repeated in every report.
fn is_repeatable(token: &ProgressToken) -> bool {
    match &token.0 {
        NumberOrString::Number(_) => true,
        NumberOrString::String(text) => text.len() <= MAX_ID_BYTES,
    }
}

/// A call with progress and elicitation through the client.
fn new_call(context: &Context) -> Call {
    let mut call = Call::default();
    if let Some(token) = context.meta.get_progress_token().filter(is_repeatable) {
        let (peer, runtime) = (context.peer.clone(), tokio::runtime::Handle::current());
        call = call.reporting_to(move |step| {
            let mut progress = ProgressNotificationParam::new(token.clone(), step.done);
            progress.total = step.total;
            progress.message = Some(step.what.to_owned());
            let peer = peer.clone();
            runtime.spawn(async move { peer.notify_progress(progress).await });
        });
    }
    ask::through_client(call, context)
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
        // Invalid settings are reported by the first call; listing must still work.
        let listed = match (self.authenticate)(&context) {
            Ok(AuthenticatedCaller { caller_context, rights }) => {
                available_tools(&caller_context.app, rights).map(listing).collect()
            }
            Err(_) => tools::listed(&settings::Tools::default()).map(listing).collect(),
        };
        Ok(ListToolsResult::with_all_items(listed))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = tools::find(&request.name)
            .map_err(|error| ErrorData::new(ErrorCode::INVALID_PARAMS, error.to_text(), None))?;
        let input = Value::Object(request.arguments.unwrap_or_default());
        let result = self.answer(tool, input, context).await.unwrap_or_else(|error| {
            CallToolResult::error(vec![ContentBlock::text(error.to_text())])
        });
        Ok(result.into())
    }
}

/// The tools available with these rights.
pub(crate) fn available_tools(
    app: &App,
    rights: Rights,
) -> impl Iterator<Item = &'static ToolDescriptor> {
    app.tools().filter(move |tool| rights.has(tool.effect.right()))
}

/// An answer as an MCP result.
pub(crate) fn success(name: &str, answer: Answer, app: &App) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    if STRUCTURED.contains(&name) {
        result.structured_content = Some(answer.data);
    }
    // Separate from the answer, which has a budget.
    result.content.extend(app.take_notices().into_iter().map(ContentBlock::text));
    result
}

/// A tool as an MCP listing.
fn listing(tool: &ToolDescriptor) -> Tool {
    let Value::Object(schema) = (tool.schema)() else {
        return Tool::new(tool.name, tool.description, Arc::new(Map::new()));
    };
    Tool::new(tool.name, tool.description, Arc::new(schema))
        .with_annotations(annotations(tool.effect))
}

fn annotations(effect: Effect) -> ToolAnnotations {
    let mut annotations = ToolAnnotations::default();
    match effect {
        Effect::ReadOnly => annotations.read_only_hint = Some(true),
        Effect::Append | Effect::Index | Effect::Fetch => {
            annotations.destructive_hint = Some(false);
        }
        // Without annotations the protocol assumes the worst, which is right here.
        Effect::EditFiles | Effect::Delete | Effect::Execute => {}
    }
    if !matches!(effect, Effect::Execute | Effect::Fetch) {
        annotations.open_world_hint = Some(false);
    }
    annotations
}

/// Estimated tokens of the tool list.
fn list_tokens(app: &App) -> u64 {
    let listed: Vec<Tool> = app.tools().map(listing).collect();
    tokens::estimate(&serde_json::to_string(&listed).unwrap_or_default())
        + tokens::estimate(INSTRUCTIONS)
}

/// Records the cost of the tool list, off the path of the first answer.
pub(super) fn count_tool_list(app: &Arc<App>) {
    let app = Arc::clone(app);
    tokio::task::spawn_blocking(move || app.count_tool_list(list_tokens(&app)));
}
