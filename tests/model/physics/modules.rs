//! PyTorch's own modules: what they move where each is one kernel, beside the operations that they are written as.

use crate::physics::calls::{calls, job, moved};
use crate::support::close;
use stepcast::step::Place;

/// What the call of this name of a layer moves forward or backward, and its kernels.
fn layer(edits: &[(&str, &str)], name: &str, forward: bool) -> (f64, f64) {
    let base = [("tp", "1"), ("sp", "0"), ("stack", "eager")];
    moved(&calls(&job(&[&base[..], edits].concat()), Place::layer(0)), name, forward)
}

/// `nn.GELU` reads and writes 16 bits once, under autocast as well; backward it reads two and writes one. LayerNorm is a kernel
/// either way.
#[test]
fn gelu_of_modules_is_one_kernel() {
    let gpt = [("m", "gpt2-1.5b"), ("seq", "1024")];
    let inside = 4.0 * 1024.0 * 1600.0;
    let of = |more: &[(&str, &str)], name, forward| layer(&[&gpt[..], more].concat(), name, forward);
    for edits in [&[("ew", "modules")][..], &[("ew", "modules"), ("wts", "32"), ("zero", "0")]] {
        let forward = of(edits, "activation", true);
        assert!(close(forward.0, 4.0 * inside) && forward.1 == 1.0, "{forward:?}");
        assert!(close(of(edits, "activation", false).0, 6.0 * inside));
    }
    assert!(of(&[("ew", "plain")], "activation", true).1 > 1.0);
    let norm = |kernels| of(&[("ew", kernels)], "attention_norm", true);
    assert_eq!(norm("modules"), norm("plain"));
}

/// A compiler makes one kernel of what modules write out, however they write it.
#[test]
fn a_compiler_fuses_what_is_written_out() {
    let gpt = [("m", "gpt2-1.5b"), ("seq", "1024")];
    let of = |more: &[(&str, &str)]| layer(&[&gpt[..], more].concat(), "activation", true);
    let compiled = of(&[("comp", "1")]);
    for kernels in ["plain", "modules"] {
        assert_eq!(of(&[("comp", "1"), ("ew", kernels)]), compiled);
    }
    assert!(of(&[("ew", "plain")]).0 > compiled.0);
}
