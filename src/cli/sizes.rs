//! Which numbers of GPUs, and which machines, are looked at.

use crate::Failure;
use crate::flags::GPUS;
use crate::input::Input;
use clap::error::{Error, ErrorKind};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::str::FromStr;
use stepcast::scaling::around;
use stepcast::scenario::cluster::presets::{CLUSTERS, name_of};

/// Numbers of GPUs, as one of them or a range: `64`, `64..512`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gpus(Vec<u32>);

impl FromStr for Gpus {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| match text.parse::<u32>() {
            Ok(number) if number > 0 => Ok(number),
            _ => {
                Err(format!("{text} is not a number of GPUs. Write 64, or 64..512 for 64, 128, 256 and 512"))
            }
        };
        let Some((from, to)) = text.split_once("..") else { return Ok(Self(vec![number(text)?])) };
        let (from, to) = (number(from)?, number(to)?);
        let doubled = std::iter::successors(Some(from), |gpus| gpus.checked_mul(2));
        Ok(Self(doubled.take_while(|gpus| *gpus <= to).collect()))
    }
}

/// The numbers that the job's flag `--gpus` lists where a command looks at several.
#[derive(Debug)]
struct Numbers(Vec<Gpus>);

impl Args for Numbers {
    fn augment_args(command: Command) -> Command {
        command.mut_arg(GPUS, |arg| {
            arg.value_name("N,A..B,...").help(
                "GPU counts: 64, 64,96 or 64..512 (powers of two); default: counts near that of the job",
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Numbers {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let listed = matches.get_one::<String>(GPUS).map_or("", String::as_str);
        let numbers: Result<_, String> =
            listed.split(',').filter(|_| !listed.is_empty()).map(str::parse).collect();
        numbers
            .map(Self)
            .map_err(|message| Error::raw(ErrorKind::ValueValidation, format!("--gpus {listed}: {message}.")))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        Self::from_arg_matches(matches).map(|found| *self = found)
    }
}

/// Where a job is looked at.
#[derive(Debug, Args)]
pub(crate) struct Places {
    #[command(flatten)]
    gpus: Numbers,
    /// Machines to compare, instead of the machine of the job (names: stepcast --list-presets).
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    clusters: Vec<String>,
}

impl Places {
    /// Whether others are named than the job's own.
    pub(crate) fn are_others(&self, input: &Input) -> bool {
        let named = self.named_gpus();
        self.are_of_machines() || !(named.is_empty() || named == [input.scenario.cluster.gpus])
    }

    /// Whether machines are named.
    pub(crate) fn are_of_machines(&self) -> bool {
        !self.clusters.is_empty()
    }

    /// Numbers of GPUs that are named.
    pub(crate) fn named_gpus(&self) -> Vec<u32> {
        self.gpus.0.iter().flat_map(|numbers| numbers.0.iter().copied()).collect()
    }

    /// The numbers that are named, or those around the job's.
    pub(crate) fn gpus(&self, input: &Input) -> Vec<u32> {
        let named = self.named_gpus();
        if named.is_empty() { around(input.scenario.cluster.gpus) } else { named }
    }

    /// The job on each of the machines, with their names; on its own where none is named.
    pub(crate) fn machines(&self, input: &Input) -> Result<Vec<(String, Input)>, Failure> {
        if self.clusters.is_empty() {
            let own = name_of(&input.scenario.cluster).unwrap_or("custom");
            return Ok(vec![(own.to_owned(), input.clone())]);
        }
        let on = |name: &String| {
            let mut document = input.document.on_machine(name).ok_or_else(|| {
                let names: Vec<&str> = CLUSTERS.iter().map(|preset| preset.name).collect();
                vec![format!("Unknown machine {name}. Use {}.", names.join(", "))]
            })?;
            input.costs.iter().for_each(|(key, text)| document.set(key, text));
            let scenario = document.values().map_err(crate::sentences)?;
            Ok((name.clone(), Input::of(document, scenario, input.chosen)))
        };
        self.clusters.iter().map(on).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_are_read() {
        let read = |text: &str| text.parse::<Gpus>().map(|gpus| gpus.0);
        assert_eq!(read("96"), Ok(vec![96]));
        assert_eq!(read("64..512"), Ok(vec![64, 128, 256, 512]));
        assert_eq!(read("48..100"), Ok(vec![48, 96]));
        for wrong in ["0", "x", "8..", "..8", "-8", "8...16"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
