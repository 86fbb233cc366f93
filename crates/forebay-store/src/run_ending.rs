//! How a run ended, in the words and codes that stores keep.

use forebay_domain::{Ending, Limit};

/// The codes of a run that was ended over a limit.
const OVER_OUTPUT: i32 = 1;
const OVER_PROCESSES: i32 = 2;

pub fn words(ending: Ending) -> (&'static str, i32) {
    match ending {
        Ending::Exited(code) => ("exited", code),
        Ending::Signalled(signal) => ("signalled", signal),
        Ending::TimedOut => ("timed out", 0),
        Ending::Cancelled => ("cancelled", 0),
        // The schema's word for a run that was ended early; the code tells the limits apart.
        Ending::OverLimit(Limit::Output) => ("cancelled", OVER_OUTPUT),
        Ending::OverLimit(Limit::Processes) => ("cancelled", OVER_PROCESSES),
    }
}

pub fn of_words(word: &str, code: i32) -> Ending {
    match word {
        "signalled" => Ending::Signalled(code),
        "timed out" => Ending::TimedOut,
        "cancelled" if code == OVER_OUTPUT => Ending::OverLimit(Limit::Output),
        "cancelled" if code == OVER_PROCESSES => Ending::OverLimit(Limit::Processes),
        "cancelled" => Ending::Cancelled,
        _ => Ending::Exited(code),
    }
}
