// SPDX-License-Identifier: Apache-2.0
import { readArgumentType } from "../dialect/argument_type.ts";
import { readFunctionKind } from "../dialect/function_kind.ts";
import { readLocalShape } from "../dialect/local_shape.ts";
import { dataTypeOfElement, isQuantized } from "../dialect/data_type.ts";
import { aliasTextOf, readTtnnLayout } from "../dialect/ttnn_layout.ts";
import {
  type Attribute,
  type AttributeMap,
  attributeMap,
  DYNAMIC,
  errorIn,
  type FunctionArgument,
  functionsOf,
  type FunctionView,
  locationText,
  type ModuleText,
  type Operation,
  type Span,
  tensorTypeAt,
  textOf,
  type Value,
} from "../ir/mod.ts";
import { makeLayout, type WorkerGrid } from "../layout/make_layout.ts";
import { pagesOf, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { constEvalResidentBytes } from "./const_eval_residents.ts";
import type { DeallocateBinding, FunctionBinding, GraphBinding } from "./binding.ts";
import {
  ARGUMENT_TYPES,
  type ArgumentType,
  FUNCTION_KINDS,
  type FunctionKind,
  type GraphFunction,
  type GraphOp,
  type GraphValue,
  idAt,
  type OpId,
  type Use,
  type ValueDefinition,
  type ValueId,
} from "./graph.ts";
import { operandSegments } from "../ops/operand_groups.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { isBlockFloat } from "../layout/data_type.ts";
import { definitionOf } from "../ops/op_book.ts";

/** Tensor and layout of a type, parsed once per distinct text. */
interface ReadType {
  readonly tensor: TensorShape | undefined;
  readonly layout: TtnnLayout | undefined;
  readonly isDynamic: boolean;
}

const NO_TENSOR: ReadType = { tensor: undefined, layout: undefined, isDynamic: false };

/**
 * Reads the analysis view of a module: one graph function per `func.func`, however deeply it is nested.
 *
 * @example
 * ```ts
 * import { parseModule } from "@tilewright/tilewright";
 * import { readGraph } from "@tilewright/tilewright/graph";
 * import { assertEquals } from "@std/assert";
 *
 * const module = parseModule(`func.func @main(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
 *   %0 = "ttnn.relu"(%x) : (tensor<32x32xbf16>) -> tensor<32x32xbf16>
 *   return %0 : tensor<32x32xbf16>
 * }
 * `, "relu.mlir");
 * const [main] = readGraph(module, { rows: 8, columns: 8 }).graph.functions;
 * const [relu] = main?.ops ?? [];
 * assertEquals(`${relu?.name} reads value ${relu?.operands} and makes ${relu?.results}`, "ttnn.relu reads value 0 and makes 1");
 * ```
 *
 * @param workerGrid worker cores of the chip; layouts that do not spell out their cores are placed on it
 * @throws {DiagnosticError} for dynamic shapes in a TTNN op, and for layouts that contradict themselves
 */
export function readGraph(module: ModuleText, workerGrid: WorkerGrid): GraphBinding {
  const reader = new GraphReader(module, workerGrid);
  const names = new Set<string>();
  const functions = functionsOf(module).map((view) => reader.readFunction(view, uniqueName(view, names)));
  const read = functions.map((binding) => binding.fn);
  return {
    module,
    graph: { functions: read, constEvalL1Bytes: constEvalL1Bytes(module) ?? constEvalResidentBytes(read) },
    functions,
  };
}

/**
 * Nested modules have their own symbol tables: a CPU-hoisted function is declared in the device module and
 * defined in the CPU module under the same name. The later one is prefixed with the op around its module:
 * `ttcore.cpu_module::name`.
 */
function uniqueName(view: FunctionView, taken: Set<string>): string {
  let name = view.name;
  if (taken.has(name)) {
    let holder = view.operation.parent;
    while (holder?.parent !== undefined && holder.name === "builtin.module") holder = holder.parent;
    name = `${holder?.name ?? "module"}::${view.name}`;
  }
  for (let number = 2; taken.has(name); number++) name = `${view.name}#${number}`;
  taken.add(name);
  return name;
}

/** `ttnn.l1_const_eval_usage` of the module that holds the device functions (tt-mlir:ttmlir-opt). */
function constEvalL1Bytes(module: ModuleText): number | undefined {
  for (const operation of module.operations) {
    if (operation.name !== "builtin.module") continue;
    const usage = attributeMap(module, operation).get("ttnn.l1_const_eval_usage");
    if (usage?.kind === "integer") return Number(usage.value);
  }
  return undefined;
}

class GraphReader {
  readonly module: ModuleText;
  readonly workerGrid: WorkerGrid;
  readonly #types: Map<string, ReadType> = new Map();

  constructor(module: ModuleText, workerGrid: WorkerGrid) {
    this.module = module;
    this.workerGrid = workerGrid;
  }

  readFunction(view: FunctionView, name: string): FunctionBinding {
    const build = new FunctionBuild(this);
    const [body, ...more] = view.blocks;
    // Several blocks mean control flow: host code, which has no layouts to decide.
    if (body !== undefined && more.length === 0) build.readBody(view, body.operations);
    const fn: GraphFunction = {
      name,
      kind: functionKind(attributeMap(this.module, view.operation), build.ops),
      ops: build.ops,
      values: build.graphValues(),
      arguments: build.arguments,
      results: build.results,
      freedArguments: build.deallocates.map(({ value }) => value).filter((value) =>
        build.arguments.includes(value)
      ),
    };
    return {
      fn,
      operation: view.operation,
      ops: build.operations,
      values: build.values,
      returnOperation: build.returnOperation,
      deallocates: build.deallocates,
    };
  }

  readType(span: Span | undefined, holder: Operation): ReadType {
    if (span === undefined) return NO_TENSOR;
    const text = textOf(this.module, span);
    const type = this.#types.getOrInsertComputed(text, () => this.#parseType(span));
    if (type.isDynamic && holder.name.startsWith("ttnn.")) {
      throw errorIn(
        this.module,
        "graph/dynamic-shape",
        span.start,
        `Cannot decide layouts for ${holder.name}: its type has a dynamic dimension; compile with static shapes`,
      );
    }
    return type;
  }

  #parseType(span: Span): ReadType {
    const type = tensorTypeAt(this.module, span);
    if (type === undefined) return NO_TENSOR;
    if (type.shape.includes(DYNAMIC)) return { ...NO_TENSOR, isDynamic: true };
    const element = dataTypeOfElement(type.elementType);
    if (element === undefined && !isQuantized(type.elementType)) return NO_TENSOR;
    const layout = type.encoding === undefined
      ? undefined
      : readTtnnLayout(this.module, span, type, this.workerGrid);
    // For quantized elements, only the layout says how they are stored.
    const dataType = layout?.dataType ?? element;
    if (dataType === undefined) return NO_TENSOR;
    return {
      tensor: { shape: type.shape, dataType },
      layout,
      isDynamic: false,
    };
  }
}

