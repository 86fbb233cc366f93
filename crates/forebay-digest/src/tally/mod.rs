//! Statistics in bounded memory: value counts, ranges, columns, diagnostics, test outcomes.

pub(crate) mod count;
mod diagnostics;
mod inline_string;
mod name_series;
mod number_range;
mod rule_order;
mod sum;
mod templates;
mod test_outcome;
mod test_runs;
mod value_counts;
mod value_stats;

pub(crate) use diagnostics::{
    Diagnostic, Diagnostics, RuleFinding, Severity, describe_rule, is_rule_code, label_rule,
    list_severities,
};
pub(crate) use name_series::list_series;
pub(crate) use number_range::{NumberRange, format_number, format_rounded};
pub(crate) use rule_order::{RuleTraits, is_cosmetic, sort_rules};
pub(crate) use sum::Sum;
pub(crate) use templates::{MessageTemplates, write_template};
pub(crate) use test_outcome::{TestFacts, TestOutcome};
pub(crate) use value_counts::ValueCounts;
pub(crate) use value_stats::{ValueStats, has_other_types, looks_like_date};
