import type { Explanation, Layouts, Prediction, Problem, RankMessages, Scenario } from "./dist/types.js";

export type * from "./dist/types.js";

/** A job: an object of fields, a share link, or the fragment of one (`#2;m=llama3-70b;g=dgx-h100;n=512`). What it leaves open of the layout is planned. */
export type Job = Scenario | string;

/** What `stepcast traffic` takes. */
export interface TrafficOptions {
  /** Number of the rank whose messages are listed, from 0. */
  rank?: number;
  /** Order of the axes over the machines, from neighbouring GPUs outwards, such as `tdp`; the job's own without it. */
  mapping?: string;
  /** How all-reduces run on the wire; rings without it. */
  wire?: "ring" | "tree" | "in-switch";
  /** Add the bytes between every pair of ranks that talk. */
  matrix?: boolean;
}

/** What `stepcast rank` takes. */
export interface RankOptions {
  /** Layouts to list, from the fastest; 20 without it. */
  top?: number;
  /** Layouts to list of those that do not fit in memory, the nearest to fitting first. */
  unfit?: number;
  /** Keys of fields of the layout that keep the job's value, such as `["tp", "pp"]`. */
  fix?: string[];
  /** Keys of fields that are varied besides the usual ones. */
  free?: string[];
  /** Search layouts that the job's software cannot run, too. */
  anySoftware?: boolean;
  /** Share of the usable memory that a comfortable layout leaves free, percent. */
  margin?: number;
  /** Time every layout that fits, instead of leaving out those that are proven to be slower. The rows are the same. */
  exhaustive?: boolean;
  /** Ends the search; what waits for it is rejected with the signal's reason. */
  signal?: AbortSignal;
}

/** A ranking, or how far it is. */
export interface RankUpdate extends Layouts {
  /** Layouts in the whole space; `layouts` of them have been looked at. */
  space: number;
  /** Whether all have been looked at. */
  done: boolean;
}

/** A job that cannot be forecast. */
export class StepcastError extends Error {
  /** Why not, field by field. */
  problems: Problem[];
}

/** Starts the predictor from the given WebAssembly, or from the package's own. Every other function does so by itself. */
export function load(source?: BufferSource | Response | Promise<Response> | WebAssembly.Module | URL): Promise<void>;

/** Forecasts one step: time in seconds, breakdown, memory in GiB, utilisation from 0 to 1. */
export function predict(job: Job): Promise<Prediction>;

/** Says where the step goes, why, and how sure that is. */
export function explain(job: Job): Promise<Explanation>;

/** Lists the messages of one rank in one step, and the bytes between ranks. */
export function traffic(job: Job, options?: TrafficOptions): Promise<RankMessages>;

/** Ranks every layout of a job that its software can run. */
export function rank(job: Job, options?: RankOptions): Promise<RankUpdate>;

/** Ranks, and tells the rows so far about ten times a second; the last update is the ranking. */
export function rankUpdates(job: Job, options?: RankOptions): AsyncGenerator<RankUpdate, void, void>;

/** The JSON schema of jobs and answers. */
export function schema(): Promise<{ version: number; $defs: Record<string, unknown> }>;
