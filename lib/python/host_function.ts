// SPDX-License-Identifier: Apache-2.0
import type { AliasText } from "../dialect/core_range_set.ts";
import { aliasTextOf } from "../dialect/ttnn_layout.ts";
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
import type { DataType } from "../layout/data_type.ts";
import { makeLayout, type WorkerGrid } from "../layout/make_layout.ts";
import type { TtnnTensorType } from "../ttnn/value.ts";
import { CallSite, type TensorOperand } from "./call_site.ts";
import { HOST_CALLS } from "./calls/host.ts";
import { Constants } from "./constants.ts";
import { Names, pythonIdentifier, type PythonText, Unsayable } from "./python_text.ts";
import { variableName } from "./variable_names.ts";

/** A TTIR function that runs on the host, on numpy arrays. */
export interface HostFunction {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly statements: readonly { readonly text: PythonText; readonly comment: string }[];
  readonly results: readonly PythonText[];
  /** First construct without numpy form, or `undefined`. */
  readonly unsayable: string | undefined;
}

/** Data types of element types in tt-mlir's host functions (tt-mlir:runtime-calls). */
const ELEMENTS: ReadonlyMap<string, DataType> = new Map([
  ["f32", "f32"],
  ["i32", "si32"],
  ["si32", "si32"],
  ["ui32", "u32"],
]);

/** Translates a function that runs on the host. @param name its name in the program */
export function hostFunction(
  module: ModuleText,
  view: FunctionView,
  name: string,
  workerGrid: WorkerGrid,
): HostFunction {
  return new HostTranslation(module, workerGrid).function(view, name);
}

class HostTranslation {
  readonly #module: ModuleText;
  readonly #workerGrid: WorkerGrid;
  readonly #alias: AliasText;
  readonly #names = new Names(["numpy"]);
  readonly #variables = new Map<Value, TensorOperand>();
  readonly #constants = new Constants([]);

  constructor(module: ModuleText, workerGrid: WorkerGrid) {
    this.#module = module;
    this.#workerGrid = workerGrid;
    this.#alias = aliasTextOf(module);
  }

  function({ arguments: args, blocks, terminator }: FunctionView, name: string): HostFunction {
    const parameters = args.map(({ value }, index) =>
      this.#names.take(pythonIdentifier(value?.name ?? `arg${index}`))
    );
    const statements: HostFunction["statements"][number][] = [];
    let unsayable: string | undefined;
    try {
      args.forEach(({ value, type }, index) => {
        if (value !== undefined) {
          this.#variables.set(value, { text: parameters[index] ?? "", type: this.#arrayType(type) });
        }
      });
      const [block, ...others] = blocks;
      if (block === undefined || others.length > 0) throw new Unsayable("a body of several blocks");
      for (const operation of block.operations) {
        if (operation !== terminator) statements.push(this.#statement(operation));
      }
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error;
      unsayable = error.message;
    }
    const results = terminator?.operands.flatMap(({ value }) => {
      const variable = value === undefined ? undefined : this.#variables.get(value);
      return variable === undefined ? [] : [variable.text];
    }) ?? [];
    return { name, parameters, statements, results, unsayable };
  }

  /** @throws {Unsayable} for an op, operand or type without a counterpart in numpy */
  #statement(operation: Operation): HostFunction["statements"][number] {
    const short = operation.name.startsWith("ttir.") ? operation.name.slice("ttir.".length) : "";
    const writer = HOST_CALLS[short];
    if (writer === undefined) throw new Unsayable(`a ${operation.name}`);
    const results = operation.results.map((value, index) => {
      const text = this.#names.take(variableName(operation, value, index));
      return { value, operand: { text, type: this.#arrayType(operation.resultTypes?.[index]) } };
    });
    const site = new CallSite({
      name: operation.name,
      attributes: attributeMap(this.#module, operation),
      alias: this.#alias,
      operands: operation.operands.map(({ value }) => given(value, this.#variables)),
      semaphores: [],
      mesh: [],
      results: results.map(({ operand }) => operand.type),
      constants: this.#constants,
    });
    const text = writer(site);
    site.requireAllRead(operation.properties?.entries ?? []);
    for (const { value, operand } of results) this.#variables.set(value, operand);
    return {
      text: `${results.map(({ operand }) => operand.text).join(", ")} = ${text}`,
      comment: results.map(({ operand }) => operand.type.shape.join("x")).join(", "),
    };
  }

  /** Type of an array: row-major on the host. */
  #arrayType(span: Span | undefined): TtnnTensorType {
    const tensor = span === undefined ? undefined : tensorTypeAt(this.#module, span);
    const dataType = ELEMENTS.get(tensor?.elementType ?? "");
    if (tensor === undefined || dataType === undefined) {
      throw new Unsayable(`a value of type ${span === undefined ? "unknown" : textOf(this.#module, span)}`);
    }
    const { shape } = tensor;
    const layout = makeLayout(
      { shape, dataType, tile: null, bufferType: "system_memory", memoryLayout: undefined },
      this.#workerGrid,
    );
    return { kind: "tensor", shape, dataType, layout };
  }
}

function given(value: Value | undefined, variables: ReadonlyMap<Value, TensorOperand>): TensorOperand {
  const found = value === undefined ? undefined : variables.get(value);
  if (found === undefined) throw new Unsayable("an operand from elsewhere");
  return found;
}
