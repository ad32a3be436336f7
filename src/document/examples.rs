//! Worked scenarios for the command line's `--preset` and the page's examples.

/// A scenario somebody published or would ask about, as a link.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// Name on the command line.
    pub name: &'static str,
    /// One line about it.
    pub label: &'static str,
    /// Its link.
    pub link: &'static str,
}

/// Every example.
pub static EXAMPLES: &[Example] = &[Example {
    name: "llama3-70b-512xh100",
    label: "Llama-3 70B on 64 nodes of 8 H100",
    link: "#1;m=llama3-70b;g=dgx-h100;n=512",
}];
