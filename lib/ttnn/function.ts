// SPDX-License-Identifier: Apache-2.0
import { readMeshShape, wholeMeshAttributes } from "../dialect/module_mesh.ts";
import { DEVICE_TYPE } from "../dialect/other_type.ts";
import type { AttributeTexts } from "../dialect/printed_attributes.ts";
import type { AttributeMap, FunctionView, ModuleText, Operation } from "../ir/mod.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import { isPureOp } from "../ops/effects.ts";
import { type OpSpec, TtnnOp } from "./op.ts";
import { type TensorValue, type TtnnTensorType, type TtnnType, TtnnValue } from "./value.ts";
import { WrittenBuffers } from "./written_buffers.ts";

/**
 * Thrown when a new use would read a buffer before its last in-place write. The pattern counts as no match; the ops made so
 * far are erased as dead.
 */
export class UnsafePlace extends Error {
  override readonly name = "UnsafePlace";

  constructor(place: TtnnOp | undefined) {
    super(`Cannot read memory before ${place?.opName ?? "the end"}: it is written behind`);
  }
}

/** A function without its body. */
export interface FunctionHeader {
  /** Without `@`. */
  readonly name: string;
  /** `tt.function_type`: the purpose of the function; `undefined` if the text does not say. */
  readonly kind: string | undefined;
  /** The function in the text; `undefined` for new ones. */
  readonly source: FunctionView | undefined;
  /** A new function of a module with functions is printed before this one. */
  readonly before?: TtnnFunction;
  /** Whether only its module calls a new function. */
  readonly isPrivate?: boolean;
  /** Attributes of a new function besides `tt.function_type`, as printed. */
  readonly attributes?: AttributeTexts;
  /** `loc(…)` of a new function, as printed. */
  readonly location?: string | undefined;
  /** Chips along each axis of the mesh that `get_device` takes in a new function; the module's mesh by default. */
  readonly mesh?: readonly number[];
}

export interface TtnnArgument {
  readonly value: TtnnValue;
  /** `ttcore.argument_type`: `input`, `parameter`, `constant`, `default`. */
  readonly role: string;
  /** Attributes that the text gives it; none of new arguments. */
  readonly given: AttributeMap;
  /** Attributes as printed; for an argument from the text, those that a pass set. */
  readonly attributes: Map<string, string>;
}

/**
 * A function of one block, its ops in order: read from text and changed by graph passes or a plan, or new. `ttnn.deallocate`
 * is not among the ops: it is derived from the uses and written anew (`deallocate.ts`).
 */
export class TtnnFunction {
  readonly header: FunctionHeader;
  readonly module: ModuleText;
  readonly arguments: TtnnArgument[] = [];
  /** Values of the text that are freed explicitly, with their deallocations there if it has any. */
  readonly deallocates: Map<TtnnValue, Operation | undefined> = new Map();
  /** Arguments of a new function that outlive its call. */
  readonly kept: Set<TtnnValue> = new Set();
  /** Attributes of the results of a new function, as printed. */
  resultAttributes: readonly AttributeTexts[] = [];
  /** What is freed explicitly in this function: everything that it makes, only what it puts in L1, or nothing. */
  frees: "tensors" | "l1" | "nothing";
  /** Set when the function is no longer called. */
  isRemoved: boolean = false;
  #first: TtnnOp | undefined;
  #last: TtnnOp | undefined;
  #isChanged = false;
  /** Number of ops by name. */
  readonly #sizes: Map<string, number> = new Map();
  /** Buffers that ops wrote in place before passes ran ({@linkcode protectWritten}). */
  #written: WrittenBuffers = new WrittenBuffers([]);
  /** Ops that are new, or lost the last user of a result, since {@linkcode eraseDead}. */
  #mayBeDead: TtnnOp[] = [];
  /** Of ops whose results lost their last reader: the value that replaced them, or else that reader. */
  readonly successors: Map<TtnnOp, TtnnValue | TtnnOp> = new Map();
  /** Names of the ops that were made; a reader of changes clears it. */
  readonly madeNames: Set<string> = new Set();
  /** How many operands were replaced by other values. */
  replacedOperands: number = 0;
  /** Ops that the running {@linkcode trial} has made. */
  #tried: TtnnOp[] | undefined;

  constructor(module: ModuleText, header: FunctionHeader) {
    this.module = module;
    this.header = header;
    this.frees = header.source === undefined ? "tensors" : "nothing";
  }

