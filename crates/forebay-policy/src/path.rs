//! Path patterns of `Read(...)` and `Edit(...)`: gitignore's, with anchors.
//!
//! The matcher is its own because a path in a command may have unknown places (`cat .e*`), which the
//! gitignore crates cannot be asked about, and because nothing here may look at a disk.

use super::rule::List;
use super::rules::Origin;
use super::wildcard::{HOLE, Reading, Wildcard, has_marks, is_mark};
use super::world::World;

/// A compiled path pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathPattern {
    anchor: Anchor,
    segments: Vec<Segment>,
    /// The segments in lower case, for file systems that take both cases as one.
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

/// How deep below its anchor a pattern may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Top,
    /// A name without slash.
    Any,
    /// `dir/**` of one segment: at any depth in deny and ask, at the top in allow.
    AnyUnlessAllow,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    /// `**`: any number of folders.
    Any,
    Name(Wildcard),
}

impl PathPattern {
    /// Reads a pattern; `None` for those that match nothing (empty, negated).
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

    /// Whether the pattern covers a normalized path, or a folder above it.
    pub(crate) fn covers(&self, path: &str, reading: Reading, place: &Place<'_>) -> bool {
        let bases = place.ground.bases(self.anchor, place.origin);
        bases.iter().any(|base| {
            below(path, base).is_some_and(|below| self.covers_below(below, reading, place))
        })
    }

    /// Where the paths lie that it covers, and whether that is all it covers: its names up to the first
    /// wildcard.
    pub(crate) fn roots(&self, place: &Place<'_>) -> Vec<(String, bool)> {
        let literals: Vec<&str> = if self.floats(place.list) {
            Vec::new()
        } else {
            self.segments.iter().map_while(Segment::literal).collect()
        };
        let rest = &self.segments[literals.len()..];
        let whole = !literals.is_empty() && matches!(rest, [] | [Segment::Any]);
        let bases = place.ground.bases(self.anchor, place.origin);
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

    fn covers_below(&self, below: &str, reading: Reading, place: &Place<'_>) -> bool {
        let names: Vec<&str> = below.split('/').filter(|name| !name.is_empty()).collect();
        let pattern = if place.ground.world.ignores_case { &self.folded } else { &self.segments };
        let deepest = if self.floats(place.list) { names.len() } else { 0 };
        (0..=deepest).any(|skipped| covers_names(pattern, &names[skipped..], reading))
    }
}

impl Segment {
    fn parse(name: &str) -> Self {
        if name == "**" { Self::Any } else { Self::Name(Wildcard::of_segment(name)) }
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

/// Where a rule stands and what it is asked for.
pub(crate) struct Place<'a> {
    pub(crate) ground: &'a Ground<'a>,
    pub(crate) origin: Origin,
    pub(crate) list: List,
}

/// The folders patterns begin in, worked out once a judgement.
pub(crate) struct Ground<'a> {
    pub(crate) world: &'a World<'a>,
    root: Vec<String>,
    home: Vec<String>,
    current: Vec<String>,
    user_settings: Vec<String>,
}

impl<'a> Ground<'a> {
    pub(crate) fn new(world: &'a World<'a>) -> Self {
        let mut ground = Self {
            world,
            root: Vec::new(),
            home: Vec::new(),
            current: Vec::new(),
            user_settings: Vec::new(),
        };
        ground.root = ground.spellings(world.root);
        ground.current = ground.spellings(world.cwd);
        ground.home = world.home.map(|home| ground.spellings(home)).unwrap_or_default();
        ground.user_settings = ground.home.iter().map(|home| format!("{home}/.claude")).collect();
        ground
    }

    /// A folder as it is given and as links make it.
    fn spellings(&self, folder: &str) -> Vec<String> {
        let mut spellings = vec![self.tidy(folder)];
        let resolved = (self.world.real_path)(folder).map(|real| self.tidy(&real));
        spellings.extend(resolved.filter(|real| *real != spellings[0]));
        spellings
    }

    /// The one spelling of a path that patterns are laid beside.
    pub(crate) fn tidy(&self, path: &str) -> String {
        let path = normalize(path);
        if self.world.ignores_case { path.to_lowercase() } else { path }
    }

    fn bases(&self, anchor: Anchor, origin: Origin) -> &[String] {
        const FILE_SYSTEM: &[String] = &[String::new()];
        match (anchor, origin) {
            (Anchor::Root, _) => FILE_SYSTEM,
            (Anchor::Home, _) => &self.home,
            (Anchor::Current, _) | (Anchor::Settings, Origin::Local | Origin::CommandLine) => {
                &self.current
            }
            // A managed file lies in no project; what it says is about the one at hand.
            (Anchor::Settings, Origin::Managed | Origin::Project) => &self.root,
            (Anchor::Settings, Origin::User) => &self.user_settings,
        }
    }

    /// Whether a tidy path lies where work goes on.
    pub(crate) fn is_working_folder(&self, path: &str) -> bool {
        let further = self.world.directories.iter().map(|folder| self.tidy(folder));
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

/// Whether the pattern covers the first names, so that what lies below them is covered as well.
fn covers_names(pattern: &[Segment], names: &[&str], reading: Reading) -> bool {
    match pattern.split_first() {
        None => true,
        // At the end `**` means everything inside, not the folder itself.
        Some((Segment::Any, [])) => !names.is_empty(),
        Some((Segment::Any, rest)) => {
            (0..=names.len()).any(|skipped| covers_names(rest, &names[skipped..], reading))
        }
        Some((Segment::Name(name), rest)) => names.split_first().is_some_and(|(first, others)| {
            let may_span = reading == Reading::Open && first.contains(HOLE);
            name.matches(first, reading)
                && (covers_names(rest, others, reading)
                    || (may_span && covers_names(rest, names, reading)))
        }),
    }
}

/// The part of a path below a folder.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Whether a path lies in a folder or is it.
pub(crate) fn lies_in(path: &str, folder: &str) -> bool {
    below(path, folder).is_some()
}

/// Joins a path to the folder it is relative to.
pub(crate) fn join(folder: &str, path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") }
}

/// Removes `.`, `..`, doubled and trailing slashes, without looking at links.
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

/// Whether something of the last name is known: `cat .e*` shows more than `cat $x`.
pub(crate) fn shows_its_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    !has_marks(name) || name.chars().any(|character| !is_mark(character) && character != '.')
}
