// SPDX-License-Identifier: Apache-2.0
import { volume } from "../../lib/layout/extents.ts";
import { floatFromBits } from "../../lib/ir/mod.ts";
import { attributeOf } from "../../lib/ir/mod.ts";
import { inBoth } from "./elementwise.ts";
import type { Meanings, OpCall } from "./op_call.ts";
import { build, type NumericTensor } from "./tensor.ts";

/** Ops that make tensors from attributes. */
export const CREATION: Meanings = inBoth([
  ["constant", constant],
  ["zeros", (call) => build(call.resultShape(), () => 0)],
  ["ones", (call) => build(call.resultShape(), () => 1)],
  ["full", (call) => build(call.resultShape(), () => call.number("fill_value"))],
  ["empty", (call) => build(call.resultShape(), () => NaN)],
  ["arange", arange],
]);

/** `start`, `start + step`, … along one dimension, repeated along the others. */
function arange(call: OpCall): NumericTensor {
  const shape = call.resultShape();
  const dim = call.dimension(call.integer("arange_dimension", 0), shape.length);
  return build(shape, (index) => call.integer("start") + (index[dim] ?? 0) * call.integer("step"));
}

/** Splats and nested lists; hex strings are not read. */
function constant(call: OpCall): NumericTensor {
  const attribute = attributeOf(call.module, call.operation, "value");
  const text = attribute?.kind === "opaque" ? attribute.text : "";
  const body = /^dense<([^]*)>\s*:/.exec(text)?.[1];
  if (body === undefined || body.includes('"')) throw call.fail(`constant '${text.slice(0, 40)}'`);
  const shape = call.resultShape();
  const element = call.resultElement();
  const values = body.replaceAll(/[[\]\s]/g, "").split(",").filter((token) => token !== "").map((token) =>
    token === "true"
      ? 1
      : token === "false"
      ? 0
      : token.startsWith("0x") && /^b?f/.test(element)
      ? floatFromBits(BigInt(token), element)
      // Decimal texts of f32 stand for the nearest f32.
      : element === "f32"
      ? Math.fround(Number(token))
      : Number(token)
  );
  if (values.length !== 1 && values.length !== volume(shape)) throw call.fail(`${values.length} numbers`);
  let next = 0;
  return build(shape, () => (values.length === 1 ? values[0] : values[next++]) ?? NaN);
}
