//! Keys and values around a context-parallel group.

use super::emit::Emitter;
use super::{Call, Communication, Hides, Parallelism, Pass, ProcessGroup, Saved};
use crate::cost::{Collective, Work};

impl Emitter<'_, '_> {
    /// Ring exchange behind the attention core: keys and values of the local tokens, 16 bits each, handed on to every
    /// other rank in turn, as one stream of messages over the slowest link of the ring. Backward sends keys, values and
    /// their gradients.
    pub(super) fn key_value_exchange(&mut self) {
        let program = self.program;
        let degree = f64::from(program.scenario.plan.context_parallel);
        if degree <= 1.0 {
            return;
        }
        let messages = degree - 1.0;
        let bytes = 2.0 * program.shapes.key_values * program.shapes.tokens * messages;
        let work = Work::Collective { kind: Collective::PointToPoint, bytes, group: program.groups.context };
        let communication = Some(Communication {
            parallelism: Parallelism::ContextParallel,
            group: ProcessGroup::Context,
            messages,
            hides: Hides::AttentionCore,
        });
        for (pass, times) in [(Pass::Forward, 1.0), (Pass::Backward, 2.0)] {
            let saves = Saved::NOTHING;
            self.call(Call { name: "key_value_exchange", pass, work, times, communication, saves });
        }
    }
}
