// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { type Diagnostic, inputError, inputErrors } from "../../diagnostics/diagnostic.ts";
import { parseModule } from "../../ir/mod.ts";
import { LayoutError } from "../../layout/layout_error.ts";
import { scalar } from "../../ops/attributes/print_attributes.ts";
import type { OpDefinition } from "../../ops/definition.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { TtnnFunction } from "../../ttnn/function.ts";
import type { Properties, TtnnOp } from "../../ttnn/op.ts";
import { TensorBuilder } from "../../ttnn/tensor_builder.ts";
import { isTensorValue, type TensorValue, type TtnnTensorType } from "../../ttnn/value.ts";
import { writeModule } from "../../ttnn/write_module.ts";
import { Unsayable } from "../python_text.ts";
import { configIn } from "./captured_config.ts";
import { attributeIn, idsIn, saysPlace, tensorIn } from "./captured_arguments.ts";
import {
  type CapturedCall,
  CONFIGS,
  REVERSED,
  SAID_BY_RESULT,
  SOURCES,
  WITHOUT_EFFECT,
  WITHOUT_RESULT,
} from "./captured_calls.ts";
import { complete, formOf, named, numberIn } from "./captured_forms.ts";
import {
  capturedGraph,
  type CapturedProgram,
  type CapturedTrace,
  type CaptureEntry,
  isDeviceOperation,
} from "./captured_graph.ts";
import {
  alignedShape,
  CONVOLUTION,
  convolutionIn,
  partsOf,
  programCall,
  tensorsRead,
} from "./captured_programs.ts";
import { CapturedValues } from "./captured_values.ts";

/** A call as the file beside the capture has it. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
  /** Missing if the call failed, and if the calls inside of it are read instead. */
  readonly output_tensor_ids?: readonly number[] | undefined;
}

/** A capture that was read. */
export interface ReadCapture {
  /** TTNN text: parse it like any other. */
  readonly text: string;
  /** Remarks on parts of the model that the text lacks. */
  readonly remarks: readonly Diagnostic[];
}

/** Slice config of a convolution that ran without slicing its image. */
const IN_ONE_PIECE: Properties = { conv2d_slice_config: "#ttnn.conv2d_slice_config<l1_full, 0>" };

/** A call that returned. */
interface PythonCall {
  readonly name: string;
  /** Arguments that are not `None`, by name where the call is known, else by position. */
  readonly given: Map<string, string>;
  readonly outputs: readonly number[];
  readonly trace: CapturedTrace | undefined;
}

/** Makes the ops of a program from the calls of a capture, in order. */
export class CaptureReader {
  readonly #builder: TensorBuilder;
  readonly #func: TtnnFunction;
  readonly #traces: readonly CapturedTrace[];
  readonly #values: CapturedValues;
  readonly #faults = new Set<string>();
  readonly #notes = new Map<string, number>();
  /** Tensors whose buffers are not freed. */
  readonly #held: Set<number>;
  /** Tensors that calls create, not compute, each with all its ids: the graph counts what C++ made apart from what Python got. */
  readonly #created: (readonly number[])[] = [];
  /** Tensors that calls compute, likewise. */
  readonly #computed: (readonly number[])[] = [];
  #at = 0;
  #traced = 0;

