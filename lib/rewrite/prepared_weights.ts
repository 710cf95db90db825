// SPDX-License-Identifier: Apache-2.0
import type { PropertyText } from "../dialect/memory_op_properties.ts";
import { convolutionInputTexts, DECIDED_BY_CONVOLUTION } from "../dialect/prepared_weights.ts";
import type { FunctionBinding, GraphBinding } from "../graph/binding.ts";
import { opAt, valueAt, type ValueId } from "../graph/graph.ts";
import { entryOf, type ModuleText, type Operation, type Patch, textOf } from "../ir/mod.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import { isPreparingOp } from "../ops/preparing_ops.ts";
import { propertyEdits } from "./property_edits.ts";

/** Lets the ops that prepare weights, once at load or before each use, say what a plan decided for their convolution. */
export class PreparedWeights {
  readonly #module: ModuleText;
  readonly #functions: ReadonlyMap<string, FunctionBinding>;
  /** What preparing ops are to say. */
  readonly #wanted: Map<Operation, Map<string, string>> = new Map();

  constructor({ module, functions }: GraphBinding) {
    this.#module = module;
    this.#functions = new Map(functions.map((binding) => [binding.fn.name, binding]));
  }

  /**
   * Takes note of an op that may be a convolution.
   *
   * @param operation as the input has it
   * @param input planned layout of its first operand
   * @param others its other operands, as far as it reads them and no copies
   * @param decided properties that the plan gives it
   */
  follow(
    binding: FunctionBinding,
    operation: Operation,
    input: TtnnLayout | undefined,
    others: readonly ValueId[],
    decided: readonly PropertyText[],
  ): void {
    if (input === undefined) return;
    for (const value of others) {
      const preparing = this.#madeBy(binding, value);
      if (preparing === undefined || !isPreparingOp(preparing.name)) continue;
      const wanted = this.#wanted.get(preparing) ?? new Map<string, string>();
      this.#wanted.set(preparing, wanted);
      for (const [key, text] of convolutionInputTexts(input)) wanted.set(key, text);
      for (const key of DECIDED_BY_CONVOLUTION) {
        const text = decided.findLast((property) => property.key === key)?.value ??
          this.#textOf(operation, key);
        if (text !== undefined) wanted.set(key, text);
      }
    }
  }

  /** The op that makes a value, in the const-eval function that it is loaded from where it is; `undefined` for arguments. */
  #madeBy({ fn, ops }: FunctionBinding, value: ValueId): Operation | undefined {
    const { definition } = valueAt(fn, value);
    if (definition.kind === "argument") return undefined;
    const { name, attributes } = opAt(fn, definition.op);
    if (name !== LOAD_CACHED) return ops[definition.op];
    const callee = attributes.get("callee");
    const loaded = callee?.kind === "symbol" ? this.#functions.get(callee.name) : undefined;
    const result = loaded?.fn.results[definition.index];
    if (loaded === undefined || result === undefined) return undefined;
    const made = valueAt(loaded.fn, result).definition;
    return made.kind === "result" ? loaded.ops[made.op] : undefined;
  }

  #textOf(operation: Operation, key: string): string | undefined {
    const span = entryOf(operation, key)?.valueSpan;
    return span === undefined ? undefined : textOf(this.#module, span);
  }

  /** Patches of the ops among these that were not asked for before. */
  takePatches(operations: Iterable<Operation> = this.#wanted.keys()): readonly Patch[] {
    return [...operations].flatMap((operation) => {
      const wanted = this.#wanted.get(operation);
      if (wanted === undefined) return [];
      this.#wanted.delete(operation);
      const changed = [...wanted].filter(([key, text]) => this.#textOf(operation, key) !== text);
      return propertyEdits(operation, changed.map(([key, value]) => ({ key, value })));
    });
  }
}
