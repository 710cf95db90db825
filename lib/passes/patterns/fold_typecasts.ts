// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../layout/data_type.ts";
import { sameType, type TensorValue } from "../body/body_value.ts";
import type { BodyOp } from "../body/body_op.ts";
import type { FunctionBody } from "../body/function_body.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { isFloat, madeBy } from "./matching.ts";

/** What holds every number of a type exactly. */
const WIDER: ReadonlyMap<DataType, readonly DataType[]> = new Map([
  ["bf16", ["f32"]],
  ["f16", ["f32"]],
  ["bfp_bf8", ["bf16", "f32"]],
  ["bfp_bf4", ["bfp_bf8", "bf16", "f32"]],
  ["u8", ["u16", "u32", "si32", "f32"]],
  ["u16", ["u32", "si32", "f32"]],
]);

/** Activations that upstream takes out of a detour through a wider type. */
const ACTIVATIONS: ReadonlySet<string> = new Set(["ttnn.silu"]);

/**
 * A typecast that changes nothing is none, one behind a lossless one reads what that reads (tt-mlir: folders of
 * `TypecastOp`), and an activation between two inverse typecasts is computed without them (tt-mlir: `SiluFusionPattern`).
 */
export const foldTypecasts: RewritePattern = {
  name: "fold-typecasts",
  option: undefined,
  roots: ["ttnn.typecast"],
  rewrite: (op, body) => {
    const [input, result] = [op.tensorOperand(0), op.tensorResult];
    if (input === undefined || result === undefined) return false;
    if (sameType(input.type, result.type)) {
      body.replaceAllUses(result, input);
      return true;
    }
    const source = losslessSource(input);
    if (source !== undefined && sameStorage(source, result)) {
      if (sameType(source.type, result.type)) body.replaceAllUses(result, source);
      else body.setOperand(op, 0, source);
      return true;
    }
    return narrowActivation(op, input, result, body);
  },
};

/** What a value was before a typecast that lost nothing. */
function losslessSource(value: TensorValue): TensorValue | undefined {
  const source = madeBy(value, "typecast")?.tensorOperand(0);
  if (source === undefined) return undefined;
  return WIDER.get(source.type.dataType)?.includes(value.type.dataType) === true ? source : undefined;
}

/** Whether two tensors differ in element type at most. */
function sameStorage({ type: a }: TensorValue, { type: b }: TensorValue): boolean {
  return a.layout.bufferType === b.layout.bufferType && a.layout.memoryLayout === b.layout.memoryLayout &&
    (a.layout.tile === undefined) === (b.layout.tile === undefined);
}

function narrowActivation(
  op: BodyOp,
  input: TensorValue,
  result: TensorValue,
  body: FunctionBody,
): boolean {
  const activation = input.producer;
  const wide = activation?.tensorOperand(0);
  if (activation === undefined || wide === undefined || !ACTIVATIONS.has(activation.name)) return false;
  const source = losslessSource(wide);
  if (input.onlyUser !== op || source === undefined || !isFloat(source.type.dataType)) return false;
  if (!sameType(source.type, result.type)) return false;
  body.replaceOp(op, {
    name: activation.name,
    operands: [source],
    resultTypes: [result.type],
    properties: activation.properties,
    location: activation.location,
  });
  return true;
}
