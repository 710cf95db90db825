// SPDX-License-Identifier: Apache-2.0
import { readArgumentType } from "../dialect/argument_type.ts";
import { readBool, readString } from "../dialect/attribute_values.ts";
import type { AliasText } from "../dialect/core_range_set.ts";
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
import { attributeKey } from "../ops/op_attributes.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { sharedBuffers } from "../ops/shared_buffers.ts";
import { readType, type TypeCache } from "../ttnn/read.ts";
import type { TtnnTensorType, TtnnType } from "../ttnn/value.ts";
import { CallSite, dtypeText, pagesText, type TensorOperand } from "./call_site.ts";
import { CALLS } from "./calls.ts";
import type { Constants } from "./constants.ts";
import type {
  PreparedCall,
  PythonArgument,
  PythonFunction,
  Statement,
  UnsayableOp,
} from "./python_function.ts";
import { Names, pythonCall, pythonIdentifier, pythonList, type PythonText } from "./python_text.ts";
import { Unsayable } from "./unsayable.ts";

/** What the functions of a program share. */
export interface ProgramContext {
  readonly module: ModuleText;
  readonly workerGrid: WorkerGrid;
  readonly types: TypeCache;
  readonly constants: Constants;
  /** Python names of the functions by their names in the text. */
  readonly functions: ReadonlyMap<string, string>;
  /** Functions of the text that others call, const-eval calls apart. */
  readonly called: ReadonlySet<string>;
  /** Names of all functions and helpers, which no variable takes. */
  readonly taken: ReadonlySet<string>;
  /** Ops that cannot be said are added here. */
  readonly unsayable: UnsayableOp[];
  /** Whether tensors that stand in for results are asked for. */
  readonly standIns: boolean;
}

const CACHED = "ttcore.load_cached";
const FREED = "ttnn.deallocate";
const NO_STATEMENT: ReadonlySet<string> = new Set(["ttnn.get_device", "tt.get_device"]);
const CALL = "func.call";
/** Roles of arguments that stay the same from run to run. */
const WEIGHTS: ReadonlySet<string> = new Set(["parameter", "constant"]);
/** Properties that only say again what the types say, or how operands are grouped. */
const REPEATED: ReadonlySet<string> = new Set([
  "operandSegmentSizes",
  "resultSegmentSizes",
  "memory_config",
  "dtype",
  "layout",
]);

