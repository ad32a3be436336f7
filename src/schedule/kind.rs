//! The pipeline schedules there are.

use serde::{Deserialize, Serialize};

/// Pipeline schedule: the order in which a stage runs the passes of its micro-batches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// One forward, one backward (PipeDream-Flush); interleaved where there are virtual stages (Narayanan et
    /// al. 2021, arXiv 2104.04473).
    #[default]
    OneForwardOneBackward,
    /// All forward passes, then all backward passes (GPipe, arXiv 1811.06965).
    AllForwardAllBackward,
    /// ZB-H1: 1F1B whose weight gradients fill the drain, in 1F1B's memory (Qi et al. 2024, arXiv 2401.10241).
    ZeroBubbleH1,
    /// ZB-H2: ZB-H1 with twice the warm-up. Its stages end as far apart as they begin, so that the optimizer
    /// must not wait for all of them (post-validation, section 4 of the same).
    ZeroBubbleH2,
    /// ZB-V: two parts of the model on every GPU, dealt down and up again (section 6 of the same); ends as
    /// ZB-H2 does.
    ZeroBubbleV,
    /// DualPipe: two copies of the model, fed from both ends (DeepSeek-V3, arXiv 2412.19437, section 3.2.1).
    DualPipe,
    /// DualPipe cut in half: one copy, folded as ZB-V folds it.
    DualPipeV,
}

impl Schedule {
    /// Every schedule, the usual one first.
    pub const ALL: [Self; 7] = [
        Self::OneForwardOneBackward,
        Self::AllForwardAllBackward,
        Self::ZeroBubbleH1,
        Self::ZeroBubbleH2,
        Self::ZeroBubbleV,
        Self::DualPipe,
        Self::DualPipeV,
    ];

    /// The name of the schedule for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::OneForwardOneBackward => "1F1B",
            Self::AllForwardAllBackward => "GPipe",
            Self::ZeroBubbleH1 => "ZB-H1",
            Self::ZeroBubbleH2 => "ZB-H2",
            Self::ZeroBubbleV => "ZB-V",
            Self::DualPipe => "DualPipe",
            Self::DualPipeV => "DualPipeV",
        }
    }

    /// Whether the model is dealt down the stages and up again: chunk k < p on stage k, the others on stage
    /// 2p - 1 - k.
    pub fn folds(self) -> bool {
        matches!(self, Self::ZeroBubbleV | Self::DualPipeV)
    }

    /// Whether every GPU holds a second chunk, that of the mirrored stage, for micro-batches from the other end.
    pub fn mirrors(self) -> bool {
        self == Self::DualPipe
    }

    /// Whether weight gradients run apart from input gradients.
    pub fn splits_backward(self) -> bool {
        !matches!(self, Self::OneForwardOneBackward | Self::AllForwardAllBackward)
    }

    /// Whether a forward and a backward pass run as one, each behind the other's communication.
    pub fn pairs_passes(self) -> bool {
        matches!(self, Self::DualPipe | Self::DualPipeV)
    }

    /// Whether a stage goes on to its next step without waiting for the others' last passes.
    pub fn ends_unevenly(self) -> bool {
        matches!(self, Self::ZeroBubbleH2 | Self::ZeroBubbleV)
    }
}
