//! Whose options the words of a script are. A launcher's options may have one letter, which means something else to every
//! other program, and queues are asked for GPUs in comments.

use super::super::settings::is_name;

/// Programs that start processes and say by `-n` or `-np` how many.
const LAUNCHERS: [&str; 9] =
    ["srun", "sbatch", "salloc", "mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "aprun"];

/// Programs that run recipes, whose settings are overridden by names without dashes.
const OF_RECIPES: [&str; 1] = ["tune"];

/// Programs that train, or start what does: a file of settings behind them is the job's.
const PROGRAMS: [&str; 10] = [
    "python",
    "python3",
    "torchrun",
    "deepspeed",
    "accelerate",
    "axolotl",
    "llamafactory-cli",
    "swift",
    "trl",
    "composer",
];

/// Words that precede a command and are not commands.
const BEFORE: [&str; 12] =
    ["if", "then", "else", "elif", "do", "while", "export", "exec", "time", "sudo", "env", "{"];

/// Words that end a command.
const ENDS: [&str; 5] = ["|", "||", "&", "&&", ";"];

/// What a word belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LauncherCommand {
    /// A line with nothing but assignments so far.
    Open,
    /// A list of options without a command.
    Options,
    /// A launcher.
    Launcher,
    /// A program that runs recipes.
    Recipe,
    /// A program that trains.
    Program,
    /// A command that prints its words.
    Printed,
    /// Any other program.
    Other,
}

impl LauncherCommand {
    /// What a word belongs to that stands behind the others of this command.
    pub(super) fn with(self, word: &str) -> Self {
        let inner = word.rsplit("$(").next().unwrap_or(word).trim_start_matches(['(', '`']);
        let assigned = inner.split_once('=').filter(|pair| is_name(pair.0.trim_end_matches('+')));
        let name = inner.rsplit('/').next().unwrap_or(inner);
        if self == Self::Printed && !word.contains("$(") {
            self
        } else if LAUNCHERS.contains(&name) {
            Self::Launcher
        } else if OF_RECIPES.contains(&name) && matches!(self, Self::Open | Self::Launcher) {
            Self::Recipe
        } else if started(name) && matches!(self, Self::Open | Self::Launcher) {
            Self::Program
        } else if ["echo", "printf"].contains(&word) && self == Self::Open {
            Self::Printed
        } else if word.contains("$(") || word.contains('`') {
            Self::Other
        } else if self != Self::Open || BEFORE.contains(&word) {
            self
        } else {
            match assigned.map_or(inner, |pair| pair.1.trim_start_matches('(')) {
                value if value.starts_with('-') => Self::Options,
                _ if assigned.is_some() => Self::Open,
                _ => Self::Other,
            }
        }
    }

    /// What the next word belongs to, where it is on the same line.
    pub(super) fn behind(self, word: &str) -> Self {
        if ENDS.contains(&word) || word.ends_with(';') { Self::Open } else { self }
    }

    /// Whether a file of settings that is named without an option is the job's.
    pub(super) fn trains(self) -> bool {
        matches!(self, Self::Launcher | Self::Recipe | Self::Program)
    }

    /// Whether an option of one letter is a launcher's.
    pub(super) fn launches(self) -> bool {
        matches!(self, Self::Options | Self::Launcher)
    }
}

/// Whether a word is a program that trains, whose options are its own behind a launcher, too.
fn started(name: &str) -> bool {
    PROGRAMS.contains(&name) || name.ends_with(".py") || name.ends_with(".sh")
}

/// What a line of a script asks PBS or Torque for: nodes, and GPUs of each.
pub(super) fn of_pbs(line: &str) -> Vec<String> {
    let Some(resources) = line.trim_start().strip_prefix("#PBS").and_then(|line| line.split_once("-l"))
    else {
        return Vec::new();
    };
    let mut options = Vec::new();
    for list in resources.1.split_whitespace().flat_map(|list| list.split(',')) {
        let nodes = list.starts_with("select=") || list.starts_with("nodes=");
        // Chunks of several kinds are joined by plus signs.
        for resource in list.split(':').filter(|_| nodes && !list.contains('+')) {
            match resource.split_once('=') {
                Some(("select" | "nodes", count)) => options.push(format!("--nodes={count}")),
                Some(("ngpus" | "gpus", count)) => options.push(format!("--gpus-per-node={count}")),
                _ => {}
            }
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::{LauncherCommand, of_pbs};

    #[test]
    fn options_of_one_letter_are_launchers() {
        for (line, launches) in [
            ("srun -n", true),
            ("/usr/bin/mpirun -np", true),
            ("OMP_NUM_THREADS=1 srun -N", true),
            ("-N", true),
            ("ARGS=(-N 4 -n", true),
            ("x=$(srun -n", true),
            ("ulimit -n", false),
            ("export A=$(head -n", false),
            ("A=$(head -n", false),
            ("srun hostname | head -n", false),
            ("srun true; head -n", false),
            ("echo -n", false),
            ("python train.py -n", false),
            ("srun -N 2 ./train.sh -n", false),
        ] {
            let mut command = LauncherCommand::Open;
            let mut last = command;
            for word in line.split(' ') {
                last = command.with(word);
                command = last.behind(word);
            }
            assert_eq!(last.launches(), launches, "{line}");
        }
    }

    #[test]
    fn nodes_of_pbs_have_gpus() {
        let both = ["--nodes=8", "--gpus-per-node=4"];
        assert_eq!(of_pbs("#PBS -l select=8:ncpus=8:ngpus=4,walltime=1:00:00"), both);
        assert_eq!(of_pbs("#PBS -lnodes=8:ppn=4:gpus=4"), both);
        assert_eq!(of_pbs("#PBS -l select=1:ngpus=4+2:ngpus=8"), [""; 0]);
        assert_eq!(of_pbs("#PBS -N select"), [""; 0]);
    }
}
