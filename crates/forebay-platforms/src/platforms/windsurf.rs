//! Windsurf, from its documentation. The event implies the tool.

use forebay_domain::hook::{Moment, ToolKind};

use crate::folders::BaseDir;
use crate::platform::{
    Capability, DEFAULTS, Detection, Evidence, InstructionFiles, PayloadFields, Platform, Probe,
    SNAKE_CASE, registered,
};
use crate::setup::{FileContent, HookLayout, Level, ServerEntry, SetupFile};
use crate::{encode, machine_text};

static PAYLOAD: PayloadFields = PayloadFields {
    event: &[&["agent_action_name"]],
    session: &[&["trajectory_id"]],
    cwd: &[&["tool_info", "cwd"]],
    event_id: &[&["execution_id"]],
    tool_name: &[&["agent_action_name"]],
    tool_input: &[&["tool_info"]],
    tool_id: &[&["execution_id"]],
    tool_result: &[&["tool_info", "mcp_result"], &["tool_info", "output"]],
    mcp_server: &[&["tool_info", "mcp_server_name"]],
    mcp_tool: &[&["tool_info", "mcp_tool_name"]],
    prompt: &[&["tool_info", "user_prompt"]],
    last_message: &[&["tool_info", "response"]],
    ..SNAKE_CASE
};

pub(super) static PLATFORM: Platform = Platform {
    id: "windsurf",
    name: "Windsurf",
    evidence: Evidence::Documentation,
    events: &[
        registered("pre_user_prompt", Moment::Prompt),
        registered("pre_run_command", Moment::BeforeTool).for_tool(ToolKind::Shell),
        registered("pre_read_code", Moment::BeforeTool).for_tool(ToolKind::Read),
        registered("pre_write_code", Moment::BeforeTool).for_tool(ToolKind::Edit),
        registered("pre_mcp_tool_use", Moment::BeforeTool).for_tool(ToolKind::Mcp),
        registered("post_run_command", Moment::AfterTool).for_tool(ToolKind::Shell),
        registered("post_read_code", Moment::AfterTool).for_tool(ToolKind::Read),
        registered("post_write_code", Moment::AfterTool).for_tool(ToolKind::Edit),
        registered("post_mcp_tool_use", Moment::AfterTool).for_tool(ToolKind::Mcp),
        registered("post_cascade_response", Moment::Stop),
    ],
    payload: &PAYLOAD,
    machine_text: &machine_text::WINDSURF,
    encode: encode::exit_code::reply,
    capabilities: &[Capability::Deny, Capability::SeePrompt],
    limitations: &[
        "A hook can only deny and observe: long output stays out of the context only if the model \
         uses Forebay's tools.",
        "A hook cannot add context, so nothing is restored automatically.",
        "Hooks are not called for session starts or compaction.",
        "Not tested in a run: based on its documentation.",
    ],
    probe: Some(&Probe {
        event: "pre_user_prompt",
        payload: include_str!("../../tests/samples/windsurf/01-pre_user_prompt.json"),
    }),
    detection: Detection {
        binaries: &["windsurf"],
        folders: &[".codeium/windsurf"],
        in_project: &[".windsurf", ".windsurfrules"],
    },
    files: &[
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".codeium/windsurf/mcp_config.json",
            content: FileContent::McpServers { key: "mcpServers", entry: ServerEntry::Plain },
        },
        SetupFile {
            level: Level::User,
            base: BaseDir::Home,
            path: ".codeium/windsurf/hooks.json",
            content: FileContent::Hooks(HookLayout::Flat { version: false }),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: ".windsurf/hooks.json",
            content: FileContent::Hooks(HookLayout::Flat { version: false }),
        },
        SetupFile {
            level: Level::Project,
            base: BaseDir::Project,
            path: "AGENTS.md",
            content: FileContent::Instructions,
        },
    ],
    instructions: InstructionFiles {
        files: &["AGENTS.md", ".windsurfrules"],
        folders: &[".windsurf/rules"],
    },
    ..DEFAULTS
};
