//! Path patterns of `Read(...)` and `Edit(...)`: gitignore syntax with anchors.
//!
//! Hand-written because a path in a command may contain unknown parts (`cat .e*`), which gitignore crates cannot match,
//! and because nothing here may access the file system.

use super::context::CallContext;
use super::rule::List;
use super::rules::Origin;
use super::wildcard::{HOLE, UnknownParts, Wildcard, has_marks, is_mark};

/// A compiled path pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathPattern {
    anchor: Anchor,
    segments: Vec<Segment>,
    /// The segments in lower case, for case-insensitive file systems.
    folded: Vec<Segment>,
    depth: Depth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Root,
    Home,
    Settings,
    Current,
}

/// At which depth below its anchor a pattern may match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Top,
    /// A name without a slash.
    Any,
    /// `dir/**` of one segment: at any depth in deny and ask, at the top in allow.
    AnyUnlessAllow,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    /// `**`: any number of directories.
    Any,
    Name(Wildcard),
}

impl PathPattern {
    /// Parses a pattern; `None` if it matches nothing (empty, negated).
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (anchor, rest) = split_anchor(text)?;
        let mut names: Vec<&str> =
            rest.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
        let is_bare = anchor == Anchor::Current && !text.starts_with("./");
        let depth = match names.as_slice() {
            [_] if is_bare => Depth::Any,
            [first, "**"] if is_bare && *first != "**" => Depth::AnyUnlessAllow,
            ["**", _, ..] => {
                names.remove(0);
                Depth::Any
            }
            _ => Depth::Top,
        };
        let segments: Vec<Segment> = names.into_iter().map(Segment::parse).collect();
        let folded = segments.iter().map(Segment::folded).collect();
        Some(Self { anchor, segments, folded, depth })
    }

    /// Whether the pattern covers a normalized path or one of its ancestors.
    pub(crate) fn covers(
        &self,
        path: &str,
        reading: UnknownParts,
        rule_context: &MatchContext<'_>,
    ) -> bool {
        let bases = rule_context.base_dirs.bases(self.anchor, rule_context.origin);
        bases.iter().any(|base| {
            below(path, base).is_some_and(|below| self.covers_below(below, reading, rule_context))
        })
    }

    /// The literal roots of the pattern up to its first wildcard, and whether it covers them whole.
    pub(crate) fn roots(&self, rule_context: &MatchContext<'_>) -> Vec<(String, bool)> {
        let literals: Vec<&str> = if self.floats(rule_context.list) {
            Vec::new()
        } else {
            self.segments.iter().map_while(Segment::literal).collect()
        };
        let rest = &self.segments[literals.len()..];
        let whole = !literals.is_empty() && matches!(rest, [] | [Segment::Any]);
        let bases = rule_context.base_dirs.bases(self.anchor, rule_context.origin);
        let below = literals.join("/");
        bases.iter().map(|base| (normalize(&format!("{base}/{below}")), whole)).collect()
    }

    fn floats(&self, list: List) -> bool {
        match self.depth {
            Depth::Top => false,
            Depth::Any => true,
            Depth::AnyUnlessAllow => list != List::Allow,
        }
    }

    fn covers_below(
        &self,
        below: &str,
        reading: UnknownParts,
        rule_context: &MatchContext<'_>,
    ) -> bool {
        let names: Vec<&str> = below.split('/').filter(|name| !name.is_empty()).collect();
        let pattern =
            if rule_context.base_dirs.context.ignores_case { &self.folded } else { &self.segments };
        let deepest = if self.floats(rule_context.list) { names.len() } else { 0 };
        (0..=deepest).any(|skipped| covers_names(pattern, &names[skipped..], reading))
    }
}

impl Segment {
    fn parse(name: &str) -> Self {
        if name == "**" { Self::Any } else { Self::Name(Wildcard::from_segment(name)) }
    }

    fn literal(&self) -> Option<&str> {
        match self {
            Self::Any => None,
            Self::Name(name) => name.literal(),
        }
    }

    fn folded(&self) -> Self {
        match self {
            Self::Any => Self::Any,
            Self::Name(name) => Self::Name(name.ignoring_case()),
        }
    }
}

/// The context in which a rule is matched.
pub(crate) struct MatchContext<'a> {
    pub(crate) base_dirs: &'a BaseDirs<'a>,
    pub(crate) origin: Origin,
    pub(crate) list: List,
}

