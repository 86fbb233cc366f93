//! A call as a list shows it, read from what the dashboard's live view reports.

use forebay_app::hooks::FailedOutcome;
use forebay_domain::session::{conversation, is_subagent, subagent_prefix};
use forebay_text::{cut, number};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

/// Larger numbers of tokens are abbreviated, so that a column holds them.
const MAX_GROUPED: u64 = 999_999;
/// What is shown of the id of a session: enough to tell those of a day apart.
const SESSION_CHARS: usize = 8;

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    Replaced,
    Passed,
    Denied,
    Asked,
    /// A hook of Forebay gave no answer, so the agent went on as without it.
    Failed,
    /// A hook answered, and something beside it went wrong.
    Fault,
}

impl Outcome {
    pub(super) const ALL: [Self; 6] =
        [Self::Replaced, Self::Passed, Self::Denied, Self::Asked, Self::Failed, Self::Fault];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Replaced => "replaced",
            Self::Passed => "passed",
            Self::Denied => "denied",
            Self::Asked => "asked",
            Self::Failed => "failed",
            Self::Fault => "fault",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == word)
    }
}

/// A call. Its texts are bounded and have no hidden characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    /// The number of its project among those that are followed, and its name.
    pub(super) project: usize,
    pub(super) project_name: String,
    /// Milliseconds since 1970.
    pub(super) created: i64,
    pub(super) outcome: Outcome,
    pub(super) tool: String,
    /// The command, or whatever else tells what was called.
    pub(super) title: String,
    /// Tokens that the host would have shown, and those of the text that the model got.
    pub(super) tokens: Option<(u64, u64)>,
    pub(super) session: String,
    /// Of its stored result.
    pub(super) reference: Option<String>,
    /// Why it was denied or asked about, or passed although it was long; what went wrong with its hook.
    pub(super) reason: String,
    /// How a command ended, or which hook had a fault and how long it took.
    pub(super) ending: Option<String>,
}

impl Call {
    /// Reads an item of the live view; `None` if it is no call.
    pub(super) fn parse(item: &Value, project: usize, project_name: &str) -> Option<Self> {
        let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        let call = Self {
            project,
            project_name: project_name.to_owned(),
            created: item["created"].as_i64()?,
            outcome: Outcome::Passed,
            tool: text("tool"),
            title: text("title"),
            tokens: None,
            session: text("session"),
            reference: None,
            reason: String::new(),
            ending: None,
        };
        match item["is"].as_str()? {
            "entry" => call.with_result(item),
            "fault" => Some(call.with_fault(item)),
            _ => call.with_verdict(item),
        }
    }

    fn with_result(self, item: &Value) -> Option<Self> {
        let outcome = Outcome::parse(item["outcome"].as_str()?)?;
        let tokens = item["host_tokens"].as_u64().zip(item["delivered_tokens"].as_u64());
        let reason = match item["passed_because"].as_str() {
            Some("held out") => "held out for the comparison with digests",
            Some("raw") => "digests of its recognizer cost more than they saved here",
            _ => "",
        };
        Some(Self {
            outcome,
            tokens,
            reference: Some(item["ref"].as_str()?.to_owned()),
            reason: reason.to_owned(),
            ending: item["what"].as_str()?.strip_prefix("run ").map(str::to_owned),
            ..self
        })
    }

    /// Something went wrong with a hook, which took some time: `hook after a tool, 12 ms`.
    fn with_fault(self, item: &Value) -> Self {
        let text = |name: &str| item[name].as_str().unwrap_or_default();
        let is_unanswered = FailedOutcome::has_name(text("outcome"));
        let millis = item["micros"].as_u64().unwrap_or_default() / 1_000;
        let hint = item["hint"].as_str().map_or_else(String::new, |hint| format!("; {hint}"));
        let (hook, took) =
            (format!("hook {}", text("event")), format!("{} ms", number::grouped(millis)));
        // Not every hook is about a tool.
        let (title, ending) = if self.title.is_empty() {
            (hook, took)
        } else {
            (self.title, format!("{hook}, {took}"))
        };
        Self {
            outcome: if is_unanswered { Outcome::Failed } else { Outcome::Fault },
            title,
            reason: format!("{}{hint}", text("error")),
            ending: Some(ending),
            ..self
        }
    }

    /// A rule objected: `denied Bash: sudo reboot`.
    fn with_verdict(self, item: &Value) -> Option<Self> {
        if item["kind"] != "verdict" {
            return None;
        }
        let (word, what) = item["subject"].as_str()?.split_once(' ')?;
        let (tool, title) = what.split_once(": ").unwrap_or(("", what));
        Some(Self {
            outcome: Outcome::parse(word)?,
            tool: tool.to_owned(),
            title: title.to_owned(),
            reason: item["text"].as_str().unwrap_or_default().to_owned(),
            ..self
        })
    }

    /// `14:03:59`
    pub(super) fn time(&self, zone: &TimeZone) -> String {
        let at = Timestamp::from_millisecond(self.created).unwrap_or_default();
        at.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()
    }

    /// `12,345 → 300`; nothing if no result is known.
    pub(super) fn tokens_text(&self) -> String {
        let count = |tokens: u64| match tokens {
            0..=MAX_GROUPED => number::grouped(tokens),
            _ => number::rough(tokens),
        };
        self.tokens.map_or_else(String::new, |(before, after)| {
            format!("{} → {}", count(before), count(after))
        })
    }

