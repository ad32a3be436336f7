//! Formulas of the figures of a forecast and of a whole run.

use super::formula::{Formula, FormulaTerm};
use super::{Explainer, Unit};
use crate::forecast::{flops_per_token, peak};
use crate::run_cost::RunCost;

/// Seconds in an hour.
const HOUR: f64 = 3600.0;

/// Tokens for which the duration of a long training is quoted.
const TRILLION: f64 = 1e12;

impl Explainer<'_> {
    fn seconds_of_step(&self) -> FormulaTerm {
        FormulaTerm::given("step", self.prediction.step.0, Unit::Seconds)
    }

    fn gpus(&self) -> FormulaTerm {
        FormulaTerm::given("GPUs", f64::from(self.scenario.cluster.gpus), Unit::Number)
    }

    fn tokens(&self) -> FormulaTerm {
        FormulaTerm::given("tokens per step", self.scenario.tokens_per_step(), Unit::Count)
    }

    fn useful_flops(&self) -> Formula {
        let each = flops_per_token(self.scenario);
        let each = FormulaTerm::given("model FLOPs per token", each, Unit::Flops);
        Formula::Product(vec![self.tokens().into(), each.into()])
    }

    /// FLOPs over the GPUs' peak during the step.
    fn over_peak(&self, flops: Formula) -> Formula {
        let peak = peak(&self.scenario.cluster.gpu, self.scenario.workload.precision);
        let peak = FormulaTerm::given("peak per GPU in this precision", peak, Unit::FlopsPerSecond);
        let possible = vec![peak.into(), self.gpus().into(), self.seconds_of_step().into()];
        Formula::over(flops, Formula::Product(possible))
    }

    /// Upper end of the interval: `step exp(sqrt(w^2 + sum of squares of the other doubts))` with the class's half-width `w`.
    pub(super) fn interval(&self) -> FormulaTerm {
        let (of_class, others, width) = self.predictor.half_widths(self.scenario, self.prediction.step);
        let others = others.into_iter().filter(|other| other.1 > 0.0).map(|(name, width, _)| (name, width));
        let widths = [("forecast error for similar public runs", of_class.above)].into_iter().chain(others);
        let widths =
            widths.map(|(name, width)| FormulaTerm::given(name, width, Unit::Number).into()).collect();
        let width =
            FormulaTerm::of("half-width above", width.above, Unit::Number, Formula::Norm(widths, 2.0));
        let factor = Formula::Exponential(Box::new(width.into()));
        let formula = Formula::Product(vec![self.seconds_of_step().into(), factor]);
        FormulaTerm::of("upper end", self.prediction.interval.high.0, Unit::Seconds, formula)
    }

    /// A figure of the headline.
    pub(super) fn headline(&self, key: &str) -> Option<FormulaTerm> {
        let forecast = self.prediction;
        let per_step = |tokens: FormulaTerm| Formula::over(tokens, self.seconds_of_step());
        Some(match key {
            "mfu" => FormulaTerm::of("MFU", forecast.mfu, Unit::Share, self.over_peak(self.useful_flops())),
            "hfu" => {
                let flops =
                    FormulaTerm::given("executed FLOPs on all GPUs", self.step.executed_flops, Unit::Flops);
                FormulaTerm::of("HFU", forecast.hfu, Unit::Share, self.over_peak(flops.into()))
            }
            "model_tflops_per_gpu" => {
                let time = Formula::Product(vec![self.seconds_of_step().into(), self.gpus().into()]);
                let value = forecast.model_tflops_per_gpu * 1e12;
                let formula = Formula::over(self.useful_flops(), time);
                FormulaTerm::of("useful FLOP/s per GPU", value, Unit::FlopsPerSecond, formula)
            }
            "tokens_per_s" => FormulaTerm::of(
                "tokens per second",
                forecast.tokens_per_s,
                Unit::TokensPerSecond,
                per_step(self.tokens()),
            ),
            "tokens_per_s_per_gpu" => {
                let formula = Formula::over(per_step(self.tokens()), self.gpus());
                let value = forecast.tokens_per_s_per_gpu;
                FormulaTerm::of("tokens per second per GPU", value, Unit::TokensPerSecond, formula)
            }
            "trillion_tokens" => {
                let tokens = FormulaTerm::given("tokens", TRILLION, Unit::Count);
                let rate =
                    FormulaTerm::given("tokens per second", forecast.tokens_per_s, Unit::TokensPerSecond);
                let value = TRILLION / forecast.tokens_per_s;
                FormulaTerm::of(
                    "time for one trillion tokens",
                    value,
                    Unit::Seconds,
                    Formula::over(tokens, rate),
                )
            }
            _ => return None,
        })
    }

    /// A figure of the whole run.
    pub(super) fn of_run(&self, key: &str) -> Option<FormulaTerm> {
        let (run, cost) = (&self.scenario.run, RunCost::of(self.scenario, self.prediction.step));
        let steps = FormulaTerm::given("steps", cost.steps, Unit::Number);
        let time = vec![self.seconds_of_step().into(), steps.into()];
        let time = FormulaTerm::of("training time", cost.time.0, Unit::Seconds, Formula::Product(time));
        if key == "run_time" {
            return Some(time);
        }
        let hours = Formula::Product(vec![
            Formula::over(time, FormulaTerm::given("seconds per hour", HOUR, Unit::Number)),
            self.gpus().into(),
        ]);
        let hours = FormulaTerm::of("GPU-hours", cost.gpu_hours, Unit::GpuHours, hours);
        let energy = |hours: FormulaTerm| {
            let above = Formula::Product(vec![
                hours.into(),
                FormulaTerm::given("power per GPU, including host and network", run.power, Unit::Watts)
                    .into(),
                FormulaTerm::given("power usage effectiveness", run.pue, Unit::Number).into(),
            ]);
            FormulaTerm::of("energy", cost.kwh, Unit::KilowattHours, Formula::over(above, 1e3))
        };
        Some(match key {
            "gpu_hours" => hours,
            "usd" => {
                let price = FormulaTerm::given("price per GPU-hour", run.price, Unit::DollarsPerHour);
                FormulaTerm::of(
                    "training cost",
                    cost.usd,
                    Unit::Dollars,
                    Formula::Product(vec![hours.into(), price.into()]),
                )
            }
            "kwh" => energy(hours),
            "co2_kg" => {
                let carbon =
                    FormulaTerm::given("carbon intensity", run.carbon_intensity, Unit::GramsPerKilowattHour);
                let above = Formula::Product(vec![energy(hours).into(), carbon.into()]);
                FormulaTerm::of(
                    "carbon dioxide equivalents",
                    cost.co2_kg,
                    Unit::Kilograms,
                    Formula::over(above, 1e3),
                )
            }
            _ => return None,
        })
    }
}
