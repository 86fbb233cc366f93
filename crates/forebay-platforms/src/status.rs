//! What a host tells the command of its status line.

use serde_json::Value;

use crate::Platform;
use crate::decode::get;
use crate::platform::KeyPath;

/// Where the host's JSON has its values.
#[derive(Debug)]
pub struct StatusFields {
    pub session: KeyPath,
    /// The folder that the conversation was started in.
    pub project: KeyPath,
    pub context_percent: KeyPath,
}

/// What the host tells; it leaves out what it does not know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostStatus {
    pub session: Option<String>,
    pub project: Option<String>,
    /// How much of the model's context is used.
    pub context_percent: Option<u8>,
}

/// Reads what a host writes to the stdin of the command; nothing if it has no status line or the text is no JSON.
pub fn parse(platform: &Platform, bytes: &[u8]) -> Option<HostStatus> {
    let fields = platform.status?;
    let told: Value = serde_json::from_slice(bytes).ok()?;
    let text = |path| get(&told, path).and_then(Value::as_str).map(str::to_owned);
    let percent = get(&told, fields.context_percent).and_then(Value::as_f64);
    Some(HostStatus {
        session: text(fields.session),
        project: text(fields.project),
        context_percent: percent
            .filter(|percent| (0.0..=100.0).contains(percent))
            .map(|percent| percent.round() as u8),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<HostStatus> {
        parse(crate::find("claude-code")?, text.as_bytes())
    }

    #[test]
    fn what_the_host_does_not_know_is_left_out() {
        let status = parsed(
            r#"{"session_id": "s", "workspace": {"project_dir": "/p"}, "context_window": {"used_percentage": 41.6}}"#,
        );
        let expected = HostStatus {
            session: Some("s".to_owned()),
            project: Some("/p".to_owned()),
            context_percent: Some(42),
        };
        assert_eq!(status, Some(expected));
        for percent in ["null", "-1", "101", "\"9\"", "1e99"] {
            let text = format!("{{\"context_window\": {{\"used_percentage\": {percent}}}}}");
            assert_eq!(parsed(&text), Some(HostStatus::default()), "{percent}");
        }
        assert_eq!(parsed("no JSON"), None);
        assert_eq!(parse(crate::find("codex").unwrap(), b"{}"), None);
    }
}
