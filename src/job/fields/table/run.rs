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
        "Training tokens",
        "tokens",
        1.0..=1e18,
        tokens,
        "Total training tokens, such as 300G or 15T. This number determines the steps, days and cost of the training run, and does not affect the step time."
    ),
    figure!(
        "days",
        "Deadline",
        "days",
        0.0..=1e5,
        deadline,
        "Maximum duration of the training run in days. The page shows the smallest number of GPUs that meets the deadline. 0 for no deadline."
    ),
    figure!(
        "budget",
        "Budget",
        "USD",
        0.0..=1e12,
        budget,
        "Maximum cost of the training run in USD. The page shows the fastest run within the budget. 0 for no budget."
    ),
    figure!(
        "usd",
        "Price per GPU-hour",
        "USD",
        0.0..=1e6,
        price,
        "Price in USD per GPU-hour, including host and network. Default: a typical on-demand price of this GPU."
    ),
    figure!(
        "watt",
        "Power per GPU",
        "W",
        0.0..=1e6,
        power,
        "Average power per GPU during training, including host, fans and network ports. Default: 1.5 times the rated power of the GPU."
    ),
    figure!(
        "pue",
        "PUE",
        ":1",
        1.0..=10.0,
        pue,
        "Power usage effectiveness: total power of the data centre, including cooling, divided by the power of its IT equipment."
    ),
    figure!(
        "co2",
        "Carbon intensity",
        "gCO2e/kWh",
        0.0..=10_000.0,
        carbon_intensity,
        "Grams of CO2 equivalent per kilowatt-hour of electricity. Default: the 2023 world average."
    ),
];
