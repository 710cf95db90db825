// SPDX-License-Identifier: Apache-2.0
import type { TtnnOp } from "../ttnn/op.ts";
import type { TtnnValue } from "../ttnn/value.ts";
import { DisjointSets } from "../ttnn/disjoint_sets.ts";
import { TtnnFunction } from "../ttnn/function.ts";
import { calledBody, calledNames, InvariantValues, isDevice, isLeaf } from "./invariant_values.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import { DramRoom } from "./dram_room.ts";
import { type GraphPass, isForward, type PassContext, recordAt } from "./graph_pass.ts";

/**
 * Moves every op that depends on parameters and constants only into `NAME_const_eval_N` functions, whose
 * results `ttcore.load_cached` loads: they run once, at load (tt-mlir:pass-order). Ops in const-eval
 * functions of the input stay there; ops on their results are moved into one function with them.
 */
export const constEval: GraphPass = {
  name: "const-eval",
  option: "enable-const-eval",
  upstream: "level-0",
  run: (context) => {
    for (const body of context.functions.filter(isForward)) new Hoisting(context, body).run();
    removeUncalled(context);
  },
};

/** Attribute of ops whose results may stay in L1 between inferences. */
const MAY_HOLD_L1 = "ttnn.const_eval_allowed";

/** Const-eval of one function. */
class Hoisting {
  readonly #context: PassContext;
  readonly #body: TtnnFunction;
  /** Ops whose results are the same in every inference, in order. */
  readonly #constant: Set<TtnnOp> = new Set();
  /** Names of the functions before this pass. */
  #names: ReadonlySet<string> | undefined;
  /** Next number for a new function. */
  #number = 0;

  constructor(context: PassContext, body: TtnnFunction) {
    this.#context = context;
    this.#body = body;
  }

