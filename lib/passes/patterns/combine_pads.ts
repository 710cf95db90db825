// SPDX-License-Identifier: Apache-2.0
import { readNumber } from "../../dialect/attribute_values.ts";
import { denseArrayText } from "../../dialect/printed_attributes.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { integersOf, madeBy, makeTyped } from "./matching.ts";

/** A pad of a pad with the same number becomes one. */
export const combinePads: RewritePattern = {
  name: "combine-pads",
  option: undefined,
  upstream: "none",
  roots: ["ttnn.pad"],
  rewrite: (op, body, context) => {
    const inner = madeBy(op.operands[0], "pad");
    const [source, result] = [inner?.tensorOperand(0), op.tensorResult];
    if (inner === undefined || source === undefined || result === undefined) return false;
    if (inner.tensorResult?.onlyUser !== op) return false;
    const fillers = [inner, op].map((pad) => readNumber(pad.attributeMap(), "value"));
    if (fillers[0] === undefined || fillers[0] !== fillers[1]) return false;
    const [first, second] = [integersOf(inner, "padding"), integersOf(op, "padding")];
    const isGrowing = first.length === second.length && [...first, ...second].every((amount) => amount >= 0);
    if (!isGrowing) return false;
    const padding = denseArrayText(first.map((amount, side) => amount + (second[side] ?? 0)), "i32");
    const properties = new Map([...op.properties, ["padding", padding] as const]);
    const made = makeTyped({ anchor: op, body, context }, op.name, [source], result.type, properties);
    body.replaceAllUses(result, made);
    return true;
  },
};
