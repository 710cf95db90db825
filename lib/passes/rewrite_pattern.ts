// SPDX-License-Identifier: Apache-2.0
import { isBlockFloat } from "../layout/data_type.ts";
import { LayoutError } from "../layout/layout_error.ts";
import { type TtnnFunction, UnsafePlace } from "../ttnn/function.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import { TensorBuilder } from "../ttnn/tensor_builder.ts";
import type { AttributeTexts } from "../dialect/printed_attributes.ts";
import { isPureOp } from "../ops/effects.ts";
import { isEmptyTensor } from "../ops/empty_tensors.ts";
import { printedProperties, type Properties, readTexts } from "../ttnn/op.ts";
import { sameType, type TensorValue, type TtnnTensorType, type TtnnType, TtnnValue } from "../ttnn/value.ts";
import {
  type GraphPass,
  isForward,
  type PassContext,
  type ProposedOp,
  recordAt,
  takeRoomForCopy,
} from "./graph_pass.ts";
import { InvariantValues, isLeaf, raiseConstant } from "./invariant_values.ts";
import { isEnabled, type PassSwitch, type UpstreamLevel } from "./pass_options.ts";
import {
  madeBy,
  predictedMicroseconds,
  reshapeMicroseconds,
  rowMajorType,
  unaryMicroseconds,
} from "./patterns/matching.ts";

/** Creates the ops of a pass before an anchor op. */
export class PassBuilder extends TensorBuilder {
  declare readonly anchor: TtnnOp;
  readonly context: PassContext;

  constructor(body: TtnnFunction, anchor: TtnnOp, context: PassContext) {
    super(body, context.chip, anchor);
    this.context = context;
  }

  /** A builder of the same function and pass before another op. */
  at(anchor: TtnnOp): PassBuilder {
    return new PassBuilder(this.body, anchor, this.context);
  }

  /**
   * Whether ops made of these values here run at load: they are the same in every inference, and DRAM has room for copies of
   * them. What computes them then comes before the anchor.
   */
  preparesAtLoad(...values: readonly (TensorValue | undefined)[]): boolean {
    const constants = InvariantValues.of(this.body);
    const given = values.filter((value) => value !== undefined);
    const isReady = given.every((value) => constants.has(value)) &&
      takeRoomForCopy(given.map(({ type }) => type), this.context);
    if (isReady) { for (const value of given) raiseConstant(value, this.anchor, this.body); }
    return isReady;
  }

  /** What the form makes whose ops take the least predicted time in all; `undefined` without any form. */
  fastest<Made>(forms: readonly (() => Made)[]): Made | undefined {
    const timed = forms.map((make) => {
      let time = Infinity;
      this.body.trial(make, (_, made) => {
        time = made.reduce((sum, op) => sum + (predictedMicroseconds(op, this.context) ?? Infinity), 0);
        return false;
      });
      return { make, time };
    });
    return timed.toSorted((a, b) => a.time - b.time)[0]?.make();
  }

  /** An op that is not made, as a question. */
  question(
    name: string,
    operands: readonly TtnnType[],
    results: readonly TtnnType[],
    properties: AttributeTexts | Properties = {},
  ): ProposedOp {
    const attributes = readTexts(this.body.module, new Map(), printedProperties(name, properties));
    return { name, operands, results, attributes };
  }

  /** An op with one tensor result, if the op model accepts it. */
  opIfLegal(
    name: string,
    operands: readonly TtnnValue[],
    type: TtnnTensorType,
    properties: AttributeTexts | Properties = {},
  ): TensorValue | undefined {
    const question = this.question(name, operands.map((operand) => operand.type), [type], properties);
    return this.context.isLegal(question) ? this.op(name, operands, type, properties) : undefined;
  }
}

/** A local rewrite at a matched op. */
export interface RewritePattern {
  /** Name in the plan. */
  readonly name: string;
  /** Upstream's options that switch it off; missing if upstream always runs it. */
  readonly option?: PassSwitch | readonly PassSwitch[] | undefined;
  /** Optimization levels at which upstream does the same. */
  readonly upstream: UpstreamLevel;
  /** Full names of the ops at which it may match. */
  readonly roots: readonly string[];
  /** Whether it also matches in const-eval functions; by default only in forward functions. */
  readonly atLoad?: true;
  /**
   * Whether it also matches ops that apply further functions ({@linkcode TtnnOp.appliesFunctions}): those that keep the
   * attributes of the op. By default such an op is none of its roots.
   */
  readonly keepsFunctions?: true;
  /** Rewrites at an op if the pattern matches; returns whether it did. */
  readonly rewrite: (op: TtnnOp, body: TtnnFunction, context: PassContext) => boolean;
}