  /** Whether anything differs from the text. */
  get isChanged(): boolean {
    if (this.#isChanged) return true;
    if (this.arguments.some(({ value, attributes }) => value.isRetyped || attributes.size > 0)) return true;
    for (const op of this.ops()) {
      if (op.isRespelled || op.results.some(({ isRetyped }) => isRetyped)) return true;
    }
    return false;
  }

  /**
   * From here on memory that is written in place is safe from passes: ops that make, share or read it before its last
   * write are pinned, and new ops that read it must come after that write.
   */
  protectWritten(): void {
    this.#written = new WrittenBuffers(this.ops());
    if (this.#written.isEmpty) return;
    for (const op of [...this.ops()]) {
      const held = [...op.operands, ...op.results, ...op.captured.map(({ value }) => value)];
      const isEarly = held.some((value) => {
        const write = this.#written.lastWrite(value);
        return write !== undefined && !this.isBefore(write, op);
      });
      if (isEarly && op.opName !== "func.return") this.#pin(op);
    }
  }

  /** Makes passes leave ops as and where they are. */
  pinWhere(isKept: (op: TtnnOp) => boolean): void {
    for (const op of [...this.ops()]) if (op.opName !== "func.return" && isKept(op)) this.#pin(op);
  }

  /** Whether the buffer of a value, or one that it may share, is written in place. */
  isWritten(value: TtnnValue): boolean {
    return this.#written.lastWrite(value) !== undefined;
  }

  #pin(op: TtnnOp): void {
    this.#count(op, -1);
    op.isPinned = true;
    this.#count(op, 1);
  }

  /** @throws {UnsafePlace} if a value is read from memory that is written behind the place */
  #requireWritten(value: TtnnValue, reader: TtnnOp | undefined, anchor: TtnnOp | undefined): void {
    const write = this.#written.lastWrite(value);
    const isBehind = write === undefined || write === reader || anchor === undefined ||
      this.isBefore(write, anchor);
    if (!isBehind) throw new UnsafePlace(anchor);
  }

