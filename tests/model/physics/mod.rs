//! What is forecast against what definitions, papers and hand counts say.
//!
//! Every expected number here is worked out from its definition and by none of the code that is tested, so that a
//! term left out, counted twice or given to the wrong rank shows. One file per subject.

mod attention;
mod bottleneck;
mod calls;
mod cards;
mod casts;
mod collectives;
mod context;
mod encoder;
mod experts;
mod gates;
mod host;
mod host_memory;
mod host_update;
mod hosts;
mod instinct;
mod interval;
mod kernels;
mod learned_times;
mod legality;
mod memory;
mod messages;
mod modules;
mod muon;
mod overlap;
mod pace;
mod pipeline;
mod power;
mod prediction;
mod products;
mod ranking;
mod selection;
mod sharding;
mod shared;
mod states;
mod step_end;
mod training;
mod utilisation;
mod wire;
