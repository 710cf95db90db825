// SPDX-License-Identifier: Apache-2.0
import { type GraphFunction, opAt, type OpId, valueAt, type ValueId } from "../../lib/graph/graph.ts";
import { opSignatures } from "../../lib/graph/signature.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import type { RefusedCandidates } from "../../lib/opmodel/refused_candidates.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { Workbench } from "../load.ts";
import type { Confirmation, ConfirmedOp } from "./confirmation.ts";

/** An op of a plan that does not run as planned. */
export interface ForbiddenOp {
  readonly name: string;
  readonly function: string;
  readonly op: number;
  readonly words: string;
  /** Whether another plan is possible: something new was forbidden. */
  readonly isNew: boolean;
}

/**
 * Forbids the candidates to blame for every op of a plan that the backend refuses, crashes on, or runs with another
 * result: the op with its layouts. For a copy, whose layouts others chose, also the ops that read it with their
 * layouts, or the op that made its source if nothing reads it.
 */
export function forbidRefused(
  { binding: { graph } }: Workbench,
  confirmation: Confirmation,
  refused: RefusedCandidates,
): readonly ForbiddenOp[] {
  return confirmation.ops.flatMap((op): ForbiddenOp[] => {
    const words = faultOf(op);
    const fn = graph.functions.find(({ name }) => name === op.function);
    const id = fn?.ops.find((candidate) => candidate.id === op.op)?.id;
    if (words === undefined || fn === undefined || id === undefined) return [];
    const isNew = blamed(fn, id).map((blamedOp) => forbid(fn, blamedOp, words, refused)).some((added) =>
      added
    );
    return [{ name: op.name, function: fn.name, op: id, words, isNew }];
  });
}

/** The fault of an op of a plan; `undefined` if it runs as declared or was not queried. */
function faultOf({ state, words, differences }: ConfirmedOp): string | undefined {
  if (state === "refused" || state === "crashed") return words;
  if (state !== "different") return undefined;
  const layout = differences.find(({ about }) => about === "layout");
  return `its result is ${layout?.theirs ?? "another"}, not ${layout?.ours ?? "as declared"}`;
}

/** The op itself; for a copy also the ops that determine its layouts. */
function blamed(fn: GraphFunction, id: OpId): readonly OpId[] {
  const op = opAt(fn, id);
  if (!definitionOf(op.name).memoryOp) return [id];
  const users = op.results.flatMap((result) => valueAt(fn, result).uses.map(({ op }) => op));
  if (users.length > 0) return [id, ...users];
  const makers = op.operands.flatMap((operand) => {
    const { definition } = valueAt(fn, operand);
    return definition.kind === "result" ? [definition.op] : [];
  });
  return [id, ...makers];
}

function forbid(fn: GraphFunction, id: OpId, words: string, refused: RefusedCandidates): boolean {
  const op = opAt(fn, id);
  const signature = opSignatures(fn)[id];
  if (signature === undefined) return false;
  const layoutOf = (value: ValueId | undefined): TtnnLayout | undefined =>
    value === undefined ? undefined : valueAt(fn, value).layout;
  return refused.add(signature, op.operands.map(layoutOf), layoutOf(op.results[0]), words);
}
