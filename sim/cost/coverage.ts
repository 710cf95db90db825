// SPDX-License-Identifier: Apache-2.0
import type { CostClass } from "../../lib/ops/cost_class.ts";
import type { DeviceProgram } from "../../lib/programs/program.ts";
import type { TensorPlacement } from "../../lib/programs/program_tensor.ts";
import bundledRanges from "./fitted_ranges.json" with { type: "json" };

/** Shortest and longest kernel time in µs of the measured rows of one kind. */
export type FittedRange = readonly [shortest: number, longest: number];

/** Ranges by architecture, then by cost class and by where the first operand lies, as in `matmul dram_interleaved`. */
export type FittedRanges = Readonly<Record<string, Readonly<Record<string, FittedRange>>>>;

/** How far measured rows support a prediction. */
export interface Coverage {
  /** Factor on the class's published error: 1 if similar rows were measured. */
  readonly widening: number;
  /** Least error for a class without rows; 0 with rows. */
  readonly leastError: number;
  /** Why no row supports it; absent if one does. */
  readonly extrapolated?: string;
}

/** No widening: ops that launch nothing, and predictions that rows support. */
const COVERED: Coverage = { widening: 1, leastError: 0 };

/** Times within this factor of a measured one are as good as measured. */
const NEAR = 2;

/** Error of an untested kernel model: half of the time. */
const UNTESTED_ERROR = 0.5;

/** An operand placement that no row of the class has widens the error like ten times the size. */
const OTHER_PLACE = 2;

/** Name of a kind in {@linkcode FittedRanges}. */
export function kindName(costClass: CostClass, placement: TensorPlacement): string {
  return `${costClass} ${placement}`;
}

/** Memory of the first operand of the launched programs; programs without reads work on the shards that they hold. */
export function placementOf(programs: readonly DeviceProgram[]): TensorPlacement {
  return programs[0]?.reads[0]?.tensor.placement ?? "l1_sharded";
}

/**
 * Compares a question with the rows to which its cost class was fitted: each factor of ten that it is longer or shorter
 * than all of them adds the class's error once more, as does a placement that none of them has; a class without rows
 * has an error of at least a half.
 *
 * @param us predicted kernel time
 */
export function coverageOf(
  architecture: string,
  costClass: CostClass,
  programs: readonly DeviceProgram[],
  us: number,
  ranges: FittedRanges = BUNDLED_RANGES,
): Coverage {
  if (programs.length === 0 || us <= 0) return COVERED;
  const cached = ranges[architecture] ?? NOTHING_FITTED;
  const placement = placementOf(programs);
  const own = cached[kindName(costClass, placement)];
  if (own !== undefined) {
    const decades = decadesOutside(us, own);
    return decades <= Math.log10(NEAR)
      ? COVERED
      : { widening: 1 + decades, leastError: 0, extrapolated: sizeReason(us, own, costClass) };
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

/** Answers of {@linkcode rangeOfClass}: a search asks for thousands of prices. */
const CLASS_RANGES: WeakMap<KindRanges, Map<CostClass, FittedRange | null>> = new WeakMap();

/** The shortest and longest time of all kinds of a class; `undefined` for a class without rows. */
function rangeOfClass(known: KindRanges, costClass: CostClass): FittedRange | undefined {
  const ranges = CLASS_RANGES.getOrInsertComputed(known, () => new Map());
  return ranges.getOrInsertComputed(costClass, () => {
    const kinds = Object.entries(known).filter(([name]) => name.startsWith(`${costClass} `));
    return kinds.length === 0 ? null : [
      Math.min(...kinds.map(([, [shortest]]) => shortest)),
      Math.max(...kinds.map(([, [, longest]]) => longest)),
    ];
  }) ?? undefined;
}

/** Factors of ten between a time and the nearer end of a range; 0 inside. */
function decadesOutside(us: number, [shortest, longest]: FittedRange): number {
  return Math.max(0, Math.log10(shortest / us), Math.log10(us / longest));
}

function sizeReason(us: number, [shortest, longest]: FittedRange, costClass: CostClass): string {
  return us < shortest
    ? `${(shortest / us).toPrecision(2)} times shorter than any measured ${costClass}`
    : `${(us / longest).toPrecision(2)} times longer than any measured ${costClass}`;
}

/** Ranges of the rows to which the bundled devices were fitted, written by `calibrate`. */
export const BUNDLED_RANGES: FittedRanges = parseRanges(bundledRanges);

/**
 * Reads ranges.
 *
 * @throws {RangeError} if an entry is not an ordered pair of times
 */
export function parseRanges(
  json: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>,
): FittedRanges {
  return Object.fromEntries(
    Object.entries(json).map(([architecture, kinds]) => [
      architecture,
      Object.fromEntries(
        Object.entries(kinds).map(([name, range]) => {
          const [shortest, longest] = range;
          if (shortest === undefined || longest === undefined || !(shortest > 0 && shortest <= longest)) {
            throw new RangeError(`Cannot read the fitted range of ${name}: not two times in order`);
          }
          return [name, [shortest, longest] as const];
        }),
      ),
    ]),
  );
}
