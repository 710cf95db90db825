// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../../lib/layout/extents.ts";
import type { DeviceOp, DeviceTensor } from "../device_op.ts";

/** Device operations whose compiled program serves every shape. */
const ANY_SHAPE = /^(Binary|Unary|Ternary|Softmax|Typecast)/;

/**
 * Corrects shapes of elementwise ops. Profilers print an op's columns once per compiled program, so an
 * elementwise op may show the shape of an earlier run. If the tensors before and behind a run of such ops
 * have equal sizes and the printed ones differ, the one behind gives the shape; runs at a gap in the profile
 * are left as they are.
 */
export function withTrueShapes(ops: readonly DeviceOp[]): readonly DeviceOp[] {
  const result = [...ops];
  let begin = 0;
  while (begin < ops.length) {
    let end = begin;
    while (ANY_SHAPE.test(ops[end]?.op ?? "")) end++;
    const [first, last] = [ops[begin - 1], ops[end]];
    const [before, behind] = [first?.outputs[0], last?.inputs[0]];
    const isWhole = (last?.order ?? end) - (first?.order ?? begin - 1) === end - begin + 1;
    if (
      before !== undefined && behind !== undefined && volume(before.shape) === volume(behind.shape) && isWhole
    ) {
      for (let at = begin; at < end; at++) {
        const op = ops[at];
        if (op !== undefined) result[at] = asLargeAs(behind, op);
      }
    }
    begin = end + 1;
  }
  return result;
}

/** The op with the shape of `tensor` in place of its result's, where the two are not as large as each other. */
function asLargeAs(tensor: DeviceTensor, op: DeviceOp): DeviceOp {
  const printed = op.outputs[0];
  if (
    printed === undefined || printed.shardShape !== undefined ||
    volume(printed.shape) === volume(tensor.shape)
  ) {
    return op;
  }
  const mended = (each: DeviceTensor): DeviceTensor =>
    volume(each.shape) === volume(printed.shape) ? { ...each, shape: tensor.shape } : each;
  return { ...op, inputs: op.inputs.map(mended), outputs: op.outputs.map(mended) };
}