  /** Whether there is an op with a name. */
  has(name: string): boolean {
    return (this.#sizes.get(name) ?? 0) > 0;
  }

  /** `func.return`. @throws {RangeError} for a body under construction */
  get terminator(): TtnnOp {
    if (this.#last?.name !== "func.return") throw new RangeError(`@${this.header.name} does not return yet`);
    return this.#last;
  }

  /** Returned values. */
  get results(): readonly TtnnValue[] {
    return this.terminator.operands;
  }

  /** Ops in order, `return` last. Ops may be inserted and erased during iteration; erased ones are not visited. */
  *ops(): Generator<TtnnOp> {
    let op = this.#first;
    while (op !== undefined) {
      const { next } = op;
      yield op;
      op = opBehind(op, next);
    }
  }

  /** Visits the same ops as {@linkcode ops} in half the time, for passes that visit every op repeatedly. */
  visit(visitor: (op: TtnnOp) => void): void {
    let op = this.#first;
    while (op !== undefined) {
      const { next } = op;
      visitor(op);
      op = opBehind(op, next);
    }
  }

  /** Whether one op runs before another. */
  isBefore(a: TtnnOp, b: TtnnOp): boolean {
    return a.order < b.order;
  }

  /** Adds an argument to a new function, with its attributes as printed. */
  addArgument(type: TtnnTensorType, attributes?: AttributeTexts): TensorValue;
  addArgument(type: TtnnType, attributes?: AttributeTexts): TtnnValue;
  addArgument(type: TtnnType, attributes: AttributeTexts = new Map()): TtnnValue {
    const value = new TtnnValue(type, { kind: "argument", index: this.arguments.length });
    this.arguments.push({ value, role: "default", given: new Map(), attributes: new Map(attributes) });
    return value;
  }

  /** Ends a new function. */
  return(operands: readonly TtnnValue[]): void {
    this.append({ name: "func.return", operands, resultTypes: [], location: this.header.location });
  }

  /** Creates an op directly before another; it takes that op's location unless the spec has one. */
  insertBefore(anchor: TtnnOp, spec: OpSpec): TtnnOp {
    return this.#insert(anchor, spec, anchor.location);
  }

  /** Creates an op directly after another. */
  insertAfter(anchor: TtnnOp, spec: OpSpec): TtnnOp {
    return this.#insert(anchor.next, spec, anchor.location);
  }

  /** Creates an op at the end of a body under construction. */
  append(spec: OpSpec): TtnnOp {
    return this.#insert(undefined, spec, undefined);
  }

  /**
   * Makes a copy of another body's op at the end.
   *
   * @param operands values of this body, one per operand
   * @throws {RangeError} if regions of the op use values
   */
  adopt(op: TtnnOp, operands: readonly TtnnValue[]): TtnnOp {
    const copy = op.copyFor(operands);
    copy.results = op.results.map((result, index) => {
      const value = new TtnnValue(result.type, { kind: "result", op: copy, index });
      // The copied text still has the old type.
      if (result.isRetyped) value.type = result.type;
      return value;
    });
    this.attach(copy);
    this.#isChanged = true;
    return copy;
  }

  /** Appends an op that was read from the text; for the reader. */
  attach(op: TtnnOp): void {
    this.#link(op, undefined);
    for (const operand of op.operands) addUse(operand, op);
    for (const { value } of op.captured) addUse(value, op);
  }

  /** Adds a result behind those of an op from the text. @param wish see {@linkcode TtnnValue.wish} */
  addResult(op: TtnnOp, type: TtnnType, wish: string): TtnnValue {
    const definition = { kind: "result", op, index: op.results.length } as const;
    const value = new TtnnValue(type, definition, undefined, wish);
    op.results = [...op.results, value];
    this.#isChanged = true;
    return value;
  }

  /** Returns a value in addition to those of the text. */
  addReturned(value: TtnnValue): void {
    const { terminator } = this;
    terminator.operands = [...terminator.operands, value];
    addUse(value, terminator);
    this.#isChanged = true;
  }

  setOperand(op: TtnnOp, index: number, value: TtnnValue): void {
    const before = op.operands[index];
    if (before === undefined) throw new RangeError(`Cannot set operand ${index} of ${op.name}: it has none`);
    if (before === value) return;
    this.#requireWritten(value, op, op);
    op.operands = op.operands.with(index, value);
    this.replacedOperands++;
    this.#removeUse(before, op);
    addUse(value, op);
    this.#isChanged = true;
  }

  /** Replaces every use of a value, including `return`, by another value. */
  replaceAllUses(from: TtnnValue, to: TtnnValue): void {
    for (const user of [...from.uses.keys()]) {
      if (user.captured.some(({ value }) => value === from)) {
        throw new RangeError(`Cannot replace a value that regions of ${user.name} use`);
      }
      this.#requireWritten(to, user, user);
    }
    for (const user of [...from.uses.keys()]) this.replaceOperand(user, from, to);
    if (from.producer !== undefined) this.#succeed(from.producer, to);
  }

  /** Replaces a value wherever one op reads it. */
  replaceOperand(op: TtnnOp, from: TtnnValue, to: TtnnValue): void {
    op.operands.forEach((operand, index) => {
      if (operand === from) this.setOperand(op, index, to);
    });
  }

  /** Moves an op before another; its operands must be defined before that. */
  moveBefore(op: TtnnOp, anchor: TtnnOp): void {
    for (const operand of op.operands) this.#requireWritten(operand, op, anchor);
    this.#unlink(op);
    this.#link(op, anchor);
    this.#isChanged = true;
  }

  /** Removes an op. @throws {RangeError} if a result is still used */
  erase(op: TtnnOp): void {
    const used = op.results.find((result) => result.uses.size > 0);
    if (used !== undefined) throw new RangeError(`Cannot erase ${op.name}: its result is used`);
    for (const operand of op.operands) this.#removeUse(operand, op);
    for (const { value } of op.captured) this.#removeUse(value, op);
    this.#unlink(op);
    op.isErased = true;
    this.#isChanged = true;
  }

  /** Erases unused pure ops and loads of constants, and their operands that become unused. */
  eraseDead(): void {
    for (let op = this.#mayBeDead.pop(); op !== undefined; op = this.#mayBeDead.pop()) {
      const isNeeded = op.isErased || !op.results.every(isUnused);
      if (!isNeeded && (isPureOp(op.name) || op.name === LOAD_CACHED)) this.erase(op);
    }
  }

  /**
   * Makes ops, and takes all of them back unless they are kept: the function is then as it was.
   *
   * @param make only makes ops; what exists may not be changed in it
   */
  trial<Made>(make: () => Made, isKept: (value: Made, ops: readonly TtnnOp[]) => boolean): Made | undefined {
    const [outer, wasChanged] = [this.#tried, this.#isChanged];
    const ops: TtnnOp[] = this.#tried = [];
    let keeps = false;
    try {
      const value = make();
      keeps = isKept(value, ops);
      return keeps ? value : undefined;
    } finally {
      this.#tried = outer;
      if (keeps) outer?.push(...ops);
      else {
        for (const op of ops.toReversed()) this.erase(op);
        this.#isChanged = wasChanged;
      }
    }
  }

  /**
   * The device: the result of the first `get_device`, moved before the op that needs it. If there is none it is opened
   * first of all; in a function under construction here, at its end.
   *
   * @param anchor the op that needs it; absent for what comes at the end
   * @param location of a `get_device` that is made
   * @param moves whether a `get_device` behind the anchor may move; if not, another one is made
   */
  device(anchor?: TtnnOp, location: string | undefined = anchor?.location, moves: boolean = true): TtnnValue {
    const opener = this.has("ttnn.get_device") ? this.#opener() : undefined;
    const isLate = opener !== undefined && anchor !== undefined && this.isBefore(anchor, opener);
    if (opener !== undefined && (moves || !isLate)) {
      if (isLate && opener.operands.length === 0) this.moveBefore(opener, anchor);
      return opener.result;
    }
    return this.#insert(anchor === undefined ? undefined : this.#first ?? anchor, {
      name: "ttnn.get_device",
      operands: [],
      resultTypes: [DEVICE_TYPE],
      properties: wholeMeshAttributes(this.header.mesh ?? readMeshShape(this.module)),
    }, location).result;
  }

  #opener(): TtnnOp | undefined {
    for (let op = this.#first; op !== undefined; op = op.next) if (op.name === "ttnn.get_device") return op;
    return undefined;
  }

  #insert(anchor: TtnnOp | undefined, spec: OpSpec, location: string | undefined): TtnnOp {
    for (const operand of spec.operands) this.#requireWritten(operand, undefined, anchor);
    const full = { ...spec, location: "location" in spec ? spec.location : location };
    const op = new TtnnOp(this.module, undefined, [...spec.operands], full);
    op.results = spec.resultTypes.map((type, index) =>
      new TtnnValue(type, { kind: "result", op, index }, undefined, spec.wish)
    );
    this.#link(op, anchor);
    for (const operand of op.operands) addUse(operand, op);
    this.#tried?.push(op);
    this.madeNames.add(op.name);
    this.#isChanged = true;
    return op;
  }

