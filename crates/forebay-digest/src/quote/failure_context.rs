//! Raises the weight of rows right after a failure, because they say why and where.

use super::fold::Row;

/// Number of rows after a failure that are raised.
const CONTEXT_ROWS: u32 = 5;

/// Weight of the first of these rows; each further one weighs less.
const FIRST_ROW_WEIGHT: u32 = 30;
const WEIGHT_STEP: u32 = 3;

/// Position relative to the last failure.
#[derive(Debug, Default)]
pub(super) struct FailureContext {
    rows_left: u32,
}

impl FailureContext {
    /// Raises the weight of a row that follows a failure.
    pub(super) fn apply_to(&mut self, row: &mut Row) {
        if row.salience.is_noise || row.salience.is_marked && row.salience.is_failure {
            // A recognizer that knows the format has already marked the rows that matter.
            self.rows_left = 0;
        } else if row.salience.is_failure {
            self.rows_left = CONTEXT_ROWS;
        } else if self.rows_left > 0 && row.is_nonblank() {
            let weight = FIRST_ROW_WEIGHT - WEIGHT_STEP * (CONTEXT_ROWS - self.rows_left);
            row.salience.weight = row.salience.weight.max(weight);
            self.rows_left -= 1;
        }
    }
}
