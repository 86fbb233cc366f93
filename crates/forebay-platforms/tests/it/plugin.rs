//! The Claude Code plugin folder agrees with the table.
