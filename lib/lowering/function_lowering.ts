// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { Operation, Value } from "../ir/mod.ts";
import type { AttributeTexts } from "../dialect/printed_attributes.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import type { TensorValue, TtnnTensorType, TtnnValue } from "../ttnn/value.ts";
import { elementOf, type ElementType } from "./element_type.ts";
import { broadcastShape, fillsTiles, sameExtents } from "../layout/extents.ts";
import { definitionOf } from "../ops/op_book.ts";
import { reshapeKeepsPages } from "../ops/view_shapes.ts";
import { creationOf, isViewForm, viewOf } from "./lazy_ops.ts";
import { type LazyTensor, reshaped } from "./lazy_tensor.ts";
import type { Properties } from "../ttnn/op.ts";
import { ON_HOST, type TensorPlace } from "../ttnn/tensor_type.ts";
import { OpWriter } from "./op_writer.ts";
import type { NormalType, TtirOp } from "./ttir_op.ts";
import { isFloat } from "../layout/data_type.ts";

const ROW_MAJOR: TensorPlace = { rowMajor: true };

/** The lowering of one function: which TTIR value is which TTNN tensor, and the ops written so far. */
export class FunctionLowering extends OpWriter {
  /** Id of the last op that uses a value. */
  readonly lastUses: ReadonlyMap<Value, number>;
  readonly #values: Map<Value, LazyTensor> = new Map();
  /** Values that are views, by the tensor that they are of; some of them are written by now. */
  readonly #views: Map<TensorValue, Value[]> = new Map();
  readonly #written: WeakMap<LazyTensor, TensorValue> = new WeakMap();

  constructor(
    func: TtnnFunction,
    chip: ChipDescription,
    mesh: readonly number[],
    lastUses: ReadonlyMap<Value, number>,
  ) {
    super(func, chip, mesh);
    this.lastUses = lastUses;
  }

  /** The TTNN side of a TTIR value. */
  lazy(op: TtirOp, value: Value): LazyTensor {
    const lazy = this.#values.get(value);
    if (lazy === undefined) {
      throw op.error(`operand ${value.name} is not a tensor that was lowered before`, "operands");
    }
    return lazy;
  }

  /** The TTNN side of an operand. */
  operand(op: TtirOp, index: number): LazyTensor {
    return this.lazy(op, op.operand(index));
  }

  /** All operands from an index on. */
  operandsFrom(op: TtirOp, index: number): readonly LazyTensor[] {
    return op.operands.slice(index).map((value) => this.lazy(op, value));
  }

  /** Sets the TTNN counterpart of a TTIR value. */
  define(value: Value, lazy: LazyTensor): void {
    this.#values.set(value, lazy);
    const root = lazy.form.kind === "tensor" ? undefined : rootOf(lazy);
    if (root !== undefined) this.#views.getOrInsertComputed(root, () => []).push(value);
  }

  /** Sets the counterpart of a result of an op. */
  defineResult(op: TtirOp, lazy: LazyTensor, index: number = 0): void {
    const value = op.operation.results[index];
    if (value === undefined) throw op.error(`result ${index} is missing`, "results");
    op.expectShape(lazy.shape, index);
    this.define(value, lazy);
  }

  /** Sets a tensor as the counterpart of a result of an op. */
  defineTensor(op: TtirOp, tensor: TensorValue, index: number = 0): void {
    this.defineResult(op, fromTensor(tensor), index);
  }

  /**
   * Writes the views of a tensor that are used later, before the tensor changes in place; those that lie in its buffer
   * are copied.
   */
  writePendingViews(tensor: TensorValue, before: Operation): void {
    const views = this.#views.get(tensor) ?? [];
    this.#views.delete(tensor);
    for (const value of views) {
      const lazy = this.#values.get(value);
      if (lazy === undefined || (this.lastUses.get(value) ?? -1) <= before.id) continue;
      const view = this.tile(lazy);
      // From here on the view is a tensor of its own: its users must not trace back to the changed tensor.
      this.define(value, fromTensor(liesIn(tensor, view) ? this.emit("assign", [view], view.type) : view));
    }
  }

