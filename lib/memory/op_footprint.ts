// SPDX-License-Identifier: Apache-2.0
import type { LayoutId, LayoutIds, LayoutTable } from "../layout/layout_table.ts";
import { shardBytes } from "../layout/make_layout.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import {
  type InvalidConstraints,
  isView,
  type OpConstraints,
  type OpModel,
  type ValidConstraints,
} from "../opmodel/op_model.ts";
import { takenApart } from "../opmodel/verdict.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";
import { conversionOp, type ConvertingChip } from "../plan/conversion_chain.ts";
import type { L1Room } from "../programs/op_launch.ts";
import { circularBufferBytesOnCore, largestCircularBuffers } from "../programs/circular_buffer.ts";
import type { L1Event } from "./l1_schedule.ts";

/** L1 use of an op with given layouts while it runs; bytes per core. */
export interface OpFootprint {
  /** Peak of circular buffers, dataflow buffers and scratchpads of one program. */
  readonly circularBufferBytes: number;
  /** Circular and dataflow buffers of the largest program. */
  readonly largestCircularBuffers: number;
  /** Bytes per result; 0 for results that are not in L1. */
  readonly resultBytes: readonly number[];
  /** The op's allocations, programs and frees in L1, in the backend's order; `undefined` if unknown. */
  readonly events: readonly L1Event[] | undefined;
  /** Most bytes of circular buffers, intermediates and results at any moment; `Infinity` if unknown. */
  readonly ownPeakBytes: number;
  /**
   * The footprint beside other tensors, if the backend chooses programs by the free L1; `undefined` otherwise.
   */
  readonly inRoom: ((room: L1Room) => OpFootprint) | undefined;
  /** Operand whose buffer result 0 shares. */
  readonly aliasedOperand: number | undefined;
  /** Whether that result is the operand's unchanged buffer, without a program. */
  readonly isView: boolean;
  /** Config that runs, if the op model knows it. */
  readonly config: OpSpecificAttributes | undefined;
  /**
   * Why the op model does not confirm that the op produces these results from these operands; `undefined` if it
   * does. A refusal only for lack of memory (`out_of_memory`) still has sizes; for all other refusals, circular
   * buffers and intermediates are unknown and count as 0.
   */
  readonly refusal: Refusal | undefined;
}

/** Rule name of a refusal because the op produces other layouts than the planned ones. */
export const OTHER_LAYOUTS = "result/other-layouts";

/**
 * A refusal of the op model, or its answer that the op produces other layouts than the planned ones
 * ({@linkcode OTHER_LAYOUTS}).
 */
export type Refusal = Pick<InvalidConstraints, "failure" | "rule" | "message">;

/**
 * Footprint of an op with decided layouts. If the op model does not give these results for the first one as hint (opaque
 * ops, ops kept as in the input), only the results count.
 */
export function opFootprint(
  opModel: OpModel,
  op: OpSignature,
  inputs: LayoutIds,
  outputs: LayoutIds,
  config: OpSpecificAttributes | undefined,
): OpFootprint {
  const decided: DecidedOp = { op, inputs, outputs, config };
  const { answer, refusal } = confirm(opModel, decided);
  if (answer === undefined) {
    const viewOf = opModel.traits(op).viewOf;
    const shared = viewOf !== undefined && sameMemoryLayout(opModel.layouts, inputs[viewOf], outputs[0]);
    return {
      ...unknownFootprint(opModel, decided, op.name === LOAD_CACHED ? undefined : refusal),
      aliasedOperand: shared ? viewOf : undefined,
      isView: shared,
    };
  }
  const footprint = footprintOf(opModel, op, outputs, answer, config, refusal);
  return answer.dependsOnRoom
    ? { ...footprint, inRoom: (room) => footprintInRoom(opModel, decided, room) }
    : footprint;
}

/** An op with decided layouts. */
interface DecidedOp {
  readonly op: OpSignature;
  readonly inputs: LayoutIds;
  readonly outputs: LayoutIds;
  readonly config: OpSpecificAttributes | undefined;
}

