// SPDX-License-Identifier: Apache-2.0
import { roleOf, runsOnDevice } from "../../lib/graph/function_role.ts";
import { type GraphFunction, type GraphOp, type GraphValue, valueAt } from "../../lib/graph/graph.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import { volume } from "../../lib/layout/extents.ts";
import { physicalExtent } from "../../lib/layout/make_layout.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import type { LocatedOp, MemoryVerdict } from "../../lib/memory/memory_verdict.ts";
import { allocatedBytesPerBank } from "../../lib/opmodel/tensor.ts";
import type { Workbench } from "../load.ts";
import { explainFailedCheck } from "./explain_failed_check.ts";
import { type FailedCheck, failedCheckOf } from "./failed_check.ts";
import { deriveFrom } from "./requirements/derive.ts";
import type { Patient } from "./patient.ts";
import type { BankFull, RuntimeFailure } from "./runtime_log.ts";
import { isOf, textOf } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";
import { fullBanks } from "./full_banks.ts";
import { layoutsTaken } from "./taken_layouts.ts";

/** An op that a message may be about, found by its tensors or by a rule, not by addresses in L1. */
export interface Suspect extends LocatedOp {
  /**
   * `bytes`: its result has exactly the bytes of the message; `rule`: our rules refuse it as well; `numbers`:
   * its shapes and shards contain at least half of the numbers of the message; `room`: DRAM is full at it; `taken`: the
   * only op that the message names, which our rules take.
   */
  readonly foundBy: "bytes" | "rule" | "numbers" | "room" | "taken";
  /** Evidence, a sentence each. */
  readonly facts: readonly string[];
  /** Advice, most promising first. */
  readonly advice: readonly string[];
}

/** Number of suspects reported per message. */
const MOST_SUSPECTS = 3;

/** Ratio of padded to unpadded size above which another layout is suggested. */
const MUCH_PADDING = 1.5;

/**
 * The ops that a message without addresses in L1 may be about, most likely first; none for other messages. Without a
 * message, the ops that our rules refuse, and those at which DRAM is full.
 */
export function suspectsOf(
  workbench: Workbench,
  patients: readonly Patient[],
  verdict: MemoryVerdict,
  failure?: RuntimeFailure,
): readonly Suspect[] {
  if (failure === undefined) {
    return [...refusedBy(patients, verdict, {}), ...fullBanks(workbench, verdict)].slice(0, MOST_SUSPECTS);
  }
  const found = failure.kind === "bank_full" && failure.memory === "DRAM"
    ? makersOf(workbench, failure)
    : failure.kind === "failed_check"
    ? [
      ...refusedBy(patients, verdict, failure),
      ...takenBy(workbench, verdict, failure),
      ...withNumbers(workbench, failure),
    ]
    : [];
  const seen = new Set<string>();
  return found.filter(({ function: name, op }) => {
    const key = `${name} ${op}`;
    return !seen.has(key) && seen.add(key).size <= MOST_SUSPECTS;
  });
}

function* deviceOps({ binding: { graph } }: Workbench): Generator<readonly [GraphFunction, GraphOp]> {
  for (const fn of graph.functions) {
    if (runsOnDevice(roleOf(fn.kind))) { for (const op of fn.ops) yield [fn, op]; }
  }
}

/** Ops whose result takes the message's bytes per bank of DRAM. */
function makersOf(workbench: Workbench, { bytesPerBank }: BankFull): readonly Suspect[] {
  const { chip } = workbench;
  return [...deviceOps(workbench)].flatMap(([fn, op]) =>
    op.results.map((result) => valueAt(fn, result)).flatMap((value): readonly Suspect[] => {
      const { tensor, layout } = value;
      if (tensor === undefined || layout?.bufferType !== "dram") return [];
      if (allocatedBytesPerBank({ shape: tensor.shape, layout }, chip) !== bytesPerBank) return [];
      const { facts, advice } = bytesOf(value, tensor.shape, layout, bytesPerBank * chip.dramBanks);
      return [{ ...placeOf(fn, op), foundBy: "bytes", facts, advice }];
    })
  );
}

function bytesOf(
  { name }: GraphValue,
  shape: readonly number[],
  layout: TtnnLayout,
  allocated: number,
): Pick<Suspect, "facts" | "advice"> {
  const { dataType, tile } = layout;
  const plain = Math.round(allocated * volume(shape) / volume(physicalExtent(shape, tile)));
  const isPadded = tile !== undefined && allocated > MUCH_PADDING * plain;
  return {
    facts: [
      `${name} is ${shape.join("x")} ${dataType} in ${describeLayout(layout)}: ${
        bytes(allocated)
      } over all banks` +
      (isPadded ? `, ${bytes(plain)} without the padding of its last two dimensions to tiles` : ""),
    ],
    advice: [
      isPadded
        ? `in rows, or with other dimensions last, it takes 1/${Math.round(allocated / plain)} of that`
        : [],
      dataType === "f32" ? "in bf16 it takes half" : [],
      "computed in parts (slices of the batch or of rows) it never exists as a whole",
    ].flat(),
  };
}