  constructor(graph: readonly CaptureEntry[], chip: ChipDescription) {
    this.#func = new TtnnFunction(parseModule("module {\n}\n", "capture"), {
      name: "main",
      kind: "forward_device",
      source: undefined,
    });
    this.#builder = new TensorBuilder(this.#func, chip);
    const { tensors, held, traces } = capturedGraph(graph);
    this.#held = new Set(held);
    this.#values = new CapturedValues(this.#func, this.#builder, tensors);
    this.#traces = traces;
  }

  /** Adds the ops of a call. */
  read({ name, arguments: given, output_tensor_ids: outputs }: WrittenCall): void {
    const index = this.#at++;
    const traced = this.#traces.findIndex((trace, at) => at >= this.#traced && trace.name === name);
    if (traced >= 0) this.#traced = traced + 1;
    const bare = name.replace(/^ttnn\./, "");
    // Python holds what it passes, unless it says that it does not.
    if (bare === "deallocate") {
      Object.values(given).flatMap(idsIn).forEach((id) => {
        this.#values.keepNoLonger(id);
        this.#held.delete(id);
      });
    }
    if (SOURCES.has(bare)) {
      this.#created.push([...outputs ?? [], ...this.#traces[traced]?.made ?? []]);
    }
    if (outputs === undefined || SOURCES.has(bare) || WITHOUT_RESULT.has(bare)) return;
    this.#computed.push([...outputs, ...this.#traces[traced]?.made ?? []]);
    const call = (): PythonCall => ({
      name: bare,
      given: new Map(Object.entries(given).filter(([, text]) => text !== "None")),
      outputs,
      trace: this.#traces[traced],
    });
    try {
      this.#add(call());
    } catch (error) {
      if (!isUnsayable(error)) throw error;
      try {
        this.#compose(call(), error.message);
      } catch (fault) {
        if (!isUnsayable(fault)) throw fault;
        this.#faults.add(`${name} (call ${index}): ${fault.message}`);
      }
    }
  }

  /** The text. @throws {DiagnosticError} with every call whose tensors it cannot say */
  finish(file: string): ReadCapture {
    if (this.#faults.size > 0) {
      throw inputErrors("capture/unsayable", `Cannot read ${file}`, [...this.#faults]);
    }
    const results = [...this.#func.ops()].flatMap(({ results }) => results)
      .filter((value) => isTensorValue(value) && value.uses.size === 0);
    if ([...this.#func.ops()].length === 0) {
      throw inputError("capture/empty", `Cannot read ${file}: it calls no op on the device`);
    }
    this.#func.return(results);
    for (const ids of this.#created) this.#holdUnread(ids);
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
      message: `${count} ${count === 1 ? "call" : "calls"} of ${what}`,
    }));
    return { text, remarks: [...remarks, ...this.#heldRemark()] };
  }

  /** What the text frees after its last reader, but Python held to the end of the capture. */
  #heldRemark(): readonly Diagnostic[] {
    const held = new Set(
      this.#computed.filter((ids) => ids.some((id) => this.#held.has(id)))
        .flatMap((ids) => ids.flatMap((id) => this.#values.get(id) ?? []).slice(0, 1))
        .filter(({ type, uses, producer }) =>
          producer !== undefined && uses.size > 0 && type.layout.bufferType === "l1"
        ),
    );
    if (held.size === 0) return [];
    const shapes = [...held].slice(0, 3).map(({ type }) => type.shape.join("x"))
      .concat(held.size > 3 ? "…" : []).join(", ");
    const message = `Python held ${held.size} ${held.size === 1 ? "result" : "results"} in L1 (${shapes}) ` +
      "past the last reader, where the text frees them: the run had less room in L1 than is counted here";
    return [{ code: "capture/held", severity: "note", message }];
  }

  /** A tensor in L1 that no op reads takes its room as long as Python holds it. */
  #holdUnread(ids: readonly number[]): void {
    const [type] = ids.flatMap((id) => this.#held.has(id) ? this.#values.typeOf(id) ?? [] : []);
    const isRead = ids.some((id) => this.#values.has(id));
    if (!isRead && type?.layout.bufferType === "l1") this.#values.argument(type);
  }

  #add(call: PythonCall): void {
    if (call.name === "experimental.paged_fused_update_cache") return this.#updateCaches(call);
    // A trailing underscore: the first operand becomes the result.
    const isInPlace = /_$/.test(call.name);
    const operands = this.#call(formOf(call.name, call.given), call);
    // Later readers of a tensor that is written, or changed in place, read the result.
    const [result] = call.outputs.map((id) => this.#values.get(id));
    const [written] = ["output_tensor", "optional_output_tensor"].flatMap((key) =>
      idsIn(call.given.get(key) ?? "")
    );
    const replaced = isInPlace ? operands[0] : written;
    if (result !== undefined && replaced !== undefined) this.#values.set(replaced, result);
  }

  /** Adds the op of a call. @returns ids of its tensors */
  #call(form: CapturedCall, call: PythonCall): readonly number[] {
    const given = named(form, call.given);
    const definition = definitionOf(`ttnn.${form.op}`);
    const properties: Record<string, Properties[string]> = {};
    const tensors: (TensorValue | number | undefined)[] = [];
    const ids: number[] = [];
    for (const { python, becomes, attribute, absent } of form.parameters) {
      if (becomes === "neutral") continue;
      const text = given.get(python) ?? absent;
      given.delete(python);
      if (becomes === "operand" || becomes === "operands") {
        const found = idsIn(text ?? "");
        ids.push(...found);
        if (text === undefined) tensors.push(undefined);
        else if (found.length === 0) tensors.push(numberIn(python, text));
        else tensors.push(...this.#preparedOf(call, tensors.length, text) ?? this.#values.read(text));
      } else if (becomes === "attribute" && text !== undefined) {
        if (CONFIGS.has(python)) given.set(python, text);
        else properties[attribute] = attributeIn(definition.attributes ?? {}, attribute, text);
      }
    }
    if (REVERSED.has(call.name)) tensors.reverse();
    for (const key of [...given.keys()].filter((key) => CONFIGS.has(key))) {
      const { trace } = call;
      const [property, text] = key.startsWith("compute")
        ? ["compute_config", definition.config === undefined ? undefined : trace?.computeConfig]
        : configIn(definition.name, given.get(key) ?? "") ?? [];
      if (property !== undefined && text !== undefined) properties[property] = text;
      else this.#note(`ttnn.${call.name}`, `${key} is not read: the backend's own choice is priced`);
      given.delete(key);
    }
    for (const key of ["input_tensor_a_activations", "input_tensor_b_activations", "activations"]) {
      const text = given.get(key);
      if (text === undefined || !given.delete(key) || text === "[]") continue;
      properties[key] = attributeIn(definition.attributes ?? {}, key, text);
    }
    this.#requireKnown(given);
    if (form.isGrouped) {
      properties["operandSegmentSizes"] = tensors.map((tensor) => tensor === undefined ? 0 : 1);
    }
    this.#insert(definition, this.#operands(definition, tensors, properties), properties, call);
    return ids;
  }

  /** The tensors that a convolution prepares from weights on the host and reads instead; they are prepared once. */
  #preparedOf({ trace }: PythonCall, operand: number, text: string): readonly TensorValue[] | undefined {
    const program = convolutionIn(trace);
    const captured = this.#values.captured(program?.tensors[operand] ?? -1);
    if (program === undefined || captured === undefined || !tensorIn(text).isOnHost) return undefined;
    // Channels are padded to whole columns of the grid.
    const shape = alignedShape(program, operand) ?? captured.shape;
    return [this.#values.weight({ ...captured, shape })];
  }

  /** A call that TTNN text has no word for: the device operations that it runs, in their words. */
  #compose(call: PythonCall, why: string): void {
    const { trace, outputs } = call;
    const programs = partsOf(trace).filter((program) => isDeviceOperation(program) || this.#isView(program));
    const results = programs.flatMap(({ made }) => made).slice(-outputs.length);
    if (!programs.some(isDeviceOperation) || results.length < outputs.length) return this.#opaque(call, why);
    if (why.startsWith("argument")) this.#note(`ttnn.${call.name} (${why})`, "read as what it ran");
    for (const program of programs) {
      const [from = -1, to = -1] = program.tensors.slice(0, 1).concat(program.made);
      if (
        !isDeviceOperation(program) && this.#values.captured(from)?.shape === this.#values.captured(to)?.shape
      ) {
        this.#values.same(to, from);
        continue;
      }
      if (program.name === "SplitDeviceOperation") {
        this.#split(program);
        continue;
      }
      // A tensor that is written in place becomes a new value.
      const fresh = program.made.map((id) => this.#values.anotherOf(id));
      const opaque = { ...call, given: new Map([["0", tensorsRead(program).join()]]), outputs: fresh };
      try {
        const { name, given, note } = programCall(program, call.name, call.given.get("1") ?? "");
        this.#add({ name, given, outputs: fresh, trace });
        if (note !== undefined) this.#note(`ttnn.${call.name}`, note);
      } catch (error) {
        if (!isUnsayable(error)) throw error;
        this.#opaque(opaque, programs.length > 1 ? error.message : why);
      }
      program.made.forEach((id, at) => this.#values.same(id, fresh[at] ?? -1));
    }
    outputs.forEach((id, at) => this.#values.same(id, results[at] ?? -1));
  }

  /** Whether what is no device operation is a view: it reads a tensor of the device, or an unknown one. */
  #isView({ tensors: [from = -1] }: CapturedProgram): boolean {
    return this.#values.captured(from)?.memoryConfig !== "";
  }

  /** A program with several results, as the slices that they are. */
  #split({ tensors: [from = -1], made }: CapturedProgram): void {
    const [value] = this.#values.read(`Tensor(tensor_id=${from})`);
    let begins = value?.type.shape.map(() => 0) ?? [];
    for (const id of made) {
      const type = this.#values.typeOf(id);
      if (value === undefined || type === undefined) {
        throw new Unsayable("the capture does not say what it splits");
      }
      const { shape } = type;
      const properties = {
        begins,
        ends: begins.map((begin, at) => begin + (shape[at] ?? 1)),
        step: shape.map(() => 1),
      };
      this.#values.set(id, this.#builder.op("ttnn.slice_static", [value], type, properties));
      begins = begins.map((begin, at) =>
        shape[at] === value.type.shape[at] ? begin : begin + (shape[at] ?? 1)
      );
    }
  }

  /** A call that TTNN text cannot say: whatever it reads and makes, and nothing else. */
  #opaque(call: PythonCall, why: string): void {
    const operands = [...call.given].filter(([, text]) => /^\[?(?:ttnn\.)?Tensor\(/.test(text))
      .toSorted(([a], [b]) => Number(/^\d/.test(b)) - Number(/^\d/.test(a)))
      .flatMap(([, text]) => this.#values.read(text));
    const name = `ttnn.python.${call.name.replaceAll(".", "_")}`;
    this.#note(`ttnn.${call.name} (${why})`, "counted as moving its tensors alone");
    this.#results(this.#builder.insert(name, operands, this.#typesOf(call)), call);
  }

  #updateCaches(call: PythonCall): void {
    const { given } = call;
    const tables = ["update_idxs_tensor", "page_table"].flatMap((key) =>
      this.#values.read(given.get(key) ?? "")
    );
    for (const [at, id] of call.outputs.entries()) {
      const [cache, rows] = [0, 1].map((part) =>
        this.#values.read(
          given.get(`${2 * at + part}`) ?? given.get(`${["cache", "input"][part]}_tensor${at + 1}`) ?? "",
        )[0]
      );
      if (cache === undefined || rows === undefined) throw new Unsayable("it names no cache");
      this.#builder.insert("ttnn.paged_update_cache", [cache, rows, ...tables], []);
      this.#values.set(id, cache);
    }
  }

  #insert(
    definition: OpDefinition,
    operands: readonly TensorValue[],
    properties: Properties,
    call: PythonCall,
  ): void {
    const { name, inPlaceOperand, results } = definition;
    if (results === 0 && inPlaceOperand !== undefined) {
      this.#builder.insert(name, operands, [], properties);
      const written = operands[inPlaceOperand];
      if (written !== undefined) call.outputs.forEach((id) => this.#values.set(id, written));
      return;
    }
    // Convolutions return the weights that they prepared as well.
    const takesDevice = definition.costClass === "conv2d";
    const outputs = takesDevice ? call.outputs.slice(0, 1) : call.outputs;
    const isWhole = call.trace?.programs.filter(({ name }) => name === CONVOLUTION).length === 1;
    // A call that changes nothing returns its operand.
    if (outputs.length > 0 && outputs.every((id) => this.#values.has(id))) return;
    const types = this.#typesOf({ ...call, outputs });
    const made = this.#builder.insert(
      name,
      takesDevice ? [...operands, this.#func.device()] : operands,
      types,
      complete(name, isWhole ? { ...IN_ONE_PIECE, ...properties } : properties, operands[0], types),
    );
    this.#results(made, { ...call, outputs });
  }

  #results(made: TtnnOp, { outputs }: PythonCall): void {
    outputs.forEach((id, result) => this.#values.set(id, made.tensorResultAt(result)));
  }

  #requireKnown(given: ReadonlyMap<string, string>): void {
    for (const [key, text] of given) {
      if (SAID_BY_RESULT.has(key) || WITHOUT_EFFECT.has(`${key}=${text}`) || saysPlace(text)) continue;
      throw new Unsayable(`argument ${/^\d+$/.test(key) ? `number ${key}` : key} is ${text.slice(0, 60)}`);
    }
  }

  #note(call: string, what: string): void {
    const note = `${call}: ${what}`;
    this.#notes.set(note, (this.#notes.get(note) ?? 0) + 1);
  }

  /** Tensors as operands. A number is a property where the op has one for it; else an argument of one element. */
  #operands(
    { family, operands: groups }: OpDefinition,
    given: readonly (TensorValue | number | undefined)[],
    properties: Record<string, Properties[string]>,
  ): readonly TensorValue[] {
    const tensors = given.filter((value) => value !== undefined);
    const like = tensors.find((value): value is TensorValue => typeof value !== "number");
    if (like === undefined) throw new Unsayable("it reads no tensor");
    const { shape, dataType } = like.type;
    return tensors.flatMap((value, index) => {
      if (typeof value !== "number") return [value];
      if (family === "binary" && index === 1) {
        properties["scalar"] = scalar(value, dataType);
        return [];
      }
      const type = groups[index]?.role === "index"
        ? this.#builder.type([1], "u32", { rowMajor: true })
        : this.#builder.type(shape.map(() => 1), dataType);
      return [this.#values.argument(type)];
    });
  }

  /** Types of a call's results: those that nothing reads are the last tensors that the call made inside. */
  #typesOf({ outputs, trace }: PythonCall): readonly TtnnTensorType[] {
    const made = partsOf(trace).flatMap(({ made }) => made).slice(-outputs.length);
    return outputs.map((id, index) => {
      const type = this.#values.typeOf(id) ?? this.#values.typeOf(made[index] ?? -1);
      if (type === undefined) throw new Unsayable("the capture does not say what its result is");
      return type;
    });
  }
}

function isUnsayable(error: unknown): error is Error {
  return error instanceof Unsayable || error instanceof LayoutError || error instanceof RangeError;
}