/** The footprint of an op that the backend launches with a given free L1. */
function footprintInRoom(opModel: OpModel, decided: DecidedOp, room: L1Room): OpFootprint {
  const { op, inputs, outputs, config } = decided;
  const answer = opModel.constraintsInRoom?.(op, inputs, outputs[0], config, room);
  return answer?.status === "valid" && sameLayouts(opModel.layouts, answer.outputLayouts, outputs)
    ? footprintOf(opModel, op, outputs, answer, config, undefined)
    : unknownFootprint(opModel, decided, answer?.status === "invalid" ? answer : otherLayouts(op));
}

/** The footprint of an op that the op model does not confirm: only its results count. */
function unknownFootprint(
  opModel: OpModel,
  { op, outputs, config }: DecidedOp,
  refusal: Refusal | undefined,
): OpFootprint {
  return {
    circularBufferBytes: 0,
    largestCircularBuffers: 0,
    resultBytes: resultBytesOf(opModel, op, outputs),
    events: undefined,
    ownPeakBytes: Infinity,
    inRoom: undefined,
    aliasedOperand: undefined,
    isView: false,
    config,
    refusal,
  };
}

/** L1 bytes of results. Const-eval results occupy L1 for the program's whole life, so they are counted elsewhere. */
function resultBytesOf({ layouts }: OpModel, op: OpSignature, outputs: LayoutIds): number[] {
  return outputs.map(op.name === LOAD_CACHED ? () => 0 : (id) => l1Bytes(layouts, id));
}

/** The footprint of an op that produces these results according to the op model. */
export function footprintOf(
  opModel: OpModel,
  op: OpSignature,
  outputs: LayoutIds,
  answer: ValidConstraints,
  config: OpSpecificAttributes | undefined,
  refusal: Refusal | undefined,
): OpFootprint {
  const resultBytes = resultBytesOf(opModel, op, outputs);
  for (const event of answer.events) {
    if (event.kind !== "allocate") continue;
    const { memory, result, bytesPerBank } = event.allocated;
    // A result whose layout has no L1 bytes is not in L1.
    if (memory === "l1" && result !== undefined && (resultBytes[result] ?? 0) > 0) {
      resultBytes[result] = bytesPerBank;
    }
  }
  return {
    circularBufferBytes: answer.cbPlacedBytes,
    largestCircularBuffers: largestCircularBuffers(answer),
    resultBytes,
    events: l1Events(answer, resultBytes),
    ownPeakBytes: answer.ownPeakBytes,
    inRoom: undefined,
    aliasedOperand: answer.aliasedOperand,
    isView: isView(answer),
    config: answer.config ?? config,
    refusal,
  };
}

/**
 * The L1 events of an answer; `undefined` for the usual op, which allocates its results and then runs one
 * program.
 */
export function l1Events(
  { events, programs }: ValidConstraints,
  resultBytes: readonly number[],
): readonly L1Event[] | undefined {
  const found: L1Event[] = [];
  const inL1 = new Set<number>();
  let isPlain = true;
  let runs = 0;
  for (const event of events) {
    switch (event.kind) {
      case "allocate": {
        const { memory, result, bytesPerBank } = event.allocated;
        if (memory !== "l1" || (result !== undefined && (resultBytes[result] ?? 0) === 0)) break;
        inL1.add(event.tensor);
        found.push({ kind: "allocate", tensor: event.tensor, bytes: bytesPerBank, result });
        isPlain &&= result !== undefined && runs === 0;
        break;
      }
      case "run": {
        const program = programs[event.program];
        if (program === undefined) {
          throw new RangeError(`Cannot replay an op: it has no program ${event.program}`);
        }
        runs++;
        found.push({ kind: "run", circularBufferBytes: circularBufferBytesOnCore(program) });
        break;
      }
      case "free":
        if (!inL1.delete(event.tensor)) break;
        found.push(event);
        isPlain = false;
        break;
      case "free_operand":
        found.push(event);
        isPlain = false;
        break;
    }
  }
  return isPlain ? undefined : found;
}