/** The parts of one function while its block is read. */
class FunctionBuild {
  readonly ops: GraphOp[] = [];
  readonly operations: Operation[] = [];
  readonly values: Value[] = [];
  readonly arguments: ValueId[] = [];
  readonly deallocates: DeallocateBinding[] = [];
  results: readonly ValueId[] = [];
  returnOperation: Operation | undefined;
  readonly #reader: GraphReader;
  readonly #idOf: Map<Value, ValueId> = new Map();
  readonly #attributes: Map<AttributeMap, AttributeMap> = new Map();
  readonly #definitions: { readonly definition: ValueDefinition; readonly type: ReadType }[] = [];
  readonly #uses: Use[][] = [];

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  readBody(view: FunctionView, operations: readonly Operation[]): void {
    view.arguments.forEach((argument, index) => {
      if (argument.value === undefined) return;
      const definition: ValueDefinition = {
        kind: "argument",
        index,
        argumentType: argumentType(argument),
        isKvCache: argument.attributes.has("ttcore.kv_cache") || argument.attributes.has("tt.kv_cache"),
        chipShape: chipShape(argument),
      };
      const type = this.#reader.readType(argument.value.type, view.operation);
      this.arguments.push(this.#define(argument.value, definition, type));
    });
    for (const operation of operations) this.#readOperation(operation);
  }

  graphValues(): readonly GraphValue[] {
    return this.values.map((value, index) => {
      const id = idAt<ValueId>(index);
      const entry = this.#definitions[id];
      if (entry === undefined) throw new RangeError(`Cannot read value ${value.name}: it has no definition`);
      return {
        id,
        name: value.name,
        definition: entry.definition,
        tensor: entry.type.tensor,
        layout: entry.type.layout,
        // A copy of the list, as for the operands below, has no spare capacity; a list that grew has room for 17.
        uses: this.#uses[id]?.slice() ?? [],
        returned: this.results.filter((result) => result === id).length,
      };
    });
  }

  #define(value: Value, definition: ValueDefinition, type: ReadType): ValueId {
    const id = idAt<ValueId>(this.values.length);
    this.values.push(value);
    this.#idOf.set(value, id);
    this.#definitions.push({ definition, type });
    this.#uses.push([]);
    return id;
  }

