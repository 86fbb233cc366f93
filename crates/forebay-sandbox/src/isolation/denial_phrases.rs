//! What programs print when something is denied to them.

/// Phrases of a denial, in lowercase.
pub(super) const DENIAL_PHRASES: &[&str] = &[
    "permission denied",
    "eacces",
    "eperm",
    "operation not permitted",
    "read-only file system",
    "erofs",
    "invalid cross-device link",
    "device or resource busy",
    "ebusy",
];

/// Phrases of a missing file, in lowercase: a hidden folder is empty for a run.
pub(super) const ABSENCE_PHRASES: &[&str] =
    &["no such file or directory", "enoent", "does not exist", "not found", "cannot find"];

/// Phrases of a missing network, in lowercase.
pub(super) const OFFLINE_PHRASES: &[&str] = &[
    "could not resolve host",
    "name resolution",
    "network is unreachable",
    "name or service not known",
    "failed to lookup address",
    "couldn't connect to server",
    "failed to connect",
    "failed to establish a new connection",
    "connection error",
    "eai_again",
    "enotfound",
    "unable to resolve",
    "socket: operation not permitted",
];

/// Phrases of a failed connection, in lowercase.
pub(super) const CONNECTION_PHRASES: &[&str] =
    &["connect", "no server running", "not a socket", "enotsock", "econnrefused", "enoent"];

/// What sudo and similar programs print when they cannot gain privileges.
pub(super) const PRIVILEGE_PHRASES: &[&str] =
    &["no new privileges", "must be setuid root", "effective uid is not 0"];
