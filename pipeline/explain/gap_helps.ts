// SPDX-License-Identifier: Apache-2.0
import type { LayoutProgram } from "../../lib/search/layout_program.ts";
import type { OpEvaluator } from "../../lib/search/op_evaluator.ts";
import type { GapRegion } from "./gap_regions.ts";

/** A change that would save time. */
export interface GapHelp {
  /** `l1`: more L1. `rule`: dropping a rule of the op model that forces copies. */
  readonly kind: "l1" | "rule";
  /** The op that lacks L1, or the rule with its op. */
  readonly what: string;
  /** Upper limit of the saving, in µs. */
  readonly us: number;
  /** Bytes per core for `l1`; copies that the rule forces for `rule`. */
  readonly amount: number;
}

/** Number of changes that are listed. */
const HELPS = 5;

/**
 * The changes with the largest savings.
 *
 * @param regions largest loss first
 * @param gainOf upper limit in µs of the saving by additional bytes of L1 in a function
 * @param forcedCopies of all functions
 */
export function greatestHelps(
  regions: readonly GapRegion[],
  gainOf: (fn: string, more: number) => number,
  forcedCopies: readonly GapHelp[],
): readonly GapHelp[] {
  return [...helpsOfCapacity(regions, gainOf), ...sumByRule(forcedCopies)]
    .filter(({ us }) => us > 0).sort((a, b) => b.us - a.us).slice(0, HELPS);
}

function helpsOfCapacity(
  regions: readonly GapRegion[],
  gainOf: (fn: string, more: number) => number,
): readonly GapHelp[] {
  return regions.filter(({ limit, lostUs }) => limit === "l1_capacity" && lostUs > 0).slice(0, HELPS)
    .map((region): GapHelp => ({
      kind: "l1",
      what: `${region.worst.name} (op ${region.worst.op})`,
      us: Math.min(region.lostUs, gainOf(region.function, region.shortBytes)),
      amount: region.shortBytes,
    }));
}
/**
 * Copies of the optimum that exist because the reader refuses its operand as produced: grouped by the
 * refusing rule, or, if only memory is missing, by the missing L1.
 */
export function copiesByRule(
  evaluator: OpEvaluator,
  program: LayoutProgram,
  budget: number,
): readonly GapHelp[] {
  return program.steps().flatMap((step): GapHelp[] => {
    const copy = step.kind === "copy" ? program.copies[step.copy] : undefined;
    const readers = copy === undefined
      ? []
      : evaluator.value(copy.value).uses.filter(({ op, operand }) =>
        program.ops[op]?.sources[operand] === (step.kind === "copy" ? step.copy : undefined)
      );
    const [reader] = readers;
    if (copy === undefined || step.kind !== "copy" || reader === undefined) return [];
    const producedIn = program.layoutOf(copy.value, copy.source);
    const inputs = program.inputsOf(reader.op).map((layout, operand) =>
      operand === reader.operand ? producedIn : layout
    );
    const { outputs = [], config } = program.ops[reader.op] ?? {};
    const { refusal, ownPeakBytes } = evaluator.footprint(reader.op, inputs, { outputs, config });
    if (refusal === undefined) return [];
    const us = program.copyMicroseconds(step.copy);
    if (refusal.failure !== "out_of_memory") return [{ kind: "rule", what: refusal.rule, us, amount: 1 }];
    const { id, name } = evaluator.op(reader.op);
    const missing = evaluator.operandL1Bytes(reader.op, inputs) + ownPeakBytes - budget;
    return missing > 0 ? [{ kind: "l1", what: `${name} (op ${id})`, us, amount: missing }] : [];
  });
}

function sumByRule(copies: readonly GapHelp[]): readonly GapHelp[] {
  return [...Map.groupBy(copies, ({ what }) => what).values()].flatMap((group): GapHelp[] => {
    const [first] = group;
    if (first === undefined) return [];
    const amount = first.kind === "rule"
      ? group.length
      : group.reduce((most, { amount }) => Math.max(most, amount), 0);
    return [{ ...first, us: group.reduce((sum, { us }) => sum + us, 0), amount }];
  });
}
