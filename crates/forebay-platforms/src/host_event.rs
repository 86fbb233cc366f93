//! The events of a host: a column of its table.

use forebay_domain::hook::{Moment, ToolKind};

use crate::platform::FieldValue;

/// One event of a host.
#[derive(Debug, Clone, Copy)]
pub struct HostEvent {
    pub name: &'static str,
    pub moment: Moment,
    /// Forebay registers a hook for it; otherwise it is decoded if it arrives.
    pub is_registered: bool,
    /// The kind of tool, if the event implies it.
    pub tool: Option<ToolKind>,
    /// The tool failed, and the payload has an error instead of a result.
    pub is_failure: bool,
    /// The payload has several calls in this list; the event is about the last one.
    pub calls: Option<&'static str>,
    /// It counts only if the payload has this value.
    pub condition: Option<&'static FieldValue>,
}

/// An event that Forebay registers a hook for.
pub(crate) const fn registered(name: &'static str, moment: Moment) -> HostEvent {
    HostEvent {
        name,
        moment,
        is_registered: true,
        tool: None,
        is_failure: false,
        calls: None,
        condition: None,
    }
}

/// An event that is decoded if it arrives.
pub(crate) const fn recognized(name: &'static str, moment: Moment) -> HostEvent {
    HostEvent { is_registered: false, ..registered(name, moment) }
}

impl HostEvent {
    pub(crate) const fn as_failure(self) -> Self {
        Self { is_failure: true, ..self }
    }

    pub(crate) const fn for_tool(self, tool: ToolKind) -> Self {
        Self { tool: Some(tool), ..self }
    }

    pub(crate) const fn about_last_of(self, calls: &'static str) -> Self {
        Self { calls: Some(calls), ..self }
    }

    pub(crate) const fn only_if(self, condition: &'static FieldValue) -> Self {
        Self { condition: Some(condition), ..self }
    }
}
