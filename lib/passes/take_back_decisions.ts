// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../ops/op_book.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import { tensorType } from "../ttnn/tensor_type.ts";
import { sameType, type TtnnTensorType, type TtnnType, type TtnnValue } from "../ttnn/value.ts";
import { type GraphPass, isForward, type PassContext } from "./graph_pass.ts";
import { converted } from "./patterns/formats/spell_out_tensor_spec.ts";
import { PassBuilder } from "./rewrite_pattern.ts";

/**
 * Undoes the memory decisions in an already optimized text: tensors go back to interleaved DRAM, and copies between memories
 * are erased, since they stand between ops that patterns match. Kept are layouts that an op needs, tensors that are written
 * in place or returned, and program configs, on which a plan of the text as written relies.
 */
export const takeBackDecisions: GraphPass = {
  name: "take-back-decisions",
  upstream: "none",
  run: (context) => {
    // In text that we lowered, only tensors that kernels need there are in L1.
    if (context.ownsSignature) return;
    for (const body of context.functions.filter(isForward)) takeBack(body, context);
  },
};

function takeBack(body: TtnnFunction, context: PassContext): void {
  const types = undecidedTypes(body, context);
  for (const [value, type] of types) value.type = type;
  for (const op of [...body.ops()]) {
    const source = op.tensorOperand(0);
    const result = op.tensorResult;
    const apart = source !== undefined && result !== undefined && movesBetween(op, source.type, result.type)
      ? converted(source, result.type, new PassBuilder(body, op, context))
      : undefined;
    const isCopy = definitionOf(op.name).memoryOp && source !== undefined && result !== undefined &&
      sameType(source.type, result.type) && !body.isWritten(source) && !body.isWritten(result);
    const instead = isCopy ? source : apart;
    if (instead !== undefined && result !== undefined) {
      body.replaceAllUses(result, instead);
      body.erase(op);
    } else if (!op.results.some((value) => types.has(value))) continue;
    context.record({
      pass: takeBackDecisions.name,
      function: body.header.name,
      op: op.name,
      location: op.location ?? "",
    });
  }
}

/** Whether a `to_layout`, which changes pages and format alone since May 2026, is left with its tensors in two memories. */
function movesBetween(op: TtnnOp, { layout: from }: TtnnTensorType, { layout: to }: TtnnTensorType): boolean {
  if (op.name !== "ttnn.to_layout" || op.attribute("memory_config") !== undefined) return false;
  return from.bufferType !== to.bufferType || from.memoryLayout !== to.memoryLayout;
}

/** Types in interleaved DRAM of the tensors in L1 that no op needs there. */
function undecidedTypes(body: TtnnFunction, context: PassContext): ReadonlyMap<TtnnValue, TtnnTensorType> {
  const types = new Map<TtnnValue, TtnnTensorType>();
  for (const op of body.ops()) {
    // Before May 2026 a property of the op also states the memory of its results.
    if (!isDecided(op.name) || op.attribute("memory_config") !== undefined) continue;
    for (const value of op.results) {
      const { type } = value;
      if (type.kind !== "tensor" || type.layout.bufferType !== "l1" || body.isWritten(value)) continue;
      if (![...value.uses.keys()].every(({ name }) => isDecided(name))) continue;
      const rowMajor = type.layout.tile === undefined;
      types.set(
        value,
        tensorType(context.chip, type.shape, type.layout.dataType, { rowMajor }, type.element),
      );
    }
  }
  let open: Iterable<TtnnOp> = body.ops();
  for (let isStable = false; !isStable;) {
    const beside = new Set<TtnnOp>();
    for (const op of open) {
      const values = [...op.operands, ...op.results].filter((value) => types.has(value));
      if (values.length === 0 || definitionOf(op.name).memoryOp || mayLieElsewhere(op, types, context)) {
        continue;
      }
      for (const value of values) {
        types.delete(value);
        for (const other of [...value.uses.keys(), value.producer]) {
          if (other !== undefined) beside.add(other);
        }
      }
    }
    open = beside;
    isStable = beside.size === 0;
  }
  return types;
}

/** Whether an op is one whose tensors policies place. */
function isDecided(name: string): boolean {
  const { movable, family, writtenOperands, inPlaceOperand } = definitionOf(name);
  return movable && family !== "opaque" && writtenOperands.length === 0 && inPlaceOperand === undefined;
}

function mayLieElsewhere(
  op: TtnnOp,
  types: ReadonlyMap<TtnnValue, TtnnTensorType>,
  { isLegal }: PassContext,
): boolean {
  const asked = (typeOf: (value: TtnnValue) => TtnnType) =>
    isLegal({
      name: op.name,
      operands: op.operands.map(typeOf),
      results: op.results.map(typeOf),
      attributes: op.attributeMap(),
    });
  return asked((value) => types.get(value) ?? value.type) || !asked(({ type }) => type);
}
