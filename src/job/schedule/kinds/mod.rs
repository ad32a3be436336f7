//! One file per schedule: its row of the table, the order of its passes and its memory.

pub(super) mod all_forward_all_backward;
pub(super) mod dual_pipe;
pub(super) mod dual_pipe_v;
pub(super) mod one_forward_one_backward;
mod two_chunks;
pub(super) mod zero_bubble_h1;
pub(super) mod zero_bubble_h2;
pub(super) mod zero_bubble_v;
