//! Jobs whose layouts are timed: what each adds is what one layout costs.

use stepcast::document::Document;
use stepcast::scenario::Scenario;

/// A plain deep pipeline; virtual stages; layers of experts behind dense ones; sharded parameters; passes that run two as
/// one, which are replayed.
pub(crate) const JOBS: [(&str, &str); 5] = [
    ("gpt3-175b on 1,024 A100", "1;m=gpt3-175b;g=dgx-a100-80g;n=1024;tp=8;pp=16;seq=2048"),
    (
        "llama3-405b on 1,024 H100, interleaved",
        "1;m=llama3-405b;g=dgx-h100;n=1024;tp=8;pp=16;vpp=4;split=ends;gb=1024;seq=8192",
    ),
    ("deepseek-v3 on 2,048 H100", "1;m=deepseek-v3;g=dgx-h100;n=2048;tp=1;sp=0;pp=16;ep=64;gb=8192;seq=4096"),
    ("llama3-8b on 256 H100, FSDP", "1;m=llama3-8b;g=dgx-h100;n=256;tp=1;sp=0;pp=1;zero=3;gb=512"),
    (
        "deepseek-v3 on 2,048 H100, DualPipe",
        "1;m=deepseek-v3;g=dgx-h100;n=2048;tp=1;sp=0;pp=16;ep=64;gb=8192;seq=4096;sched=dualpipe",
    ),
];

/// The job of a link.
pub(crate) fn scenario(link: &str) -> Scenario {
    Document::from_link(link).expect("a link of this version").document.scenario().expect("a legal scenario")
}
