//! Encodes how a run ended in the words and codes of the schema.

use forebay_domain::{Ending, Limit};

/// Codes of runs ended by a limit.
const OUTPUT_LIMIT_CODE: i32 = 1;
const PROCESS_LIMIT_CODE: i32 = 2;

pub fn to_words(ending: Ending) -> (&'static str, i32) {
    match ending {
        Ending::Exited(code) => ("exited", code),
        Ending::Signalled(signal) => ("signalled", signal),
        Ending::TimedOut => ("timed out", 0),
        Ending::Cancelled => ("cancelled", 0),
        // The schema has no word for limits; the code tells them apart.
        Ending::OverLimit(Limit::Output) => ("cancelled", OUTPUT_LIMIT_CODE),
        Ending::OverLimit(Limit::Processes) => ("cancelled", PROCESS_LIMIT_CODE),
    }
}

pub fn from_words(word: &str, code: i32) -> Ending {
    match word {
        "signalled" => Ending::Signalled(code),
        "timed out" => Ending::TimedOut,
        "cancelled" if code == OUTPUT_LIMIT_CODE => Ending::OverLimit(Limit::Output),
        "cancelled" if code == PROCESS_LIMIT_CODE => Ending::OverLimit(Limit::Processes),
        "cancelled" => Ending::Cancelled,
        _ => Ending::Exited(code),
    }
}
