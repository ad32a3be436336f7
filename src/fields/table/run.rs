//! Fields of the whole training run.

use super::{Field, FieldGroup, FieldKind, Row, Value};

macro_rules! figure {
    ($key:literal, $label:literal, $unit:literal, $min:literal..=$max:literal, $field:ident, $help:literal) => {
        (
            Field {
                key: $key,
                label: $label,
                unit: $unit,
                group: FieldGroup::Run,
                kind: FieldKind::Quantity { min: $min, max: $max },
                kilo: 1000.0,
                get: |scenario| Value::Number(scenario.run.$field),
                set: |scenario, value| {
                    if let Value::Number(number) = value {
                        scenario.run.$field = number;
                    }
                },
            },
            $help,
        )
    };
}

pub(super) const FIELDS: &[Row] = &[
    figure!(
        "tokens",
        "Tokens to train",
        "tokens",
        1.0..=1e18,
        tokens,
        "Tokens of the whole run, such as 300G or 15T. Steps, days and cost follow; no step's time does."
    ),
    figure!(
        "usd",
        "Price per GPU-hour",
        "USD",
        0.0..=1e6,
        price,
        "What one GPU costs for an hour, with its share of host and network. It starts at what such GPUs rent for on demand."
    ),
    figure!(
        "watt",
        "Power per GPU",
        "W",
        0.0..=1e6,
        power,
        "Power of one GPU with its share of host, fans and network ports, while it trains. It starts at 1.5 times what the GPU is rated for."
    ),
    figure!(
        "pue",
        "PUE",
        ":1",
        1.0..=10.0,
        pue,
        "Power usage effectiveness: what the data centre takes, cooling included, over what its machines take."
    ),
    figure!(
        "co2",
        "Carbon intensity",
        "gCO2e/kWh",
        0.0..=10_000.0,
        carbon_intensity,
        "Carbon dioxide equivalents per kilowatt-hour of the electricity. It starts at the average of the world in 2023."
    ),
];
