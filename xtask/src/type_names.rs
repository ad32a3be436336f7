//! One meaning for one name: a type that other files can use shares its name with no type of `src/`.

use std::collections::BTreeMap;

/// Names that several files may declare, with the reason.
const CONVENTIONS: [(&str, &str); 1] =
    [("Props", "Yew's name for the properties of the component in the same file")];

/// Keywords that declare a type.
const KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "type", "union"];

/// Types by name, as they are found.
#[derive(Default)]
pub(crate) struct TypeNames(BTreeMap<String, Vec<Declared>>);

struct Declared {
    /// Path and line.
    at: String,
    /// Whether another file can use the type.
    visible: bool,
}

impl TypeNames {
    /// Notes the types that a file of `src/` declares.
    pub(crate) fn add(&mut self, path: &str, text: &str) {
        if !path.starts_with("src/") {
            return;
        }
        for (number, line) in text.lines().enumerate() {
            if let Some((name, visible)) = declared(line) {
                let at = format!("{path}:{}", number + 1);
                self.0.entry(name.to_owned()).or_default().push(Declared { at, visible });
            }
        }
    }

    /// Complains of every visible type whose name another type has.
    pub(crate) fn check(&self, complaints: &mut Vec<String>) {
        for (name, types) in &self.0 {
            let convention = CONVENTIONS.iter().any(|(allowed, _)| allowed == name);
            if types.len() > 1 && types.iter().any(|one| one.visible) && !convention {
                let places: Vec<&str> = types.iter().map(|one| one.at.as_str()).collect();
                complaints.push(format!("the type {name} is declared more than once: {}", places.join(", ")));
            }
        }
    }
}

/// The type that a line declares outside of a body, and whether another file can use it.
fn declared(line: &str) -> Option<(&str, bool)> {
    let (visible, rest) = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with(' ') => (true, rest),
        Some(rest) if rest.starts_with('(') => (true, rest.split_once(')')?.1),
        Some(_) => return None,
        None => (false, line),
    };
    let rest = if visible { rest.strip_prefix(' ')? } else { rest };
    let (keyword, rest) = rest.strip_prefix("unsafe ").unwrap_or(rest).split_once(' ')?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let name = rest.get(..end).filter(|name| !name.is_empty())?;
    KEYWORDS.contains(&keyword).then_some((name, visible))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let mut names = TypeNames::default();
        let mut complaints = Vec::new();
        files.iter().for_each(|(path, text)| names.add(path, text));
        names.check(&mut complaints);
        complaints
    }

    #[test]
    fn a_visible_type_shares_its_name_with_no_other() {
        let row = ("src/a.rs", "pub(super) struct Row<'a> {\n");
        assert_eq!(
            complaints(&[row, ("src/b.rs", "\ntype Row = u8;\n")]),
            ["the type Row is declared more than once: src/a.rs:1, src/b.rs:2"]
        );
        assert!(
            complaints(&[row, ("src/b.rs", "struct Rows;\n"), ("xtask/src/c.rs", "enum Row {}\n")])
                .is_empty()
        );
        assert!(complaints(&[("src/a.rs", "struct Row;\n"), ("src/b.rs", "enum Row {}\n")]).is_empty());
    }

    #[test]
    fn conventions_and_members_of_traits_may_repeat() {
        let props = "pub(crate) struct Props {\n    type Output = u8;\n";
        assert!(complaints(&[("src/a.rs", props), ("src/b.rs", props)]).is_empty());
    }
}