  // Ops.

  /**
   * Writes an op with one tensor result. Lazy operands come in tiles in interleaved DRAM; if its kernel refuses their
   * formats, they are cast to one that it takes, and the result is cast to `element`.
   */
  apply(
    name: string,
    operands: readonly (LazyTensor | TtnnValue)[],
    { shape, element }: NormalType,
    properties: Properties = {},
    extra: { readonly place?: TensorPlace; readonly attributes?: AttributeTexts } = {},
  ): LazyTensor {
    const cast = this.#castFor(name, operands.filter((operand) => "form" in operand), element);
    if (cast !== undefined) {
      const to = operands.map((operand) => "form" in operand ? this.typecast(operand, cast) : operand);
      return this.typecast(this.apply(name, to, { shape, element: cast }, properties, extra), element);
    }
    const tensors = operands.map((operand) => "form" in operand ? this.tile(operand) : operand);
    const type = this.type(shape, element, extra.place);
    return fromTensor(this.emit(name, tensors, type, properties, extra.attributes));
  }

  /** Writes the TTNN op that a TTIR op becomes, see {@linkcode apply}: its result has the type of the TTIR op's. */
  replace(
    op: TtirOp,
    name: string,
    operands: readonly (LazyTensor | TtnnValue)[],
    properties: Properties = {},
    extra: { readonly place?: TensorPlace; readonly attributes?: AttributeTexts } = {},
  ): void {
    this.defineResult(op, this.apply(name, operands, op.resultType(), properties, extra));
  }

  /**
   * Writes the TTNN op with several results that a TTIR op becomes; lazy operands come in tiles.
   *
   * @param typeOf what the kernel makes as a result, in tiles of the declared type by default; it is reshaped and cast to that
   * @param results how many the kernel makes
   * @throws {DiagnosticError} if the TTIR op has fewer
   */
  replaceMany(
    op: TtirOp,
    name: string,
    operands: readonly (LazyTensor | TtnnValue)[],
    properties: Properties,
    typeOf: (declared: NormalType, index: number) => TtnnTensorType = ({ shape, element }) =>
      this.type(shape, element),
    results: number = op.operation.results.length,
  ): void {
    const declared = Array.from({ length: results }, (_, index) => op.resultType(index));
    const tensors = operands.map((operand) => "form" in operand ? this.tile(operand) : operand);
    this.emitMany(name, tensors, declared.map(typeOf), properties).forEach((output, index) => {
      const { shape, element } = op.resultType(index);
      this.defineResult(op, this.typecast(reshaped(fromTensor(output), shape), element), index);
    });
  }

  // Tensors in a place.

  /** The value as a tensor in tiles in interleaved DRAM. */
  tile(lazy: LazyTensor): TensorValue {
    // A view is written behind those below it; long chains would overflow the stack of calls.
    const views: LazyTensor[] = [];
    for (let at: LazyTensor | undefined = lazy; at !== undefined && !this.#written.has(at);) {
      views.push(at);
      at = isViewForm(at.form) ? at.form.source : undefined;
    }
    let tensor = this.#written.get(lazy);
    for (const view of views.toReversed()) this.#written.set(view, tensor = this.#write(view));
    return tensor ?? this.#write(lazy);
  }

  /** The value row-major in interleaved DRAM. */
  rowMajor(lazy: LazyTensor): TensorValue {
    const { form, element } = lazy;
    if (form.kind === "tensor" && isRowMajorInDram(form.tensor)) return form.tensor;
    const input = this.tile(lazy);
    return this.once(input, "to_layout", this.type(lazy.shape, element, ROW_MAJOR));
  }

