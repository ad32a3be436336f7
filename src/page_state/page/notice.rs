//! What is told above the answer.

use std::rc::Rc;

/// Something to tell the reader above everything else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What it is about.
    pub kind: NoticeKind,
    /// Whole sentences.
    pub sentences: Rc<[String]>,
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// A link that could not be read.
    Failed,
    /// A link of which parts have no effect.
    Partly,
    /// Fields that were changed to suit a preset; goes with the next edit.
    Suited,
}
