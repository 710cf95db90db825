// SPDX-License-Identifier: Apache-2.0
import type { DeviceOp } from "../device_op.ts";
import { dialectName } from "../measured_ops/eltwise.ts";
import { textIn } from "../measured_ops/texts.ts";
import { attributesOf } from "../op_question.ts";
import type { QuestionReader } from "./placed_op.ts";

/** The elementwise op of the dialect that a device op computes; `undefined` if its function is none of the dialect's. */
export function eltwiseName({ params, attributes }: DeviceOp): string | undefined {
  const stated = /BinaryOpType::(\w+)/.exec(attributes)?.[1] || textIn(params, "function") ||
    /UnaryOpType::(\w+)/.exec(attributes)?.[1] || /(?:^|op=)([A-Z]+)/.exec(attributes)?.[1];
  return dialectName(stated ?? "");
}

/** An elementwise op, with the function that it applies to an operand or its result, and its scalar. */
export const eltwise: QuestionReader = ({ op, inputs }) => {
  const name = eltwiseName(op);
  if (name === undefined) return undefined;
  const fused = /(?:[lr]hs|post)_activation=(\w+)/.exec(op.attributes)?.[1];
  const activation = fused === undefined ? undefined : dialectName(fused)?.replace("ttnn.", "");
  const scalar = inputs.length === 1 && /\bscalar=/.test(op.attributes) ? 1 : undefined;
  // Behind the operands stands the tensor that the result is written to, where the caller has one.
  const operands = op.op.startsWith("Unary") ? 1 : op.op.startsWith("Binary") ? 2 : 3;
  return { name, attributes: attributesOf({ activation, scalar }), inputs: inputs.slice(0, operands) };
};
