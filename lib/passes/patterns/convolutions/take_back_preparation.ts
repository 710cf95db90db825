// SPDX-License-Identifier: Apache-2.0
import { LOAD_CACHED } from "../../../ops/calls.ts";
import { isDeterministicOp } from "../../../ops/effects.ts";
import { isPreparingOp } from "../../../ops/preparing_ops.ts";
import type { TtnnFunction } from "../../../ttnn/function.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import type { TtnnValue } from "../../../ttnn/value.ts";
import { calledBody, isDevice } from "../../invariant_values.ts";
import type { PassContext } from "../../graph_pass.ts";
import { PassBuilder, type RewritePattern } from "../../rewrite_pattern.ts";

/**
 * A convolution reads the filter and the bias that a compiler prepared at load as they were before: patterns fold factors
 * and addends into them, and `prepare-convolution-weights` prepares what comes out for the layouts of the plan.
 */
export const takeBackPreparation: RewritePattern = {
  name: "take-back-preparation",
  option: "enable-const-eval",
  upstream: "none",
  roots: ["ttnn.conv2d", "ttnn.conv_transpose2d"],
  rewrite: (op, body, context) => {
    // Input, weight, bias if there is one, device.
    const indices = op.operands.map((_, index) => index).slice(1, -1);
    const prepared = indices.map((index) => preparationOf(op.operands[index], context));
    if (prepared.length === 0 || !prepared.every((found) => found !== undefined)) return false;
    const emit = new PassBuilder(body, op, context);
    prepared.forEach((found, at) => body.setOperand(op, at + 1, copyOf(found, emit)));
    return true;
  },
};

/** A `load_cached` that prepares a weight or a bias. */
interface Preparation {
  readonly call: TtnnOp;
  readonly callee: TtnnFunction;
  /** In the called function: what its preparing op reads. */
  readonly source: TtnnValue;
  /** In the called function: the ops that make that, in order. */
  readonly ops: readonly TtnnOp[];
}

/** How a loaded value is prepared; `undefined` for other values, and where what is prepared cannot be copied. */
function preparationOf(value: TtnnValue | undefined, context: PassContext): Preparation | undefined {
  const definition = value?.definition;
  if (definition?.kind !== "result" || definition.op.name !== LOAD_CACHED) return undefined;
  const { op: call, index } = definition;
  const callee = calledBody(context, call);
  const preparing = callee?.results[index]?.producer;
  const [source] = preparing?.operands ?? [];
  if (callee === undefined || preparing === undefined || source === undefined) return undefined;
  const ops = isPreparingOp(preparing.name) ? opsBelow(source, callee) : [];
  const isCopied = ops.every((op) => isDeterministicOp(op.name));
  return isPreparingOp(preparing.name) && isCopied ? { call, callee, source, ops } : undefined;
}

/** The ops of a function that make a value, in order; devices are opened elsewhere. */
function opsBelow(value: TtnnValue, body: TtnnFunction): readonly TtnnOp[] {
  const found = new Set<TtnnOp>();
  const open = [value];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { producer } = at;
    if (producer === undefined || isDevice(at) || found.has(producer)) continue;
    found.add(producer);
    open.push(...producer.operands);
  }
  return [...body.ops()].filter((op) => found.has(op));
}

/** Copies the ops of the prepared tensor into the calling function. */
function copyOf({ call, callee, source, ops }: Preparation, emit: PassBuilder): TtnnValue {
  const copies = new Map<TtnnValue, TtnnValue>();
  const copied = (value: TtnnValue): TtnnValue => {
    const copy = isDevice(value) ? emit.device() : copies.get(value);
    if (copy === undefined) throw new RangeError(`@${callee.header.name} uses a value that it does not make`);
    return copy;
  };
  callee.arguments.forEach(({ value }, index) => {
    const given = call.operands[index];
    if (given !== undefined) copies.set(value, given);
  });
  for (const op of ops) {
    const types = op.results.map(({ type }) => type);
    const made = emit.insert(op.opName, op.operands.map(copied), types, op.properties, op.attributes);
    op.results.forEach((result, index) => {
      const copy = made.results[index];
      if (copy !== undefined) copies.set(result, copy);
    });
  }
  return copied(source);
}
