//! The page's colours, light and dark, by the names that its style sheet gives them.

/// Light or dark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark ink on white.
    #[default]
    Light,
    /// Light ink on near black.
    Dark,
}

/// A colour by its name in `static/css/tokens.css`, light and dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour {
    name: &'static str,
    light: &'static str,
    dark: &'static str,
}

impl Colour {
    const fn new(name: &'static str, light: &'static str, dark: &'static str) -> Self {
        Self { name, light, dark }
    }

    /// As SVG writes it.
    pub(super) fn of(self, theme: Theme) -> &'static str {
        match theme {
            Theme::Light => self.light,
            Theme::Dark => self.dark,
        }
    }
}

macro_rules! colours {
    ($($constant:ident = $name:literal, $light:literal, $dark:literal;)+) => {
        $(pub(super) const $constant: Colour = Colour::new($name, $light, $dark);)+
        #[cfg(test)]
        const ALL: &[Colour] = &[$($constant),+];
    };
}

colours! {
    PAPER = "--paper", "#ffffff", "#181c21";
    EMPTY = "--paper-2", "#f0f2f5", "#1f242a";
    INK = "--ink", "#15191e", "#e7eaee";
    FAINT = "--ink-2", "#535c67", "#a5aeb9";
    RULE = "--rule", "#dde1e6", "#2d343c";
    ACCENT = "--accent", "#0b57d0", "#8ab4f8";
    BAD = "--bad", "#b3261e", "#ff8b80";
    FORWARD = "--c-forward", "#1f5fa8", "#4d94e0";
    BACKWARD = "--c-backward", "#5290d0", "#8bbcf0";
    RECOMPUTE = "--c-recompute", "#7b68c8", "#a596ea";
    TENSOR = "--c-tensor", "#c4540a", "#f08a4b";
    CONTEXT = "--c-context", "#a83f78", "#e07db4";
    EXPERT = "--c-expert", "#0f7c86", "#52c5cf";
    PIPELINE = "--c-pipeline", "#a87900", "#d9b13b";
    DATA = "--c-data", "#d97a12", "#f7b267";
    BUBBLE = "--c-bubble", "#8a939e", "#7d8793";
    OPTIMIZER = "--c-optimizer", "#2b7d4f", "#5cc08a";
    HOST = "--c-host", "#5c6570", "#a9b2bd";
    WEIGHTS = "--c-weights", "#0f6b5c", "#3fb8a0";
    GRADIENTS = "--c-gradients", "#3f9d8a", "#8bdcc8";
    STATES = "--c-states", "#8c5a9e", "#c79ad8";
    ACTIVATIONS = "--c-activations", "#b5485d", "#f0909f";
    LOGITS = "--c-logits", "#9a7b1c", "#d0b650";
    WORKSPACE = "--c-workspace", "#8a939e", "#7d8793";
}

/// The colour of a part of the breakdown.
pub(super) fn of_part(key: &str) -> Colour {
    match key {
        "forward" => FORWARD,
        "backward" => BACKWARD,
        "recompute" => RECOMPUTE,
        "tensor_communication" => TENSOR,
        "context_communication" => CONTEXT,
        "expert_communication" => EXPERT,
        "pipeline_communication" => PIPELINE,
        "data_communication" => DATA,
        "bubble" => BUBBLE,
        "optimizer" => OPTIMIZER,
        _ => HOST,
    }
}

/// The colour of an owner of memory.
pub(super) fn of_owner(key: &str) -> Colour {
    match key {
        "weights" => WEIGHTS,
        "gradients" => GRADIENTS,
        "optimizer" => STATES,
        "activations" => ACTIVATIONS,
        "logits" => LOGITS,
        _ => WORKSPACE,
    }
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn colours_are_those_of_the_page() {
        let sheet = include_str!("../../static/css/tokens.css");
        let (light, dark) = sheet.split_once("@media").expect("a dark half");
        for colour in ALL {
            assert!(light.contains(&format!("{}: {};", colour.name, colour.light)), "{colour:?}");
            let said = format!("{}: {};", colour.name, colour.dark);
            assert_eq!(dark.matches(&said).count(), 2, "{colour:?}");
        }
    }
}
