// SPDX-License-Identifier: Apache-2.0
import { type TtnnFunction, UnsafePlace } from "../ttnn/function.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import { TensorBuilder } from "../ttnn/tensor_builder.ts";
import { type GraphPass, isForward, type PassContext, recordAt } from "./graph_pass.ts";
import { isEmptyTensor } from "../ops/empty_tensors.ts";
import type { TensorValue, TtnnValue } from "../ttnn/value.ts";
import { isEnabled, type PassSwitch, type UpstreamLevel } from "./pass_options.ts";

/** Creates the ops of a pass before an anchor op. */
export class PassBuilder extends TensorBuilder {
  declare readonly anchor: TtnnOp;
  readonly context: PassContext;

  constructor(body: TtnnFunction, anchor: TtnnOp, context: PassContext) {
    super(body, context.chip, anchor);
    this.context = context;
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

/** A local rewrite that replaces the result of a matched op. */
interface ReplacingPattern extends Omit<RewritePattern, "rewrite"> {
  /**
   * The value that replaces the tensor result of an op, made in front of the op at `site`; `undefined` if the
   * pattern does not match.
   */
  readonly replace: (op: TtnnOp, site: PassBuilder, result: TensorValue) => TensorValue | undefined;
}

/** A pattern that replaces the result of the matched op, which is erased as dead. */
export function replacing({ replace, ...pattern }: ReplacingPattern): RewritePattern {
  return {
    ...pattern,
    rewrite: (op, body, context) => {
      const result = op.tensorResult;
      if (result === undefined) return false;
      const replacement = replace(op, new PassBuilder(body, op, context), result);
      if (replacement === undefined) return false;
      body.replaceAllUses(result, replacement);
      return true;
    },
  };
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
 * Whether a pattern changed something; it does not match if the rewrite would read memory before it is
 * written.
 */
function isRewritten(pattern: RewritePattern, op: TtnnOp, body: TtnnFunction, context: PassContext): boolean {
  try {
    return pattern.rewrite(op, body, context);
  } catch (error) {
    if (error instanceof UnsafePlace) return false;
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
