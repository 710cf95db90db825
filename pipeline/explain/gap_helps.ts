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
  let greatest = greatestOf(sumByRule(forcedCopies));
  for (const { name, help } of helpsOfCapacity(regions)) {
    // The cost of limited L1 is known and bounds the saving; the saving of more L1 takes a search.
    if (help.us <= (greatest[HELPS - 1]?.us ?? 0)) break;
    greatest = greatestOf([...greatest, { ...help, us: Math.min(help.us, gainOf(name, help.amount)) }]);
  }
  return greatest;
}

function greatestOf(helps: readonly GapHelp[]): readonly GapHelp[] {
  return helps.filter(({ us }) => us > 0).sort((a, b) => b.us - a.us).slice(0, HELPS);
}

/** Loss of the regions that the same amount of additional L1 would help, by function, greatest first. */
function helpsOfCapacity(
  regions: readonly GapRegion[],
): readonly { readonly name: string; readonly help: GapHelp }[] {
  const short = regions.filter(({ limit, lostUs }) => limit === "l1_capacity" && lostUs > 0);
  return [...Map.groupBy(short, (region) => `${region.function} ${region.shortBytes}`).values()]
    .flatMap((group) => {
      const [region] = group;
      if (region === undefined) return [];
      const what = `${region.worst.name} (op ${region.worst.op})`;
      const us = group.reduce((sum, { lostUs }) => sum + lostUs, 0);
      return [{
        name: region.function,
        help: { kind: "l1", what, us, amount: region.shortBytes } satisfies GapHelp,
      }];
    }).sort((a, b) => b.help.us - a.help.us);
}

/**
 * Copies of the optimum that exist because the reader refuses its operand as produced, one entry each: with the
 * refusing rule, or, if only memory is missing, with the reader and the L1 that it lacks.
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
