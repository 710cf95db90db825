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

/** Splats, nested lists and hex strings; those of bits are not read. */
function constant(call: OpCall): NumericTensor {
  const attribute = attributeOf(call.module, call.operation, "value");
  const text = attribute?.kind === "opaque" ? attribute.text : "";
  const body = /^dense<([^]*)>\s*:/.exec(text)?.[1];
  const shape = call.resultShape();
  const element = call.resultElement();
  const hex = body === undefined ? undefined : /^"0x([0-9A-F]+)"$/i.exec(body)?.[1];
  if (
    body === undefined || (body.includes('"') && hex === undefined) ||
    (hex !== undefined && /i1$/.test(element))
  ) {
    throw call.fail(`constant '${text.slice(0, 40)}'`);
  }
  const values = hex === undefined ? listed(body, element) : ofBytes(hex, element);
  if (values.length !== 1 && values.length !== volume(shape)) throw call.fail(`${values.length} numbers`);
  let next = 0;
  return build(shape, () => (values.length === 1 ? values[0] : values[next++]) ?? NaN);
}

function listed(body: string, element: string): readonly number[] {
  return body.replaceAll(/[[\]\s]/g, "").split(",").filter((token) => token !== "").map((token) =>
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
}

/** Little-endian elements of whole bytes, as MLIR prints long constants. */
function ofBytes(hex: string, element: string): readonly number[] {
  const digits = Number(/\d+$/.exec(element)?.[0]) / 4;
  return Array.from({ length: hex.length / digits }, (_, at) => {
    const bytes = hex.slice(at * digits, (at + 1) * digits).match(/../g) ?? [];
    const bits = BigInt(`0x${bytes.toReversed().join("")}`);
    if (/^b?f/.test(element)) return floatFromBits(bits, element);
    return Number(element.startsWith("u") ? bits : BigInt.asIntN(4 * digits, bits));
  });
}
