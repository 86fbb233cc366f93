//! The lines around a line, known as soon as a few lines followed it.

use super::keywords::Class;
use super::line_traits::LineTraits;

/// Lines before and after a line that are near it.
pub(super) const NEAR_LINES: usize = 5;

/// A line and its near ones.
const NEIGHBOURHOOD: usize = 2 * NEAR_LINES + 1;

/// What is said around a line.
#[derive(Debug, Clone)]
pub(super) struct Surroundings {
    pub(super) previous: Option<LineTraits>,
    pub(super) next: Option<LineTraits>,
    /// How many lines of a class are near, the line itself included.
    pub(super) failures: i16,
    pub(super) locations: i16,
    pub(super) stack_frames: i16,
    pub(super) red: i16,
    pub(super) notices: i16,
    templates: [u32; NEIGHBOURHOOD],
    lines: usize,
}

impl Surroundings {
    /// Takes the lines before and after, the nearest first.
    pub(super) fn new<'a>(
        line: &LineTraits,
        before: impl Iterator<Item = &'a LineTraits> + Clone,
        after: impl Iterator<Item = &'a LineTraits> + Clone,
    ) -> Self {
        let mut surroundings = Self {
            previous: before.clone().next().copied(),
            next: after.clone().next().copied(),
            failures: 0,
            locations: 0,
            stack_frames: 0,
            red: 0,
            notices: 0,
            templates: [0; NEIGHBOURHOOD],
            lines: 0,
        };
        surroundings.add(line);
        before
            .take(NEAR_LINES)
            .chain(after.take(NEAR_LINES))
            .for_each(|near| surroundings.add(near));
        surroundings
    }

    /// Returns the templates of the line and its near ones.
    pub(super) fn templates(&self) -> &[u32] {
        &self.templates[..self.lines]
    }

    fn add(&mut self, line: &LineTraits) {
        self.failures += i16::from(line.classes.has(Class::Failure));
        self.locations += i16::from(line.classes.has(Class::Location));
        self.stack_frames += i16::from(line.classes.has(Class::StackFrame));
        self.red += i16::from(line.colors.has_red());
        self.notices += i16::from(line.classes.has(Class::Notice));
        self.templates[self.lines] = line.template;
        self.lines += 1;
    }
}