/** A value in place of the result of the matched op, or values in place of others. */
type Replacement = TensorValue | ReadonlyMap<TensorValue, TensorValue>;

/** A local rewrite that replaces the result of a matched op. */
interface ReplacingPattern extends Omit<RewritePattern, "rewrite"> {
  /**
   * The value that replaces the tensor result of an op, made in front of the op at `site`, or those that replace several
   * values; `undefined` if the pattern does not match. It only makes ops, and moves constants in front of them.
   */
  readonly replace: (op: TtnnOp, site: PassBuilder, result: TensorValue) => Replacement | undefined;
  /** Whether the matched ops have several results, of which `replace` is given the first. */
  readonly ofSeveral?: true;
  /**
   * Whether a replacement is worth it by predicted µs per inference, with layouts in interleaved DRAM; every one is by
   * default.
   *
   * @param after µs of the ops made, infinite if one is not known
   * @param before µs of the ops that nothing reads any more, without those that are not known
   */
  readonly pays?: (after: number, before: number, made: readonly TtnnOp[]) => boolean;
}

/**
 * A pattern that replaces the result of the matched op, which is erased as dead. What was made where it does not match, or
 * does not pay, is taken back.
 */
export function replacing({ replace, ofSeveral, pays, ...pattern }: ReplacingPattern): RewritePattern {
  return {
    ...pattern,
    rewrite: (op, body, context) => {
      const result = ofSeveral === true ? op.tensorResultAt(0) : op.tensorResult;
      if (result === undefined) return false;
      const replacements = body.trial(
        () => {
          const value = replace(op, new PassBuilder(body, op, context), result);
          return value instanceof TtnnValue ? new Map([[result, value]]) : value;
        },
        (values, made) => {
          if (values === undefined || pays === undefined) return values !== undefined;
          const { gone, needed } = exchanged(values, made);
          const constants = InvariantValues.of(body);
          // What is computed at load is free, unless all of it is.
          const isFree = (each: TtnnOp): boolean =>
            constants.hasOp(op) ? isLeaf(each) : constants.hasOp(each);
          const sum = (ops: ReadonlySet<TtnnOp>, timeOf: (each: TtnnOp) => number): number =>
            ops.values().reduce((total, each) => isFree(each) ? total : total + timeOf(each), 0);
          return pays(
            sum(needed, (each) => predictedMicroseconds(each, context) ?? Infinity),
            sum(gone, (each) => leastMicroseconds(each, context)),
            made,
          );
        },
      );
      replacements?.forEach((to, from) => body.replaceAllUses(from, to));
      return replacements !== undefined;
    },
  };
}

/**
 * Predicted µs of an op that is there; 0 if unknown, so that it stays. Slices of what a reshape that moves rows makes run on
 * row-major pages if that is faster, and so does the reshape if only they read it (`views_through_rows.ts`).
 */
function leastMicroseconds(op: TtnnOp, context: PassContext): number {
  const inTiles = predictedMicroseconds(op, context) ?? 0;
  const slice = "ttnn.slice_static";
  const cut = op.name === slice ? op.tensorOperand(0) : op.tensorResult;
  const made = madeBy(cut, "reshape")?.operandType(0);
  const [input, result] = [op.operandType(0), op.tensorResult?.type];
  if (cut === undefined || made === undefined || input === undefined || result === undefined) return inTiles;
  const isCut = op.name === slice || cut.uses.keys().every(({ name }) => name === slice);
  if (!isCut || isBlockFloat(input.dataType) || reshapeMicroseconds(made, cut.type, context) === 0) {
    return inTiles;
  }
  const [from, to] = [rowMajorType(input, context), rowMajorType(result, context)];
  return Math.min(inTiles, unaryMicroseconds(op.name, from, to, context, op.attributeMap()));
}

/**
 * The ops that nothing reads any more once values take the place of others, and those that are needed of the ones made for
 * that. Readers that convert pages back, as they were before the last op made, are gone, and that op with the last of them.
 */