/// The base directories of patterns, computed once per judgement.
pub(crate) struct BaseDirs<'a> {
    pub(crate) context: &'a CallContext<'a>,
    root: Vec<String>,
    home: Vec<String>,
    current: Vec<String>,
    user_settings: Vec<String>,
}

impl<'a> BaseDirs<'a> {
    pub(crate) fn new(context: &'a CallContext<'a>) -> Self {
        let mut base_dirs = Self {
            context,
            root: Vec::new(),
            home: Vec::new(),
            current: Vec::new(),
            user_settings: Vec::new(),
        };
        base_dirs.root = base_dirs.spellings(context.root);
        base_dirs.current = base_dirs.spellings(context.cwd);
        base_dirs.home = context.home.map(|home| base_dirs.spellings(home)).unwrap_or_default();
        base_dirs.user_settings =
            base_dirs.home.iter().map(|home| format!("{home}/.claude")).collect();
        base_dirs
    }

    /// A directory as given and with links resolved.
    fn spellings(&self, folder: &str) -> Vec<String> {
        let mut spellings = vec![self.normalize(folder)];
        let resolved = (self.context.real_path)(folder).map(|real| self.normalize(&real));
        spellings.extend(resolved.filter(|real| *real != spellings[0]));
        spellings
    }

    /// The canonical spelling of a path that patterns match.
    pub(crate) fn normalize(&self, path: &str) -> String {
        let path = normalize(path);
        if self.context.ignores_case { path.to_lowercase() } else { path }
    }

    fn bases(&self, anchor: Anchor, origin: Origin) -> &[String] {
        const FILE_SYSTEM: &[String] = &[String::new()];
        match (anchor, origin) {
            (Anchor::Root, _) => FILE_SYSTEM,
            (Anchor::Home, _) => &self.home,
            (Anchor::Current, _) | (Anchor::Settings, Origin::Local | Origin::CommandLine) => {
                &self.current
            }
            // A managed file belongs to no project; its rules apply to the current one.
            (Anchor::Settings, Origin::Managed | Origin::Project) => &self.root,
            (Anchor::Settings, Origin::User) => &self.user_settings,
        }
    }

    /// Whether a canonical path lies in a working directory.
    pub(crate) fn is_working_folder(&self, path: &str) -> bool {
        let further = self.context.directories.iter().map(|folder| self.normalize(folder));
        self.root
            .iter()
            .chain(&self.current)
            .cloned()
            .chain(further)
            .any(|folder| folder != "/" && lies_in(path, &folder))
    }
}

fn split_anchor(text: &str) -> Option<(Anchor, &str)> {
    if text.starts_with('!') || text.trim().is_empty() {
        return None;
    }
    Some(if let Some(rest) = text.strip_prefix("//") {
        (Anchor::Root, rest)
    } else if text == "~" || text.starts_with("~/") {
        (Anchor::Home, &text[1..])
    } else if let Some(rest) = text.strip_prefix('/') {
        (Anchor::Settings, rest)
    } else {
        (Anchor::Current, text)
    })
}

/// Whether the pattern covers a leading part of the names, and so everything below it.
fn covers_names(pattern: &[Segment], names: &[&str], reading: UnknownParts) -> bool {
    match pattern.split_first() {
        None => true,
        // A final `**` means everything inside, not the directory itself.
        Some((Segment::Any, [])) => !names.is_empty(),
        Some((Segment::Any, rest)) => {
            (0..=names.len()).any(|skipped| covers_names(rest, &names[skipped..], reading))
        }
        Some((Segment::Name(name), rest)) => names.split_first().is_some_and(|(first, others)| {
            let may_span = reading == UnknownParts::Open && first.contains(HOLE);
            name.matches(first, reading)
                && (covers_names(rest, others, reading)
                    || (may_span && covers_names(rest, names, reading)))
        }),
    }
}

/// The part of a path below a directory.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Whether a path is a directory or lies below it.
pub(crate) fn lies_in(path: &str, folder: &str) -> bool {
    below(path, folder).is_some()
}

/// Joins a relative path to its directory.
pub(crate) fn join(folder: &str, path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") }
}

/// Removes `.`, `..`, duplicate and trailing slashes, without resolving links.
pub(crate) fn normalize(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            _ => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

/// Whether part of the last name is known: `cat .e*` reveals more than `cat $x`.
pub(crate) fn shows_its_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    !has_marks(name) || name.chars().any(|character| !is_mark(character) && character != '.')
}
