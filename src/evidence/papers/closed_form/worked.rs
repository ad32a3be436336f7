//! Every equation as printed in the paper, with the numbers in it, and the result.

use super::{EquationTerms, Notation, Parameters};
use crate::number::{self, fixed, integer, significant};
use crate::units::{Bytes, BytesPerSecond, Seconds};
use serde::Serialize;

/// One equation with this job's numbers in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Equation {
    /// The number of the equation in the paper.
    pub number: u8,
    /// What it gives.
    pub name: &'static str,
    /// The symbol on its left side.
    pub symbol: &'static str,
    /// The right side in symbols.
    pub symbolic: &'static str,
    /// The right side with the numbers put in.
    pub substituted: String,
    /// What comes out, in the equation's own unit.
    pub value: f64,
    /// Unit of the value; empty for a ratio or a count.
    pub unit: &'static str,
    /// What comes out, for people.
    pub result: String,
}

/// Numbers of the job as used in the equations.
struct Numbers<'a> {
    n: &'a Notation,
    parameters: &'a Parameters,
    terms: &'a EquationTerms,
}

/// Equations 1 to 11, in the paper's order.
pub(super) fn equations(
    notation: &Notation,
    parameters: &Parameters,
    terms: &EquationTerms,
) -> Vec<Equation> {
    let numbers = Numbers { n: notation, parameters, terms };
    vec![
        numbers.step(),
        numbers.tensor_parallel(),
        numbers.pipeline_parallel(),
        numbers.data_parallel(),
        numbers.bubble(),
        numbers.step_by_micro_batch(),
        numbers.bubble_ratio(),
        numbers.micro_batch_flops(),
        numbers.computation(),
        numbers.parameters(),
        numbers.model_flops(),
    ]
}

fn seconds(
    number: u8,
    name: &'static str,
    symbol: &'static str,
    symbolic: &'static str,
    substituted: String,
    value: Seconds,
) -> Equation {
    let result = number::time(value).to_string();
    Equation { number, name, symbol, symbolic, substituted, value: value.0, unit: "s", result }
}

fn plain(value: f64) -> String {
    integer(value.max(0.0) as u64)
}

fn rate(rate: Option<BytesPerSecond>) -> String {
    rate.map_or_else(|| "unused".to_owned(), |rate| number::traffic(Bytes(rate.0)).to_string() + "/s")
}

fn time(value: Seconds) -> String {
    number::time(value).to_string()
}

