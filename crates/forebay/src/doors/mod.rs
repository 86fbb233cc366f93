//! The protocol doors: each decodes a request, calls the app, and encodes the answer.

pub(crate) mod calls;
pub(crate) mod deadline;
pub(crate) mod functions;
pub(crate) mod hook;
pub(crate) mod http;
pub(crate) mod idle;
pub(crate) mod json_scan;
pub(crate) mod mcp;
pub(crate) mod signals;
pub(crate) mod ui;
pub(crate) mod wrap;
