// SPDX-License-Identifier: Apache-2.0
import { repeatedRuns } from "../../lib/graph/repeated_runs.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { StepTimeline } from "./timeline.ts";

/** An op with the memory ops and inserted copies that run before it, back to the op before. */
export interface OpWithMoves {
  /** Indices of the steps that move tensors, in execution order. */
  readonly moves: readonly number[];
  /** Index of the op's step; `undefined` for the moves after the last op. */
  readonly op: number | undefined;
}

/** Consecutive layers with the same ops on tensors of the same shapes; their layouts may differ. */
export interface LayerRun {
  /** Index of the first group. */
  readonly start: number;
  /** Groups of one layer. */
  readonly period: number;
  /** Layers, at least two. */
  readonly count: number;
}

/** A step by its index. @throws {RangeError} if there is none */
export function stepAt(steps: readonly StepTimeline[], index: number): StepTimeline {
  const step = steps[index];
  if (step === undefined) throw new RangeError(`Cannot find step ${index} of ${steps.length}`);
  return step;
}

/** Whether a step only moves a tensor: an inserted copy, or a memory op of the input. */
export function isMove({ kind, name }: Pick<StepTimeline, "kind" | "name">): boolean {
  return kind === "conversion" || definitionOf(name).memoryOp;
}

/** Whether a step is an op of TTNN, or of TTIR without a lowering, as opposed to bookkeeping of the compiler. */
export function isTensorOp({ kind, name }: Pick<StepTimeline, "kind" | "name">): boolean {
  return kind === "conversion" || /^tt(?:nn|ir)\./.test(name);
}

/** Ops of a function in execution order, each with the moves before it; bookkeeping is left out. */
export function opGroups(steps: readonly StepTimeline[]): readonly OpWithMoves[] {
  const groups: OpWithMoves[] = [];
  let moves: number[] = [];
  for (const step of steps) {
    if (!isTensorOp(step)) continue;
    if (isMove(step)) {
      moves.push(step.index);
      continue;
    }
    groups.push({ moves, op: step.index });
    moves = [];
  }
  return moves.length === 0 ? groups : [...groups, { moves, op: undefined }];
}

/** Runs of layers among groups of ops. */
export function layerRuns(
  groups: readonly OpWithMoves[],
  steps: readonly StepTimeline[],
): readonly LayerRun[] {
  return repeatedRuns(groups.map(({ op }) => op === undefined ? "" : work(steps, op)));
}

/** What an op computes, ignoring layouts. */
function work(steps: readonly StepTimeline[], index: number): string {
  const { name, inputShapes, outputShapes, inputTypes, outputTypes } = stepAt(steps, index);
  const spell = (shapes: StepTimeline["inputShapes"]) =>
    shapes.map((shape) => shape?.join("x") ?? "").join(",");
  return [name, spell(inputShapes), spell(outputShapes), inputTypes.join(), outputTypes.join()].join("|");
}