function exchanged(
  replacements: ReadonlyMap<TensorValue, TensorValue>,
  made: readonly TtnnOp[],
): { readonly gone: ReadonlySet<TtnnOp>; readonly needed: ReadonlySet<TtnnOp> } {
  const gone = new Set<TtnnOp>();
  const needed = new Set(made);
  const addUnread = ({ producer }: TtnnValue): void => {
    const isRead = (value: TtnnValue): boolean =>
      !replacements.keys().some((replaced) => replaced === value) &&
      !value.uses.keys().every((user) => gone.has(user));
    if (producer !== undefined && isPureOp(producer.name) && !producer.results.some(isRead)) {
      gone.add(producer);
    }
  };
  for (const [from, { producer: last }] of replacements) {
    addUnread(from);
    const converted = last?.name === "ttnn.to_layout" ? last.operandType(0) : undefined;
    if (last === undefined || converted === undefined) continue;
    const back = from.uses.keys().filter(({ name, tensorResult }) =>
      tensorResult !== undefined && name === "ttnn.to_layout" && sameType(tensorResult.type, converted)
    ).toArray();
    back.forEach((reader) => gone.add(reader));
    if (back.length === from.uses.size) needed.delete(last);
  }
  for (const op of gone) op.operands.forEach(addUnread);
  return { gone, needed };
}

/**
 * Most sweeps over a function: patterns that still match afterwards most likely undo each other. The graph is
 * valid and equivalent after every sweep.
 */
const MAXIMUM_SWEEPS = 64;

/** A pass that consists of patterns. */
export interface PatternPass extends GraphPass {
  readonly patterns: readonly RewritePattern[];
}

/**
 * A pass that applies patterns to every forward function, and those with {@linkcode RewritePattern.atLoad} to const-eval
 * functions, until none matches, in the given order at each op, and erases unused ops. Stops after {@linkcode MAXIMUM_SWEEPS} and records that.
 */
export function patternPass(
  name: string,
  option: PassSwitch | undefined,
  patterns: readonly RewritePattern[],
): PatternPass {
  return {
    name,
    option,
    patterns,
    // Each pattern has its own levels.
    upstream: "level-0",
    run: (context) => {
      const enabled = patterns.filter((pattern) => isEnabled(context.options, pattern));
      const [forward, atLoad] = [byRootOf(enabled), byRootOf(enabled.filter((pattern) => pattern.atLoad))];
      for (const body of context.functions) {
        if (isForward(body)) applyUntilStable(name, body, forward, context);
        else if (body.header.kind === "const_eval") applyUntilStable(name, body, atLoad, context);
      }
    },
  };
}

function byRootOf(patterns: readonly RewritePattern[]): ReadonlyMap<string, readonly RewritePattern[]> {
  const byRoot = new Map<string, RewritePattern[]>();
  for (const pattern of patterns) {
    for (const root of pattern.roots) byRoot.getOrInsertComputed(root, () => []).push(pattern);
  }
  return byRoot;
}

/** Whether an op has an empty tensor: most such ops launch nothing, and no form of them is faster. */
function hasNothing({ operands, results }: TtnnOp): boolean {
  const isEmpty = ({ type }: TtnnValue): boolean => type.kind === "tensor" && isEmptyTensor(type);
  return operands.some(isEmpty) || results.some(isEmpty);
}

/**
 * Whether a pattern changed something; it does not match if the rewrite would read memory before it is written, or make a
 * tensor that no layout holds, such as rows of block floats.
 */
function isRewritten(pattern: RewritePattern, op: TtnnOp, body: TtnnFunction, context: PassContext): boolean {
  try {
    return pattern.rewrite(op, body, context);
  } catch (error) {
    if (error instanceof UnsafePlace || error instanceof LayoutError) return false;
    throw error;
  }
}

function applyUntilStable(
  pass: string,
  body: TtnnFunction,
  byRoot: ReadonlyMap<string, readonly RewritePattern[]>,
  context: PassContext,
): void {
  const matching = new Set<string>();
  const rewriteAt = (op: TtnnOp): void => {
    const patterns = byRoot.get(op.name);
    if (patterns === undefined || hasNothing(op)) return;
    const { appliesFunctions } = op;
    for (const pattern of patterns) {
      if (appliesFunctions && pattern.keepsFunctions !== true) continue;
      if (op.isErased || !context.mayChange()) break;
      if (!isRewritten(pattern, op, body, context)) continue;
      matching.add(pattern.name);
      recordAt(context, pattern.name, body, op);
    }
  };
  for (let sweep = 0; sweep < MAXIMUM_SWEEPS; sweep++) {
    matching.clear();
    const isRooted = byRoot.keys().some((root) => body.has(root));
    if (isRooted) body.visit(rewriteAt);
    if (isForward(body) || matching.size > 0) body.eraseDead();
    if (matching.size === 0) return;
  }
  context.recordUnfinished({
    pass,
    function: body.header.name,
    patterns: [...matching],
    sweeps: MAXIMUM_SWEEPS,
  });
}