  #readOperation(operation: Operation): void {
    const operands = this.#idsOf(operation);
    if (operation.name === "func.return") {
      this.results = operands;
      this.returnOperation = operation;
      return;
    }
    const [deallocated] = operands;
    if (operation.name === "ttnn.deallocate" && deallocated !== undefined) {
      this.deallocates.push({ operation, value: deallocated });
      return;
    }
    const op = idAt<OpId>(this.ops.length);
    operands.push(...this.#captured(operation, operands));
    operands.forEach((value, operand) => this.#uses[value]?.push({ op, operand }));
    const results = operation.results.map((value, index) =>
      this.#define(value, { kind: "result", op, index }, this.#returnedType(operation, operands, index))
    );
    const attributes = this.#attributesOf(operation);
    this.ops.push({
      id: op,
      name: operation.name,
      operands: operands.slice(),
      results,
      attributes,
      operandSegmentSizes: operandSegments(attributes),
      location: locationText(this.#reader.module, operation.location),
    });
    this.operations.push(operation);
  }

  /** The type of a result with the layout that it really has ({@linkcode returnedLayout}). */
  #returnedType(operation: Operation, [first]: readonly ValueId[], index: number): ReadType {
    const type = this.#reader.readType(operation.results[index]?.type, operation);
    const { tensor, layout } = type;
    if (index > 0 || tensor === undefined || layout === undefined) return type;
    const read = first === undefined ? undefined : this.#definitions[first]?.type.layout;
    const returned = returnedLayout(operation.name, read, tensor, layout, this.#reader.workerGrid);
    return returned === layout ? type : { ...type, layout: returned };
  }

  /** Ops that share attributes in the text share the map. */
  #attributesOf(operation: Operation): AttributeMap {
    const written = attributeMap(this.#reader.module, operation);
    return this.#attributes.getOrInsertComputed(written, () => inlineAliases(this.#reader.module, written));
  }

  /** The operands of an op that are values of the function. */
  #idsOf(operation: Operation): ValueId[] {
    return operation.operands.flatMap((
      { value },
    ) => (value === undefined ? [] : this.#idOf.get(value) ?? []));
  }

  /** Values of the function that are used in an op's regions; for lifetimes they count as further operands. */
  #captured(operation: Operation, operands: readonly ValueId[]): readonly ValueId[] {
    const captured = new Set<ValueId>();
    const visitRegions = ({ regions }: Operation): void => {
      for (const region of regions) for (const block of region.blocks) block.operations.forEach(visit);
    };
    const visit = (inner: Operation): void => {
      for (const id of this.#idsOf(inner)) if (!operands.includes(id)) captured.add(id);
      visitRegions(inner);
    };
    visitRegions(operation);
    return [...captured];
  }
}

function functionKind(attributes: AttributeMap, ops: readonly GraphOp[]): FunctionKind {
  const declared = readFunctionKind(attributes);
  if (declared !== undefined) return FUNCTION_KINDS.find((kind) => kind === declared) ?? "other";
  return ops.some((op) => op.name.startsWith("ttnn.")) ? "forward_device" : "other";
}

function argumentType({ attributes }: FunctionArgument): ArgumentType {
  const name = readArgumentType(attributes);
  return ARGUMENT_TYPES.find((type) => type === name) ?? "default";
}

function chipShape({ attributes }: FunctionArgument): readonly number[] | undefined {
  const local = readLocalShape(attributes);
  return local?.isPresharded === true ? local.shape : undefined;
}

/** `#name` but not `#dialect.mnemonic` nor `#dialect<…>`. */
const ALIAS = /#[A-Za-z_]\w*(?![\w.<])/g;

/**
 * The attributes with every alias inside a dialect attribute replaced by its text, so that they can be read
 * without their module. Returns the same map if there is none.
 */
function inlineAliases(module: ModuleText, attributes: AttributeMap): AttributeMap {
  const textOf = aliasTextOf(module);
  /** @param open aliases being replaced at present; an alias that occurs in its own text is left as it is */
  const inlined = (body: string, open: readonly string[]): string =>
    body.replaceAll(ALIAS, (name) => {
      const text = open.includes(name) ? name : textOf(name);
      return text === name ? name : inlined(text, [...open, name]);
    });
  const changed = new Map<string, Attribute>();
  for (const [key, attribute] of attributes) {
    if (attribute.kind !== "dialect" || !attribute.body.includes("#")) continue;
    const body = inlined(attribute.body, []);
    if (body !== attribute.body) changed.set(key, { ...attribute, body });
  }
  return changed.size === 0 ? attributes : new Map([...attributes, ...changed]);
}

/**
 * The layout that result 0 of an op has when the text runs: as declared, except that pools make rows, and ops that keep
 * the pages of their first operand make those, whatever type the result is given. The runtime only checks types in
 * debug builds; readers get what was made (tt-mlir:runtime-calls, ttnn:backend-0-81-1). Shards keep their declared
 * pages, because the shards of others do not follow from these.
 *
 * @param first layout of the op's first operand
 */
function returnedLayout(
  name: string,
  first: TtnnLayout | undefined,
  tensor: TensorShape,
  declared: TtnnLayout,
  workerGrid: WorkerGrid,
): TtnnLayout {
  const { keepsPages, returnsRows } = definitionOf(name);
  const kept = keepsPages && first !== undefined ? pagesOf(first) : pagesOf(declared);
  const pages = returnsRows ? "row_major" : kept;
  const { bufferType, memoryLayout, dataType } = declared;
  if (pages === pagesOf(declared) || memoryLayout !== "interleaved" || isBlockFloat(dataType)) {
    return declared;
  }
  return makeLayout({
    shape: tensor.shape,
    dataType,
    bufferType,
    memoryLayout,
    ...pages === "tile" ? {} : { tile: null },
  }, workerGrid);
}