impl Numbers<'_> {
    /// Equation 1.
    fn step(&self) -> Equation {
        let terms = self.terms;
        seconds(
            1,
            "Step",
            "T_iter",
            "T_comp + T_TP + T_PP + T_DP + T_bubble",
            [
                terms.computation,
                terms.tensor_parallel,
                terms.pipeline_parallel,
                terms.data_parallel,
                terms.bubble,
            ]
            .map(time)
            .join(" + "),
            terms.step(),
        )
    }

    /// Equation 2.
    fn tensor_parallel(&self) -> Equation {
        let Notation { p, t, l, m, .. } = *self.n;
        let terms = self.terms;
        let message = self.message();
        seconds(
            2,
            "Tensor-parallel communication",
            "T_TP",
            "m \u{b7} (l/p) \u{b7} 6 \u{b7} 2bsh \u{b7} 2(t \u{2212} 1) / (t \u{b7} C_TP)",
            format!(
                "{} \u{b7} ({}/{}) \u{b7} 6 \u{b7} {message} \u{b7} 2({} \u{2212} 1) / ({} \u{b7} {})",
                plain(m),
                plain(l),
                plain(p),
                plain(t),
                plain(t),
                rate(self.parameters.tensor_rate())
            ),
            terms.tensor_parallel,
        )
    }

    /// Equation 3.
    fn pipeline_parallel(&self) -> Equation {
        let Notation { m, .. } = *self.n;
        let terms = self.terms;
        let message = self.message();
        seconds(
            3,
            "Pipeline communication",
            "T_PP",
            "m \u{b7} 2 \u{b7} 2bsh / C_PP",
            format!("{} \u{b7} 2 \u{b7} {message} / {}", plain(m), rate(self.parameters.pipeline_rate())),
            terms.pipeline_parallel,
        )
    }

    /// Equation 4.
    fn data_parallel(&self) -> Equation {
        let Notation { p, t, d, .. } = *self.n;
        let terms = self.terms;
        seconds(
            4,
            "Data-parallel communication",
            "T_DP",
            "2N / (pt) \u{b7} 2(d \u{2212} 1) / (d \u{b7} C_DP)",
            format!(
                "2 \u{b7} {} / ({} \u{b7} {}) \u{b7} 2({} \u{2212} 1) / ({} \u{b7} {})",
                self.parameter_count(),
                plain(p),
                plain(t),
                plain(d),
                plain(d),
                rate(self.parameters.data_rate())
            ),
            terms.data_parallel,
        )
    }

    /// Equation 5.
    fn bubble(&self) -> Equation {
        let Notation { p, m, .. } = *self.n;
        let terms = self.terms;
        let per_micro_batch = |value: Seconds| time(value / m);
        seconds(
            5,
            "Pipeline bubble",
            "T_bubble",
            "(p \u{2212} 1)(T_comp\u{1d50}\u{1d47} + T_PP\u{1d50}\u{1d47} + T_TP\u{1d50}\u{1d47})",
            format!(
                "({} \u{2212} 1)({} + {} + {})",
                plain(p),
                per_micro_batch(terms.computation),
                per_micro_batch(terms.pipeline_parallel),
                per_micro_batch(terms.tensor_parallel)
            ),
            terms.bubble,
        )
    }

    /// Equation 6.
    fn step_by_micro_batch(&self) -> Equation {
        let Notation { m, .. } = *self.n;
        let terms = self.terms;
        let per_micro_batch = |value: Seconds| time(value / m);
        let work = terms.computation + terms.pipeline_parallel + terms.tensor_parallel;
        let step = work + terms.bubble + terms.data_parallel;
        seconds(
            6,
            "Step, by micro-batch",
            "T_iter",
            "m (T_comp\u{1d50}\u{1d47} + T_PP\u{1d50}\u{1d47} + T_TP\u{1d50}\u{1d47}) + T_bubble + T_DP",
            format!(
                "{} ({} + {} + {}) + {} + {}",
                plain(m),
                per_micro_batch(terms.computation),
                per_micro_batch(terms.pipeline_parallel),
                per_micro_batch(terms.tensor_parallel),
                time(terms.bubble),
                time(terms.data_parallel)
            ),
            step,
        )
    }

    /// Equation 7.
    fn bubble_ratio(&self) -> Equation {
        let Notation { p, m, .. } = *self.n;
        let ratio = self.n.bubble_ratio();
        Equation {
            number: 7,
            name: "Bubble ratio, estimated",
            symbol: "R_bubble",
            symbolic: "(p \u{2212} 1) / (p \u{2212} 1 + m)",
            substituted: format!("({} \u{2212} 1) / ({} \u{2212} 1 + {})", plain(p), plain(p), plain(m)),
            value: ratio,
            unit: "",
            result: number::percent(ratio).to_string(),
        }
    }

    /// Equation 8.
    fn micro_batch_flops(&self) -> Equation {
        let Notation { p, t, b, s, .. } = *self.n;
        let [sequence] = [s].map(plain);
        Equation {
            number: 8,
            name: "FLOPs of one micro-batch on one GPU",
            symbol: "FLOP\u{1d50}\u{1d47}",
            symbolic: "8 \u{b7} N / (pt) \u{b7} b \u{b7} s",
            substituted: format!(
                "8 \u{b7} {} / ({} \u{b7} {}) \u{b7} {} \u{b7} {sequence}",
                self.parameter_count(),
                plain(p),
                plain(t),
                plain(b)
            ),
            value: self.n.micro_batch_flops().0,
            unit: "FLOP",
            result: number::flops(self.n.micro_batch_flops()).to_string(),
        }
    }

    /// Equation 9.
    fn computation(&self) -> Equation {
        let Notation { p, t, b, m, s, .. } = *self.n;
        let [sequence] = [s].map(plain);
        let (peak, utilisation) = (self.parameters.peak, self.parameters.utilisation.value);
        seconds(
            9,
            "Computation",
            "T_comp",
            "8m \u{b7} N \u{b7} b \u{b7} s / (p \u{b7} t \u{b7} \u{3bc}F)",
            format!(
                "8 \u{b7} {} \u{b7} {} \u{b7} {} \u{b7} {sequence} / ({} \u{b7} {} \u{b7} {} \u{b7} {} TFLOP/s)",
                plain(m),
                self.parameter_count(),
                plain(b),
                plain(p),
                plain(t),
                significant(utilisation, 3),
                significant(peak.tera(), 4)
            ),
            self.terms.computation,
        )
    }

    /// Equation 10.
    fn parameters(&self) -> Equation {
        let Notation { h, l, s, vocabulary, .. } = *self.n;
        let [hidden, layers, sequence, words] = [h, l, s, vocabulary].map(plain);
        Equation {
            number: 10,
            name: "Parameters",
            symbol: "N",
            symbolic: "12 l h\u{b2} (1 + 13 / (12h) + (V + s) / (12lh))",
            substituted: format!(
                "12 \u{b7} {layers} \u{b7} {hidden}\u{b2} (1 + 13 / (12 \u{b7} {hidden}) + ({words} + {sequence}) / (12 \u{b7} {layers} \u{b7} {hidden}))"
            ),
            value: self.n.parameters(),
            unit: "",
            result: self.parameter_count(),
        }
    }

    /// Equation 11.
    fn model_flops(&self) -> Equation {
        let Notation { b, h, l, s, vocabulary, .. } = *self.n;
        let [hidden, layers, sequence, words] = [h, l, s, vocabulary].map(plain);
        Equation {
            number: 11,
            name: "FLOPs of one micro-batch through the model",
            symbol: "P",
            symbolic: "96 b s l h\u{b2} (1 + s / (6h) + V / (16lh))",
            substituted: format!(
                "96 \u{b7} {} \u{b7} {sequence} \u{b7} {layers} \u{b7} {hidden}\u{b2} (1 + {sequence} / (6 \u{b7} {hidden}) + {words} / (16 \u{b7} {layers} \u{b7} {hidden}))",
                plain(b)
            ),
            value: self.n.flops().0,
            unit: "FLOP",
            result: number::flops(self.n.flops()).to_string(),
        }
    }

    /// 2bsh with its numbers and in MiB, the unit that the paper's table 3 calls MB.
    fn message(&self) -> String {
        let Notation { b, s, h, .. } = *self.n;
        let mebibytes = fixed(self.n.activation().0 / 1_048_576.0, 0);
        format!("(2 \u{b7} {} \u{b7} {} \u{b7} {} = {mebibytes} MiB)", plain(b), plain(s), plain(h))
    }

    fn parameter_count(&self) -> String {
        plain(self.n.parameters().round())
    }
}
