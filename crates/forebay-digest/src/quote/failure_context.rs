//! The lines after a failure belong to it: they say why and where.

use super::fold::Row;

/// How many rows after a failure belong to it.
const CONTEXT_ROWS: u32 = 5;

/// The weight of the first of them; each further one weighs less.
const FIRST_ROW_WEIGHT: u32 = 30;
const WEIGHT_STEP: u32 = 3;

/// How far below the last failure the text is.
#[derive(Debug, Default)]
pub(super) struct FailureContext {
    rows_left: u32,
}

impl FailureContext {
    /// Gives a row the weight of the failure it stands below.
    pub(super) fn apply_to(&mut self, row: &mut Row) {
        if row.salience.noise || row.salience.marked && row.salience.failure {
            // Whoever knows the format has said which of its lines matter.
            self.rows_left = 0;
        } else if row.salience.failure {
            self.rows_left = CONTEXT_ROWS;
        } else if self.rows_left > 0 && row.is_nonblank() {
            let weight = FIRST_ROW_WEIGHT - WEIGHT_STEP * (CONTEXT_ROWS - self.rows_left);
            row.salience.weight = row.salience.weight.max(weight);
            self.rows_left -= 1;
        }
    }
}
