//! One block of a space: all layouts with the same degrees, sequence and expert parallelism.

use super::margin::Margin;
use super::prices::{KERNELS, Prices, plain};
use super::search::{Pending, SearchFindings};
use super::space::{Pipelining, Space, SpaceCell};
use super::top::LayoutRow;
use crate::forecast::{LeastPipeline, PipelineOutline, Predictor, Reductions, StepShares};
use crate::memory::{self, LayersOnStage, Moment, StackMemory, States};
use crate::scenario::Scenario;
use crate::scenario::model::{Layers, OfKinds};
use crate::scenario::plan::stages::{LayoutParameters, stage_kinds};
use crate::scenario::plan::{Plan, Recompute, Zero};
use crate::schedule::{InFlight, StageRun, SteadyScratch, in_flight};
use crate::units::Bytes;

/// Scratch memory for searching blocks one after another.
#[derive(Debug, Clone)]
pub(super) struct BlockScratch<'a> {
    facts: StackMemory,
    shares: StepShares,
    prices: Prices<'a>,
    cell: CellWork,
    /// States on the deciding stages, by pipeline and level of sharding.
    states: Vec<States>,
    /// Memory peaks of one pipeline.
    moments: Vec<Moment>,
    /// Reductions at the step's end, by pipelines' first stage, level of sharding and number of reductions.
    ends: Vec<((u16, usize, u32), Reductions)>,
    runs: Vec<StageRun>,
    scratch: SteadyScratch,
}

/// What a cell's variants share.
#[derive(Debug, Clone, Default)]
struct CellWork {
    /// Place of the cell.
    of: Option<u32>,
    pipelines: Vec<PipelineWork>,
    /// Deciding stages of all pipelines.
    stages: Vec<DecidingStage>,
    /// Layers on them, by recompute stride and pipeline.
    layers: Vec<LayersOnStage>,
    /// Micro-batches in flight on them, by micro-batch size and by its pipelines.
    in_flight: Vec<InFlight>,
    /// Hops ([`Size::hops`]) by what they depend on in a cell: the micro-batch, and whether its sequence is split.
    hops: Vec<((u32, bool), [f64; 2])>,
}

/// A stage that may hold the most of its pipeline.
#[derive(Debug, Clone, Copy)]
struct DecidingStage {
    stage: u32,
    /// Layers of each kind.
    held: OfKinds<u32>,
    /// Whether it has the embedding, and the head.
    ends: (bool, bool),
    /// The first in its pipeline's list that holds the same.
    alike: usize,
}

/// A pipeline, shared by a cell's variants.
#[derive(Debug, Clone)]
struct PipelineWork {
    /// Its outline for each recompute stride.
    outlines: Vec<PipelineOutline>,
    /// First of its deciding stages in the list of all, and their number.
    begins: usize,
    stages: usize,
    /// Pipelines with the same number have the same first stage.
    first: u16,
}

/// A layout that fits.
struct FittingLayout<'s> {
    /// Place of its pipeline in the cell.
    at: usize,
    pipelining: &'s Pipelining,
    /// Place of its level of sharding in the list of tried levels.
    place: usize,
    level: Zero,
    row: LayoutRow,
    comfortable: bool,
}

/// A variant's micro-batch size and recompute mode.
struct Size<'s> {
    /// With a plain pipeline, unsharded.
    scenario: Scenario,
    /// Place of its prices.
    place: usize,
    /// Number of micro-batches.
    count: u32,
    /// Seconds from one stage to the next, without and with virtual stages, if transfers overlap with passes.
    hops: [f64; 2],
    /// Place of its stride in the space's list.
    stride: usize,
    /// The same without recompute, if that takes no longer.
    without: Option<&'s Size<'s>>,
}

/// Memory limits of layouts on a GPU.
struct Limits {
    usable: Bytes,
    /// The most that a comfortable layout has allocated, and reserved for that.
    comfortable: [Bytes; 2],
}

impl Limits {
    fn new(scenario: &Scenario, margin: Margin) -> Self {
        let usable = memory::usable(scenario);
        let comfortable = match margin {
            Margin::Likely => [usable, memory::likely_limit(scenario)],
            Margin::Share(share) => [usable * (1.0 - share), Bytes(f64::INFINITY)],
        };
        Self { usable, comfortable }
    }
}

impl<'a> BlockScratch<'a> {
    pub(super) fn new(predictor: Predictor<'a>, job: &Scenario) -> Self {
        Self {
            facts: StackMemory::new(job),
            shares: StepShares::new(&predictor.priced(job)),
            prices: Prices::new(predictor, job),
            cell: CellWork::default(),
            states: Vec::new(),
            moments: Vec::new(),
            ends: Vec::new(),
            runs: Vec::new(),
            scratch: SteadyScratch::default(),
        }
    }

