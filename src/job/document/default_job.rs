//! The job of a new document.

use crate::scenario::plan::{Plan, Zero};
use crate::scenario::stack::{ExpertKernels, Kernels, Software, Stack};
use crate::scenario::{Precision, Scenario, Training, TrainingRun, WideLayers, Workload};
use crate::scenario::{cluster, model};

/// Llama-3 70B on 512 H100.
pub(super) fn default_scenario() -> Scenario {
    let cluster = cluster::Cluster { gpus: 512, ..cluster::machines::DGX_H100 };
    Scenario {
        model: model::models::LLAMA3_70B,
        cluster,
        run: TrainingRun::on(&cluster),
        workload: Workload {
            sequence: 8192,
            global_batch: 1024,
            document: 0,
            padding: 0,
            wide_layers: WideLayers::NONE,
            precision: Precision::Bf16,
        },
        software: Software {
            stack: Stack::Nemo,
            year: 2025,
            month: 6,
            graphs: false,
            expert_kernels: ExpertKernels::PerExpert,
            kernels: Kernels::OF_STACK,
        },
        training: Training::USUAL,
        plan: Plan {
            tensor_parallel: 8,
            sequence_parallel: true,
            pipeline_parallel: 4,
            zero: Zero::Optimizer,
            tensor_overlap: true,
            ..Plan::PLAIN
        },
    }
}
