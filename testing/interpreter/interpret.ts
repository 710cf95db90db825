// SPDX-License-Identifier: Apache-2.0

/**
 * Reference interpreter for TTIR and TTNN text: what the ops mean, element by element in f64, for tests that hold a
 * rewritten module against the one it came from. Layouts, element types and compute configs change no number; shapes are
 * checked against the types. Slow on purpose: for tensors of a few hundred elements.
 *
 * @module
 */

import { sameExtents } from "../../lib/layout/extents.ts";
import {
  attributeOf,
  functionsOf,
  type FunctionView,
  type ModuleText,
  type Operation,
  tensorTypeOf,
  type Value,
} from "../../lib/ir/mod.ts";
import { ATTENTION } from "./attention.ts";
import { COLLECTIVES } from "./collectives.ts";
import { CONVOLUTION } from "./convolution.ts";
import { GENERAL_FORMS } from "./general_forms.ts";
import { CREATION } from "./creation.ts";
import { DATA_MOVEMENT } from "./data_movement.ts";
import { ELEMENTWISE } from "./elementwise.ts";
import { MATMUL } from "./matmul.ts";
import { NORMALIZATION } from "./normalization.ts";
import { type Evaluate, OpCall } from "./op_call.ts";
import { ORDERING } from "./ordering.ts";
import { REDUCTION } from "./reduction.ts";
import type { Tensor } from "./tensor.ts";

const MEANINGS: ReadonlyMap<string, Evaluate> = new Map(
  [
    ELEMENTWISE,
    CREATION,
    DATA_MOVEMENT,
    REDUCTION,
    MATMUL,
    NORMALIZATION,
    CONVOLUTION,
    ATTENTION,
    ORDERING,
    COLLECTIVES,
    GENERAL_FORMS,
  ].flatMap((family) => Object.entries(family)),
);

/** Ops that do not affect the numbers. */
const SILENT: ReadonlySet<string> = new Set(["ttnn.deallocate", "ttnn.get_device"]);

/** Op names that the interpreter knows. */
export function knownOps(): ReadonlySet<string> {
  return new Set(MEANINGS.keys());
}

/**
 * Runs a function of a module.
 *
 * @param name function to run
 * @param inputs one tensor per argument; they are copied, so in-place ops change nothing for the caller
 * @returns one tensor per returned value
 * @throws {RangeError} for an op without meaning here, and where a tensor differs in shape from its type
 */
export function interpret(module: ModuleText, name: string, inputs: readonly Tensor[]): readonly Tensor[] {
  const functions = new Map(functionsOf(module).map((view) => [view.name, view]));
  const copies = inputs.map(({ shape, data }) => ({ shape, data: data.slice() }));
  return run(module, functions, name, copies);
}

function run(
  module: ModuleText,
  functions: ReadonlyMap<string, FunctionView>,
  name: string,
  inputs: readonly Tensor[],
): readonly Tensor[] {
  const view = functions.get(name);
  if (view === undefined) throw new RangeError(`no function '${name}'`);
  const values = new Map<Value, Tensor>();
  const define = (value: Value, tensor: Tensor): void => {
    const shape = tensorTypeOf(module, value)?.shape;
    if (shape !== undefined && tensor.prepared !== true && !sameExtents(shape, tensor.shape)) {
      throw new RangeError(
        `${value.name} is [${tensor.shape.join(", ")}], its type says [${shape.join(", ")}]`,
      );
    }
    values.set(value, tensor);
  };
  view.arguments.forEach(({ value }, index) => {
    const input = inputs[index];
    if (value === undefined || input === undefined) throw new RangeError(`no input ${index} of '${name}'`);
    define(value, input);
  });
  for (const operation of view.blocks[0]?.operations ?? []) {
    if (SILENT.has(operation.name)) continue;
    const operands = operandsOf(module, operation, values);
    if (operation.name === "func.return") return operands;
    const callee = calleeOf(module, operation);
    const results = callee === undefined
      ? evaluate(new OpCall(module, operation, operands))
      : run(module, functions, callee, operands);
    operation.results.forEach((result, index) => {
      const tensor = results[index];
      if (tensor === undefined) throw new RangeError(`${operation.name}: no result ${index}`);
      define(result, tensor);
    });
  }
  throw new RangeError(`function '${name}' does not return`);
}

function operandsOf(
  module: ModuleText,
  operation: Operation,
  values: ReadonlyMap<Value, Tensor>,
): readonly Tensor[] {
  return operation.operands.flatMap(({ value, name }) => {
    const tensor = value === undefined ? undefined : values.get(value);
    if (tensor !== undefined) return [tensor];
    if (value !== undefined && tensorTypeOf(module, value) === undefined) return [];
    throw new RangeError(`${operation.name}: operand ${name} has no value`);
  });
}

function evaluate(call: OpCall): readonly Tensor[] {
  const meaning = MEANINGS.get(call.operation.name);
  if (meaning === undefined) throw call.fail("no meaning in the interpreter");
  const results = meaning(call);
  return "shape" in results ? [results] : results;
}

function calleeOf(module: ModuleText, operation: Operation): string | undefined {
  if (operation.name !== "func.call" && operation.name !== "ttcore.load_cached") return undefined;
  const callee = attributeOf(module, operation, "callee");
  if (callee?.kind === "symbol") return callee.name;
  if (callee?.kind === "string") return callee.value;
  throw new RangeError(`${operation.name} without callee`);
}
