//! How the paths in a list start: one command lists all of them the same way.

/// After this many paths, it is known whether all start the same way.
const MIN_PATHS: u64 = 12;

/// The start of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// `./a`
    Dot,
    /// `/a`
    Root,
    /// `a`
    Name,
}

impl Lead {
    fn parse(path: &str) -> Self {
        match path {
            _ if path.starts_with("./") => Self::Dot,
            _ if path.starts_with('/') => Self::Root,
            _ => Self::Name,
        }
    }
}

/// What the paths so far have in common.
#[derive(Debug, Default)]
pub(super) struct PathLeads {
    paths: u64,
    lead: Option<Lead>,
    has_several: bool,
    /// Some path has a blank.
    has_blanks: bool,
    /// Some path is a name without a folder.
    has_bare_names: bool,
}

impl PathLeads {
    /// Returns true unless all paths so far start differently or have no blank.
    pub(super) fn fit(&self, path: &str) -> bool {
        if self.paths < MIN_PATHS {
            return true;
        }
        let is_alike = self.has_several || self.lead == Some(Lead::parse(path));
        is_alike && (self.has_blanks || !path.contains(' '))
    }

    pub(super) fn have_bare_names(&self) -> bool {
        self.has_bare_names
    }

    pub(super) fn add(&mut self, path: &str) {
        let lead = Lead::parse(path);
        self.paths += 1;
        self.has_several |= *self.lead.get_or_insert(lead) != lead;
        self.has_blanks |= path.contains(' ');
        self.has_bare_names |= !path.contains('/');
    }
}
