//! Projects: one repository, with all its folders and worktrees.

use std::fmt;

/// The key of a project's data: a readable name and a hash.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProjectId(String);

impl ProjectId {
    /// Combines the folder's name with the hash of its full path: `forebay-1f2e3d4c5b6a7988`.
    pub fn new(folder_name: &str, path_hash_hex: &str) -> Self {
        let mut readable: String = folder_name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
            .take(32)
            .collect();
        if readable.trim_matches('-').is_empty() {
            "project".clone_into(&mut readable);
        }
        let hash: String = path_hash_hex.chars().take(16).collect();
        Self(format!("{}-{hash}", readable.trim_matches('-')))
    }

    /// The id that the data of a project is stored under; `None` if the name is no id.
    pub fn of_data(name: &str) -> Option<Self> {
        let (readable, hash) = name.rsplit_once('-')?;
        (Self::new(readable, hash).0 == name).then(|| Self(name.to_owned()))
    }

    /// The readable part: the folder's name.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('-').map_or(&self.0, |(readable, _)| readable)
    }

    /// Whether a name denotes this project: the whole id or its readable part.
    pub fn is_called(&self, name: &str) -> bool {
        is_called(&self.0, name)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a name denotes the project with this id.
pub fn is_called(id: &str, name: &str) -> bool {
    let readable = id.rsplit_once('-').map_or(id, |(readable, _)| readable);
    !name.is_empty() && (id == name || readable == name.to_ascii_lowercase())
}

impl fmt::Display for ProjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_safe_file_name() {
        let hash = "0123456789abcdef0123";
        assert_eq!(ProjectId::new("My App", hash).as_str(), "my-app-0123456789abcdef");
        assert_eq!(ProjectId::new("../..", hash).as_str(), "project-0123456789abcdef");
        assert_eq!(ProjectId::new("日本", hash).as_str(), "project-0123456789abcdef");
    }

    #[test]
    fn an_id_is_read_from_the_name_of_its_data() {
        let id = ProjectId::new("My App", "0123456789abcdef0123");
        assert_eq!(ProjectId::of_data(id.as_str()), Some(id));
        assert_eq!(ProjectId::of_data("../x-0123456789abcdef"), None);
        assert_eq!(ProjectId::of_data("store"), None);
    }
}