  /** The value row-major on the host. */
  host(lazy: LazyTensor): TensorValue {
    const { form, element } = lazy;
    if (form.kind === "tensor" && form.tensor.type.layout.bufferType === "system_memory") return form.tensor;
    return this.once(this.rowMajor(lazy), "from_device", this.type(lazy.shape, element, ON_HOST));
  }

  /** The value in DRAM in whichever page layout it has. */
  onDevice(lazy: LazyTensor): TensorValue {
    const { form } = lazy;
    return form.kind === "tensor" && isRowMajorInDram(form.tensor) ? form.tensor : this.tile(lazy);
  }

  /**
   * The value in tiles, to be written in place. A tensor made from attributes alone is made anew for this use, because one that
   * others read, or that is kept from one inference to the next, must not change.
   */
  own(lazy: LazyTensor): TensorValue {
    const { form, shape, element } = lazy;
    const type = this.type(shape, element);
    if (form.kind === "splat" || form.kind === "constant") {
      const { name, properties } = creationOf(form, element, shape);
      return this.emit(name, [this.device()], type, properties);
    }
    if (!isViewForm(form) || rootOf(lazy) !== undefined) return this.tile(lazy);
    const views: LazyTensor[] = [];
    let root: LazyTensor = lazy;
    for (; isViewForm(root.form); root = root.form.source) views.push(root);
    return views.toReversed().reduce((tensor, view) => this.#view(view, tensor), this.own(root));
  }

  /**
   * The value in tiles, for an op that overwrites it and gives what it then is as another value: a copy where the value,
   * or another that may lie in its buffer, is read later.
   */
  overwritten(lazy: LazyTensor, by: Operation): TensorValue {
    const tensor = this.own(lazy);
    const root = rootOf(lazy);
    const isReadLater = root !== undefined &&
      [...this.#values].some(([value, other]) =>
        rootOf(other) === root && (this.lastUses.get(value) ?? -1) > by.id
      );
    return isReadLater ? this.emit("assign", [tensor], tensor.type) : tensor;
  }

  /** Writes a view of a tensor, or returns the one that was written before. */
  #view({ form, shape, element }: LazyTensor, source: TensorValue): TensorValue {
    if (!isViewForm(form)) return source;
    const { name, properties } = viewOf(form, shape);
    const keepsBuffer = form.kind === "reshape" && reshapeKeepsPages(source.type.shape, shape, true);
    const cast = keepsBuffer ? undefined : this.#castFor(name, [fromTensor(source)], element);
    const inCast = (tensor: TensorValue, to: ElementType) =>
      cast === undefined ? tensor : this.once(tensor, "typecast", this.type(tensor.type.shape, to));
    const type = this.type(shape, cast ?? element);
    return inCast(this.once(inCast(source, cast ?? element), name, type, properties), element);
  }

