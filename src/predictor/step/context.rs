//! How queries reach all keys of a sequence that is split over a context-parallel group.

use super::emit::Emitter;
use super::{Call, Communication, Module, Overlap, Parallelism, Pass, ProcessGroup, Saved};
use crate::cost::{Collective, Work};
use crate::scenario::plan::ContextExchange;

impl Emitter<'_, '_> {
    /// What is exchanged before the attention core, and after its backward pass.
    pub(super) fn exchange_before_core(&mut self) {
        let plan = &self.program.scenario.plan;
        if plan.context_parallel <= 1 {
            return;
        }
        match plan.context_exchange {
            ContextExchange::Ring => self.key_value_exchange(),
            ContextExchange::AllGather => {
                let bytes = self.gathered_keys_and_values();
                self.within_context(Module::KeyValueGather, Pass::Forward, Collective::AllGather, bytes);
                self.within_context(
                    Module::KeyValueScatter,
                    Pass::Backward,
                    Collective::ReduceScatter,
                    bytes,
                );
            }
            ContextExchange::AllToAll => {
                let shapes = &self.program.shapes;
                let keys_and_values = shapes.key_values * shapes.key_value_copies;
                let width = shapes.heads * shapes.head_dim + keys_and_values;
                self.swap_tokens_for_heads(Module::AttentionInputExchange, width);
            }
        }
    }

    /// What is exchanged after the attention core, and before its backward pass.
    pub(super) fn exchange_behind_core(&mut self) {
        let plan = &self.program.scenario.plan;
        if plan.context_parallel <= 1 {
            return;
        }
        match plan.context_exchange {
            ContextExchange::Ring => {}
            // A rank keeps only its own keys and values: the others' are gathered again.
            ContextExchange::AllGather => {
                let bytes = self.gathered_keys_and_values();
                self.within_context(Module::KeyValueGather, Pass::Backward, Collective::AllGather, bytes);
            }
            ContextExchange::AllToAll => {
                let width = self.program.shapes.heads * self.program.shapes.value_dim;
                self.swap_tokens_for_heads(Module::AttentionOutputExchange, width);
            }
        }
    }

    /// Ring exchange overlapped with the attention core: the local tokens' keys and values, 16 bits each, pass every
    /// other rank in turn, as one stream of messages over the slowest link of the ring. Backward sends keys, values and
    /// their gradients.
    fn key_value_exchange(&mut self) {
        let program = self.program;
        let messages = f64::from(program.scenario.plan.context_parallel) - 1.0;
        let bytes = 2.0 * program.shapes.key_values * program.shapes.tokens * messages;
        let work = Work::Collective { kind: Collective::PointToPoint, bytes, group: program.groups.context };
        let communication = Some(Communication {
            parallelism: Parallelism::ContextParallel,
            group: ProcessGroup::Context,
            messages,
            hides: Overlap::AttentionCore,
        });
        for (pass, times) in [(Pass::Forward, 1.0), (Pass::Backward, 2.0)] {
            let saves = Saved::NOTHING;
            self.call(Call { module: Module::KeyValueExchange, pass, work, times, communication, saves });
        }
    }

    /// Bytes of the keys and values of a whole micro-batch, 16 bits each.
    fn gathered_keys_and_values(&self) -> f64 {
        let (shapes, degree) = (&self.program.shapes, self.program.scenario.plan.context_parallel);
        2.0 * (shapes.key_values + shapes.index_keys) * shapes.tokens * f64::from(degree)
    }

    /// All-to-all that trades `width` 16-bit elements of each local token for a share of the heads of all tokens;
    /// backward, of their gradients. A rank sends all of its tensor but its own share (Jacobs et al. 2023, arXiv
    /// 2309.14509, section 3.2).
    pub(super) fn swap_tokens_for_heads(&mut self, module: Module, width: f64) {
        let bytes = 2.0 * width * self.program.shapes.tokens;
        for pass in [Pass::Forward, Pass::Backward] {
            self.within_context(module, pass, Collective::AllToAll, bytes);
        }
    }

    /// A collective that the attention waits for.
    fn within_context(&mut self, module: Module, pass: Pass, kind: Collective, bytes: f64) {
        let axis = (Parallelism::ContextParallel, ProcessGroup::Context, Overlap::Nowhere);
        self.collective(module, pass, kind, bytes, axis);
    }
}