  #link(op: TtnnOp, anchor: TtnnOp | undefined): void {
    const previous = anchor === undefined ? this.#last : anchor.previous;
    op.previous = previous;
    op.next = anchor;
    if (previous === undefined) this.#first = op;
    else previous.next = op;
    if (anchor === undefined) this.#last = op;
    else anchor.previous = op;
    this.#count(op, 1);
    this.#mayBeDead.push(op);
    op.order = anchor === undefined
      ? (previous?.order ?? 0) + 1
      : ((previous?.order ?? anchor.order - 2) + anchor.order) / 2;
    if (op.order === previous?.order || op.order === anchor?.order) this.#renumber();
  }

  #unlink(op: TtnnOp): void {
    if (op.previous === undefined) this.#first = op.next;
    else op.previous.next = op.next;
    if (op.next === undefined) this.#last = op.previous;
    else op.next.previous = op.previous;
    this.#count(op, -1);
  }

  #count({ name }: TtnnOp, change: 1 | -1): void {
    this.#sizes.set(name, (this.#sizes.get(name) ?? 0) + change);
  }

  #removeUse(value: TtnnValue, op: TtnnOp): void {
    const left = (value.uses.get(op) ?? 0) - 1;
    if (left > 0) value.uses.set(op, left);
    else value.uses.delete(op);
    if (value.uses.size > 0 || value.producer === undefined) return;
    this.#mayBeDead.push(value.producer);
    this.#succeed(value.producer, op);
  }

  /** Notes what comes after an op; of an op of several results another one of its name stays. */
  #succeed(op: TtnnOp, by: TtnnValue | TtnnOp): void {
    const known = this.successors.get(op);
    if (known instanceof TtnnValue && known.producer?.name === op.name) return;
    this.successors.set(op, by);
  }

  #renumber(): void {
    let order = 0;
    for (let op = this.#first; op !== undefined; op = op.next) op.order = order++;
  }
}

/**
 * The next op to visit after another one: inserted ops are visited, erased ones are not.
 *
 * @param next the op after it before it was visited
 */
function opBehind(op: TtnnOp, next: TtnnOp | undefined): TtnnOp | undefined {
  let behind = op.isErased ? next : op.next;
  while (behind?.isErased === true) behind = behind.next;
  return behind;
}

function isUnused({ uses }: TtnnValue): boolean {
  return uses.size === 0;
}

function addUse(value: TtnnValue, op: TtnnOp): void {
  value.uses.set(op, (value.uses.get(op) ?? 0) + 1);
}
