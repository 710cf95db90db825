// SPDX-License-Identifier: Apache-2.0
import { COST_CLASSES, type CostClass } from "../../lib/ops/cost_class.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import type { TensorPlacement } from "../../lib/programs/program_tensor.ts";
import type { Device } from "../devices/device.ts";
import bundledRanges from "./fitted_ranges.json" with { type: "json" };

/**
 * Shortest and longest kernel time in µs of the measured rows of one kind, and the error of held-out rows
 * relative to the published error of their class.
 */
export type FittedRange = readonly [shortest: number, longest: number, error: number];

/**
 * Ranges by architecture, then by cost class and placement of the first operand, for example `matmul
 * dram_interleaved`.
 */
export type FittedRanges = Readonly<Record<string, Readonly<Record<string, FittedRange>>>>;

/** The support of a prediction by measured rows. */
export interface Coverage {
  /** Factor on the class's published error; for a kind with measured rows, that kind's. */
  readonly widening: number;
  /** Least error for a class without rows; 0 with rows. */
  readonly leastError: number;
  /** Why no measured row supports it; absent if one does. */
  readonly extrapolated?: string;
}

/** No widening, for ops that launch nothing. */
const COVERED: Coverage = { widening: 1, leastError: 0 };

/** Times within this factor of a measured one count as measured. */
const NEAR = 2;

/** Relative error of an untested kernel model. */
const UNTESTED_ERROR = 0.5;

/** Error factor for an operand placement without rows in the class; as much as for ten times the size. */
const OTHER_PLACE = 2;

/** Name of a kind in {@linkcode FittedRanges}. */
export function kindName(costClass: CostClass, placement: TensorPlacement): string {
  return `${costClass} ${placement}`;
}

/** Memory of the first operand of the launched programs; programs without reads work on their own shards. */
export function placementOf(programs: readonly DeviceProgram[]): TensorPlacement {
  return programs[0]?.reads[0]?.tensor.placement ?? "l1_sharded";
}

/** Whether the backend chose the blocks of a matmul among the programs. */
export function choosesBlocks(programs: readonly DeviceProgram[]): boolean {
  return programs.some((program) => program.kind === "matmul" && program.byBackend === true);
}

/**
 * Compares a query with the rows that its cost class was fitted to: each factor of ten outside their range
 * adds the kind's error once more; a placement without rows doubles the class's error; a class without rows
 * has an error of at least {@linkcode UNTESTED_ERROR}.
 *
 * @param placement of the first operand; `undefined` for ops that launch nothing
 * @param us predicted kernel time
 */
export function coverageOf(
  architecture: string,
  costClass: CostClass,
  placement: TensorPlacement | undefined,
  us: number,
  ranges: FittedRanges = BUNDLED_RANGES,
): Coverage {
  if (placement === undefined || us <= 0) return COVERED;
  const cached = ranges[architecture] ?? NOTHING_FITTED;
  const own = cached[kindName(costClass, placement)];
  if (own !== undefined) {
    const decades = decadesOutside(us, own);
    return decades <= Math.log10(NEAR)
      ? { widening: own[2], leastError: 0 }
      : { widening: own[2] * (1 + decades), leastError: 0, extrapolated: sizeReason(us, own, costClass) };
  }
  const ofClass = rangeOfClass(cached, costClass);
  if (ofClass === undefined) {
    return { widening: 1, leastError: UNTESTED_ERROR, extrapolated: `no ${costClass} was measured` };
  }
  return {
    widening: OTHER_PLACE + decadesOutside(us, ofClass),
    leastError: 0,
    extrapolated: `no ${costClass} with its operand in ${placement.replace("_", " ")} was measured`,
  };
}

/** Ranges of one architecture. */
type KindRanges = FittedRanges[string];

const NOTHING_FITTED: KindRanges = {};

/** Cached {@linkcode rangeOfClass}: a search requests thousands of prices. */
const CLASS_RANGES: WeakMap<KindRanges, Map<CostClass, ClassRange | null>> = new WeakMap();

/** Shortest and longest time of a class. */
type ClassRange = readonly [shortest: number, longest: number];

/** The shortest and longest time of all kinds of a class; `undefined` for a class without rows. */
function rangeOfClass(known: KindRanges, costClass: CostClass): ClassRange | undefined {
  const ranges = CLASS_RANGES.getOrInsertComputed(known, () => new Map());
  return ranges.getOrInsertComputed(costClass, () => {
    const kinds = Object.entries(known).filter(([name]) => name.startsWith(`${costClass} `));
    return kinds.length === 0 ? null : [
      Math.min(...kinds.map(([, [shortest]]) => shortest)),
      Math.max(...kinds.map(([, [, longest]]) => longest)),
    ];
  }) ?? undefined;
}

