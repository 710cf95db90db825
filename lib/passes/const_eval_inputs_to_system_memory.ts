// SPDX-License-Identifier: Apache-2.0
import { type DataType, isBlockFloat } from "../layout/data_type.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import { isTensorValue, type TensorValue } from "../ttnn/value.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import { calledBody } from "./invariant_values.ts";
import { type GraphPass, isForward, type PassContext } from "./graph_pass.ts";
import { tensorType } from "../ttnn/tensor_type.ts";
import { PassBuilder } from "./rewrite_pattern.ts";

/** Formats that the device can tilize itself (tt-mlir:pass-order). */
const TILED_ON_DEVICE: ReadonlySet<DataType> = new Set(["bf16", "f32", "u32", "u16", "si32"]);

/**
 * Moves DRAM arguments read only by const-eval functions, or by no op, to the host, row-major but for block floats: DRAM
 * then holds the prepared parameter alone. Keeps the arguments of a caller's TTNN.
 */
export const constEvalInputsToSystemMemory: GraphPass = {
  name: "const-eval-inputs-to-system-memory",
  option: "enable-const-eval-inputs-to-system-memory",
  upstream: "level-0",
  run: (context) => {
    if (!context.ownsSignature) return;
    for (const body of context.functions.filter(isForward)) {
      for (const { value } of body.arguments) {
        if (!isTensorValue(value) || value.type.layout.bufferType !== "dram") continue;
        const users = [...value.uses.keys()];
        if (users.every((user) => user.name === LOAD_CACHED && calledBody(context, user) !== undefined)) {
          users.forEach((user) => loadInCallee(user, value, context));
          value.type = hostType(value, context);
        }
      }
    }
  },
};

function hostType({ type: { shape, dataType } }: TensorValue, context: PassContext): TensorValue["type"] {
  const rowMajor = !isBlockFloat(dataType);
  return tensorType(context.chip, shape, dataType, { rowMajor, bufferType: "system_memory" });
}

/** Makes a called function take an argument on the host. */
function loadInCallee(call: TtnnOp, given: TensorValue, context: PassContext): void {
  const callee = calledBody(context, call);
  if (callee === undefined) throw new RangeError(`Cannot read what ${call.name} calls`);
  call.operands.forEach((operand, index) => {
    const argument = callee.arguments[index]?.value;
    if (operand === given && argument !== undefined && isTensorValue(argument)) {
      loadArgument(callee, argument, context);
    }
  });
}

function loadArgument(callee: TtnnFunction, argument: TensorValue, context: PassContext): void {
  const users = new Set(argument.uses.keys());
  const first = [...callee.ops()].find((op) => users.has(op));
  const { type } = argument;
  argument.type = hostType(argument, context);
  if (first === undefined) return;
  const emit = new PassBuilder(callee, first, context);
  const isTiled = type.layout.tile !== undefined;
  const isTiledThere = isTiled && TILED_ON_DEVICE.has(type.dataType);
  const onHost = isTiled && !isTiledThere && argument.type.layout.tile === undefined
    ? emit.op(
      "ttnn.to_layout",
      [argument],
      emit.type(type.shape, type.dataType, { bufferType: "system_memory" }),
    )
    : argument;
  const moved = emit.op(
    "ttnn.to_device",
    [onHost, callee.device(first)],
    isTiledThere ? emit.type(type.shape, type.dataType, { rowMajor: true }) : type,
  );
  const loaded = isTiledThere ? emit.op("ttnn.to_layout", [moved], type) : moved;
  for (const user of users) callee.replaceOperand(user, argument, loaded);
}
