//! The doors that speak a protocol; each decodes, asks the app, and encodes.

pub(crate) mod functions;
pub(crate) mod hook;
pub(crate) mod mcp;