    /// The start of the session's id, and the subagent's name: `3f9ac21b/reviewer`.
    pub(super) fn session_text(&self) -> String {
        let main = conversation(&self.session);
        let start: String = main.chars().take(SESSION_CHARS).collect();
        if !is_subagent(&self.session) {
            return start;
        }
        let agent = self.session.strip_prefix(&subagent_prefix(main)).unwrap_or_default();
        format!("{start}/{agent}")
    }

    /// Whether all words of a filter, in lower case, occur in the call.
    pub(super) fn contains(&self, filter: &str) -> bool {
        let fields = [
            self.outcome.as_str(),
            &self.tool,
            &self.title,
            &self.session,
            &self.project_name,
            self.reference.as_deref().unwrap_or_default(),
            &self.reason,
        ];
        let text = fields.join("\n").to_lowercase();
        filter.split_whitespace().all(|word| text.contains(word))
    }

    /// The call on one line, for a pipe.
    pub(super) fn line(&self, zone: &TimeZone, with_project: bool) -> String {
        let reference =
            self.reference.as_ref().map_or_else(String::new, |found| format!("[ctx:{found}]"));
        let project = if with_project { &*self.project_name } else { "" };
        let title = cut::one_line(&self.title, 200);
        let parts = [
            &*self.time(zone),
            self.outcome.as_str(),
            project,
            &self.tool,
            &title,
            self.ending.as_deref().unwrap_or_default(),
            &self.tokens_text(),
            &self.reason,
            &self.session_text(),
            &reference,
        ];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        cut::one_line(&parts.collect::<Vec<_>>().join("  "), 1_000)
    }

    pub(super) fn data(&self) -> Value {
        json!({
            "created": self.created,
            "project": self.project_name,
            "outcome": self.outcome.as_str(),
            "tool": self.tool,
            "title": self.title,
            "tokens_before": self.tokens.map(|tokens| tokens.0),
            "tokens_after": self.tokens.map(|tokens| tokens.1),
            "session": self.session,
            "ref": self.reference,
            "ending": self.ending,
            "reason": self.reason,
        })
    }
}

#[cfg(test)]
pub(in crate::cli::watch) mod tests {
    use super::*;

    /// A stored result, as the live view reports it.
    pub(in crate::cli::watch) fn item(title: &str, raw: u64, delivered: u64) -> Value {
        json!({
            "is": "entry", "kind": "capture", "what": "capture", "ref": "k3v9m2a1xq",
            "title": title, "tool": "Bash", "session": "3f9ac21b-0000-4000-8000-000000000000",
            "created": 1_700_000_000_000_i64, "host_tokens": raw, "delivered_tokens": delivered,
            "outcome": if delivered < raw { "replaced" } else { "passed" },
        })
    }

    #[test]
    fn a_result_and_a_verdict_are_calls_and_other_events_are_none() {
        let call = Call::parse(&item("make", 12_345, 300), 0, "app").unwrap();
        assert_eq!((call.outcome, &*call.tokens_text()), (Outcome::Replaced, "12,345 → 300"));
        assert_eq!(call.time(&TimeZone::UTC), "22:13:20");
        let denied = json!({
            "is": "event", "kind": "verdict", "subject": "denied Bash: sudo reboot: now",
            "text": "Bash(sudo:*)", "session": "s/agent:reviewer", "created": 0,
        });
        let denied = Call::parse(&denied, 0, "app").unwrap();
        assert_eq!((&*denied.tool, &*denied.title), ("Bash", "sudo reboot: now"));
        assert_eq!((denied.outcome, &*denied.session_text()), (Outcome::Denied, "s/reviewer"));
        let prompt =
            json!({ "is": "event", "kind": "prompt", "subject": "denied x", "created": 0 });
        assert_eq!(Call::parse(&prompt, 0, "app"), None);
        let note = json!({ "is": "entry", "kind": "note", "outcome": null, "created": 0 });
        assert_eq!(Call::parse(&note, 0, "app"), None);
    }

    #[test]
    fn a_long_result_that_stayed_says_why() {
        let mut held = item("make", 5_000, 5_000);
        held["passed_because"] = json!("held out");
        let line = Call::parse(&held, 0, "app").unwrap().line(&TimeZone::UTC, true);
        assert_eq!(
            line,
            "22:13:20  passed  app  Bash  make  5,000 → 5,000  held out for the comparison with digests  \
             3f9ac21b  [ctx:k3v9m2a1xq]"
        );
    }

    #[test]
    fn a_fault_of_a_hook_tells_which_and_why() {
        let mut fault = json!({
            "is": "fault", "created": 1_700_000_000_000_i64, "session": "s", "event": "after a tool",
            "outcome": "timed out", "micros": 9_001_500, "tool": "Bash", "title": "make",
            "error": "timed out after 9s", "hint": "try again",
        });
        let line =
            |fault: &Value| Call::parse(fault, 0, "app").unwrap().line(&TimeZone::UTC, false);
        assert_eq!(
            line(&fault),
            "22:13:20  failed  Bash  make  hook after a tool, 9,001 ms  timed out after 9s; try again  s"
        );
        for (name, value) in
            [("outcome", "passed"), ("tool", ""), ("title", ""), ("event", "prompt")]
        {
            fault[name] = json!(value);
        }
        assert!(line(&fault).contains("  fault  hook prompt  9,001 ms  "), "{}", line(&fault));
    }

    #[test]
    fn a_filter_has_words_in_any_order() {
        let call = Call::parse(&item("cargo Test", 5_000, 100), 0, "app").unwrap();
        assert!(call.contains("test replaced") && call.contains("") && call.contains("k3v9"));
        assert!(!call.contains("test denied"));
    }
}