/** Bytes per core that a layout takes in L1; 0 for other memories. */
export function l1Bytes(layouts: LayoutTable, id: LayoutId | undefined): number {
  if (id === undefined) return 0;
  const layout = layouts.get(id);
  return layout.bufferType === "l1" ? shardBytes(layout) : 0;
}

/**
 * The answer of the op model about an op with these layouts: an answer, a refusal, or both if it only lacks
 * memory.
 */
interface OpAnswer {
  readonly answer: ValidConstraints | undefined;
  readonly refusal: Refusal | undefined;
}

/**
 * Queries with the first result's layout as hint, because a program declares it to the backend: a layout that the op model
 * gives only without a hint would not come out.
 */
function confirm(opModel: OpModel, { op, inputs, outputs, config }: DecidedOp): OpAnswer {
  const ask = (extraL1Bytes?: number): OpConstraints =>
    opModel.queryOpConstraints(op, inputs, outputs[0], config, extraL1Bytes);
  const isAsDecided = ({ outputLayouts }: ValidConstraints): boolean =>
    sameLayouts(opModel.layouts, outputLayouts, outputs);
  const answer = ask();
  if (answer.status === "valid") {
    return isAsDecided(answer)
      ? { answer, refusal: undefined }
      : { answer: undefined, refusal: otherLayouts(op) };
  }
  if (answer.failure !== "out_of_memory") return { answer: undefined, refusal: answer };
  const unbounded = ask(Number.NEGATIVE_INFINITY);
  if (unbounded.status === "valid" && isAsDecided(unbounded)) return { answer: unbounded, refusal: answer };
  // Refused even with unlimited L1: the op's programs may be unknown as well.
  return { answer: undefined, refusal: unbounded.status === "invalid" ? unbounded : answer };
}

function otherLayouts({ name }: OpSignature): Refusal {
  return {
    failure: "unsupported_layout",
    rule: OTHER_LAYOUTS,
    message: `${name} makes other layouts than these${takenApart(name)}`,
  };
}

/** Equal except for the element format, which a plan keeps as the input declares it. */
function sameLayouts(layouts: LayoutTable, actual: LayoutIds, planned: LayoutIds): boolean {
  return planned.every((wanted, index) => {
    const got = actual[index];
    if (wanted === got || wanted === undefined || got === undefined) return wanted === got;
    const layout = layouts.get(got);
    return layouts.intern({ ...layout, dataType: layouts.get(wanted).dataType }) === wanted;
  });
}

function sameMemoryLayout(layouts: LayoutTable, a: LayoutId | undefined, b: LayoutId | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const left = layouts.get(a);
  const right = layouts.get(b);
  return left.bufferType === right.bufferType && left.memoryLayout === right.memoryLayout;
}

/** A reshard is a `to_memory_config` (tt-mlir:memory-layout-propagation). */
export function reshardSignature(tensor: TensorShape | undefined): OpSignature {
  return memoryOpSignature("ttnn.to_memory_config", tensor, tensor);
}

/** The op that a conversion of a plan becomes ({@linkcode conversionOp}). */
export function conversionSignature(
  tensor: TensorShape | undefined,
  from: TtnnLayout | undefined,
  to: TtnnLayout,
  chip: ConvertingChip,
): OpSignature {
  if (tensor === undefined || from === undefined) return reshardSignature(tensor);
  const name = conversionOp(tensor, from, to, chip);
  return memoryOpSignature(name, tensor, { ...tensor, dataType: to.dataType });
}

function memoryOpSignature(
  name: string,
  operand: TensorShape | undefined,
  result: TensorShape | undefined,
): OpSignature {
  return {
    name,
    attributes: new Map(),
    operands: [operand],
    operandSegmentSizes: undefined,
    results: [result],
  };
}
