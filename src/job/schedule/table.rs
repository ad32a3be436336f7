//! The pipeline schedules there are: one row each.

use super::description::{ChunkAssignment, Description, StepBoundary, WeightGradients};
use super::kinds;
use serde::{Deserialize, Serialize};

/// Lists the schedules once: the variant, and the file in `kinds/` with its row.
macro_rules! schedules {
    ($($(#[$attribute:meta])* $name:ident => $kind:ident,)+) => {
        /// Pipeline schedule: the order in which a stage runs the passes of its micro-batches.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum Schedule {
            $($(#[$attribute])* $name,)+
        }

        impl Schedule {
            /// Every schedule, the usual one first.
            pub const ALL: [Self; [$(Self::$name),+].len()] = [$(Self::$name),+];

            /// Everything that tells it from the others.
            pub const fn row(self) -> &'static Description {
                match self {
                    $(Self::$name => &kinds::$kind::ROW,)+
                }
            }
        }
    };
}

schedules! {
    /// One forward, one backward (PipeDream-Flush); interleaved where there are virtual stages.
    #[default]
    OneForwardOneBackward => one_forward_one_backward,
    /// All forward passes, then all backward passes (GPipe).
    AllForwardAllBackward => all_forward_all_backward,
    /// ZB-H1: 1F1B whose weight gradients fill the drain, in 1F1B's memory.
    ZeroBubbleH1 => zero_bubble_h1,
    /// ZB-H2: ZB-H1 with twice the warm-up. Its stages end as far apart as they begin, so that the optimizer
    /// must not wait for all of them.
    ZeroBubbleH2 => zero_bubble_h2,
    /// ZB-V: two parts of the model on every GPU, placed down and up again; ends as ZB-H2 does.
    ZeroBubbleV => zero_bubble_v,
    /// DualPipe: two copies of the model, fed from both ends.
    DualPipe => dual_pipe,
    /// DualPipe cut in half: one copy, folded as ZB-V folds it.
    DualPipeV => dual_pipe_v,
}

impl Schedule {
    /// Name of the schedule for people.
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// Whether the model is placed down the stages and up again ([`ChunkAssignment::Folded`]).
    pub fn folds(self) -> bool {
        self.row().assignment == ChunkAssignment::Folded
    }

    /// Whether every GPU holds a second chunk, that of the mirrored stage ([`ChunkAssignment::Mirrored`]).
    pub fn mirrors(self) -> bool {
        self.row().assignment == ChunkAssignment::Mirrored
    }

    /// Whether weight gradients run apart from input gradients.
    pub fn splits_backward(self) -> bool {
        self.row().weight_gradients == WeightGradients::Apart
    }

    /// Whether a forward and a backward pass run as one, each behind the other's communication.
    pub fn pairs_passes(self) -> bool {
        self.row().paired_share.is_some()
    }

    /// Whether a stage goes on to its next step without waiting for the others' last passes.
    pub fn ends_unevenly(self) -> bool {
        self.row().step_end == StepBoundary::Apart
    }
}
