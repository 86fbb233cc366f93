//! The doors that speak a protocol; each decodes, asks the app, and encodes.

pub(crate) mod calls;
pub(crate) mod functions;
pub(crate) mod hook;
pub(crate) mod http;
pub(crate) mod idle;
pub(crate) mod mcp;
pub(crate) mod signals;
