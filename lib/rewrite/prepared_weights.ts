// SPDX-License-Identifier: Apache-2.0
import type { PropertyText } from "../dialect/memory_op_properties.ts";
import { DECIDED_BY_CONVOLUTION, preparationTexts } from "../dialect/prepared_weights.ts";
import type { GraphBinding } from "../graph/binding.ts";
import type { GraphFunction, GraphOp } from "../graph/graph.ts";
import { loadedFunction } from "../graph/origin.ts";
import { entryOf, type ModuleText, type Operation, textOf } from "../ir/mod.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { preparingOp } from "../ops/preparing_ops.ts";
import { Preparations } from "../plan/preparations.ts";
import type { PlannedExecution, PlanStep } from "../plan/steps.ts";

export interface WeightPreparation {
  /** Properties of the preparing op that the plan decides: text by key; empty if the input's op stays as it is. */
  readonly told: ReadonlyMap<string, string>;
  /** Index of the weight that the input prepares, among the results of the op that prepares or loads it. */
  readonly like: number;
}

/**
 * Carries the decisions of a plan from convolutions to the ops that prepare their weights, at load time or before each
 * use. Convolutions that share a prepared weight get one preparation per combination of input layout and config.
 */
export class PreparedWeights {
  readonly #module: ModuleText;
  readonly #functions: ReadonlyMap<string, GraphFunction>;
  readonly #needed: Preparations;
  /** By the op that prepares a weight in the input; index 0 replaces that op, the others are additional. */
  readonly #preparations: Map<GraphOp, WeightPreparation[]> = new Map();
  /** Names of the additional preparations, by the op that prepares or loads them. */
  readonly #names: Map<WeightPreparation, Map<GraphOp, string>> = new Map();
  #named = 0;

  constructor({ module, graph }: GraphBinding) {
    this.#module = module;
    this.#functions = new Map(graph.functions.map((fn) => [fn.name, fn]));
    this.#needed = new Preparations(graph.functions);
  }

  /**
   * Records an op if it is a convolution with prepared weights.
   *
   * @param operation as in the input
   * @param decided properties that the plan gives the op; `undefined` if its first operand and its config are those of
   * the input
   * @returns names of additional preparations that the op reads, by operand index
   */
  follow(
    fn: GraphFunction,
    execution: PlannedExecution,
    step: Extract<PlanStep, { kind: "op" }>,
    operation: Operation,
    decided: readonly PropertyText[] | undefined,
  ): ReadonlyMap<number, string> {
    const names = new Map<number, string>();
    for (const { operand, origin, number, input } of this.#needed.read(fn, execution, step)) {
      const cached = this.#preparations.getOrInsertComputed(origin.op, () => []);
      const isWritten = input === undefined || decided === undefined && number === 0;
      const told = isWritten ? new Map() : this.#told(operation, input, decided ?? [], origin.op.name);
      const preparation = cached[number] ??= { told, like: origin.result };
      if (number > 0) names.set(operand, this.nameAt(preparation, origin.at));
    }
    return names;
  }

  /** The preparation for an op of the input that prepares weights; `undefined` if nothing reads them. */
  inPlaceOf(op: GraphOp): WeightPreparation | undefined {
    return this.#preparations.get(op)?.[0];
  }

  /** Preparations needed in addition to that of an op of the input. */
  beside(op: GraphOp): readonly WeightPreparation[] {
    return this.#preparations.get(op)?.slice(1) ?? [];
  }

  /**
   * Results that a load returns in addition to those of the input: all additional preparations of its
   * function.
   */
  loadedBeside(load: GraphOp): readonly WeightPreparation[] {
    if (this.#names.size === 0) return [];
    return loadedFunction(this.#functions, load)?.ops.flatMap((op) => this.beside(op)) ?? [];
  }

  /**
   * Name of an additional preparation, which no value of the module has.
   *
   * @param at op of the input that prepares or loads the weight
   */
  nameAt(preparation: WeightPreparation, at: GraphOp): string {
    const names = this.#names.getOrInsertComputed(preparation, () => new Map());
    return names.getOrInsertComputed(at, () => this.#freeName());
  }

  /** Properties of a preparation that differ from those of the input's op. */
  propertiesOf({ told }: WeightPreparation, operation: Operation): readonly PropertyText[] {
    return [...told].filter(([key, text]) => this.#textOf(operation, key) !== text)
      .map(([key, value]) => ({ key, value }));
  }

  #told(
    operation: Operation,
    input: TtnnLayout,
    decided: readonly PropertyText[],
    preparing: string,
  ): ReadonlyMap<string, string> {
    const given = new Map<string, string>();
    for (const key of DECIDED_BY_CONVOLUTION) {
      const text = decided.findLast((property) => property.key === key)?.value ??
        this.#textOf(operation, key);
      if (text !== undefined) given.set(key, text);
    }
    return preparationTexts(preparingOp(preparing), input, given);
  }

  #freeName(): string {
    const isTaken = (name: string) =>
      [...this.#functions.values()].some(({ values }) =>
        values.some((value) => value.name.replace(/#\d+$/, "") === name)
      );
    while (isTaken(`%prepared_${this.#named}`)) this.#named++;
    return `%prepared_${this.#named++}`;
  }

  #textOf(operation: Operation, key: string): string | undefined {
    const span = entryOf(operation, key)?.valueSpan;
    return span === undefined ? undefined : textOf(this.#module, span);
  }
}
