import type { Algorithm, Explanation, Layouts, Prediction, Problem, RankMessages, Scenario } from "./dist/types.js";

export type * from "./dist/types.js";

/** A job: an object of fields, a share link, or the fragment of one (`#2;m=llama3-70b;g=dgx-h100;n=512`). Layout fields that are not set are chosen by a search. */
export type Job = Scenario | string;

/** Options of `traffic`. */
export interface TrafficOptions {
  /** Rank of the listed messages, from 0. */
  rank?: number;
  /** Order of the parallel dimensions, innermost first, such as `tdp`; default: the mapping of the job. */
  mapping?: string;
  /** All-reduce algorithm; default: ring. */
  wire?: Algorithm;
  /** Add the bytes between all communicating ranks. */
  matrix?: boolean;
}

/** Options of `rank`. */
export interface RankOptions {
  /** Number of layouts to list, fastest first; default: 20. */
  top?: number;
  /** Number of layouts to list that do not fit in memory, smallest excess first. */
  unfit?: number;
  /** Keys of layout fields that keep the value of the job, such as `["tp", "pp"]`. */
  fix?: string[];
  /** Keys of additional fields to search. */
  free?: string[];
  /** Include layouts that the software of the job cannot run. */
  anySoftware?: boolean;
  /** Memory headroom of the recommended layout, percent of the usable memory; default: enough that the layout is more likely to fit than not. */
  margin?: number;
  /** Simulate every layout that fits (same result, slower). */
  exhaustive?: boolean;
  /** Cancels the search. The promise is rejected with the reason of the signal. */
  signal?: AbortSignal;
}

/** A ranking, or its progress. */
export interface RankUpdate extends Layouts {
  /** Total number of layouts; `layouts` of them are processed. */
  space: number;
  /** Whether all layouts are processed. */
  done: boolean;
}

/** Error of an invalid job. */
export class StepcastError extends Error {
  /** Errors by field. */
  problems: Problem[];
}

/** Starts the predictor from a given WebAssembly module, or from the module of the package. All other functions start it automatically. */
export function load(source?: BufferSource | Response | Promise<Response> | WebAssembly.Module | URL): Promise<void>;

/** Forecasts one step: time in seconds, breakdown, memory in GiB, utilisation from 0 to 1. */
export function predict(job: Job): Promise<Prediction>;

/** Explains a forecast: breakdown, bottleneck and accuracy. */
export function explain(job: Job): Promise<Explanation>;

/** Lists the messages of one rank per step, and the bytes between ranks. */
export function traffic(job: Job, options?: TrafficOptions): Promise<RankMessages>;

/** Ranks all layouts that the software of the job can run. */
export function rank(job: Job, options?: RankOptions): Promise<RankUpdate>;

/** Ranks all layouts, with about ten progress updates per second. The last update is the ranking. */
export function rankUpdates(job: Job, options?: RankOptions): AsyncGenerator<RankUpdate, void, void>;

/** The JSON schema of jobs and answers. */
export function schema(): Promise<{ version: number; $defs: Record<string, unknown> }>;
