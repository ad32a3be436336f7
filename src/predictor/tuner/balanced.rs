//! Layers per chunk that account for the last chunk's other work: the LM head, and multi-token prediction layers (as in
//! Megatron-Core's `pipeline_model_parallel_layout` and DeepSeek-V3's recipes).

use crate::forecast::model_flops_per_token;
use crate::scenario::Scenario;
use crate::scenario::model::Model;
use crate::scenario::plan::StageLayers;

/// Extra work on the last chunk, in layers, below which no list is tried.
const LEAST: f64 = 0.5;

/// Work of the head and the prediction layers, in layers of the model.
fn beyond_layers(job: &Scenario) -> f64 {
    let sequence = job.workload.sequence;
    let fewer = Model { layers: job.model.layers.saturating_sub(1), ..job.model };
    let all = model_flops_per_token(&job.model, sequence);
    let layer = all - model_flops_per_token(&fewer, sequence);
    if layer > 0.0 { all / layer - f64::from(job.model.layers) } else { 0.0 }
}

/// Whether lists are worth trying for a job.
pub(super) fn is_worth_it(job: &Scenario) -> bool {
    beyond_layers(job) >= LEAST
}

/// The list with the least work on its busiest chunk, and as many layers on the last chunk as that allows; nothing if
/// equal shares are as good, or there are too few layers.
pub(super) fn balanced(job: &Scenario, chunks: u32) -> Option<StageLayers> {
    let (layers, beyond) = (job.model.layers, beyond_layers(job));
    if chunks < 2 || layers < chunks || beyond < LEAST {
        return None;
    }
    let busiest = |last: u32| f64::from((layers - last).div_ceil(chunks - 1)).max(f64::from(last) + beyond);
    let most = layers / chunks;
    let last =
        (1..=most).rev().fold(most, |best, last| if busiest(last) < busiest(best) { last } else { best });
    if last == most {
        return None;
    }
    let (share, more) = ((layers - last) / (chunks - 1), (layers - last) % (chunks - 1));
    let mut list = StageLayers::default();
    let of = |number: u32| u16::try_from(number).ok();
    let pushed = list.push(of(share + 1)?, of(more)?)
        && list.push(of(share)?, of(chunks - 1 - more)?)
        && list.push(of(last)?, 1);
    pushed.then_some(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn job(link: &str) -> Scenario {
        Document::from_link(link).expect("a link").document.values().expect("values")
    }

    #[test]
    fn the_last_chunk_has_room_for_the_head() {
        let deepseek = job("#1;m=deepseek-v3;g=dgx-h100;n=2048");
        let text = |list: Option<StageLayers>| list.map_or_else(String::new, |list| list.to_string());
        // 61 layers, one prediction layer with its head, and the head: NVIDIA's recipes also have 4x15,1.
        assert_eq!(text(balanced(&deepseek, 16)), "4x15,1");
        assert_eq!(text(balanced(&deepseek, 62)), "", "more chunks than layers");
        let llama = job("#1;m=llama3-8b;g=dgx-h100;n=64");
        let list = balanced(&llama, 4).expect("a list");
        assert_eq!((list.layers(), list.chunks()), (32, 4));
        assert!(list.of(3) < list.of(0));
        // GPT-3's head is a third of a layer.
        assert!(!is_worth_it(&job("#1;m=gpt3-175b;g=dgx-a100-80g;n=512;seq=2048")));
    }
}
