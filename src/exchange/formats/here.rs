//! Here-documents of a script: configurations that it writes to files.

/// A configuration that a script writes.
#[derive(Debug, Clone)]
pub(crate) struct HereDocument {
    /// Line of the script before its first one.
    pub(crate) line: u32,
    /// What it holds.
    pub(crate) text: String,
}

/// A script without the configurations that it writes, whose lines are empty then, and these. Other here-documents stay:
/// scripts hand commands to other programs by them.
pub(super) fn here_documents(text: &str) -> (String, Vec<HereDocument>) {
    let mut script = String::with_capacity(text.len());
    let mut documents = Vec::new();
    let mut lines = (1_u32..).zip(text.lines()).peekable();
    while let Some((number, line)) = lines.next() {
        let first = lines.peek().map_or("", |next| next.1.trim_start());
        let Some((command, end)) = opened(line).filter(|_| is_configuration(line, first)) else {
            script.push_str(line);
            script.push('\n');
            continue;
        };
        script.push_str(command);
        script.push('\n');
        let mut body = String::new();
        for (_, line) in lines.by_ref().take_while(|(_, line)| line.trim() != end) {
            body.push_str(line);
            body.push('\n');
            script.push('\n');
        }
        script.push('\n');
        documents.push(HereDocument { line: number, text: body });
    }
    (script, documents)
}

/// Whether what is written is a configuration: JSON, or what goes to a file of such a name.
fn is_configuration(line: &str, first: &str) -> bool {
    first.starts_with('{') || [".json", ".yaml", ".yml", ".toml"].iter().any(|end| line.contains(end))
}

/// The command of a line that opens a here-document, and the word that ends this.
fn opened(line: &str) -> Option<(&str, &str)> {
    let (before, behind) = line.split_once("<<")?;
    if behind.starts_with('<') || before.trim_start().starts_with('#') {
        return None;
    }
    let word = behind.trim_start_matches('-').trim_start().trim_start_matches(['"', '\'', '\\']);
    let end =
        word.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(word.len());
    let word = word.get(..end)?;
    let is_word = word.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    is_word.then_some((before, word))
}
