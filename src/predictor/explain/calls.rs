//! Formula of the time of one call, with this job's values.

use super::Unit;
use super::formula::{Formula, FormulaTerm};
use crate::cost::{
    ConvolutionTerms, Exchange, Flash, IndexTerms, PriceTerms, ProductPrice, ProtocolTime, ScanTerms,
    TierTransfer, Unfused,
};

/// Exponent of the smooth maximum of clock and power.
const CLOCK_AND_POWER: f64 = 8.0;

/// Exponent of a hypotenuse.
const HYPOTENUSE: f64 = 2.0;

/// Formula of a call's physics price.
pub(super) fn formula(terms: &PriceTerms) -> Formula {
    match terms {
        PriceTerms::Product(product) => of_product(product),
        PriceTerms::Flash(flash) => of_flash(flash),
        PriceTerms::Unfused(unfused) => of_unfused(unfused),
        PriceTerms::Stream { bytes, rate, kernels, ramp, factor } => {
            let read = Formula::over(
                FormulaTerm::given("bytes read and written", *bytes, Unit::Bytes),
                FormulaTerm::given("memory bandwidth", *rate, Unit::BytesPerSecond),
            );
            let sum = Formula::Sum(vec![read, ramps(*kernels, *ramp)]);
            if *factor == 1.0 {
                return sum;
            }
            Formula::Product(vec![
                FormulaTerm::given("slowdown by scattered rows", *factor, Unit::Number).into(),
                sum,
            ])
        }
        PriceTerms::Scan(scan) => of_scan(scan),
        PriceTerms::Convolution(convolution) => of_convolution(convolution),
        PriceTerms::Index(index) => of_index(index),
        PriceTerms::HostCopy { bytes, rate } => Formula::over(
            FormulaTerm::given("bytes between GPU and host", *bytes, Unit::Bytes),
            FormulaTerm::given("host link bandwidth", *rate, Unit::BytesPerSecond),
        ),
        PriceTerms::Exchange(None) => Formula::Number(0.0),
        PriceTerms::Exchange(Some(exchange)) => of_exchange(exchange),
    }
}

fn of_scan(scan: &ScanTerms) -> Formula {
    let sum = Formula::Sum(vec![
        Formula::Product(vec![
            FormulaTerm::given("chunks of a sequence", scan.chunks, Unit::Number).into(),
            FormulaTerm::given("latency of the previous chunk", scan.chain, Unit::Seconds).into(),
        ]),
        Formula::over(
            FormulaTerm::given("bytes read and written", scan.bytes, Unit::Bytes),
            FormulaTerm::given("memory bandwidth", scan.rate, Unit::BytesPerSecond),
        ),
        FormulaTerm::given("work of the SMs", scan.work, Unit::Seconds).into(),
        ramps(scan.kernels, scan.ramp),
    ]);
    if scan.factor == 1.0 {
        return sum;
    }
    Formula::Product(vec![FormulaTerm::given("backward / forward", scan.factor, Unit::Number).into(), sum])
}

fn of_convolution(convolution: &ConvolutionTerms) -> Formula {
    let pass = Formula::Sum(vec![
        Formula::over(
            FormulaTerm::given("bytes read and written", convolution.bytes, Unit::Bytes),
            FormulaTerm::given("memory bandwidth", convolution.rate, Unit::BytesPerSecond),
        ),
        FormulaTerm::given("work of the SMs", convolution.work, Unit::Seconds).into(),
    ]);
    let passes = FormulaTerm::given("forward passes", convolution.passes, Unit::Number).into();
    Formula::Sum(vec![Formula::Product(vec![passes, pass]), ramps(convolution.kernels, convolution.ramp)])
}

fn of_index(index: &IndexTerms) -> Formula {
    let scores = Formula::over(
        FormulaTerm::given("FLOPs of the indexer scores", index.flops, Unit::Flops),
        FormulaTerm::given("indexer rate", index.rate, Unit::FlopsPerSecond),
    );
    let choice = Formula::over(
        Formula::Product(vec![
            FormulaTerm::given("scores to select from", index.scores, Unit::Count).into(),
            FormulaTerm::given("SM time per score", index.selection, Unit::Seconds).into(),
        ]),
        FormulaTerm::given("SMs", index.multiprocessors, Unit::Number),
    );
    Formula::Sum(vec![scores, choice, ramps(index.kernels, index.ramp)])
}

