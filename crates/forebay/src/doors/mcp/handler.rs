//! Handles MCP requests by calling the app on a blocking thread.
//!
//! Tools are here; `apps`, `prompts`, `completions`, `resources`, `subscriptions`, `tasks` and `log_messages` add what their names say.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::log_messages::{LogLevel, SetLevel};
use super::resources::error_data;
use super::subscriptions::Subscriptions;
use super::transport::BUSY;
use super::{apps, ask, prompts, subscriptions};
use crate::doors::calls::{CallerContext, Calls};
use forebay_app::bounds::MAX_ID_BYTES;
use forebay_app::tools::{self, Effect, INSTRUCTIONS, ToolDescriptor};
use forebay_app::{Answer, App, AppError, Call, ErrorKind, settings};
use forebay_domain::rights::{Right, Rights};
use forebay_domain::tokens;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams,
    CompleteRequestParams, CompleteResult, ContentBlock, ErrorCode, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    NumberOrString, PaginatedRequestParams, ProgressNotificationParam, ProgressToken,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, ToolAnnotations,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
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

/// How long a client may keep a list that changes only with the settings or the version.
const LIST_TTL: Duration = Duration::from_mins(5);

/// One per session; over HTTP without sessions, one per request.
pub(crate) struct Handler {
    authenticate: Authenticate,
    pub(super) calls: Arc<Calls>,
    pub(super) subscriptions: Subscriptions,
    log_level: LogLevel,
}

impl Handler {
    pub(crate) fn new(authenticate: Authenticate, calls: Arc<Calls>) -> Self {
        let (subscriptions, log_level) = Default::default();
        Self { authenticate, calls, subscriptions, log_level }
    }

    pub(super) fn authenticate(&self, context: &Context) -> Result<AuthenticatedCaller, AppError> {
        (self.authenticate)(context)
    }

    /// Runs a tool for the caller of a request; returns its answer and the caller's app.
    pub(super) async fn run(
        &self,
        tool: &'static ToolDescriptor,
        input: Value,
        context: &Context,
    ) -> Result<(Answer, Arc<App>), AppError> {
        let AuthenticatedCaller { caller_context, rights } = self.authenticate(context)?;
        check_right(tool, rights)?;
        let (call, started) = (new_call(context), Instant::now());
        let app = Arc::clone(&caller_context.app);
        let outcome = self.calls.run(caller_context, tool, input, call, context.ct.clone()).await;
        self.log_level.report(context, tool.name, outcome.as_ref(), started.elapsed()).await;
        self.log_level.report_replacement(context, &app).await;
        Ok((outcome?, app))
    }

    /// A tool's answer with the app's notices, or the task that will have it.
    async fn answer(
        &self,
        tool: &'static ToolDescriptor,
        input: Value,
        context: &Context,
    ) -> Result<CallToolResponse, AppError> {
        let (answer, app) = self.run(tool, input, context).await?;
        Ok(match self.task_of(tool, &answer, context).await {
            Some(task) => CallToolResponse::Task(task),
            None => success(tool.name, answer, &app).into(),
        })
    }
}

/// Refuses a tool that the caller's rights do not cover.
pub(crate) fn check_right(tool: &ToolDescriptor, rights: Rights) -> Result<(), AppError> {
    let needed = tool.effect.right();
    if rights.has(needed) { Ok(()) } else { Err(lacks_right(tool.name, needed)) }
}

pub(super) fn lacks_right(what: &str, needed: Right) -> AppError {
    let word = needed.as_str();
    AppError::refused(
        format!("{what} needs the right `{word}`, which this token lacks"),
        format!("get a token with it: forebay token create --rights {word}"),
    )
}

/// The time for which a list may be kept, where the protocol revision has one.
fn list_ttl(context: &Context) -> Option<u64> {
    let version = context.protocol_version()?;
    let has_ttl = version.as_str() >= ProtocolVersion::V_2026_07_28.as_str();
    has_ttl.then_some(LIST_TTL.as_millis() as u64)
}

/// Whether a progress token is short enough to be repeated in every report.
fn is_repeatable(token: &ProgressToken) -> bool {
    match &token.0 {
        NumberOrString::Number(_) => true,
        NumberOrString::String(text) => text.len() <= MAX_ID_BYTES,
    }
}

