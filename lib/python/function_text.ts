// SPDX-License-Identifier: Apache-2.0
import { readArgumentType } from "../dialect/argument_type.ts";
import { boolValue, integerValue, stringValue } from "../dialect/attribute_values.ts";
import { readFunctionKind } from "../dialect/function_kind.ts";
import { type AliasText, parseCoreRangeSet } from "../dialect/core_range_set.ts";
import { aliasTextOf, readTtnnLayout } from "../dialect/ttnn_layout.ts";
import {
  attributeMap,
  attributeOf,
  type FunctionView,
  type ModuleText,
  type Operation,
  type Span,
  tensorTypeAt,
  type Value,
} from "../ir/mod.ts";
import type { WorkerGrid } from "../layout/make_layout.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { readType, type TypeCache } from "../ttnn/read.ts";
import type { TtnnTensorType, TtnnType } from "../ttnn/value.ts";
import { CallSite, dtypeText, pagesText, type TensorOperand } from "./call_site.ts";
import { CALLS } from "./calls.ts";
import type { Constants } from "./constants.ts";
import { Deallocations, FREED, frees, sharingValues, type Typed } from "./deallocations.ts";
import type { HostFunction } from "./host_function.ts";
import type {
  PreparedCall,
  PythonArgument,
  PythonFunction,
  Statement,
  UnsayableOp,
} from "./python_function.ts";
import {
  Names,
  pythonCall,
  pythonIdentifier,
  pythonList,
  type PythonText,
  Unsayable,
} from "./python_text.ts";
import { layerName, preparedName, variableName } from "./variable_names.ts";

/** Context that the functions of a program share. */
export interface ProgramContext {
  readonly module: ModuleText;
  readonly workerGrid: WorkerGrid;
  /** Chips along each axis of the mesh; `[]` for one chip. */
  readonly mesh: readonly number[];
  readonly types: TypeCache;
  readonly constants: Constants;
  /** Python names of the functions by their names in the text. */
  readonly functions: ReadonlyMap<string, string>;
  /** Functions of the text that others call, const-eval calls apart. */
  readonly called: ReadonlySet<string>;
  /** Functions that run on the host, by their names in the text. */
  readonly hosted: ReadonlyMap<string, HostFunction>;
  /** Names of all functions and helpers, which no variable takes. */
  readonly taken: ReadonlySet<string>;
  /** Ops without a Python call are added here. */
  readonly unsayable: UnsayableOp[];
  /** Whether tensors may stand in for results of such ops. */
  readonly standIns: boolean;
}

const NO_STATEMENT: ReadonlySet<string> = new Set(["ttnn.get_device", "ttcore.get_device"]);
const CALL = "func.call";
const SEMAPHORE = "ttnn.create_global_semaphore";
/** Dimensions of an array of the numpy that ttnn takes. */
const MOST_DIMENSIONS = 32;
/** Roles of arguments that stay the same from run to run. */
const WEIGHTS: ReadonlySet<string> = new Set(["parameter", "constant"]);

/**
 * Translates one function. Ops without a Python call are listed in the context and replaced by a statement that makes tensors
 * of the types of their results.
 */
export function pythonFunction(context: ProgramContext, view: FunctionView): PythonFunction {
  return new FunctionTranslation(context, view).function();
}

class FunctionTranslation {
  readonly #context: ProgramContext;
  readonly #view: FunctionView;
  readonly #kind: string | undefined;
  readonly #names: Names;
  readonly #alias: AliasText;
  readonly #variables: Map<Value, PythonText> = new Map();
  readonly #types: Map<Value, TtnnType> = new Map();
  readonly #statements: Statement[] = [];
  readonly #prepared: PreparedCall[] = [];
  /** The function's arguments. */
  readonly #given: Set<Value> = new Set();
  /** Name of each value among the weights. */
  readonly #held: Map<Value, string> = new Map();
  #deallocations: Deallocations = new Deallocations(new Set(), new Set());

  constructor(context: ProgramContext, view: FunctionView) {
    this.#context = context;
    this.#view = view;
    this.#kind = readFunctionKind(attributeMap(context.module, view.operation));
    this.#names = new Names([...context.taken, "weights"]);
    this.#alias = aliasTextOf(context.module);
  }