fn seconds(name: &str, value: f64, formula: Formula) -> Formula {
    FormulaTerm::of(name, value, Unit::Seconds, formula).into()
}

fn ramps(kernels: f64, ramp: f64) -> Formula {
    Formula::Product(vec![
        FormulaTerm::given("kernels", kernels, Unit::Number).into(),
        FormulaTerm::given("kernel start and end", ramp, Unit::Seconds).into(),
    ])
}

/// The longer of two concurrent times, plus the share of the shorter that does not overlap.
fn at_once(one: Formula, other: Formula, loss: f64) -> Formula {
    Formula::Sum(vec![
        Formula::Maximum(vec![one.clone(), other.clone()]),
        Formula::Product(vec![
            FormulaTerm::given("exposed share", loss, Unit::Number).into(),
            Formula::Minimum(vec![one, other]),
        ]),
    ])
}

fn of_product(product: &ProductPrice) -> Formula {
    let [waves, area, depth] = product.waves;
    let clock = Formula::over(
        Formula::Product(vec![
            2.0.into(),
            FormulaTerm::given("SMs", product.sms, Unit::Number).into(),
            FormulaTerm::given("waves of tiles", waves, Unit::Number).into(),
            FormulaTerm::given("tile / efficiency", area, Unit::Number).into(),
            FormulaTerm::given("inner dimension including the loop prologue", depth, Unit::Number).into(),
        ]),
        FormulaTerm::given(
            "rate at the clock speed of short kernels",
            product.clock_rate,
            Unit::FlopsPerSecond,
        ),
    );
    let power = Formula::over(
        FormulaTerm::given("FLOPs", product.flops, Unit::Flops),
        FormulaTerm::given("sustained rate", product.sustained_flops, Unit::FlopsPerSecond),
    );
    let compute = Formula::smooth(
        FormulaTerm::of("time of the waves", product.clock, Unit::Seconds, clock),
        FormulaTerm::of("time of all FLOPs at the power limit", product.power, Unit::Seconds, power),
        CLOCK_AND_POWER,
    );
    let memory = Formula::Sum(vec![
        Formula::over(
            FormulaTerm::given("bytes of the operands", product.operands, Unit::Bytes),
            FormulaTerm::given("operand bandwidth", product.operand_rate, Unit::BytesPerSecond),
        ),
        Formula::over(
            FormulaTerm::given("bytes of the results", product.results, Unit::Bytes),
            FormulaTerm::given("memory bandwidth", product.memory_rate, Unit::BytesPerSecond),
        ),
    ]);
    let both = at_once(
        seconds("computing", product.compute, compute),
        seconds("reading and writing", product.memory, memory),
        product.loss,
    );
    let both = if product.factor == 1.0 {
        both
    } else {
        Formula::Product(vec![FormulaTerm::given("grouped GEMMs", product.factor, Unit::Number).into(), both])
    };
    let both = if product.launches > 0.0 {
        let launches = FormulaTerm::given("launches, sequential", product.launches, Unit::Seconds);
        Formula::Maximum(vec![both, launches.into()])
    } else {
        both
    };
    let ramp = FormulaTerm::given("kernel starts and ends", product.ramp, Unit::Seconds);
    Formula::Sum(vec![both, ramp.into()])
}

