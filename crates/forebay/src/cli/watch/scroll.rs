//! A cursor in a list, and the part of the list that is on the screen.

use std::ops::Range;

/// The position in a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Scroll {
    pub(super) cursor: usize,
    top: usize,
    height: usize,
}

impl Scroll {
    /// Moves the cursor by a number of rows, down if positive.
    pub(super) fn move_by(&mut self, rows: isize, length: usize) {
        self.cursor = self.cursor.saturating_add_signed(rows);
        self.fit(length);
    }

    /// The rows of one page.
    pub(super) fn page(&self) -> isize {
        self.height.saturating_sub(1).max(1) as isize
    }

    pub(super) fn resize(&mut self, height: usize, length: usize) {
        self.height = height;
        self.fit(length);
    }

    /// Keeps the cursor within the list, and on the screen.
    pub(super) fn fit(&mut self, length: usize) {
        self.cursor = self.cursor.min(length.saturating_sub(1));
        if self.height == 0 {
            self.top = self.top.min(self.cursor);
            return;
        }
        let lowest_top = (self.cursor + 1).saturating_sub(self.height);
        // No empty rows below the end while there are rows above the top.
        let highest_top = self.cursor.min(length.saturating_sub(self.height).max(lowest_top));
        self.top = self.top.clamp(lowest_top, highest_top);
    }

    /// The rows on the screen.
    pub(super) fn rows(&self, length: usize) -> Range<usize> {
        let top = self.top.min(length);
        top..(top + self.height).min(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_stays_on_the_screen() {
        let mut scroll = Scroll::default();
        scroll.resize(3, 10);
        assert_eq!(scroll.rows(10), 0..3);
        scroll.move_by(4, 10);
        assert_eq!((scroll.cursor, scroll.rows(10)), (4, 2..5));
        scroll.move_by(-1, 10);
        assert_eq!((scroll.cursor, scroll.rows(10)), (3, 2..5));
        scroll.move_by(100, 10);
        assert_eq!((scroll.cursor, scroll.rows(10)), (9, 7..10));
        scroll.resize(5, 10);
        assert_eq!(scroll.rows(10), 5..10);
        scroll.move_by(-100, 10);
        assert_eq!((scroll.cursor, scroll.rows(10)), (0, 0..5));
    }

    #[test]
    fn an_empty_list_and_no_room_are_harmless() {
        let mut scroll = Scroll::default();
        scroll.move_by(5, 0);
        assert_eq!((scroll.cursor, scroll.rows(0)), (0, 0..0));
        scroll.resize(0, 10);
        scroll.move_by(5, 10);
        assert!(scroll.rows(10).is_empty());
        scroll.fit(2);
        assert_eq!(scroll.cursor, 1);
    }
}