  #write(lazy: LazyTensor): TensorValue {
    const { form, shape, element } = lazy;
    const type = this.type(shape, element);
    switch (form.kind) {
      case "tensor":
        return this.#toTile(form.tensor, lazy);
      case "reshape":
      case "permute":
      case "broadcast":
        return this.#view(lazy, this.tile(form.source));
      case "splat":
      case "constant": {
        const { name, properties } = creationOf(form, element, shape);
        return this.create(name, properties, type);
      }
      case "empty":
        // Never shared, because the user may write into it.
        return this.emit("empty", [this.device()], type, { shape: shape });
    }
  }

  /** The value in another place of the same page layout. @throws {LayoutError} when the place does not exist */
  place(lazy: LazyTensor, place: TensorPlace): TensorValue {
    return this.once(this.tile(lazy), "to_memory_config", this.type(lazy.shape, lazy.element, place));
  }

  /** To device memory first: the device tilizes every type that tensors have here. */
  #toTile(tensor: TensorValue, { shape, element }: LazyTensor): TensorValue {
    const { layout } = tensor.type;
    if (layout.bufferType === "system_memory") {
      const rowMajor = layout.tile === undefined;
      const moved = this.once(tensor, "to_device", this.type(shape, element, { rowMajor }), {}, true);
      return rowMajor ? this.#tilized(moved, shape, element) : moved;
    }
    let current = tensor;
    if (layout.bufferType !== "dram" || layout.memoryLayout !== "interleaved") {
      const rowMajor = layout.tile === undefined;
      current = this.once(current, "to_memory_config", this.type(shape, element, { rowMajor }));
    }
    return layout.tile === undefined ? this.#tilized(current, shape, element) : current;
  }

  /** Bytes get wider first if tiles get padding (`ttnn:backend-0-81-1`). */
  #tilized(rows: TensorValue, shape: readonly number[], element: ElementType): TensorValue {
    const type = this.type(shape, element);
    if (!isPaddedBytes(rows)) return this.once(rows, "to_layout", type);
    const wide = this.once(rows, "typecast", this.type(shape, U16, ROW_MAJOR));
    return this.once(this.once(wide, "to_layout", this.type(shape, U16)), "typecast", type);
  }

  /** The value with another element type. */
  typecast(lazy: LazyTensor, element: ElementType): LazyTensor {
    const { form } = lazy;
    if (lazy.element.text === element.text) return lazy;
    if (form.kind === "splat") {
      const value = isFloat(element.dataType) ? form.value : Math.trunc(form.value);
      if (Number.isFinite(value)) return { ...lazy, element, form: { kind: "splat", value } };
    }
    if (form.kind === "empty") return { ...lazy, element };
    if (form.kind === "broadcast") {
      const source = this.typecast(form.source, element);
      return { shape: lazy.shape, element, form: { kind: "broadcast", source } };
    }
    if (form.kind === "tensor" && isRowMajorInDram(form.tensor) && isPaddedBytes(form.tensor)) {
      const rows = this.once(form.tensor, "typecast", this.type(lazy.shape, element, ROW_MAJOR));
      return fromTensor(rows, element);
    }
    const output = this.once(this.tile(lazy), "typecast", this.type(lazy.shape, element));
    return fromTensor(output, element);
  }

  /**
   * Writes an elementwise op on the smallest shapes that broadcast to those of the operands: broadcasts are left to the
   * op, splats shrink to one element, and remaining repetitions follow the op. Formats are cast as by
   * {@linkcode apply}.
   *
   * @param element of the result, by default that of the first operand
   * @throws {RangeError} if the operands do not broadcast
   */
  elementwise(
    name: string,
    operands: readonly LazyTensor[],
    element: ElementType = operands[0]?.element ?? F32,
    properties: Properties = {},
  ): LazyTensor {
    const cast = this.#castFor(name, operands, element);
    if (cast !== undefined) {
      const to = operands.map((operand) => this.typecast(operand, cast));
      return this.typecast(this.elementwise(name, to, cast, properties), element);
    }
    const shape = broadcastShape(operands.map((operand) => operand.shape));
    if (shape === undefined) throw new RangeError(`operands of shape ${shapesOf(operands)} do not broadcast`);
    const small = operands.map((operand) => smallest(operand, shape.length));
    let output = broadcastShape(small.map((operand) => operand.shape));
    let inputs = small;
    if (output === undefined || output.length !== shape.length || !growsTo(output, shape)) {
      inputs = [...operands];
      output = shape;
    }
    const tensors = inputs.map((input) => this.tile(input));
    const result = this.emit(name, tensors, this.type(output, element), properties);
    const lazy = fromTensor(result, element);
    if (sameExtents(output, shape)) return lazy;
    return { shape, element, form: { kind: "broadcast", source: lazy } };
  }

  /** Writes the elementwise op that a TTIR op becomes: its result has the element of the TTIR op's. */
  replaceElementwise(
    op: TtirOp,
    name: string,
    operands: readonly LazyTensor[] = this.operandsFrom(op, 0),
    properties: Properties = {},
  ): void {
    const { shape, element } = op.resultType();
    const made = this.elementwise(name, operands, element, properties);
    if (!sameExtents(made.shape, shape)) {
      throw new RangeError(`operands of shape ${shapesOf(operands)} do not give ${shape.join("x")}`);
    }
    this.defineResult(op, made);
  }

  /**
   * The format to which operands of an op are cast because its kernel refuses theirs: integers if it takes any, else a float;
   * `undefined` if it takes the operands as they are, or no format helps.
   */
  #castFor(
    name: string,
    operands: readonly LazyTensor[],
    result: ElementType,
  ): ElementType | undefined {
    const { takesFormats } = definitionOf(`ttnn.${name}`);
    const formats = operands.map(({ element }) => element.dataType);
    if (takesFormats(formats, result.dataType)) return undefined;
    const float = operands.find(({ element }) => isFloat(element.dataType))?.element ??
      (isFloat(result.dataType) ? result : F32);
    const targets = formats.some(isFloat) ? [float] : [SI32, float];
    return targets.find(({ dataType }) => takesFormats(formats.map(() => dataType), dataType));
  }
}

