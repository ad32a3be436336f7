//! Shapes of operators for display.

use crate::cost::Work;
use core::fmt::{Display, Formatter, Result};
use serde::{Serialize, Serializer};

/// Shape of an operator, formatted on display: `4096 x 2560 x 8192`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OperatorShape {
    /// Of a kernel's or a collective's work.
    Of(Work),
    /// Text, if there is no single shape.
    Words(&'static str),
}

const MIB: f64 = 1_048_576.0;

impl Display for OperatorShape {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Self::Words(words) => out.write_str(words),
            Self::Of(Work::Gemm(gemm)) if gemm.groups > 1.0 => {
                write!(out, "{} of {:.0} x {} x {}", gemm.groups, gemm.m, gemm.n, gemm.k)
            }
            Self::Of(Work::Gemm(gemm)) => write!(out, "{} x {} x {}", gemm.m, gemm.n, gemm.k),
            Self::Of(Work::Attention(core)) => write!(
                out,
                "{} tokens, {} heads of {}, {} keys",
                core.tokens, core.heads, core.head_dim, core.keys
            ),
            Self::Of(Work::Scan(scan)) => {
                write!(
                    out,
                    "{} tokens, {} heads of {} x {}",
                    scan.tokens, scan.heads, scan.key_dim, scan.value_dim
                )
            }
            Self::Of(Work::Index(index)) => {
                write!(
                    out,
                    "{} tokens, {} heads of {}, {} keys",
                    index.tokens, index.heads, index.width, index.keys
                )
            }
            Self::Of(Work::Convolution { elements, .. }) => write!(out, "{elements} elements"),
            Self::Of(
                Work::Stream { bytes, .. }
                | Work::Scatter { bytes, .. }
                | Work::Cast { bytes, .. }
                | Work::HostCopy { bytes },
            ) => {
                write!(out, "{:.1} MiB", bytes / MIB)
            }
            Self::Of(Work::Collective { bytes, group, .. } | Work::Dispatch { bytes, group, .. }) => {
                write!(out, "{:.1} MiB over {} GPUs", bytes / MIB, group.size)
            }
        }
    }
}

impl Serialize for OperatorShape {
    fn serialize<S: Serializer>(&self, serializer: S) -> core::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
