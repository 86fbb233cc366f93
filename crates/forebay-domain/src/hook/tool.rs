//! Tools of a host: what was called, and what came back.

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The host's name of the tool.
    pub name: String,
    /// The host's name of this call, the same before and after.
    pub id: Option<String>,
    pub action: ToolAction,
    /// What the command is for, in the words that the host had its model write.
    pub description: Option<String>,
    /// Whether it asks for some lines of a file, not all.
    pub is_partial: bool,
}

/// What a tool is asked to do, as far as Forebay has words for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolAction {
    Shell {
        command: String,
    },
    Read {
        paths: Vec<String>,
    },
    /// Changes parts of files.
    Edit {
        paths: Vec<String>,
    },
    /// Writes files whole.
    Write {
        paths: Vec<String>,
    },
    Search {
        pattern: String,
        path: Option<String>,
    },
    Fetch {
        urls: Vec<String>,
    },
    WebSearch {
        query: String,
    },
    Mcp {
        /// Some hosts tell only the tool.
        server: Option<String>,
        tool: String,
    },
    /// A subagent gets a task.
    Task {
        description: String,
        agent: Option<String>,
    },
    Todo {
        items: Vec<TodoItem>,
    },
    Skill {
        name: String,
    },
    /// The model proposes a plan.
    Plan {
        text: String,
    },
    Other,
}

/// One task of a list the model keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoItem {
    /// The host's name of it, where it has one.
    pub id: Option<String>,
    /// Its text; empty where the host reports only its state.
    pub text: String,
    pub state: TodoState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TodoState {
    Open,
    Active,
    Done,
    Dropped,
}

/// The kinds of tools, without what they were asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolKind {
    Shell,
    Read,
    Edit,
    Write,
    Search,
    Fetch,
    WebSearch,
    Mcp,
    Task,
    Todo,
    Skill,
    Plan,
    Other,
}

impl ToolAction {
    pub const fn kind(&self) -> ToolKind {
        match self {
            Self::Shell { .. } => ToolKind::Shell,
            Self::Read { .. } => ToolKind::Read,
            Self::Edit { .. } => ToolKind::Edit,
            Self::Write { .. } => ToolKind::Write,
            Self::Search { .. } => ToolKind::Search,
            Self::Fetch { .. } => ToolKind::Fetch,
            Self::WebSearch { .. } => ToolKind::WebSearch,
            Self::Mcp { .. } => ToolKind::Mcp,
            Self::Task { .. } => ToolKind::Task,
            Self::Todo { .. } => ToolKind::Todo,
            Self::Skill { .. } => ToolKind::Skill,
            Self::Plan { .. } => ToolKind::Plan,
            Self::Other => ToolKind::Other,
        }
    }
}

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolResult {
    pub parts: Vec<ResultPart>,
    /// The host calls it a failure.
    pub is_error: bool,
    /// A command's exit code, where the host tells it.
    pub exit_code: Option<i32>,
    /// Where the host left the whole output when it showed the model a part.
    pub saved: Option<SavedOutput>,
    /// What the host says about output that it cut.
    pub cut: Option<HostCut>,
}

/// The size of a result before the host cut it, as far as the host tells it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostCut {
    /// Matches or lines in all.
    pub total: Option<u64>,
    pub bytes: Option<u64>,
}

/// A piece of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultPart {
    Text(String),
    /// What a command wrote to its error stream.
    Errors(String),
    /// An image, a sound, a link: something that is no text.
    Media,
}

/// A file that a host wrote for the model to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedOutput {
    pub path: String,
    pub sign: SavedSign,
}

/// How the file became known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SavedSign {
    /// The host said so in a field of its own.
    Field,
    /// Found in the text, which any program could have written: the reader first checks that the file
    /// lies in a folder of the host.
    Text,
}

impl ToolResult {
    /// The texts in order; what came from the error stream stands last, as hosts show it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            ResultPart::Text(text) | ResultPart::Errors(text) if !text.is_empty() => {
                Some(text.as_str())
            }
            _ => None,
        })
    }

    /// How many bytes of text there are.
    pub fn bytes(&self) -> usize {
        self.texts().map(str::len).sum()
    }

    /// Whether something would be lost if text took the place of this result.
    pub fn has_media(&self) -> bool {
        self.parts.contains(&ResultPart::Media)
    }
}