fn of_flash(flash: &Flash) -> Formula {
    let kv_length = || FormulaTerm::given("keys per block", flash.kv_length, Unit::Number);
    let saturation = Formula::over(
        kv_length(),
        Formula::Sum(vec![
            kv_length().into(),
            FormulaTerm::given("start overhead, in keys", flash.fill, Unit::Number).into(),
            FormulaTerm::given("masked keys on the diagonal", flash.diagonal, Unit::Number).into(),
        ]),
    );
    let share = flash.kv_length / (flash.kv_length + flash.fill + flash.diagonal);
    let rate = Formula::Product(vec![
        FormulaTerm::given("rate for long sequences", flash.rate, Unit::FlopsPerSecond).into(),
        FormulaTerm::given("occupied SMs", flash.occupancy, Unit::Share).into(),
        FormulaTerm::of("useful share of keys", share, Unit::Share, saturation).into(),
        FormulaTerm::given("relative rate at this head dimension", flash.head, Unit::Share).into(),
    ]);
    let value = flash.rate * flash.occupancy * share * flash.head;
    let computing = Formula::over(
        FormulaTerm::given("FLOPs of unmasked scores", flash.causal, Unit::Flops),
        FormulaTerm::of("rate", value, Unit::FlopsPerSecond, rate),
    );
    let computing = match flash.backward {
        Some(ratio) => {
            let ratio = FormulaTerm::given("backward / forward", ratio, Unit::Number);
            Formula::Product(vec![computing, ratio.into()])
        }
        None => computing,
    };
    Formula::Sum(vec![computing, ramps(flash.kernels, flash.ramp)])
}

fn of_unfused(unfused: &Unfused) -> Formula {
    let computing = Formula::over(
        FormulaTerm::given("FLOPs of both GEMMs", unfused.flops, Unit::Flops),
        FormulaTerm::given("rate of batched GEMMs", unfused.rate, Unit::FlopsPerSecond),
    );
    let reading = Formula::over(
        Formula::Product(vec![
            FormulaTerm::given("scores", unfused.scores, Unit::Count).into(),
            FormulaTerm::given("bytes read and written per score", unfused.score_bytes, Unit::BytesEach)
                .into(),
        ]),
        FormulaTerm::given("memory bandwidth", unfused.memory_rate, Unit::BytesPerSecond),
    );
    Formula::Sum(vec![computing, reading, ramps(unfused.kernels, unfused.ramp)])
}

fn of_exchange(exchange: &Exchange) -> Formula {
    let Some((quick, beyond)) = &exchange.quick else { return of_protocol_time(&exchange.way) };
    let quick = FormulaTerm::of("low-latency protocol", quick.time(), Unit::Seconds, of_protocol_time(quick));
    if *beyond <= 0.0 {
        return quick.into();
    }
    let bulk =
        FormulaTerm::of("bulk protocol", exchange.way.time(), Unit::Seconds, of_protocol_time(&exchange.way));
    let share = || FormulaTerm::given("share of the bulk protocol", *beyond, Unit::Share);
    Formula::Sum(vec![
        Formula::Product(vec![quick.into(), Formula::less(1.0, share())]),
        Formula::Product(vec![bulk.into(), share().into()]),
    ])
}

fn of_protocol_time(way: &ProtocolTime) -> Formula {
    let net = way.net.time();
    let fabric = || {
        let flow = of_flow(&way.up, "bytes over the scale-up fabric", "fabric bandwidth");
        let flow = FormulaTerm::of("flow", way.up.time(), Unit::Seconds, flow);
        let fill = FormulaTerm::given("ring fill time", way.fill, Unit::Seconds);
        seconds("scale-up fabric", way.fabric, Formula::smooth(fill, flow, HYPOTENUSE))
    };
    let network =
        || seconds("network", net, of_flow(&way.net, "bytes over the network", "network bandwidth"));
    let moved = match (way.fabric > 0.0, net > 0.0) {
        (true, true) => at_once(fabric(), network(), way.loss),
        (false, true) => network(),
        _ => fabric(),
    };
    Formula::Sum(vec![moved, FormulaTerm::given("fixed time", way.latency, Unit::Seconds).into()])
}

fn of_flow(flow: &TierTransfer, sent: &str, rate: &str) -> Formula {
    Formula::Product(vec![
        Formula::over(
            FormulaTerm::given(sent, flow.bytes, Unit::Bytes),
            FormulaTerm::given(rate, flow.rate, Unit::BytesPerSecond),
        ),
        FormulaTerm::given("ramp-up factor", flow.ramp, Unit::Number).into(),
    ])
}
