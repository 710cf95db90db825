// SPDX-License-Identifier: Apache-2.0
import { definitionOf } from "../ops/op_book.ts";
import type { BodyOp } from "./body/body_op.ts";
import type { FunctionBody } from "./body/function_body.ts";
import { type GraphPass, isForward, type PassContext } from "./graph_pass.ts";
import { isEnabled } from "./pass_options.ts";

/** A local rewrite: where an op matches, the body is changed around it. */
export interface RewritePattern {
  /** Name in the plan. */
  readonly name: string;
  /** Upstream's option that switches it off; `undefined` for what upstream always does. */
  readonly option: string | undefined;
  /** Full names of the ops that it starts from. */
  readonly roots: readonly string[];
  /** Changes the body where the pattern matches at an op. Says whether it did. */
  readonly rewrite: (op: BodyOp, body: FunctionBody, context: PassContext) => boolean;
}

/** Sweeps over a function after which a pattern that still matches is a mistake of the pattern. */
const MAXIMUM_SWEEPS = 64;

/**
 * A pass that applies patterns to every forward function until none matches any more, in the order given at each op.
 * Ops that nothing uses afterwards are erased.
 */
export function patternPass(
  name: string,
  option: string | undefined,
  patterns: readonly RewritePattern[],
): GraphPass {
  return {
    name,
    option,
    run: (context) => {
      const enabled = patterns.filter((pattern) => isEnabled(context.options, pattern.option));
      const byRoot = new Map<string, RewritePattern[]>();
      for (const pattern of enabled) {
        for (const root of pattern.roots) byRoot.set(root, [...byRoot.get(root) ?? [], pattern]);
      }
      for (const body of context.functions) if (isForward(body)) applyUntilStable(body, byRoot, context);
    },
  };
}

function applyUntilStable(
  body: FunctionBody,
  byRoot: ReadonlyMap<string, readonly RewritePattern[]>,
  context: PassContext,
): void {
  for (let sweep = 0; sweep < MAXIMUM_SWEEPS; sweep++) {
    let changed = false;
    for (const op of body.ops()) {
      for (const pattern of byRoot.get(op.name) ?? []) {
        if (op.isErased) break;
        if (!pattern.rewrite(op, body, context)) continue;
        changed = true;
        context.record({
          pass: pattern.name,
          function: body.header.name,
          op: op.name,
          location: op.location ?? "",
        });
      }
    }
    eraseDead(body);
    if (!changed) return;
  }
  throw new Error(`Graph patterns still match in @${body.header.name} after ${MAXIMUM_SWEEPS} sweeps`);
}

/** Ops with results that give another value every time or whose value is no function of their operands. */
const UNREPEATABLE: ReadonlySet<string> = new Set([
  "ttnn.rand",
  "ttnn.dropout",
  "ttnn.empty",
  "ttnn.sampling",
]);

/** Ops that touch more than their results: hosts, traces, other chips, semaphores. */
const EFFECTS =
  /^ttnn\.(?:.*trace.*|write_tensor|dump_tensor|load_tensor|copy_host_to_device_tensor|.*semaphore.*)$/;

/** Whether an op does nothing but compute its results, so that it goes when nothing uses them. */
export function isPure(op: BodyOp): boolean {
  if (!op.name.startsWith("ttnn.") || op.results.length === 0 || EFFECTS.test(op.name)) return false;
  const definition = definitionOf(op.name);
  return definition.family !== "opaque" && definition.inPlaceOperand === undefined;
}

/** Whether an op gives the same results for the same operands. */
export function isDeterministic(op: BodyOp): boolean {
  return isPure(op) && !UNREPEATABLE.has(op.name);
}

/** Erases pure ops that nothing uses, last first. */
export function eraseDead(body: FunctionBody): void {
  for (const op of body.opsBackwards()) {
    if (isPure(op) && op.results.every(({ uses }) => uses.size === 0)) body.erase(op);
  }
}