/**
 * Translates one function. Ops that cannot be said are listed in the context; a statement that makes tensors of the
 * types of their results stands in their place.
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
  /** What is freed before the next statement. */
  readonly #freed: {
    readonly force: boolean;
    /** Those that `free` is called with. */
    readonly called: PythonText[];
    /** Those that let go of a buffer. */
    readonly deleted: PythonText[];
  }[] = [];
  /** Values that may share their buffer with another one. */
  readonly #shared: Set<Value> = new Set();
  /** The function's arguments. */
  readonly #given: Set<Value> = new Set();

  constructor(context: ProgramContext, view: FunctionView) {
    this.#context = context;
    this.#view = view;
    this.#kind = readString(attributeMap(context.module, view.operation), "tt.function_type");
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
      this.#findShared(block.operations);
      const dying = hasDeallocates(block.operations) ? new Map() : lastUses(block.operations, terminator);
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
      statements: this.#statements,
      results,
      prepared: this.#prepared,
    };
  }

  /** Weights, and what const-eval functions make something of, are held together; inputs are parameters. */
  #arguments(isCalled: boolean): readonly PythonArgument[] {
    const held = new Set(
      (this.#view.blocks[0]?.operations ?? []).filter(({ name }) => name === CACHED)
        .flatMap(({ operands }) => operands.map(({ value }) => value)),
    );
    return this.#view.arguments.flatMap(({ value, type: span, attributes }) => {
      if (value === undefined) return [];
      const role = readArgumentType(attributes) ?? "default";
      const isWeight = !isCalled && (WEIGHTS.has(role) || held.has(value));
      const name = this.#names.take(pythonIdentifier(readString(attributes, "ttir.name") ?? value.name));
      this.#variables.set(value, isWeight ? `weights.${name}` : name);
      this.#given.add(value);
      const type = this.#type(value, span);
      if (type.kind === "tensor") return [{ name, type, role, isWeight }];
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

  /** Tensors of the declared types in the place of an op that cannot be said. */
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
      const force = readBool(attributeMap(this.#context.module, operation), "force") ?? false;
      if (freed?.value !== undefined) this.#free(freed.value, force);
      return;
    }
    if (operation.regions.length > 0) throw new Unsayable("an op with a region");
    if (name === CACHED) return this.#load(operation);
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
      results: results.map(({ type }) => type),
      constants: this.#context.constants,
    });
    const call = writer(site);
    this.#requireAllRead(operation, site.read);
    this.#add(assigned(results, call), operation, results);
  }

  /** A property that the call does not pass on would change what the program computes. */
  #requireAllRead(operation: Operation, read: ReadonlySet<string>): void {
    for (const { key: spelled } of operation.properties?.entries ?? []) {
      const key = attributeKey(operation.name, spelled);
      if (!read.has(key) && !REPEATED.has(key)) throw new Unsayable(`its property ${key}`);
    }
  }

  #operands(operation: Operation): readonly TensorOperand[] {
    return operation.operands.flatMap(({ value }): TensorOperand[] => {
      const text = value === undefined ? undefined : this.#variables.get(value);
      const type = value === undefined ? undefined : this.#types.get(value);
      if (text !== undefined && type?.kind === "tensor") return [{ text, type }];
      if (type?.kind === "other" && /^!tt(?:nn|core)?\.device/.test(type.text)) return [];
      if (type === undefined && value?.source.kind === "result") {
        if (NO_STATEMENT.has(value.source.operation.name)) return [];
      }
      throw new Unsayable(`an operand of type ${type?.kind === "other" ? type.text : "unknown"}`);
    });
  }

  /** Names for the results of an op: its name with the number of the text, or the word that the text gives. */
  #nameResults(operation: Operation): readonly TensorOperand[] {
    return operation.results.map((value, index) => {
      const cached = this.#variables.get(value);
      const text = cached ?? this.#names.take(variableName(operation, value, index));
      this.#variables.set(value, text);
      const span = operation.resultTypes?.[index];
      const type = span === undefined ? undefined : this.#type(value, span);
      if (type?.kind !== "tensor") throw new Unsayable("a result that is no tensor with a layout");
      return { text, type };
    });
  }

  #call(operation: Operation, operands: readonly TensorOperand[]): void {
    const name = this.#callee(operation);
    if (name === undefined) throw new Unsayable("a call of a function that runs on the host");
    const results = this.#nameResults(operation);
    const call = pythonCall(name, ["device", "weights", ...operands.map(({ text }) => text)]);
    const targets = results.map(({ text }) => text);
    this.#add(targets.length === 0 ? call : `${pythonList(targets)} = ${call}`, undefined, []);
  }

  /** A const-eval call runs once, before the function; what it makes is held among the weights. */
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
    const results = operation.results.map((value, index) => {
      const text = `weights.${this.#names.take(variableName(operation, value, index))}`;
      const span = operation.resultTypes?.[index];
      if (span !== undefined) this.#type(value, span);
      this.#variables.set(value, text);
      return text;
    });
    this.#prepared.push({ results, callee: name, operands });
  }

  #callee(operation: Operation): string | undefined {
    const { module, functions } = this.#context;
    const callee = attributeOf(module, operation, "callee");
    return callee?.kind === "symbol" ? functions.get(callee.name) : undefined;
  }

  /**
   * Deallocations that follow each other are one statement. A shared buffer is freed when the last variable lets go of it;
   * the caller holds arguments as well, so these are freed by a call.
   */
  #free(value: Value, force: boolean): void {
    const text = this.#variables.get(value);
    if (text === undefined) return;
    const isShared = this.#shared.has(value);
    let pending = this.#freed.at(-1);
    if (pending?.force !== force) this.#freed.push(pending = { force, called: [], deleted: [] });
    if (isShared) pending.deleted.push(text);
    if (!isShared || force || this.#given.has(value)) pending.called.push(text);
  }

  #writeFreed(): void {
    for (const { force, called, deleted } of this.#freed.splice(0)) {
      if (called.length > 0) {
        this.#statements.push(plain(`free(${called.join(", ")}${force ? ", force=True" : ""})`));
      }
      if (deleted.length > 0) this.#statements.push(plain(`del ${deleted.join(", ")}`));
    }
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

  /** Buffers live as long as a variable holds them: of values that may share one, each has to let go of it. */
  #findShared(operations: readonly Operation[]): void {
    for (const operation of operations) {
      if (operation.name === FREED || operation.results.length === 0) continue;
      for (const { operand, result } of sharedBuffers(this.#signature(operation))) {
        const [a, b] = [operation.operands[operand]?.value, operation.results[result]];
        if (a !== undefined && b !== undefined) this.#shared.add(a).add(b);
      }
    }
  }

  #signature(operation: Operation): OpSignature {
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

