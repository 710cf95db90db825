// SPDX-License-Identifier: Apache-2.0
import { roleOf } from "../graph/function_role.ts";
import { type GraphFunction, type GraphOp, valueAt } from "../graph/graph.ts";
import { type Origin, originOf } from "../graph/origin.ts";
import { layoutsEqual } from "../layout/layout_table.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { configKey } from "../op_config/config_key.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { isPreparingOp } from "../ops/preparing_ops.ts";
import { isValue, type PlannedExecution, type PlanStep } from "./steps.ts";

/** The facts on which the preparation of a convolution's weights depends. */
interface Purpose {
  /**
   * Planned layout of the convolution's activation; `undefined` if layout and config are those of the source text,
   * for which the weights are prepared already.
   */
  readonly input: TtnnLayout | undefined;
  readonly config: string;
}

/** An operand of a planned op that another op prepared. */
export interface PreparedOperand {
  /** Index of the operand. */
  readonly operand: number;
  readonly origin: Origin;
  /** Number of the preparation, by first reader; 0 takes the place of the preparing op of the source text. */
  readonly number: number;
  /** Planned layout of the convolution's activation. */
  readonly input: TtnnLayout | undefined;
}

/**
 * How often weights are prepared under a plan: convolutions that share a prepared weight need separate
 * preparations if their inputs or configs are decided differently.
 */
export class Preparations {
  readonly #functions: ReadonlyMap<string, GraphFunction>;
  readonly #purposes: Map<GraphOp, Purpose[]> = new Map();
  /** Whether any op prepares weights. */
  readonly any: boolean;

  /** @param functions those that prepare weights, and those that load prepared weights */
  constructor(functions: readonly GraphFunction[]) {
    this.#functions = new Map(functions.map((fn) => [fn.name, fn]));
    this.any = functions.some(({ ops }) => ops.some(({ name }) => isPreparingOp(name)));
  }

  /** Records the reads of a function's ops. */
  follow(fn: GraphFunction, execution: PlannedExecution): void {
    if (!this.any) return;
    for (const step of execution.steps) if (step.kind === "op") this.read(fn, execution, step);
  }

  /**
   * Records and returns the prepared operands, all but the first, that an op of an inference reads directly, without a copy;
   * nothing in functions that run at load.
   */
  read(
    fn: GraphFunction,
    { layouts }: PlannedExecution,
    { operands, config }: Extract<PlanStep, { kind: "op" }>,
  ): readonly PreparedOperand[] {
    const [first] = operands;
    if (!this.any || first === undefined || roleOf(fn.kind) !== "inference") return [];
    const read: PreparedOperand[] = [];
    for (const [operand, instance] of operands.entries()) {
      const origin = operand > 0 && isValue(fn, instance)
        ? originOf(this.#functions, fn, instance)
        : undefined;
      if (origin === undefined || !isPreparingOp(origin.op.name)) continue;
      const input = layouts[first];
      const isWritten = config === undefined && isValue(fn, first) &&
        sameLayout(input, valueAt(fn, first).layout);
      const purpose = isWritten
        ? { input: undefined, config: "" }
        : { input, config: config === undefined ? "" : preparingKey(config) };
      read.push({ operand, origin, number: this.#numberOf(origin.op, purpose), input });
    }
    return read;
  }

  /** How often an op runs: once, unless it prepares weights. */
  timesOf(op: GraphOp): number {
    return Math.max(1, this.#purposes.get(op)?.length ?? 1);
  }

  #numberOf(preparing: GraphOp, purpose: Purpose): number {
    const purposes = this.#purposes.getOrInsertComputed(preparing, () => []);
    const { input, config } = purpose;
    const known = purposes.findIndex((other) => other.config === config && sameLayout(other.input, input));
    return known >= 0 ? known : purposes.push(purpose) - 1;
  }
}

/**
 * The part of a config that prepared weights depend on, without deallocation of the activation and compute
 * config.
 */
function preparingKey(config: OpSpecificAttributes): string {
  const { computeConfig: _compute, ...own } = config;
  if (own.kind !== "conv2d") return configKey(own);
  const { deallocateActivation: _freed, ...conv2dConfig } = own.conv2dConfig ?? {};
  return configKey({ ...own, conv2dConfig });
}

function sameLayout(left: TtnnLayout | undefined, right: TtnnLayout | undefined): boolean {
  return left === undefined || right === undefined ? left === right : layoutsEqual(left, right);
}