    /// Searches one variant of one cell.
    pub(super) fn block(&mut self, space: &Space, at: u32, variant: u32, found: &mut SearchFindings) {
        let Some(cell) = space.cells.get(at as usize) else { return };
        let Some(plan) = cell.variants.get(variant as usize) else { return };
        self.prices.trim();
        if self.cell.of != Some(at) {
            self.fill_cell(space, cell);
            self.cell.of = Some(at);
        }
        self.fill_variant(space, cell, plan);
        let variant_scenario = plain(&Scenario { plan: *plan, ..space.job });
        let limits = Limits::new(&variant_scenario, found.options.margin);
        let mut index = cell.first + variant as usize * cell.each;
        let mut begins = 0;
        for sizes in &cell.micro_batches {
            let mut scenario = variant_scenario;
            scenario.plan.micro_batch = sizes.sequences;
            let mut ends = begins;
            scenario.plan.recompute = Recompute::None;
            let hops = self.hops(&scenario);
            // Without recompute, more is offloaded, which may take longer.
            let comparable = scenario.plan.offload_activations == 0;
            let without = comparable.then(|| self.size(space, &scenario, (sizes.count, hops), None));
            for recompute in &space.recomputes {
                scenario.plan.recompute = *recompute;
                let without = without.as_ref().filter(|_| *recompute != Recompute::None);
                let size = self.size(space, &scenario, (sizes.count, hops), without);
                ends = begins;
                for place in &sizes.pipelines {
                    let at = *place as usize;
                    if let Some(pipelining) = cell.pipelines.get(at) {
                        self.pipeline(space, &size, (at, pipelining), (&limits, ends), &mut index, found);
                    }
                    ends += self.cell.pipelines.get(at).map_or(0, |work| work.stages);
                }
            }
            begins = ends;
        }
    }