function shapesOf(operands: readonly LazyTensor[]): string {
  return operands.map(({ shape }) => shape.join("x")).join(", ");
}

/** A lazy value that is written: a tensor. @param element default: the tensor's own element type */
export function fromTensor(tensor: TensorValue, element?: ElementType): LazyTensor {
  const { shape, dataType, element: text } = tensor.type;
  const own = text === undefined ? elementOf(dataType) : { text, dataType };
  return { shape, element: element ?? own, form: { kind: "tensor", tensor } };
}

/** A lazy value of one number. */
export function splat(shape: readonly number[], element: ElementType, value: number): LazyTensor {
  return { shape, element, form: { kind: "splat", value } };
}

/** `f32`, `bf16`, … as an element type. */
export const F32: ElementType = elementOf("f32");
export const BF16: ElementType = elementOf("bf16");
export const U32: ElementType = elementOf("u32");
export const U16: ElementType = elementOf("u16");
export const SI32: ElementType = elementOf("si32");

function isRowMajorInDram({ type: { layout } }: TensorValue): boolean {
  return layout.bufferType === "dram" && layout.memoryLayout === "interleaved" && layout.tile === undefined;
}

function isPaddedBytes({ type: { shape, dataType } }: TensorValue): boolean {
  return dataType === "u8" && !(shape.length > 1 && fillsTiles(shape));
}

/** Known answers of {@linkcode rootOf} for views: chains of them are walked once. */
const ROOTS: WeakMap<LazyTensor, LazyTensor> = new WeakMap();

/** The tensor a chain of views starts from; `undefined` for created values. */
function rootOf(lazy: LazyTensor): TensorValue | undefined {
  const views: LazyTensor[] = [];
  let root = lazy;
  while (isViewForm(root.form)) {
    views.push(root);
    root = ROOTS.get(root) ?? root.form.source;
  }
  for (const view of views) ROOTS.set(view, root);
  return root.form.kind === "tensor" ? root.form.tensor : undefined;
}

/** Whether a tensor was made from another by nothing but views of tiles, which lie in its buffer. */
function liesIn(root: TensorValue, view: TensorValue): boolean {
  for (let at: TtnnValue = view; at !== root;) {
    const op = at.producer;
    const [source] = op?.operands ?? [];
    if (op === undefined || source === undefined) return false;
    if (definitionOf(op.name).isView?.(op.signature, true) !== true) return false;
    at = source;
  }
  return true;
}

/** An operand without its broadcast: the source, or one element of a splat. */
function smallest(operand: LazyTensor, rank: number): LazyTensor {
  const { form } = operand;
  if (form.kind === "broadcast") return form.source;
  if (form.kind === "splat") return { ...operand, shape: new Array<number>(rank).fill(1) };
  return operand;
}

function growsTo(small: readonly number[], shape: readonly number[]): boolean {
  return small.every((extent, dim) => extent === 1 || extent === shape[dim]);
}