/** Layouts that an op takes, or where there are none, what its rule asks of the operands. */
function remediesOfRule(taken: readonly string[], reason: string): readonly string[] {
  const check = taken.length > 0 ? undefined : failedCheckOf(reason);
  return check === undefined
    ? taken
    : explainFailedCheck(check).advice.filter((one) => !isOf(one, asks.GIVE_PROGRAM)).map(textOf);
}

/** Ops that our rules refuse as well, among those that the message may be about. */
function refusedBy(
  patients: readonly Patient[],
  verdict: MemoryVerdict,
  { ops }: Pick<FailedCheck, "ops"> | { readonly ops?: undefined },
): readonly Suspect[] {
  return verdict.refusedOps.filter(({ name }) => ops === undefined || ops.includes(name)).map((
    { rule, reason, ...located },
  ) => ({
    ...located,
    foundBy: "rule",
    facts: [`our rules refuse it as it is written: ${reason} [${rule}]`],
    advice: [
      ...remediesOfRule(layoutsTaken(patients, located), reason),
      "'tilewright optimize FILE' decides it with the ops around it",
    ],
  }));
}

/** The only op that the message can be of, if our rules accept it: what failed was of another version or other tensors. */
function takenBy(
  workbench: Workbench,
  { refusedOps, uncheckedOps }: MemoryVerdict,
  failure: FailedCheck,
): readonly Suspect[] {
  const { ops, file, isGuess } = failure;
  const named = [...deviceOps(workbench)].filter(([, op]) => ops?.includes(op.name) === true);
  const [only, another] = named;
  if (only === undefined || another !== undefined || file === undefined || isGuess === true) return [];
  const [fn, op] = only;
  const isAt = ({ function: name, op: id }: LocatedOp): boolean => name === fn.name && id === op.id;
  if (deriveFrom(failure) === undefined || [...refusedOps, ...uncheckedOps].some(isAt)) return [];
  return [{
    ...placeOf(fn, op),
    foundBy: "taken",
    facts: [
      "our rules, of a recent ttnn, take it as it is written: what ran was of another format, layout or shape, or its version of ttnn asks for more",
    ],
    advice: [
      "compare what ran with the op here; where it is the same, a newer ttnn, or what helps in that version",
    ],
  }];
}

/**
 * Ops whose tensors and shards have at least half of the numbers of the message, and two where it names no op; those
 * with most first.
 */
function withNumbers(workbench: Workbench, { ops, numbers }: FailedCheck): readonly Suspect[] {
  const wanted = [...new Set(numbers)];
  if (wanted.length === 0) return [];
  return [...deviceOps(workbench)].flatMap(([fn, op]): readonly Suspect[] => {
    if (ops !== undefined && !ops.includes(op.name)) return [];
    const values = [...op.operands, ...op.results].map((value) => valueAt(fn, value));
    const found = new Map<number, string>();
    for (const { name, tensor, layout } of values) {
      for (const [what, extent] of extentsOf(tensor?.shape ?? [], layout)) {
        if (wanted.includes(extent) && !found.has(extent)) {
          found.set(extent, `${extent} is ${what} of ${name}`);
        }
      }
    }
    const share = found.size / wanted.length;
    if (share < 0.5 || (ops === undefined && found.size < 2)) return [];
    return [{ ...placeOf(fn, op), foundBy: "numbers", facts: [...found.values()], advice: [] }];
  }).toSorted((a, b) => b.facts.length - a.facts.length);
}

/**
 * The numbers that checks report: extents of a tensor, padded and as one matrix, of its shards, and the
 * number of shards.
 */
function* extentsOf(
  shape: readonly number[],
  layout: TtnnLayout | undefined,
): Generator<readonly [what: string, extent: number]> {
  for (const extent of shape) yield ["an extent", extent];
  if (layout === undefined) return;
  const { tile, gridShape, shardShape } = layout;
  const sides = tile === undefined ? [1, 1] : [tile.height, tile.width];
  for (const [dim, extent] of shardShape.entries()) {
    yield ["a side of the shards", extent * (sides[dim] ?? 1)];
  }
  yield ["the number of shards", volume(gridShape)];
  for (const [dim, side] of sides.entries()) {
    const extent = dim === 0 ? volume(shape.slice(0, -1)) : shape.at(-1) ?? 1;
    yield [dim === 0 ? "the number of rows" : "the padded width", Math.ceil(extent / side) * side];
  }
}

function placeOf({ name }: GraphFunction, op: GraphOp): LocatedOp {
  return { function: name, op: op.id, name: op.name, location: op.location };
}

function bytes(count: number): string {
  return `${count.toLocaleString("en-US")} B`;
}