function assigned(results: readonly TensorOperand[], call: PythonText): PythonText {
  return results.length === 0 ? call : `${results.map(({ text }) => text).join(", ")} = ${call}`;
}

/** `linear_3` of `%3 = "ttnn.linear"`, `hidden` of `%hidden`, `heads_5_1` of the second result of `%5:3`. */
function variableName(operation: Operation, value: Value, index: number): string {
  const word = value.name.replace(/^%/, "").replace(/#\d+$/, "");
  const suffix = operation.results.length > 1 ? `_${index}` : "";
  if (!/^\d+$/.test(word)) return pythonIdentifier(word + suffix);
  const op = operation.name.slice(operation.name.indexOf(".") + 1);
  return pythonIdentifier(`${SHORT_NAMES[op] ?? op}_${word}${suffix}`);
}

/** Shorter words for results of ops with long names. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  batch_norm_inference: "batch_norm",
  load_cached: "cached",
  nlp_concat_heads: "concat_heads",
  nlp_concat_heads_decode: "concat_heads",
  nlp_create_qkv_heads_decode: "heads",
  scaled_dot_product_attention: "attention",
  scaled_dot_product_attention_decode: "attention",
  slice_static: "slice",
  split_query_key_value_and_split_heads: "heads",
  to_memory_config: "moved",
};

function hasDeallocates(operations: readonly Operation[]): boolean {
  return operations.some(({ name }) => name === FREED);
}

/** A tensor of `!quant.uniform<…>`: on the device it has the format that its layout says. */
function quantizedType(module: ModuleText, span: Span, workerGrid: WorkerGrid): TtnnTensorType | undefined {
  const tensor = tensorTypeAt(module, span);
  if (tensor === undefined || !tensor.elementType.startsWith("!quant.")) return undefined;
  const layout = readTtnnLayout(module, span, tensor, workerGrid);
  return layout === undefined
    ? undefined
    : { kind: "tensor", shape: tensor.shape, dataType: layout.dataType, layout, element: tensor.elementType };
}

/** Results by the op that uses them last, or makes them: what upstream's `TTNNDeallocate` will free there. */
function lastUses(
  operations: readonly Operation[],
  terminator: Operation,
): ReadonlyMap<Operation, readonly Value[]> {
  const last = new Map<Value, Operation>();
  for (const operation of operations) {
    for (const result of operation.results) if (isFreed(operation)) last.set(result, operation);
    for (const { value } of operation.operands) {
      if (value !== undefined && last.has(value)) last.set(value, operation);
    }
  }
  const dying = new Map<Operation, Value[]>();
  for (const [value, operation] of last) {
    if (operation === terminator) continue;
    dying.set(operation, [...dying.get(operation) ?? [], value]);
  }
  return dying;
}

/** Const-eval results stay for the next run. */
function isFreed({ name }: Operation): boolean {
  return name !== CACHED && !NO_STATEMENT.has(name);
}
