// SPDX-License-Identifier: Apache-2.0
import { LOAD_CACHED } from "../ops/calls.ts";
import { isDeterministicOp } from "../ops/effects.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import type { TtnnValue } from "../ttnn/value.ts";
import type { PassContext } from "./graph_pass.ts";
import { calledBody, isDevice } from "./invariant_values.ts";
import type { PassBuilder } from "./rewrite_pattern.ts";

/** The op that makes a loaded value, in the const-eval function that a `load_cached` calls. */
export interface LoadedOp {
  readonly call: TtnnOp;
  readonly callee: TtnnFunction;
  readonly op: TtnnOp;
}

/** How a loaded value is made; `undefined` for other values, and where the function cannot be copied from. */
export function loadedOp(value: TtnnValue | undefined, context: PassContext): LoadedOp | undefined {
  const definition = value?.definition;
  if (definition?.kind !== "result" || definition.op.name !== LOAD_CACHED) return undefined;
  const callee = calledBody(context, definition.op);
  const op = callee?.results[definition.index]?.producer;
  if (callee === undefined || op === undefined) return undefined;
  return opsBelow(op.operands, callee).every(({ name }) => isDeterministicOp(name))
    ? { call: definition.op, callee, op }
    : undefined;
}

/** The ops of a function that make values, in order; devices are opened elsewhere. */
function opsBelow(values: readonly TtnnValue[], body: TtnnFunction): readonly TtnnOp[] {
  const found = new Set<TtnnOp>();
  const open = [...values];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { producer } = at;
    if (producer === undefined || isDevice(at) || found.has(producer)) continue;
    found.add(producer);
    open.push(...producer.operands);
  }
  return [...body.ops()].filter((op) => found.has(op));
}

/** Makes operands of a loaded op in the calling function, from which const-eval moves them to load again. */
export function operandsOfLoaded(
  { call, callee, op }: LoadedOp,
  operands: readonly TtnnValue[],
  emit: PassBuilder,
): readonly TtnnValue[] {
  const copies = new Map<TtnnValue, TtnnValue>();
  const copied = (value: TtnnValue): TtnnValue => {
    const copy = isDevice(value) ? emit.device() : copies.get(value);
    if (copy === undefined) {
      throw new RangeError(`${op.name} of @${callee.header.name} reads what is not made there`);
    }
    return copy;
  };
  callee.arguments.forEach(({ value }, index) => {
    const given = call.operands[index];
    if (given !== undefined) copies.set(value, given);
  });
  for (const each of opsBelow(operands, callee)) {
    const types = each.results.map(({ type }) => type);
    const made = emit.insert(each.opName, each.operands.map(copied), types, each.properties, each.attributes);
    each.results.forEach((result, index) => {
      const copy = made.results[index];
      if (copy !== undefined) copies.set(result, copy);
    });
  }
  return operands.map(copied);
}
