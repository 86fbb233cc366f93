//! End-to-end tests: the real binary with real SQLite files and real processes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests report failures by panicking"
)]

mod archive;
mod bad_code;
mod bad_input;
mod batch;
mod cli_get;
mod cli_notes;
mod cli_other;
mod cli_run;
mod cli_search;
mod cline_plugin;
mod compatibility;
mod config;
mod context;
mod contract;
mod damaged_store;
mod difference;
mod doctor_fix;
mod durability;
mod embedder;
mod env;
mod executable;
mod fence;
mod fetch;
mod file_edits;
mod file_hooks;
mod file_maps;
mod file_races;
mod file_tools;
mod first_minute;
mod full_disk;
mod functions;
mod hidden_text;
mod hook_capture;
mod hook_compaction;
mod hook_duplicates;
mod hook_errors;
mod hook_guide;
mod hook_host;
mod hook_intent;
mod hook_mod;
mod hook_payloads;
mod hook_rules;
mod hook_session;
mod hook_usage;
mod hostile_files;
mod http_api;
mod http_client;
mod http_dashboard;
mod http_errors;
mod http_mcp;
mod http_tokens;
mod import;
mod index;
mod init;
mod jobs;
mod mcp;
mod mcp_apps;
mod mcp_bounds;
mod mcp_client;
mod mcp_completions;
mod mcp_log_messages;
mod mcp_prompts;
mod mcp_protocol;
mod mcp_resources;
mod mcp_tasks;
mod opencode_plugin;
mod parity;
mod permission;
mod postgres;
mod promises;
mod recognizers;
mod release_server;
mod replay;
mod savings;
mod search;
mod secrets_at_rest;
mod seed_bugs;
mod split_homes;
mod statusline;
mod team;
mod texts;
mod treatments;
mod ui;
mod uninstall;
mod upgrade;
mod upgrade_channels;
mod upgrade_interrupted;
mod upgrade_live;
mod wrap;
