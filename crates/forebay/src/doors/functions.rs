//! Tool declarations for function calling, in the format of each API.

use forebay_app::tools::ToolDescriptor;
use serde_json::{Value, json};

/// The format of the declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// `tools` of a chat completion
    Openai,
    /// `tools` of generateContent
    Gemini,
    /// `tools` of a message
    Anthropic,
    /// `tools` of tools/list
    Mcp,
}

/// The `tools` value of a request.
pub(crate) fn list<'a>(format: Format, tools: impl Iterator<Item = &'a ToolDescriptor>) -> Value {
    let declared: Vec<Value> = tools.map(|tool| declare(format, tool)).collect();
    match format {
        // Gemini groups functions under one tool.
        Format::Gemini => json!([{ "functionDeclarations": declared }]),
        Format::Openai | Format::Anthropic | Format::Mcp => Value::Array(declared),
    }
}

fn declare(format: Format, tool: &ToolDescriptor) -> Value {
    let (name, description, schema) = (tool.name, tool.description, (tool.schema)());
    match format {
        Format::Openai => json!({
            "type": "function",
            "function": { "name": name, "description": description, "parameters": schema },
        }),
        Format::Gemini => json!({
            "name": name,
            "description": description,
            "parametersJsonSchema": schema,
        }),
        Format::Anthropic => {
            json!({ "name": name, "description": description, "input_schema": schema })
        }
        Format::Mcp => json!({ "name": name, "description": description, "inputSchema": schema }),
    }
}
