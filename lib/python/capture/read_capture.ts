// SPDX-License-Identifier: Apache-2.0

/**
 * A capture of a hand-written Python model as TTNN text: what `ttnn.graph.end_graph_capture_to_file` writes, which
 * `python -m ttnn.graph_report` reads (ttnn:backend-0-81-1).
 *
 * @module
 */

import * as v from "valibot";
import type { ChipDescription } from "../../device/chip_description.ts";
import { type Diagnostic, inputError, inputErrors } from "../../diagnostics/diagnostic.ts";
import { parseModule } from "../../ir/mod.ts";
import { LayoutError } from "../../layout/layout_error.ts";
import { declaredAttribute } from "../../ops/attributes/attribute_form.ts";
import { definitionOf, isKnownOp } from "../../ops/op_book.ts";
import { TtnnFunction } from "../../ttnn/function.ts";
import type { Properties } from "../../ttnn/op.ts";
import { TensorBuilder } from "../../ttnn/tensor_builder.ts";
import { isTensorValue, type TensorValue, type TtnnTensorType } from "../../ttnn/value.ts";
import { writeModule } from "../../ttnn/write_module.ts";
import { Unsayable } from "../unsayable.ts";
import { callsPathOf } from "./capture_text.ts";
import {
  CAPTURED_CALLS,
  type CapturedCall,
  SAID_BY_RESULT,
  SOURCES,
  UNPRINTED_CONFIGS,
  WITHOUT_RESULT,
} from "./captured_calls.ts";
import { computeConfigIn, convolutionConfigIn } from "./captured_config.ts";
import { type CapturedTensor, capturedType, numbersIn } from "./captured_tensor.ts";

const NODE = v.object({
  node_type: v.string(),
  arguments: v.optional(v.array(v.string()), []),
  params: v.nullish(v.record(v.string(), v.unknown())),
});

const REPORT = v.object({
  version: v.literal(1),
  graph: v.array(NODE),
  devices: v.array(v.looseObject({ arch: v.string() })),
});

const TENSOR = v.object({
  tensor_id: v.number(),
  shape: v.string(),
  dtype: v.string(),
  layout: v.string(),
  memory_config: v.optional(v.string(), ""),
});

const CALLS = v.array(v.object({
  name: v.string(),
  arguments: v.record(v.string(), v.string()),
  input_tensor_ids: v.array(v.number()),
  output_tensor_ids: v.array(v.number()),
}));

/** A capture that was read. */
export interface ReadCapture {
  /** TTNN text: parse it like any other. */
  readonly text: string;
  /** What the text does not say although the model did. */
  readonly remarks: readonly Diagnostic[];
}

/** `WORMHOLE_B0` or `BLACKHOLE`: what the capture was made on. @throws {DiagnosticError} if it is no capture */
export function captureArchitecture(text: string, file: string): string {
  return parsed(REPORT, text, file).devices[0]?.arch ?? "";
}

/**
 * Reads a capture. Every call becomes one op with the layouts that its tensors had; what comes from the host is an
 * argument; what nobody reads is returned; tensors are freed after their last use.
 *
 * @param calls text of the file that {@linkcode callsPathOf} names
 * @param chip chip to write into the text
 * @throws {DiagnosticError} if a file is none of a capture, or with every call that TTNN text cannot say
 */
export function readCapture(text: string, calls: string, file: string, chip: ChipDescription): ReadCapture {
  const { graph } = parsed(REPORT, text, file);
  const reader = new CaptureReader(graph, chip);
  const called = parsed(CALLS, calls, callsPathOf(file));
  for (const entry of called) reader.read(entry);
  return reader.finish(file);
}

function parsed<const S extends v.GenericSchema>(schema: S, text: string, file: string): v.InferOutput<S> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw inputError("capture/json", `Cannot read ${file}: it is no JSON`);
  }
  const result = v.safeParse(schema, json);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw inputError(
    "capture/form",
    `Cannot read ${file} as a capture of ttnn: ${v.getDotPath(issue) ?? "it"}: ${issue.message}`,
  );
}

/** What device ops take from the host are weights, which they prepare once: a parameter of the program. */
const ON_HOST: ReadonlyMap<string, string> = new Map([
  ["ttcore.argument_type", "#ttcore.argument_type<parameter>"],
]);

type PythonCall = v.InferOutput<typeof CALLS>[number];