    fn size<'s>(
        &mut self,
        space: &Space,
        scenario: &Scenario,
        (count, hops): (u32, [f64; 2]),
        without: Option<&'s Size<'s>>,
    ) -> Size<'s> {
        let place = self.prices.place(scenario);
        let every = scenario.plan.recompute.every();
        let stride = space.strides.iter().position(|stride| *stride == every).unwrap_or_default();
        Size { scenario: *scenario, place, count, hops, stride, without }
    }

    /// Seconds from one stage to the next, without and with virtual stages, if transfers overlap with passes.
    fn hops(&mut self, scenario: &Scenario) -> [f64; 2] {
        let Plan { micro_batch, sequence_parallel, .. } = scenario.plan;
        if !scenario.plan.pipeline_overlap || scenario.plan.pipeline_parallel <= 1 {
            return [0.0; 2];
        }
        let key = (micro_batch, sequence_parallel);
        if let Some((_, hops)) = self.cell.hops.iter().find(|known| known.0 == key) {
            return *hops;
        }
        // Virtual stages close the pipeline to a ring, whose transfers may cross more borders.
        let hops = [1, 2].map(|virtual_stages| {
            let plan = Plan { virtual_stages, ..scenario.plan };
            self.prices.priced(&Scenario { plan, ..*scenario }).hop()
        });
        self.cell.hops.push((key, hops));
        hops
    }

    /// All levels of sharding of one pipeline.
    fn pipeline(
        &mut self,
        space: &Space,
        size: &Size<'_>,
        (at, pipelining): (usize, &Pipelining),
        (limits, in_flight): (&Limits, usize),
        index: &mut usize,
        found: &mut SearchFindings,
    ) {
        let Some((begins, stages)) = self.cell.pipelines.get(at).map(|work| (work.begins, work.stages))
        else {
            return;
        };
        let first = size.stride * self.cell.stages.len() + begins;
        let layers = self.cell.layers.get(first..first + stages).unwrap_or_default();
        let in_flight = self.cell.in_flight.get(in_flight..in_flight + stages).unwrap_or_default();
        self.moments.clear();
        let micro_batch = self.prices.micro_batch(size.place);
        let moments = layers.iter().zip(in_flight).map(|(layers, count)| layers.moment(micro_batch, count));
        self.moments.extend(moments);
        let mut least = [None; KERNELS];
        for (place, level) in space.allowed(pipelining) {
            let states = begins * space.levels.len() + place * stages;
            let states = self.states.get(states..states + stages).unwrap_or_default();
            let grow = self.facts.gradients_grow(&size.scenario, *level);
            let count = size.scenario.micro_batches();
            let states = states.iter().map(|states| states.in_buckets(count));
            let held =
                self.moments.iter().zip(states).map(|(moment, states)| moment.with_states(&states, grow));
            let [peak, reserved] = held.fold([Bytes::ZERO; 2], |most, held| {
                let allocated = held.allocated();
                if allocated > most[0] { [allocated, held.reserved()] } else { most }
            });
            let comfortable = peak <= limits.comfortable[0] && reserved <= limits.comfortable[1];
            let (peak, reserved) = (peak.0, reserved.0);
            let row = LayoutRow { index: *index, step: f64::INFINITY, peak, reserved };
            *index += 1;
            found.counts.layouts += 1;
            if peak > limits.usable.0 {
                found.unfit.offer(peak / limits.usable.0, row);
                continue;
            }
            found.counts.fitting += 1;
            found.counts.comfortable += usize::from(comfortable);
            let layout = FittingLayout { at, pipelining, place, level: *level, row, comfortable };
            self.time(size, &layout, &mut least, found);
        }
    }

    /// Times a layout that fits, unless bounds rule it out; layouts that need a replay are timed later.
    fn time(
        &mut self,
        size: &Size<'_>,
        layout: &FittingLayout<'_>,
        least: &mut [Option<LeastPipeline>; KERNELS],
        found: &mut SearchFindings,
    ) {
        let (peak, comfortable) = (layout.row.peak, layout.comfortable);
        let mut bound = 0.0;
        if found.options.bounded {
            // Recompute adds to the passes: a layout that is too slow without it is too slow with it.
            let Some(least) = least.get_mut(layout.level.kernels()) else { return };
            if let (Some(without), None) = (&size.without, &least) {
                let pipeline = self.least(layout, without);
                if found.rules_out(self.least_step(size, layout, &pipeline), peak, comfortable) {
                    return;
                }
            }
            let pipeline = match *least {
                Some(pipeline) => pipeline,
                None => *least.insert(self.least(layout, size)),
            };
            bound = self.least_step(size, layout, &pipeline);
            if found.rules_out(bound, peak, comfortable) {
                return;
            }
            if pipeline.replayed {
                let Pipelining { schedule, virtual_stages, .. } = *layout.pipelining;
                let stages = size.scenario.plan.pipeline_parallel;
                let pipeline = (schedule as u8, stages, virtual_stages, size.count);
                found.pending.push(Pending { bound, row: layout.row, comfortable, pipeline });
                return;
            }
        }
        found.counts.timed += 1;
        let mut scenario = size.scenario;
        layout.pipelining.write(&mut scenario.plan);
        scenario.plan.zero = layout.level;
        let step = self.step(&scenario);
        debug_assert!(step >= bound, "{step} s below its bound of {bound} s: {scenario:?}");
        found.offer(LayoutRow { step, ..layout.row }, layout.comfortable);
    }

    /// Seconds of a layout's step.
    pub(super) fn step(&mut self, scenario: &Scenario) -> f64 {
        self.prices.step(scenario, &mut self.scratch)
    }

    /// Lower bound of a layout's pipeline time.
    fn least(&mut self, layout: &FittingLayout<'_>, size: &Size<'_>) -> LeastPipeline {
        let apart = layout.pipelining.schedule.splits_backward();
        let places = self.prices.places(size.place, &size.scenario, layout.level, apart);
        let outline = self.cell.pipelines.get(layout.at).and_then(|work| work.outlines.get(size.stride));
        let hop = size.hops[usize::from(layout.pipelining.virtual_stages > 1)];
        let least = outline.map(|outline| outline.least(places, size.count, hop, &mut self.runs));
        least.unwrap_or_default()
    }

    /// A lower bound of a layout's step, seconds.
    fn least_step(&mut self, size: &Size<'_>, layout: &FittingLayout<'_>, pipeline: &LeastPipeline) -> f64 {
        let sharded = Plan { zero: layout.level, ..size.scenario.plan };
        let each = size.scenario.training.reduces_micro_batches(&sharded);
        let reductions = if each { size.count } else { 1 };
        let first = self.cell.pipelines.get(layout.at).map_or(0, |work| work.first);
        // The host's overhead also depends on the micro-batches.
        let added = if size.scenario.leaves_update_to_operators(&sharded) { size.count } else { reductions };
        let key = (first, layout.place, added);
        let known = self.ends.iter().find(|entry| entry.0 == key).map(|entry| entry.1);
        let end = known.unwrap_or_else(|| {
            let mut scenario = size.scenario;
            layout.pipelining.write(&mut scenario.plan);
            scenario.plan.zero = layout.level;
            let end = self.prices.priced(&scenario).reductions();
            self.ends.push((key, end));
            end
        });
        self.shares.least_step(pipeline, &end, f64::from(reductions), layout.level.shards_parameters())
    }

    fn fill_cell(&mut self, space: &Space, cell: &SpaceCell) {
        let mut scenario = plain(&Scenario { plan: cell.plan, ..space.job });
        let mut work = CellWork::default();
        let mut firsts = Vec::new();
        for pipelining in &cell.pipelines {
            pipelining.write(&mut scenario.plan);
            let mut outline = |stride: &u32| {
                scenario.plan.recompute = Recompute::Full.of_every(*stride);
                PipelineOutline::new(&self.prices.priced(&scenario))
            };
            let outlines: Vec<PipelineOutline> = space.strides.iter().map(&mut outline).collect();
            // Parameters of the first stage do not depend on recompute.
            let holds = (outlines.first().map(PipelineOutline::first), scenario.plan.copies());
            let first = firsts.iter().position(|other| *other == holds).unwrap_or_else(|| {
                firsts.push(holds);
                firsts.len() - 1
            });
            let begins = work.stages.len();
            for stride in &space.strides {
                scenario.plan.recompute = Recompute::Full.of_every(*stride);
                work.add_deciding(begins, self.prices.layers(), &scenario.plan);
            }
            let stages = work.stages.len() - begins;
            work.pipelines.push(PipelineWork { outlines, begins, stages, first: first as u16 });
        }
        for stride in &space.strides {
            scenario.plan.recompute = Recompute::Full.of_every(*stride);
            for (pipelining, known) in cell.pipelines.iter().zip(&work.pipelines) {
                pipelining.write(&mut scenario.plan);
                let of = |DecidingStage { stage, held, .. }: &DecidingStage| {
                    LayersOnStage::new(&scenario, self.prices.layers(), held, *stage)
                };
                work.layers.extend(known.stages(&work.stages).iter().map(of));
            }
        }
        for sizes in &cell.micro_batches {
            for place in sizes.pipelines.iter().map(|place| *place as usize) {
                let (Some(pipelining), Some(known)) = (cell.pipelines.get(place), work.pipelines.get(place))
                else {
                    continue;
                };
                let (schedule, chunks) = (pipelining.schedule, pipelining.virtual_stages);
                let of = |DecidingStage { stage, .. }: &DecidingStage| {
                    in_flight(schedule, cell.plan.pipeline_parallel, chunks, sizes.count, *stage)
                };
                work.in_flight.extend(known.stages(&work.stages).iter().map(of));
            }
        }
        self.cell = work;
    }

    fn fill_variant(&mut self, space: &Space, cell: &SpaceCell, plan: &Plan) {
        self.ends.clear();
        self.states.clear();
        let mut scenario = Scenario { plan: *plan, ..space.job };
        let of_model = self.prices.layers();
        let parameters = LayoutParameters::new(&space.job.model, of_model, plan.layer_shares());
        for (pipelining, known) in cell.pipelines.iter().zip(&self.cell.pipelines) {
            pipelining.write(&mut scenario.plan);
            for level in &space.levels {
                scenario.plan.zero = *level;
                let begins = self.states.len();
                for stage in known.stages(&self.cell.stages) {
                    let states = self.states.get(begins + stage.alike).copied().unwrap_or_else(|| {
                        let parameters = parameters.of_layers(of_model, stage.held, stage.ends);
                        States::new(&scenario, &self.facts, of_model, &parameters)
                    });
                    self.states.push(states);
                }
            }
        }
    }
}

impl CellWork {
    /// Adds the deciding stages of a layout's pipeline, whose stages begin at this place.
    fn add_deciding(&mut self, begins: usize, layers: &Layers, plan: &Plan) {
        memory::deciding_stages(layers, plan, &mut |stage| {
            let known = self.stages.get(begins..).unwrap_or_default();
            if known.iter().any(|known| known.stage == stage) {
                return;
            }
            let (held, ends) = (stage_kinds(layers, plan, stage), plan.embedding_and_head(stage));
            let alike = known.iter().position(|known| known.held == held && known.ends == ends);
            let alike = alike.unwrap_or(known.len());
            self.stages.push(DecidingStage { stage, held, ends, alike });
        });
    }
}

impl PipelineWork {
    /// Its deciding stages, of those of all pipelines.
    fn stages<'s>(&self, all: &'s [DecidingStage]) -> &'s [DecidingStage] {
        all.get(self.begins..self.begins + self.stages).unwrap_or_default()
    }
}
