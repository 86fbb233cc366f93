//! The features of a line, in the order that the trees refer to.

macro_rules! features {
    ($($feature:ident $name:literal,)*) => {
        /// A feature of a line.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Feature {
            $($feature,)*
        }

        impl Feature {
            /// Every feature, in the order of a vector.
            pub(crate) const ALL: &[Self] = &[$(Self::$feature,)*];

            /// Name in the training data.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$feature => $name,)*
                }
            }
        }
    };
}

features! {
    LinesAfter "fromend",
    BytesToEnd "bytesend",
    ShareAfter "frac",
    LinesBefore "fromstart",
    Lines "n",
    Indent "indent",
    Length "len",
    Tokens "ntok",
    Red "col",
    OtherColors "col8",
    IndentChange "dind_p",
    NextIndentChange "dind_n",
    SameTemplate "ctpl",
    SamePrefix "cpre",
    SameFirstToken "cfirst",
    FirstOfTemplate "firstocc",
    NextSamePrefix "cpre_n1",
    PreviousSamePrefix "cpre_p1",
    RareNear "rare11",
    MainClasses "kbits",
    Summary "ksum",
    Notice "kwarn",
    Location "kloc",
    StackFrame "kstack",
    AfterProblem "dp_err",
    BeforeProblem "dn_err",
    AfterFailure "dp_hard",
    BeforeFailure "dn_hard",
    AfterExit "dp_exit",
    BeforeExit "dn_exit",
    AfterSection "dp_sect",
    BeforeSection "dn_sect",
    AfterSummary "dp_sum",
    BeforeSummary "dn_sum",
    AfterBlank "dp_blank",
    BeforeBlank "dn_blank",
    AfterRed "dp_red",
    BeforeRed "dn_red",
    Failures "nhard",
    FailuresBefore "hard_before",
    FailuresAfter "hard_after",
    ExitsAfter "exit_after",
    SectionsAfter "sect_after",
    FailuresNear "hard11",
    LocationsNear "loc11",
    StackFramesNear "stack11",
    RedNear "red11",
    NoticesNear "warn11",
    FailuresInSection "hard_in_sect",
}

/// Number of features.
pub const FEATURES: usize = Feature::ALL.len();

/// The features of one line.
pub type FeatureVector = [i16; FEATURES];

/// Returns 8 · log2(n + 1), piecewise linear, in integers.
pub(super) fn log_scale(n: u64) -> i16 {
    let Some(m) = n.checked_add(1) else { return 8 * u64::BITS as i16 };
    let exponent = m.ilog2();
    let eighths = if exponent < 3 { m << (3 - exponent) } else { m >> (exponent - 3) };
    (8 * exponent) as i16 + eighths as i16 - 8
}

/// Returns the least number with this value on the log scale.
pub(super) fn unscaled(value: i16) -> u64 {
    let (exponent, eighths) = (value / 8, u64::from((value % 8).unsigned_abs()));
    ((8 + eighths) << exponent.clamp(0, 60)).div_ceil(8) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unscaled_inverts_the_log_scale() {
        for n in (0..200).chain([4_000, 1 << 40]) {
            let least = unscaled(log_scale(n));
            assert!(least <= n && log_scale(least) == log_scale(n), "{n}: {least}");
        }
    }

    #[test]
    fn log_scale_has_eight_steps_per_doubling() {
        assert_eq!([0, 1, 2, 3, 7, 8, 4_000].map(log_scale), [0, 8, 12, 16, 24, 25, 95]);
        assert_eq!(log_scale(u64::MAX), 512);
    }
}