/** log10 of the ratio between a time and the nearer end of a range; 0 inside. */
function decadesOutside(us: number, [shortest, longest]: ClassRange | FittedRange): number {
  return Math.max(0, Math.log10(shortest / us), Math.log10(us / longest));
}

function sizeReason(us: number, [shortest, longest]: ClassRange | FittedRange, costClass: CostClass): string {
  return us < shortest
    ? `${(shortest / us).toPrecision(2)} times shorter than any measured ${costClass}`
    : `${(us / longest).toPrecision(2)} times longer than any measured ${costClass}`;
}

/** Errors of a prediction, and why no measured op supports it; `undefined` if one does. */
export interface PredictedError {
  readonly relativeError: number;
  readonly ownError: number;
  readonly extrapolated: string | undefined;
}

/**
 * µs by which times of equal short programs differ between runs and profiles (published:ops-2 and ops-3: ops
 * of 1 to 3 µs).
 */
const SHORT_NOISE_US = 0.2;

/**
 * Error of ops from sources that no constant was fitted on, relative to held-out rows of known sources;
 * larger for L1 operands (published:ops-3).
 */
const NEW_SOURCE = 1.12;
const NEW_SOURCE_L1 = 1.35;

/**
 * Half-width of the 68 % interval relative to the mean absolute error (t distribution, two degrees of
 * freedom).
 */
const HALF_WIDTH = 0.927;

/**
 * Error of matmuls with blocks chosen by the backend, relative to others (tt-metal:gemm-flops, out of the
 * box).
 */
const CHOSEN_BLOCKS = 1.5;

/**
 * Errors of a kind of ops: of one prediction, and its part that another prediction of the class does not
 * share. Both widen if no measured op is similar and for programs of a few µs, the first also if the backend
 * chose the blocks of a matmul.
 *
 * @param us predicted kernel time
 * @param isChosen whether the backend chose the blocks
 */
export function predictedError(
  { accuracy, ratioAccuracy, architecture }: Pick<Device, "accuracy" | "ratioAccuracy" | "architecture">,
  costClass: CostClass,
  placement: TensorPlacement | undefined,
  us: number,
  isChosen: boolean,
): PredictedError {
  const { accuracy: accuracyClass } = COST_CLASSES[costClass];
  const { widening, leastError, extrapolated } = coverageOf(architecture, costClass, placement, us);
  const ofSource = NEW_SOURCE * (placement === undefined || inDram(placement) ? 1 : NEW_SOURCE_L1);
  const wider = widening * ofSource * (isChosen ? CHOSEN_BLOCKS : 1);
  const noise = us > 0 ? SHORT_NOISE_US / us : 0;
  const total = Math.hypot(Math.max(leastError, wider * accuracy[accuracyClass]), noise);
  // A ratio has the own errors of both of its predictions.
  const ratio = HALF_WIDTH * widening * ratioAccuracy[accuracyClass];
  const own = Math.hypot(Math.max(leastError, ratio) / Math.SQRT2, noise);
  const relativeError = Math.min(1, total);
  return { relativeError, ownError: Math.min(relativeError, own), extrapolated };
}

function inDram(placement: TensorPlacement): boolean {
  return placement === "dram_interleaved" || placement === "dram_sharded";
}

/** Ranges of the rows to which the bundled devices were fitted, written by `calibrate`. */
export const BUNDLED_RANGES: FittedRanges = parseRanges(bundledRanges);

/**
 * Reads ranges.
 *
 * @throws {RangeError} if an entry is not an ordered pair of times and a factor
 */
export function parseRanges(
  json: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>,
): FittedRanges {
  return Object.fromEntries(
    Object.entries(json).map(([architecture, kinds]) => [
      architecture,
      Object.fromEntries(
        Object.entries(kinds).map(([name, range]) => {
          const [shortest = 0, longest = 0, error = 0] = range;
          if (!(shortest > 0 && shortest <= longest && error > 0)) {
            throw new RangeError(
              `Cannot read the fitted range of ${name}: not two times in order and a factor`,
            );
          }
          return [name, [shortest, longest, error] as const];
        }),
      ),
    ]),
  );
}