/// A call with progress and elicitation through the client.
pub(super) fn new_call(context: &Context) -> Call {
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

#[expect(deprecated, reason = "hosts of the older revisions set a log level and subscribe")]
impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_completions()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_logging()
            .enable_tasks()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("forebay", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        // Invalid settings are reported by the first call; listing must still work.
        let shows_views = apps::is_declared(context.client_capabilities().as_ref());
        let listed: Vec<Tool> = match self.authenticate(&context) {
            Ok(AuthenticatedCaller { caller_context, rights }) => {
                available_tools(&caller_context.app, rights).map(listing).collect()
            }
            Err(_) => tools::listed(&settings::Tools::default()).map(listing).collect(),
        };
        let listed =
            if shows_views { listed.into_iter().map(apps::with_view).collect() } else { listed };
        let mut list = ListToolsResult::with_all_items(listed);
        list.ttl_ms = list_ttl(&context);
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = tools::find(&request.name)
            .map_err(|error| ErrorData::new(ErrorCode::INVALID_PARAMS, error.to_text(), None))?;
        let input = Value::Object(request.arguments.unwrap_or_default());
        Ok(self.answer(tool, input, &context).await.unwrap_or_else(|error| {
            CallToolResult::error(vec![ContentBlock::text(error.to_text())]).into()
        }))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        // As for tools: invalid settings are reported when a prompt is written.
        let rights = self.authenticate(&context).map_or(Rights::ALL, |caller| caller.rights);
        let mut list = ListPromptsResult::with_all_items(prompts::available(rights));
        list.ttl_ms = list_ttl(&context);
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let written = self.write_prompt(request, &context).await;
        written.map(Into::into).map_err(|error| protocol_error(&error))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let found = self.completions(request, &context).await;
        found.map(CompleteResult::new).map_err(|error| protocol_error(&error))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.list_page(request, &context).await.map_err(|error| error_data(&error, None))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.templates(&context).map_err(|error| error_data(&error, None))?;
        let mut list = ListResourceTemplatesResult::with_all_items(templates);
        list.ttl_ms = list_ttl(&context);
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.read(&request.uri, &context).await;
        read.map(Into::into).map_err(|error| error_data(&error, Some(&request.uri)))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        let followed = self.follow(&request.uri, &context).await;
        followed.map_err(|error| error_data(&error, Some(&request.uri)))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: Context,
    ) -> Result<(), ErrorData> {
        self.unfollow(&request.uri).map_err(|error| error_data(&error, Some(&request.uri)))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(subscriptions::accepted(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.notify_listener(context).await;
        Ok(())
    }

    async fn set_level(&self, request: SetLevel, _: Context) -> Result<(), ErrorData> {
        self.log_level.set(request.level);
        Ok(())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: Context,
    ) -> Result<GetTaskResult, ErrorData> {
        self.task_state(&request.task_id, &context).await.map_err(|error| protocol_error(&error))
    }

    /// A job asks for no input, so every response is to a question that was not asked, and is ignored.
    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        let known = self.job_status(&request.task_id, &context).await;
        known.map(drop).map_err(|error| protocol_error(&error))
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        self.stop_task(&request.task_id, &context).await.map_err(|error| protocol_error(&error))
    }
}

/// The error of a request that is no tool call, whose errors are results.
pub(super) fn protocol_error(error: &AppError) -> ErrorData {
    let code = match error.kind {
        ErrorKind::NotFound | ErrorKind::BadInput => ErrorCode::INVALID_PARAMS,
        ErrorKind::Refused => ErrorCode::INVALID_REQUEST,
        ErrorKind::Unavailable => ErrorCode::INTERNAL_ERROR,
        ErrorKind::Busy => BUSY,
    };
    ErrorData::new(code, error.to_text(), None)
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
pub(crate) fn listing(tool: &ToolDescriptor) -> Tool {
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
pub(crate) fn tool_list_tokens(app: &App) -> u64 {
    let listed: Vec<Tool> = app.tools().map(listing).collect();
    tokens::estimate(&serde_json::to_string(&listed).unwrap_or_default())
        + tokens::estimate(INSTRUCTIONS)
}

/// Records the cost of the tool list, off the path of the first answer.
pub(super) fn count_tool_list(app: &Arc<App>) {
    let app = Arc::clone(app);
    tokio::task::spawn_blocking(move || app.count_tool_list(tool_list_tokens(&app)));
}