  run(): void {
    const constants = new InvariantValues(this.#body, (op) => calledBody(this.#context, op) !== undefined);
    for (const op of this.#body.ops()) if (constants.hasOp(op)) this.#constant.add(op);
    this.#keepResultsInL1();
    const groups = this.#groups();
    const first = [...this.#body.ops()].find((op) => !this.#constant.has(op)) ?? this.#body.terminator;
    const hoisted = new Set(groups.flat());
    const room = new DramRoom([this.#body], this.#context.chip, (op) => hoisted.has(op));
    for (const group of groups) this.#hoist(group, first, room);
    this.#body.eraseDead();
  }

  /**
   * Keeps ops in the inference if it reads their results from L1: computed at load, their results would
   * occupy L1 permanently, which is a layout decision that no pass may make. Upstream places no constants in
   * L1 (tt-mlir:pass-order), except those of ops marked `ttnn.const_eval_allowed`. Readers of an op
   * that stays have to stay as well, and may in turn read their results from L1.
   */
  #keepResultsInL1(): void {
    const isRead = ({ uses }: TtnnValue): boolean =>
      [...uses.keys()].some((user) => !this.#constant.has(user));
    const stays = (op: TtnnOp): boolean =>
      op.name !== LOAD_CACHED && op.attribute(MAY_HOLD_L1) === undefined &&
      op.results.some((result) => isInL1(result) && isRead(result));
    for (let kept = this.#constant.size + 1; kept > this.#constant.size;) {
      kept = this.#constant.size;
      for (const op of [...this.#constant].toReversed()) if (stays(op)) this.#constant.delete(op);
      for (const op of [...this.#constant]) {
        // Leaves are computed again by every function that reads them.
        const isVariable = ({ producer }: TtnnValue): boolean =>
          producer !== undefined && !isLeaf(producer) && !this.#constant.has(producer);
        if (op.operands.some(isVariable)) this.#constant.delete(op);
      }
    }
  }

  /** Constant ops grouped by shared results, in order, without those in const-eval functions already. */
  #groups(): readonly (readonly TtnnOp[])[] {
    const sets = new DisjointSets<TtnnOp>();
    for (const op of this.#constant) {
      if (isLeaf(op)) continue;
      for (const { producer } of op.operands) {
        if (producer !== undefined && this.#constant.has(producer) && !isLeaf(producer)) {
          sets.join(op, producer);
        }
      }
    }
    const groups = Map.groupBy(this.#constant, (op) => sets.rootOf(op));
    return [...groups.values()].filter((group) => group.some(({ name }) => name !== LOAD_CACHED));
  }

  /**
   * Moves a group into a function of its own. If the caller owns the parameters and they leave too little DRAM for the
   * group's results, it stays in the inference.
   */
  #hoist(group: readonly TtnnOp[], anchor: TtnnOp, room: DramRoom): void {
    const members = new Set(group);
    const outputs = group.flatMap(({ results }) => results)
      .filter(({ uses }) => [...uses.keys()].some((user) => !this.#isHoisted(user, members)));
    if (outputs.length === 0) return;
    if (!this.#context.ownsSignature && !room.take(outputs.map(({ type }) => type))) return;
    const { made, given } = this.#functionOf(group, outputs);
    const loaded = this.#body.insertBefore(anchor, {
      name: LOAD_CACHED,
      operands: given,
      resultTypes: outputs.map(({ type }) => type),
      callee: made.header.name,
      location: group.at(-1)?.location,
    });
    outputs.forEach((output, index) => {
      const result = loaded.results[index];
      if (result === undefined) return;
      // Users that are hoisted as well keep the leaf itself.
      for (const user of [...output.uses.keys()]) {
        if (!this.#isHoisted(user, members)) this.#body.replaceOperand(user, output, result);
      }
    });
    for (const op of group.toReversed()) {
      if (op.results.every(({ uses }) => uses.size === 0)) this.#body.erase(op);
      this.#note(op);
    }
  }

  /**
   * Whether a user of a group's result is hoisted, so that it does not read the loaded result: as a member of the
   * group, or because the group is a leaf, which every function that needs it computes itself.
   */
  #isHoisted(user: TtnnOp, members: ReadonlySet<TtnnOp>): boolean {
    if (members.has(user)) return true;
    const [member] = members;
    return member !== undefined && isLeaf(member) && this.#constant.has(user);
  }

  /** Creates the function that computes a group, and lists its operands. */
  #functionOf(
    group: readonly TtnnOp[],
    outputs: readonly TtnnValue[],
  ): { readonly made: TtnnFunction; readonly given: readonly TtnnValue[] } {
    const made = new TtnnFunction(this.#context.module, {
      name: this.#newName(),
      kind: "const_eval",
      source: undefined,
      isPrivate: true,
      before: this.#body,
    });
    const copies = new Copies(made);
    for (const op of group) {
      for (const operand of op.operands) copies.argument(operand, this.#body);
    }
    for (const op of group) this.#copy(op, copies);
    made.return(outputs.map((output) => copies.of(output)));
    this.#context.functions.push(made);
    return { made, given: copies.given };
  }

  #copy(op: TtnnOp, copies: Copies): void {
    for (const operand of op.operands) {
      const { producer } = operand;
      // The device is opened once, before the first op that needs it.
      if (producer === undefined || isDevice(operand)) continue;
      if (isLeaf(producer) && !copies.has(producer)) copies.adopt(producer);
    }
    const callee = op.name === LOAD_CACHED ? calledBody(this.#context, op) : undefined;
    if (callee === undefined) copies.adopt(op);
    else copies.inline(op, callee);
  }

  #newName(): string {
    this.#names ??= new Set(this.#context.functions.map(({ header }) => header.name));
    const nameOf = (number: number): string => `${this.#body.header.name}_const_eval_${number}`;
    while (this.#names.has(nameOf(this.#number))) this.#number++;
    return nameOf(this.#number++);
  }

  #note(op: TtnnOp): void {
    if (op.name === LOAD_CACHED) return;
    recordAt(this.#context, constEval.name, this.#body, op);
  }
}

function isInL1({ type }: TtnnValue): boolean {
  return type.kind === "tensor" && type.layout.bufferType === "l1";
}

/** Maps values of other functions to their copies in a new one. */
class Copies {
  /** Operands of the call, in the order of the arguments. */
  readonly given: TtnnValue[] = [];
  readonly #made: TtnnFunction;
  readonly #copies: Map<TtnnValue, TtnnValue> = new Map();
  readonly #adopted: Set<TtnnOp> = new Set();
  #device: TtnnValue | undefined;

  constructor(made: TtnnFunction) {
    this.#made = made;
  }

  /** Gives the new function an argument for that of another one. */
  argument(value: TtnnValue, caller: TtnnFunction): void {
    if (value.definition.kind !== "argument" || this.#copies.has(value)) return;
    const argument = this.#made.addArgument(value.type);
    const given = caller.arguments[value.definition.index]?.given;
    if (given?.has("ttir.conv2d_weight") === true) {
      this.#made.arguments.at(-1)?.attributes.set("ttir.conv2d_weight", "unit");
    }
    this.#copies.set(value, argument);
    this.given.push(value);
  }

  has(op: TtnnOp): boolean {
    return this.#adopted.has(op);
  }

  of(value: TtnnValue): TtnnValue {
    if (isDevice(value)) return this.#openDevice(value);
    const copy = this.#copies.get(value);
    if (copy === undefined) {
      throw new RangeError(`Cannot hoist into @${this.#made.header.name}: an operand stays behind`);
    }
    return copy;
  }

  adopt(op: TtnnOp): void {
    const copy = this.#made.adopt(op, op.operands.map((operand) => this.of(operand)));
    this.#adopted.add(op);
    op.results.forEach((result, index) => {
      const copied = copy.results[index];
      if (copied !== undefined) this.#copies.set(result, copied);
    });
  }

  /** Inlines a called const-eval function in place of the call. */
  inline(call: TtnnOp, callee: TtnnFunction): void {
    callee.arguments.forEach(({ value }, index) => {
      const operand = call.operands[index];
      if (operand !== undefined) this.#copies.set(value, this.of(operand));
    });
    for (const op of callee.ops()) {
      if (op === callee.terminator) break;
      if (op.name !== "ttnn.get_device") this.adopt(op);
    }
    call.results.forEach((result, index) => {
      const returned = callee.results[index];
      if (returned !== undefined) this.#copies.set(result, this.of(returned));
    });
  }

  #openDevice(value: TtnnValue): TtnnValue {
    const opener = value.producer;
    if (opener === undefined) throw new RangeError("Cannot hoist an op whose device is an argument");
    this.#device ??= this.#made.adopt(opener, []).result;
    return this.#device;
  }
}

/** Removes const-eval functions without calls. */
function removeUncalled({ functions }: PassContext): void {
  const called = calledNames(functions);
  for (const body of functions) {
    const { kind, name, source } = body.header;
    if (kind === "const_eval" && source !== undefined && !called.has(name)) body.isRemoved = true;
  }
}
