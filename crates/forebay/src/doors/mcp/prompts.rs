//! `prompts/list` and `prompts/get`.

use std::collections::BTreeMap;
use std::sync::Arc;

use forebay_app::AppError;
use forebay_app::prompts::{self, PROMPTS};
use forebay_domain::rights::{Right, Rights};
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage,
    Role,
};
use serde_json::Value;

use super::handler::{AuthenticatedCaller, Context, Handler, lacks_right, new_call};

/// The prompts available with these rights.
pub(super) fn available(rights: Rights) -> Vec<Prompt> {
    if rights.has(Right::Read) { PROMPTS.iter().map(listing).collect() } else { Vec::new() }
}

fn listing(prompt: &prompts::Prompt) -> Prompt {
    let argument = |argument: &prompts::Argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.is_required)
    };
    let arguments: Vec<PromptArgument> = prompt.arguments.iter().map(argument).collect();
    Prompt::new(
        prompt.name,
        Some(prompt.description),
        Some(arguments).filter(|arguments| !arguments.is_empty()),
    )
}

impl Handler {
    /// Writes a prompt for the caller of a request.
    pub(super) async fn write_prompt(
        &self,
        request: GetPromptRequestParams,
        context: &Context,
    ) -> Result<GetPromptResult, AppError> {
        let prompt = prompts::find(&request.name)?;
        let arguments = texts(request.arguments.unwrap_or_default())?;
        let AuthenticatedCaller { caller_context, rights } = self.authenticate(context)?;
        if !rights.has(Right::Read) {
            return Err(lacks_right(prompt.name, Right::Read));
        }
        let (app, call) = (Arc::clone(&caller_context.app), new_call(context));
        let text = self.calls.run_short(move || prompt.text(&app, &arguments, &call)).await?;
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(prompt.description))
    }
}

/// The protocol has text arguments only.
fn texts(arguments: JsonObject) -> Result<BTreeMap<String, String>, AppError> {
    let text = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok((name, text)),
        _ => Err(AppError::bad_input(
            format!("the argument `{}` is not a string", forebay_app::bounds::echo(&name)),
            "arguments of prompts are strings",
        )),
    };
    arguments.into_iter().map(text).collect()
}
