// SPDX-License-Identifier: Apache-2.0
import type { OpId, SchedulePoint, ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { ConversionReason } from "../plan/plan.ts";
import type { FunctionModel } from "./function_model.ts";
import type { OutputChoice } from "./impls.ts";

/** The instance of a value that is read: {@linkcode ITSELF}, or the index of a copy. */
export type Source = number;

/** The value itself, not a copy. */
export const ITSELF: Source = -1;

/**
 * A copy of a value in another layout. A search calls it a reshard before it is made, a plan calls it a
 * conversion.
 */
export interface ProgramCopy {
  readonly value: ValueId;
  readonly source: Source;
  readonly layout: LayoutId;
  /** Made directly before this op; `ops.length` stands for `return`. */
  readonly before: SchedulePoint;
  readonly reason: ConversionReason;
  readonly note: string;
}

/** The decision for one op, with layouts by id. */
export interface ProgramDecision extends OutputChoice {
  /** Per operand. */
  readonly sources: readonly Source[];
  readonly reasons: readonly string[];
  /** Whether a spill decided its results: in DRAM, or spread over L1 of all cores. */
  readonly isSpilled?: boolean;
  /** Whether the op must not free its activation, which is read again; also under configs that are chosen later. */
  readonly keepsActivation?: boolean;
}

/** A plan of one function under construction: layouts by id, every copy explicit, any schedule. */
export interface Program {
  /** Execution order. */
  readonly schedule: readonly OpId[];
  /** By op id. */
  readonly ops: readonly ProgramDecision[];
  /** All copies ever made; some may have no reader left. */
  readonly copies: readonly ProgramCopy[];
  /** Per returned value. */
  readonly results: readonly Source[];
}

/** One step of a program in execution order. */
export type ProgramStep =
  | { readonly kind: "op"; readonly op: OpId }
  | { readonly kind: "copy"; readonly copy: number };

/** @throws {RangeError} for an op id without a decision */
export function decisionFor({ ops }: Program, op: OpId): ProgramDecision {
  const decision = ops[op];
  if (decision === undefined) {
    throw new RangeError(`Cannot look up op ${op}: the program decides ${ops.length}`);
  }
  return decision;
}

/** @throws {RangeError} for a copy that the program does not have */
export function copyAt({ copies }: Program, copy: number): ProgramCopy {
  const found = copies[copy];
  if (found === undefined) {
    throw new RangeError(`Cannot look up copy ${copy}: the program has ${copies.length}`);
  }
  return found;
}

/**
 * Layout of an instance given as value and source; `undefined` for an argument without a declared layout and
 * for a result that is no tensor.
 *
 * @throws {RangeError} for a copy that the program does not have
 */
export function layoutOf(
  model: FunctionModel,
  program: Program,
  value: ValueId,
  source: Source,
): LayoutId | undefined {
  if (source !== ITSELF) return copyAt(program, source).layout;
  const { definition } = model.value(value);
  if (definition.kind === "argument") return model.declared[value];
  return decisionFor(program, definition.op).outputs[definition.index];
}

/**
 * The instance that a source stands for. A copy whose layout equals that of its source is never made (for
 * instance the spill of a result that is now produced in DRAM): its readers read the source.
 */
export function madeSource(model: FunctionModel, program: Program, source: Source): Source {
  let made = source;
  while (made !== ITSELF) {
    const copy = copyAt(program, made);
    if (copy.layout !== layoutOf(model, program, copy.value, copy.source)) break;
    made = copy.source;
  }
  return made;
}