class CaptureReader {
  readonly #builder: TensorBuilder;
  readonly #func: TtnnFunction;
  readonly #tensors = new Map<number, CapturedTensor>();
  /** The last tensors that calls make inside, in order of the calls: results that nothing reads are known by them alone. */
  readonly #made: (CapturedTensor | undefined)[] = [];
  /** What the device operations of a call run with, in order of the calls. */
  readonly #computeConfigs: (string | undefined)[] = [];
  readonly #values = new Map<number, TensorValue>();
  readonly #faults = new Set<string>();
  readonly #notes = new Map<string, number>();
  #at = 0;

  constructor(graph: v.InferOutput<typeof REPORT>["graph"], chip: ChipDescription) {
    this.#func = new TtnnFunction(parseModule("module {\n}\n", "capture"), {
      name: "main",
      kind: "forward_device",
      source: undefined,
    });
    this.#builder = new TensorBuilder(this.#func, chip);
    let depth = 0;
    let last: CapturedTensor | undefined;
    let config: string | undefined;
    for (const { node_type: kind, params, arguments: given } of graph) {
      if (kind === "tensor") {
        const tensor = v.safeParse(TENSOR, params);
        if (!tensor.success) continue;
        const { tensor_id: id, memory_config: memoryConfig, ...texts } = tensor.output;
        this.#tensors.set(id, last = { ...texts, memoryConfig });
      } else if (kind === "function_start") {
        const isCall = String(params?.["name"] ?? "").startsWith("ttnn.");
        if (depth === 0) config = undefined;
        if (depth > 0 || isCall) depth++;
        config ??= given.map(computeConfigIn).find((text) => text !== undefined);
      } else if (kind === "function_end" && depth > 0 && --depth === 0) {
        this.#made.push(last);
        this.#computeConfigs.push(config);
      }
    }
  }

  read(call: PythonCall): void {
    const index = this.#at++;
    const name = call.name.replace(/^ttnn\./, "");
    if (SOURCES.has(name) || WITHOUT_RESULT.has(name)) return;
    try {
      this.#add(call, name, index);
    } catch (error) {
      if (!(error instanceof Unsayable || error instanceof LayoutError || error instanceof RangeError)) {
        throw error;
      }
      this.#faults.add(`${call.name} (call ${index}): ${error.message}`);
    }
  }

  finish(file: string): ReadCapture {
    if (this.#faults.size > 0) {
      throw inputErrors("capture/unsayable", `Cannot read ${file}`, [...this.#faults]);
    }
    const results = [...this.#func.ops()].flatMap(({ results }) => results)
      .filter((value) => isTensorValue(value) && value.uses.size === 0);
    if (results.length === 0) {
      throw inputError("capture/empty", `Cannot read ${file}: it calls no op on the device`);
    }
    this.#func.return(results);
    const text = writeModule({
      symbol: "",
      attributes: new Map(),
      chip: this.#builder.chip,
      mesh: [],
      functions: [this.#func],
    });
    const remarks = [...this.#notes].map(([what, count]): Diagnostic => ({
      code: "capture/left-out",
      severity: "note",
      message: `${what} of ${count} ${
        count === 1 ? "call is" : "calls are"
      } not read: the backend's own choice is priced`,
    }));
    return { text, remarks };
  }

  #add(call: PythonCall, name: string, index: number): void {
    const given = new Map(Object.entries(call.arguments).filter(([, text]) => text !== "None"));
    const ids = call.input_tensor_ids;
    if (name === "concat") return this.#concat(call, given, index);
    // A trailing underscore: the first operand becomes the result.
    const inPlace = /_$/.test(name);
    const form = CAPTURED_CALLS.get(name) ?? this.#plain(name.replace(/_$/, ""));
    const tensors: (TensorValue | number | undefined)[] = [];
    const textOf = (python: string): string | undefined => {
      const position = `${form.positions.indexOf(python)}`;
      const key = given.has(position) ? position : python;
      const text = given.get(key);
      given.delete(key);
      return text;
    };
    const written = idIn(given.get("output_tensor") ?? given.get("optional_output_tensor") ?? "");
    form.tensors.forEach((python) => {
      const text = textOf(python);
      const number = text === undefined ? NaN : Number(text);
      if (text === undefined) tensors.push(undefined);
      else if (isTensorText(text)) tensors.push(this.#tensor(idIn(text) ?? ids[0], text));
      else if (Number.isFinite(number)) tensors.push(number);
      else throw new Unsayable(`${python} is ${text.slice(0, 60)}`);
    });
    const properties: Record<string, Properties[string]> = {};
    for (const [python, attribute] of form.attributes) {
      const text = textOf(python);
      if (text === undefined) continue;
      const config = attribute === "conv2d_config" ? convolutionConfigIn(text) : undefined;
      if (attribute === "conv2d_config" && config === undefined) this.#note(`${python} of ${call.name}`);
      else properties[attribute] = config ?? this.#attribute(form.op, python, attribute, text);
    }
    if (form.takesDevice) {
      given.delete(given.has("device") ? "device" : `${form.positions.indexOf("device")}`);
    }
    const computeConfig = this.#computeConfigs[index];
    if (given.delete("compute_kernel_config")) {
      if (computeConfig === undefined) this.#note(`compute_kernel_config of ${call.name}`);
      else properties["compute_config"] = computeConfig;
    }
    this.#requireKnown(call.name, given);
    const operands = this.#operands(tensors);
    if (form.isGrouped) {
      properties["operandSegmentSizes"] = tensors.map((tensor) => tensor === undefined ? 0 : 1);
    }
    this.#insert(form, operands, properties, call, index);
    // What is written into, or changed in place, is the result for whoever reads it afterwards.
    const [result] = call.output_tensor_ids.map((id) => this.#values.get(id));
    const replaced = inPlace ? ids[0] : written;
    if (result !== undefined && replaced !== undefined) this.#values.set(replaced, result);
  }

  /** An op of tensors alone. */
  #plain(name: string): CapturedCall {
    const op = name.replace(/^.*\./, "");
    if (!isKnownOp(`ttnn.${op}`)) throw new Unsayable("there is no such op");
    const { attributes = {}, maxOperands } = definitionOf(`ttnn.${op}`);
    const required = Object.entries(attributes).find(([key, spec]) =>
      declaredAttribute(key, spec).isRequired
    );
    if (required !== undefined) throw new Unsayable(`how Python says '${required[0]}' is not known here`);
    const names = ["input_tensor_a", "input_tensor_b", "input_tensor_c"].slice(0, Math.min(3, maxOperands));
    return { op, tensors: names, attributes: [], positions: names, isGrouped: false, takesDevice: false };
  }

  /** The one call whose tensors are a list. */
  #concat(call: PythonCall, given: Map<string, string>, index: number): void {
    const dim = given.get("dim") ?? given.get("1") ?? "0";
    for (const key of ["0", "1", "dim", "tensors", "input_tensors"]) given.delete(key);
    this.#requireKnown(call.name, given);
    const operands = call.input_tensor_ids.map((id) => this.#tensor(id, ""));
    this.#insert({ op: "concat", takesDevice: false }, operands, { dim: Number(dim) }, call, index);
  }

  #insert(
    { op, takesDevice }: Pick<CapturedCall, "op" | "takesDevice">,
    operands: readonly TensorValue[],
    properties: Properties,
    { output_tensor_ids: ids }: PythonCall,
    index: number,
  ): void {
    const [first] = operands;
    // Convolutions return the weights that they prepared as well.
    const outputs = takesDevice ? ids.slice(0, 1) : ids;
    // What changes nothing gives its operand back.
    const fresh = outputs.filter((id) => this.#values.get(id) === undefined);
    if (fresh.length === 0 && outputs.length > 0) return;
    const types = outputs.map((id) => this.#typeOf(this.#tensors.get(id) ?? this.#made[index]));
    const name = `ttnn.${op}`;
    const made = this.#builder.insert(
      name,
      takesDevice ? [...operands, this.#func.device()] : operands,
      types,
      this.#complete(name, properties, first, types[0]),
    );
    outputs.forEach((id, result) => this.#values.set(id, made.tensorResultAt(result)));
  }

  /** What an op has to say where Python leaves it to a default. */
  #complete(
    name: string,
    properties: Properties,
    first: TensorValue | undefined,
    result: TtnnTensorType | undefined,
  ): Properties {
    const rank = first?.type.shape.length ?? 0;
    switch (name) {
      case "ttnn.reshape":
        return { shape: result?.shape ?? [] };
      case "ttnn.layer_norm":
      case "ttnn.rms_norm":
        return { epsilon: 1e-12, ...properties };
      case "ttnn.softmax":
        return { dimension: -1, ...properties };
      case "ttnn.conv2d":
        return { stride: [1, 1], padding: [0, 0], dilation: [1, 1], groups: 1, ...properties };
      case "ttnn.max_pool2d":
      case "ttnn.avg_pool2d": {
        const said: Properties = { dilation: [1, 1], ceil_mode: false, ...properties };
        const { padding } = said;
        if (!Array.isArray(padding) || padding.length !== 4) return said;
        // Python names the sides as convolutions do, the op top, left, bottom, right (tt-mlir:window-padding).
        const [top, bottom, left, right] = padding;
        return { ...said, padding: [top, left, bottom, right] };
      }
      case "ttnn.split_query_key_value_and_split_heads":
        return { transpose_key: true, ...properties };
      case "ttnn.slice_static":
        return { step: Array.from({ length: rank }, () => 1), ...properties };
      default:
        return properties;
    }
  }

  #attribute(op: string, python: string, key: string, text: string): Properties[string] {
    const form = definitionOf(`ttnn.${op}`).attributes ?? {};
    const spec = form[key];
    if (spec === undefined) throw new Unsayable(`the op has no '${key}'`);
    const { type } = declaredAttribute(key, spec);
    if (type === "bool" && /^(?:True|False)$/.test(text)) return text === "True";
    if (type === "string" && /^['"]?\w+['"]?$/.test(text)) return text.replaceAll(/['"]/g, "");
    if (type === "scalar" && Number.isFinite(Number(text))) {
      return /^-?\d+$/.test(text) ? { i32: Number(text) } : { f32: Number(text) };
    }
    if (/^(?:si|ui|i|f)\d+$/.test(type) && Number.isFinite(Number(text))) return Number(text);
    if (/^\[|^array|^shape/.test(type) && /^(?:\w+)?[([]?[\d,\s()[\]-]*$/.test(text)) return numbersIn(text);
    throw new Unsayable(`${python} is ${text.slice(0, 60)}`);
  }

  #requireKnown(name: string, given: ReadonlyMap<string, string>): void {
    for (const [key, text] of given) {
      if (UNPRINTED_CONFIGS.has(key)) this.#note(`${key} of ${name}`);
      else if (!SAID_BY_RESULT.has(key) && !saysPlace(text)) {
        throw new Unsayable(`argument ${/^\d+$/.test(key) ? `number ${key}` : key} is ${text.slice(0, 60)}`);
      }
    }
  }

  #note(what: string): void {
    this.#notes.set(what, (this.#notes.get(what) ?? 0) + 1);
  }

  /** Tensors as operands; a number, which ttnn passes to the kernel, becomes an argument of one element. */
  #operands(given: readonly (TensorValue | number | undefined)[]): readonly TensorValue[] {
    const tensors = given.filter((value) => value !== undefined);
    const like = tensors.find((value): value is TensorValue => typeof value !== "number");
    if (like === undefined) throw new Unsayable("it reads no tensor");
    const { shape, dataType } = like.type;
    return tensors.map((value) =>
      typeof value === "number"
        ? this.#func.addArgument(this.#builder.type(shape.map(() => 1), dataType))
        : value
    );
  }

  #tensor(id: number | undefined, text: string): TensorValue {
    const known = id === undefined ? undefined : this.#values.get(id);
    if (known !== undefined) return known;
    const captured = (id === undefined ? undefined : this.#tensors.get(id)) ?? tensorIn(text);
    // Python prints a memory for tensors on the host as well.
    const isOnHost = captured !== undefined && /storage_type=StorageType\.HOST/.test(text);
    const value = this.#func.addArgument(
      this.#typeOf(isOnHost ? { ...captured, memoryConfig: "" } : captured),
      isOnHost ? ON_HOST : undefined,
    );
    if (id !== undefined) this.#values.set(id, value);
    return value;
  }

  #typeOf(captured: CapturedTensor | undefined): TtnnTensorType {
    if (captured === undefined) throw new Unsayable("the capture does not say what its result is");
    return capturedType(this.#builder.chip, captured);
  }
}

function isTensorText(text: string): boolean {
  return /^(?:ttnn\.)?Tensor\(/.test(text);
}

function idIn(text: string): number | undefined {
  const id = /\btensor_id=(\d+)/.exec(text)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** Whether an argument says where a result is stored or how it is formatted, which its type says. */
function saysPlace(text: string): boolean {
  return /^(?:MemoryConfig\(|(?:ttnn\.)?(?:DataType|Layout)[.:])/.test(text);
}

/** A tensor as Python prints it among arguments. */
function tensorIn(text: string): CapturedTensor | undefined {
  const [, shape, dtype, layout, memoryConfig] =
    /shape=(Shape\([^)]*\)), dtype=([\w.]+), layout=([\w.]+), (?:memory_config=(MemoryConfig\(.*\)), storage_type)?/
      .exec(text) ?? [];
  return shape === undefined || dtype === undefined || layout === undefined
    ? undefined
    : { shape, dtype, layout, memoryConfig: memoryConfig ?? "" };
}
