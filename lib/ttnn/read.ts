// SPDX-License-Identifier: Apache-2.0
import { readArgumentType } from "../dialect/argument_type.ts";
import { readFunctionKind } from "../dialect/function_kind.ts";
import { dataTypeOfElement } from "../dialect/data_type.ts";
import { meshOf, readTtnnLayout } from "../dialect/ttnn_layout.ts";
import {
  attributeMap,
  type FunctionView,
  type ModuleText,
  type Operation,
  type Span,
  tensorTypeAt,
  textOf,
  type Value,
} from "../ir/mod.ts";
import type { WorkerGrid } from "../layout/make_layout.ts";
import { spellingsOf } from "./spelling.ts";
import { type CapturedUse, TtnnOp } from "./op.ts";
import { type TtnnType, TtnnValue, type TtnnValueDefinition } from "./value.ts";
import { TtnnFunction } from "./function.ts";

/** Types by their text. */
export type TypeCache = Map<string, TtnnType>;

/**
 * Reads a function as an editable body; `undefined` for declarations and for functions of several blocks, without
 * `func.return` or with uses of other values than their own: nothing changes those.
 *
 * @param types shared by the functions of a module
 */
export function readFunction(
  module: ModuleText,
  view: FunctionView,
  workerGrid: WorkerGrid,
  types: TypeCache,
): TtnnFunction | undefined {
  const [block, ...others] = view.blocks;
  if (block === undefined || others.length > 0 || view.terminator === undefined) return undefined;
  const kind = readFunctionKind(attributeMap(module, view.operation));
  const body = new TtnnFunction(module, { name: view.name, kind, source: view });
  const valueOf = new Map<Value, TtnnValue>();
  const define = (value: Value, definition: TtnnValueDefinition, span: Span | undefined): TtnnValue => {
    const text = span === undefined ? "" : textOf(module, span);
    const type = span === undefined
      ? { kind: "other", text } as const
      : readType(module, span, workerGrid, types);
    const made = new TtnnValue(type, definition, value.name);
    valueOf.set(value, made);
    return made;
  };
  view.arguments.forEach(({ value, type, attributes }, index) => {
    if (value === undefined) return;
    body.arguments.push({
      value: define(value, { kind: "argument", index }, type),
      role: readArgumentType(attributes) ?? "default",
      given: attributes,
      attributes: new Map(),
    });
  });
  for (const operation of block.operations) {
    const operands = operation.operands.flatMap(({ value }) => {
      const cached = value === undefined ? undefined : valueOf.get(value);
      return cached === undefined ? [] : [cached];
    });
    if (operands.length < operation.operands.length) return undefined;
    const [freed] = operands;
    if (operation.name === "ttnn.deallocate" && freed !== undefined) {
      body.deallocates.set(freed, operation);
      body.frees = "tensors";
      continue;
    }
    const op = new TtnnOp(module, operation, operands, undefined, capturedUses(operation, valueOf));
    op.results = operation.results.map((value, index) =>
      define(value, { kind: "result", op, index }, operation.resultTypes?.[index])
    );
    body.attach(op);
  }
  return body;
}

/** The type at a span of the text. */
export function readType(
  module: ModuleText,
  span: Span,
  workerGrid: WorkerGrid,
  types: TypeCache,
): TtnnType {
  const text = textOf(module, span);
  const cached = types.get(text);
  if (cached !== undefined) return cached;
  const tensor = tensorTypeAt(module, span);
  const layout = tensor === undefined ? undefined : readTtnnLayout(module, span, tensor, workerGrid);
  const dataType = tensor === undefined ? undefined : dataTypeOfElement(tensor.elementType);
  const mesh = tensor === undefined ? undefined : meshOf(module, tensor);
  const type: TtnnType = tensor === undefined || layout === undefined || dataType === undefined
    ? { kind: "other", text }
    : { kind: "tensor", shape: tensor.shape, dataType, layout, ...(mesh === undefined ? {} : { mesh }) };
  types.set(text, type);
  spellingsOf(module).set(type, text);
  return type;
}

function capturedUses(operation: Operation, valueOf: ReadonlyMap<Value, TtnnValue>): readonly CapturedUse[] {
  const captured: CapturedUse[] = [];
  const visit = (inner: Operation): void => {
    for (const { value, span } of inner.operands) {
      const cached = value === undefined ? undefined : valueOf.get(value);
      if (cached !== undefined) captured.push({ span, value: cached });
    }
    visitRegions(inner);
  };
  const visitRegions = ({ regions }: Operation): void => {
    for (const region of regions) for (const block of region.blocks) block.operations.forEach(visit);
  };
  visitRegions(operation);
  return captured;
}
