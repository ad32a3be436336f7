//! The jobs of arXiv 2509.22832, and what was learned of its machines.

// Every test file takes what it needs.
#![allow(dead_code)]

use stepcast::constants::Constants;
use stepcast::document::Document;
use stepcast::learned::{LayerAssignment, LearnedStep, Profile, step};
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::presets::find;
use stepcast::scenario::model::{Bias, Model, Norm, Positions};
use stepcast::scenario::plan::{Recompute, Zero};
use stepcast::scenario::stack::{Software, Stack};

/// The shipped profile of a machine.
pub(crate) fn profile(machine: &str) -> Profile {
    let bytes: &[u8] = match machine {
        "perlmutter" => include_bytes!("../../static/profiles/perlmutter.profile"),
        _ => include_bytes!("../../static/profiles/vista.profile"),
    };
    Profile::from_bytes(bytes).expect("a profile of this version")
}

/// One of the paper's jobs.
#[derive(Clone, Copy)]
pub(crate) struct Job {
    pub(crate) layers: u32,
    pub(crate) hidden: u32,
    pub(crate) heads: u32,
    pub(crate) sequence: u32,
    pub(crate) rms: bool,
    /// Fused attention.
    pub(crate) flash: bool,
    /// Pipeline, tensor, data.
    pub(crate) degrees: [u32; 3],
    pub(crate) micro_batch: u32,
    pub(crate) micro_batches: u32,
}

pub(crate) const LLEMMA: Job = Job {
    layers: 32,
    hidden: 4096,
    heads: 32,
    sequence: 4096,
    rms: true,
    flash: true,
    degrees: [4, 2, 2],
    micro_batch: 4,
    micro_batches: 8,
};
pub(crate) const LLAMA_13B: Job =
    Job { layers: 40, hidden: 5120, heads: 40, sequence: 2048, degrees: [4, 8, 2], ..LLEMMA };
pub(crate) const GPT_20B: Job = Job {
    layers: 44,
    hidden: 6144,
    heads: 64,
    sequence: 2048,
    rms: false,
    degrees: [4, 8, 4],
    micro_batches: 16,
    ..LLEMMA
};

impl Job {
    /// GPT-NeoX: a feed-forward layer of four times the hidden size, rotary positions, everything recomputed.
    pub(crate) fn on(self, machine: &str) -> Scenario {
        let [pipeline, tensor, data] = self.degrees;
        let mut scenario = Document::default().scenario().expect("the default job");
        scenario.model = Model {
            layers: self.layers,
            hidden: self.hidden,
            ffn: 4 * self.hidden,
            heads: self.heads,
            kv_heads: self.heads,
            head_dim: self.hidden / self.heads,
            vocabulary: 50_257,
            gated_mlp: false,
            bias: Bias::All,
            norm: if self.rms { Norm::Rms } else { Norm::Layer },
            positions: Positions::Rotary,
            ..Model::DENSE
        };
        scenario.cluster = find(machine).expect("a preset").with_gpus(pipeline * tensor * data);
        scenario.software = Software {
            stack: if self.flash { Stack::Fused } else { Stack::MegatronDeepspeed },
            year: 2025,
            ..scenario.software
        };
        scenario.workload.sequence = self.sequence;
        scenario.workload.global_batch = self.micro_batch * self.micro_batches * data;
        scenario.plan.pipeline_parallel = pipeline;
        scenario.plan.tensor_parallel = tensor;
        scenario.plan.sequence_parallel = false;
        scenario.plan.context_parallel = 1;
        scenario.plan.virtual_stages = 1;
        scenario.plan.micro_batch = self.micro_batch;
        scenario.plan.zero = if data > 1 { Zero::Optimizer } else { Zero::None };
        scenario.plan.recompute = Recompute::Full;
        scenario
    }

    pub(crate) fn step(self, machine: &str) -> LearnedStep {
        self.under(machine, &Constants::SHIPPED)
    }

    /// The step of a GPU that is as cool in training as its samples were, which is what the authors' tool forecasts.
    pub(crate) fn cool_step(self, machine: &str) -> LearnedStep {
        let constants = Constants {
            samples_ampere: 1.0,
            samples_hopper: 1.0,
            samples_blackwell: 1.0,
            ..Constants::SHIPPED
        };
        self.under(machine, &constants)
    }

    fn under(self, machine: &str, constants: &Constants) -> LearnedStep {
        step(&self.on(machine), &profile(machine), constants, LayerAssignment::GptNeox).expect("legal")
    }
}
