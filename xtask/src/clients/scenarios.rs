//! What is tried with the agents.

use anyhow::Result;

use super::fixture::Fixture;
use super::hosts::Host;
use super::{
    CheckResult, claude_compaction, claude_ledger, claude_mod, claude_rules, claude_screen,
    claude_subagents, claude_usage, conversation, failing_test, teammate, undo, wrapped_server,
};

/// Checks of an agent in home folders and projects of their own.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) is_for: fn(&Host) -> bool,
    check: fn(&Fixture, &'static Host) -> Result<Vec<CheckResult>>,
}

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario { name: "conversation", is_for: every_agent, check: conversation::check },
    Scenario { name: "teammate", is_for: every_agent, check: teammate::check },
    Scenario { name: "undo", is_for: set_up_by_init, check: undo::check },
    Scenario { name: "failing test", is_for: every_agent, check: failing_test::check },
    Scenario { name: "wrap", is_for: set_up_by_init, check: wrapped_server::check },
    Scenario { name: "mod", is_for: |host| host.has_mod, check: claude_mod::check_results },
    Scenario { name: "usage", is_for: |host| host.has_mod, check: claude_usage::check },
    Scenario { name: "ledger", is_for: mod_by_init, check: claude_ledger::check },
    Scenario { name: "plugin", is_for: |host| host.is_plugin, check: claude_mod::check_plugin },
    Scenario { name: "obstacles", is_for: mod_by_init, check: claude_mod::check_obstacles },
    Scenario { name: "compaction", is_for: mod_by_init, check: claude_compaction::check },
    Scenario { name: "subagents", is_for: mod_by_init, check: claude_subagents::check },
    Scenario { name: "screen", is_for: mod_by_init, check: claude_screen::check },
    Scenario { name: "rules", is_for: mod_by_init, check: claude_rules::check },
];

impl Scenario {
    /// Runs the checks; one that cannot be completed has failed.
    pub(super) fn run(&self, fixture: &Fixture, host: &'static Host) -> Vec<CheckResult> {
        let incomplete = |error: anyhow::Error| {
            vec![CheckResult { name: self.name, passed: false, detail: format!("{error:#}") }]
        };
        (self.check)(fixture, host).unwrap_or_else(incomplete)
    }
}

fn every_agent(_: &Host) -> bool {
    true
}

fn set_up_by_init(host: &Host) -> bool {
    !host.is_plugin
}

fn mod_by_init(host: &Host) -> bool {
    host.has_mod && !host.is_plugin
}