  function(): PythonFunction {
    const { functions, called } = this.#context;
    const { name, operation, blocks: [block, ...others], terminator } = this.#view;
    const isCalled = called.has(name) || this.#kind === "const_eval";
    const args = this.#arguments(isCalled);
    if (block === undefined || others.length > 0 || terminator === undefined) {
      this.#fault(operation, "a body of several blocks");
    } else {
      const shared = sharingValues(block.operations, (operation) => this.#signature(operation));
      this.#deallocations = new Deallocations(shared, this.#given);
      const dying = frees(block.operations, terminator);
      for (const op of block.operations) {
        if (op === terminator) break;
        this.#tryStatement(op);
        for (const value of dying.get(op) ?? []) this.#free(value, false);
      }
      this.#writeFreed();
    }
    const results = terminator?.operands.flatMap(({ value }) => {
      const text = value === undefined ? undefined : this.#variables.get(value);
      return text === undefined ? [] : [text];
    }) ?? [];
    return {
      view: this.#view,
      name: functions.get(name) ?? pythonIdentifier(name),
      kind: this.#kind,
      isCalled,
      arguments: args,
      parameters: [],
      statements: this.#statements,
      results,
      prepared: this.#prepared,
    };
  }

  /** Weights, and what const-eval functions make something of, are held together; inputs are parameters. */
  #arguments(isCalled: boolean): readonly PythonArgument[] {
    const held = new Set(
      (this.#view.blocks[0]?.operations ?? []).filter(({ name }) => name === LOAD_CACHED)
        .flatMap(({ operands }) => operands.map(({ value }) => value)),
    );
    return this.#view.arguments.flatMap(({ value, type: span, attributes }) => {
      if (value === undefined) return [];
      const role = readArgumentType(attributes) ?? "default";
      const isWeight = !isCalled && (WEIGHTS.has(role) || held.has(value));
      const name = this.#names.take(pythonIdentifier(stringValue(attributes.get("ttir.name")) ?? value.name));
      this.#variables.set(value, isWeight ? `weights.${name}` : name);
      this.#given.add(value);
      if (isWeight) this.#held.set(value, name);
      const type = this.#type(value, span);
      if (type.kind === "tensor") {
        const { length } = type.shape;
        if (length > MOST_DIMENSIONS) {
          this.#fault(
            this.#view.operation,
            `the argument ${value.name} of ${length} dimensions; numpy has ${MOST_DIMENSIONS}`,
          );
        }
        return [{ name, type, role, isWeight }];
      }
      this.#fault(this.#view.operation, `the argument ${value.name} of type ${type.text}`);
      return [];
    });
  }

  #type(value: Value, span: Span): TtnnType {
    const { module, workerGrid, types } = this.#context;
    const read = readType(module, span, workerGrid, types);
    const type = read.kind === "tensor" ? read : quantizedType(module, span, workerGrid) ?? read;
    this.#types.set(value, type);
    return type;
  }

  #fault(operation: Operation, reason: string): void {
    this.#context.unsayable.push({ operation, reason });
  }

  #tryStatement(operation: Operation): void {
    try {
      this.#statement(operation);
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error;
      this.#fault(operation, error.message);
      this.#standIn(operation, error.message);
    }
  }

  /** Tensors of the declared types in place of an op without a Python call. */
  #standIn(operation: Operation, reason: string): void {
    const results: TensorOperand[] = [];
    const assignments = operation.results.map((value, index) => {
      const span = operation.resultTypes?.[index];
      const type = span === undefined ? undefined : this.#type(value, span);
      const text = this.#variables.get(value) ?? this.#names.take(variableName(operation, value, index));
      this.#variables.set(value, text);
      if (type?.kind !== "tensor") return { text, made: "None" };
      results.push({ text, type });
      return { text, made: this.#standInOf(type) };
    });
    const text = assignments.length === 0
      ? "pass"
      : `${assignments.map(({ text }) => text).join(", ")} = ${
        assignments.map(({ made }) => made).join(", ")
      }`;
    this.#add(text, operation, results, reason);
  }

  #standInOf({ shape, layout }: TtnnTensorType): PythonText {
    if (!this.#context.standIns) return "None";
    try {
      const memory = this.#context.constants.memoryOf(layout);
      return pythonCall(memory === undefined ? "ttnn.zeros" : "ttnn.empty", [pythonList(shape)], {
        dtype: dtypeText(layout.dataType),
        layout: pagesText(layout),
        device: memory === undefined ? undefined : "device",
        memory_config: memory,
      });
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error;
      return "None";
    }
  }

  #statement(operation: Operation): void {
    const { name } = operation;
    if (NO_STATEMENT.has(name)) return;
    if (name === FREED) {
      const [freed] = operation.operands;
      const force = boolValue(attributeMap(this.#context.module, operation).get("force")) ?? false;
      if (freed?.value !== undefined) this.#free(freed.value, force);
      return;
    }
    if (operation.regions.length > 0) throw new Unsayable("an op with a region");
    if (name === LOAD_CACHED) return this.#load(operation);
    if (name === SEMAPHORE) return this.#createSemaphore(operation);
    const operands = this.#operands(operation);
    if (name === CALL) return this.#call(operation, operands);
    const short = name.startsWith("ttnn.") ? name.slice("ttnn.".length) : "";
    const writer = CALLS[short];
    if (writer === undefined) throw new Unsayable("no call is known for it");
    const results = this.#nameResults(operation);
    const site = new CallSite({
      name,
      attributes: attributeMap(this.#context.module, operation),
      alias: this.#alias,
      operands,
      semaphores: operation.operands.flatMap(({ value }) =>
        value?.source.kind === "result" && value.source.operation.name === SEMAPHORE
          ? this.#variables.get(value) ?? []
          : []
      ),
      results: results.map(({ type }) => type),
      constants: this.#context.constants,
      mesh: this.#context.mesh,
    });
    const call = writer(site);
    site.requireAllRead(operation.properties?.entries ?? []);
    this.#add(assigned(results, call), operation, results);
  }

  /** A semaphore is no tensor: it is made where the text makes it, and passed on by its variable. */
  #createSemaphore(operation: Operation): void {
    const [result] = operation.results;
    const [type] = operation.resultTypes ?? [];
    const attributes = attributeMap(this.#context.module, operation);
    const ranges = attributes.get("core_range_set");
    const cores = ranges?.kind === "dialect" ? parseCoreRangeSet(`<${ranges.body}>`, this.#alias) : undefined;
    if (result === undefined || type === undefined || cores === undefined) throw new Unsayable("its cores");
    this.#type(result, type);
    const text = this.#names.take("semaphore");
    this.#variables.set(result, text);
    const value = integerValue(attributes.get("initial_value")) ?? 0;
    const call = pythonCall(SEMAPHORE, ["device", this.#context.constants.cores(cores), value]);
    this.#add(`${text} = ${call}`, operation, []);
  }

  #operands(operation: Operation): readonly TensorOperand[] {
    return operation.operands.flatMap(({ value }): TensorOperand[] => {
      const text = value === undefined ? undefined : this.#variables.get(value);
      const type = value === undefined ? undefined : this.#types.get(value);
      if (text !== undefined && type?.kind === "tensor") return [{ text, type }];
      if (type?.kind === "other" && /^!tt(?:nn|core)?\.(?:device|global_semaphore)/.test(type.text)) {
        return [];
      }
      if (type === undefined && value?.source.kind === "result") {
        if (NO_STATEMENT.has(value.source.operation.name)) return [];
      }
      throw new Unsayable(`an operand of type ${type?.kind === "other" ? type.text : "unknown"}`);
    });
  }

  /** Names for the results of an op: of the layer that its weight belongs to, or the op's with the number of the text. */
  #nameResults(operation: Operation): readonly TensorOperand[] {
    return operation.results.map((value, index) => {
      const cached = this.#variables.get(value);
      const text = cached ??
        this.#names.take(
          layerName(operation, (weight) => this.#held.get(weight)) ?? variableName(operation, value, index),
        );
      this.#variables.set(value, text);
      const span = operation.resultTypes?.[index];
      const type = span === undefined ? undefined : this.#type(value, span);
      if (type?.kind !== "tensor") throw new Unsayable("a result that is no tensor with a layout");
      return { text, type };
    });
  }

  #call(operation: Operation, operands: readonly TensorOperand[]): void {
    const name = this.#callee(operation);
    const given = operands.map(({ text }) => text);
    if (name === undefined) return this.#callOnHost(operation, given);
    const results = this.#nameResults(operation);
    this.#add(unpacked(results, pythonCall(name, ["device", "weights", ...given])), undefined, []);
  }

  /** A call on the host; its results are treated as those of an op. */
  #callOnHost(operation: Operation, operands: readonly PythonText[]): void {
    const callee = this.#calleeName(operation);
    const hosted = this.#context.hosted.get(callee ?? "");
    if (hosted === undefined) throw new Unsayable(`the function ${callee ?? ""} has no body`);
    if (hosted.unsayable !== undefined) {
      throw new Unsayable(`the function ${callee}, which runs on the host, has ${hosted.unsayable}`);
    }
    const results = this.#nameResults(operation);
    const call = pythonCall("on_host", ["device", hosted.name, ...operands]);
    this.#add(unpacked(results, call), operation, results);
  }

  /** A const-eval call runs once, before the function; its results are stored among the weights. */
  #load(operation: Operation): void {
    const name = this.#callee(operation);
    if (name === undefined) throw new Unsayable("a const-eval function that runs on the host");
    if (this.#context.called.has(this.#view.name)) {
      throw new Unsayable("a const-eval call in a function that another one calls");
    }
    const operands = this.#operands(operation).map(({ text }) => text);
    const own = new Set(this.#view.arguments.map(({ value }) => value));
    if (operation.operands.some(({ value }) => value !== undefined && !own.has(value))) {
      throw new Unsayable("a const-eval call of what the function computes");
    }
    const given = operation.operands.flatMap(({ value }) => value ?? []);
    const weights = given.flatMap((value) => this.#held.get(value) ?? []);
    const replaced = given.length === 1 && operation.results.length === 1 && this.#isUsedOnce(given[0])
      ? weights[0]
      : undefined;
    const results = operation.results.map((value, index) => {
      const name = replaced ??
        this.#names.take(preparedName(weights) ?? variableName(operation, value, index));
      const span = operation.resultTypes?.[index];
      if (span !== undefined) this.#type(value, span);
      this.#variables.set(value, `weights.${name}`);
      this.#held.set(value, name);
      return `weights.${name}`;
    });
    this.#prepared.push({ results, callee: name, operands });
  }

  /** Whether a value is read once and then only freed, so that the result can reuse its variable. */
  #isUsedOnce(value: Value | undefined): boolean {
    const users = this.#view.blocks[0]?.operations.filter(({ name, operands }) =>
      name !== FREED && operands.some((operand) => operand.value === value)
    );
    return users?.length === 1;
  }

  #calleeName(operation: Operation): string | undefined {
    const callee = attributeOf(this.#context.module, operation, "callee");
    return callee?.kind === "symbol" ? callee.name : undefined;
  }

  #callee(operation: Operation): string | undefined {
    return this.#context.functions.get(this.#calleeName(operation) ?? "");
  }

  /** Frees a value, but no weight: tt-mlir's runtime retains those for the next run even if the text frees them (tt-mlir:runtime-calls). */
  #free(value: Value, force: boolean): void {
    const text = this.#variables.get(value);
    if (text !== undefined && !this.#isWeight(value)) this.#deallocations.add(value, text, force);
  }

  #isWeight(value: Value): boolean {
    if (this.#held.has(value)) return true;
    const { source } = value;
    return source.kind === "result"
      ? source.operation.name === LOAD_CACHED || NO_STATEMENT.has(source.operation.name)
      : this.#kind === "const_eval" && this.#given.has(value);
  }

  #writeFreed(): void {
    this.#statements.push(...this.#deallocations.take().map(plain));
  }

  #add(
    text: PythonText,
    operation: Operation | undefined,
    results: readonly TensorOperand[],
    unsayable?: string,
  ): void {
    this.#writeFreed();
    const comment = results.map(({ type }) => type.shape.join("x")).join(", ");
    const variables = results.map((result) => ({ ...result, standIn: this.#standInOf(result.type) }));
    this.#statements.push({ text, comment, operation, results: variables, unsayable });
  }

  #signature(operation: Operation): OpSignature & Typed {
    const { module } = this.#context;
    const shapeOf = (span: Span | undefined): TtnnTensorType | undefined => {
      if (span === undefined) return undefined;
      const type = readType(module, span, this.#context.workerGrid, this.#context.types);
      return type.kind === "tensor" ? type : undefined;
    };
    return {
      name: operation.name,
      attributes: attributeMap(module, operation),
      operands: operation.operands.map((_, index) => shapeOf(operation.operandTypes?.[index])),
      results: operation.results.map((_, index) => shapeOf(operation.resultTypes?.[index])),
      operandSegmentSizes: undefined,
    };
  }
}

function plain(text: PythonText): Statement {
  return { text, comment: "", operation: undefined, results: [], unsayable: undefined };
}

/** A call whose results are a list. */
function unpacked(results: readonly TensorOperand[], call: PythonText): PythonText {
  return results.length === 0 ? call : `${pythonList(results.map(({ text }) => text))} = ${call}`;
}

function assigned(results: readonly TensorOperand[], call: PythonText): PythonText {
  return results.length === 0 ? call : `${results.map(({ text }) => text).join(", ")} = ${call}`;
}

/** A tensor of `!quant.uniform<…>`: on the device it has the format of its layout. */
function quantizedType(module: ModuleText, span: Span, workerGrid: WorkerGrid): TtnnTensorType | undefined {
  const tensor = tensorTypeAt(module, span);
  if (tensor === undefined || !tensor.elementType.startsWith("!quant.")) return undefined;
  const layout = readTtnnLayout(module, span, tensor, workerGrid);
  return layout === undefined
    ? undefined
    : { kind: "tensor", shape: tensor.shape, dataType: layout.dataType, layout, element: tensor.elementType };
}
