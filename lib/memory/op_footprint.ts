// SPDX-License-Identifier: Apache-2.0
import { LOAD_CACHED } from "../ops/calls.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { shardBytes, type WorkerGrid } from "../layout/make_layout.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { InvalidConstraints, OpModel, ValidConstraints } from "../opmodel/op_model.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { conversionOp } from "../plan/conversion_chain.ts";

/** How an op uses L1 while it runs with given layouts; bytes per core. */
export interface OpFootprint {
  readonly circularBufferBytes: number;
  /** Bytes per result; 0 for results that are not in L1. */
  readonly resultBytes: readonly number[];
  /** Intermediates that are freed when the op ends. */
  readonly scratchBytes: readonly number[];
  /**
   * Most bytes of circular buffers, intermediates and results at any moment. Less than their sum if an op runs
   * several programs whose buffers do not coexist; `Infinity` if unknown.
   */
  readonly ownPeakBytes: number;
  /** Operand whose buffer result 0 shares. */
  readonly aliasedOperand: number | undefined;
  /** Config that the op really runs with, if the op model knows it. */
  readonly config: OpSpecificAttributes | undefined;
  /**
   * Why the op model does not confirm that the op produces these results from these operands; `undefined` if it
   * does. A refusal only for lack of memory (`out_of_memory`) still has sizes; for all other refusals, circular
   * buffers and intermediates are unknown and count as 0.
   */
  readonly refusal: Refusal | undefined;
}

const NO_BYTES: readonly number[] = [];

/** Rule name of a refusal because the op makes other layouts than the planned ones. */
export const OTHER_LAYOUTS = "result/other-layouts";

/**
 * A refusal of the op model, or its answer that the op makes other layouts than the planned ones
 * ({@linkcode OTHER_LAYOUTS}).
 */
export type Refusal = Pick<InvalidConstraints, "failure" | "rule" | "message">;

/**
 * Footprint of an op with decided layouts. The op model is queried with the first result's layout as hint, then
 * without a hint; if neither gives these results (opaque ops, ops kept as in the input), only the results
 * count.
 */
export function opFootprint(
  opModel: OpModel,
  op: OpSignature,
  inputs: readonly (LayoutId | undefined)[],
  outputs: readonly (LayoutId | undefined)[],
  config: OpSpecificAttributes | undefined,
): OpFootprint {
  const { answer, refusal } = confirm(opModel, op, inputs, outputs, config);
  if (answer === undefined) {
    const resultBytes = resultBytesOf(opModel, op, outputs);
    const viewOf = opModel.traits(op).viewOf;
    const shared = viewOf !== undefined && sameMemory(opModel.layouts, inputs[viewOf], outputs[0]);
    return {
      circularBufferBytes: 0,
      resultBytes,
      scratchBytes: NO_BYTES,
      ownPeakBytes: Infinity,
      aliasedOperand: shared ? viewOf : undefined,
      config,
      refusal: op.name === LOAD_CACHED ? undefined : refusal,
    };
  }
  return footprintOf(opModel, op, outputs, answer, config, refusal);
}

/** L1 bytes of results. Const-eval results occupy L1 for the program's whole life, so they are counted elsewhere. */
function resultBytesOf(
  { layouts }: OpModel,
  op: OpSignature,
  outputs: readonly (LayoutId | undefined)[],
): number[] {
  return outputs.map(op.name === LOAD_CACHED ? () => 0 : (id) => l1Bytes(layouts, id));
}

/** The footprint of an op that, as the op model has answered, runs with these results. */
export function footprintOf(
  opModel: OpModel,
  op: OpSignature,
  outputs: readonly (LayoutId | undefined)[],
  answer: ValidConstraints,
  config: OpSpecificAttributes | undefined,
  refusal: Refusal | undefined,
): OpFootprint {
  const resultBytes = resultBytesOf(opModel, op, outputs);
  let scratchBytes = NO_BYTES;
  for (let index = 0; index < answer.buffers.length; index++) {
    const buffer = answer.buffers[index];
    if (buffer?.bufferType !== "l1") continue;
    if (buffer.result === undefined) scratchBytes = scratchBytes.concat(buffer.sizePerBank);
    // A result without bytes by its layout is not in L1.
    else if ((resultBytes[buffer.result] ?? 0) > 0) resultBytes[buffer.result] = buffer.sizePerBank;
  }
  const circularBufferBytes = answer.cbPlacedBytes;
  return {
    circularBufferBytes,
    resultBytes,
    scratchBytes,
    ownPeakBytes: Math.min(answer.l1PeakBytes, circularBufferBytes + answer.tensorL1PeakBytes),
    aliasedOperand: answer.aliasedOperand,
    config: answer.config ?? config,
    refusal,
  };
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
interface Confirmation {
  readonly answer: ValidConstraints | undefined;
  readonly refusal: Refusal | undefined;
}

function confirm(
  opModel: OpModel,
  op: OpSignature,
  inputs: readonly (LayoutId | undefined)[],
  outputs: readonly (LayoutId | undefined)[],
  config: OpSpecificAttributes | undefined,
): Confirmation {
  const ask = (hint: LayoutId | undefined, extraL1Bytes?: number) =>
    opModel.queryOpConstraints(op, inputs, hint, config, extraL1Bytes);
  let refusal: Refusal | undefined;
  for (const hint of outputs[0] === undefined ? [undefined] : [outputs[0], undefined]) {
    let answer = ask(hint);
    if (answer.status === "invalid" && answer.failure === "out_of_memory") {
      const unbounded = ask(hint, Number.NEGATIVE_INFINITY);
      if (unbounded.status === "valid" && sameLayouts(opModel.layouts, unbounded.outputLayouts, outputs)) {
        return { answer: unbounded, refusal: answer };
      }
      // Refused even with unlimited L1: the op's programs may be unknown as well.
      if (unbounded.status === "invalid") answer = unbounded;
    }
    if (answer.status === "valid" && sameLayouts(opModel.layouts, answer.outputLayouts, outputs)) {
      return { answer, refusal: undefined };
    }
    refusal ??= answer.status === "invalid" ? answer : {
      failure: "unsupported_layout",
      rule: OTHER_LAYOUTS,
      message: `${op.name} makes other layouts than these`,
    };
  }
  return { answer: undefined, refusal };
}

/** Equal except for the element format, which a plan keeps as the input declares it. */
function sameLayouts(
  layouts: LayoutTable,
  actual: readonly (LayoutId | undefined)[],
  planned: readonly (LayoutId | undefined)[],
): boolean {
  return planned.every((wanted, index) => {
    const got = actual[index];
    if (wanted === got || wanted === undefined || got === undefined) return wanted === got;
    const layout = layouts.get(got);
    return layouts.intern({ ...layout, dataType: layouts.get(wanted).dataType }) === wanted;
  });
}

function sameMemory(layouts: LayoutTable, a: LayoutId | undefined, b: LayoutId | undefined): boolean {
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
  workerGrid: WorkerGrid,
): OpSignature {
  if (tensor === undefined || from === undefined) return reshardSignature(tensor);
  const name = conversionOp(tensor, from, to, workerGrid);
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
