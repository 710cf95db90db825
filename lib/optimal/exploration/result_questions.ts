// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../../graph/graph.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { LayoutIds, Way } from "../../search/ways.ts";

/** What is known of an op that is asked for one result. */
interface AskedResult {
  /** Per operand, by its place in the table: equal for layouts that the op reads the same beside that result. */
  readonly asRead: readonly (readonly number[])[];
  /** Answers by the operands as they are read. */
  readonly ways: Map<number, Way | undefined>;
}

/**
 * Questions for a given result, each asked once of all operands that make no difference to the answer. Where a sum reads
 * shards by address, it does not matter on which cores they lie: its thousands of ways to be fed have some dozen answers.
 */
export class ResultQuestions {
  readonly #evaluator: OpEvaluator;
  readonly #op: OpId;
  readonly #reads: readonly LayoutIds[];
  readonly #byResult: Map<LayoutId, AskedResult | undefined> = new Map();

  /** @param reads layouts per operand that combinations are of */
  constructor(evaluator: OpEvaluator, op: OpId, reads: readonly LayoutIds[]) {
    this.#evaluator = evaluator;
    this.#op = op;
    this.#reads = reads;
  }

  /**
   * What the op model says yes to; `undefined` when it says no.
   *
   * @param combination per operand an index into its layouts
   * @param inputs the layouts themselves
   */
  query(combination: readonly number[], inputs: LayoutIds, result: LayoutId): Way | undefined {
    const ask = (): Way | undefined => this.#evaluator.query(this.#op, inputs, result, undefined);
    const asked = this.#askedFor(result);
    if (asked === undefined) return ask();
    const { asRead, ways } = asked;
    let key = 0;
    for (let operand = 0; operand < combination.length; operand++) {
      key = key * (this.#reads[operand]?.length ?? 1) + (asRead[operand]?.[combination[operand] ?? 0] ?? 0);
    }
    let way = ways.get(key);
    if (way !== undefined || ways.has(key)) return way;
    way = ask();
    // What comes out otherwise than asked for is priced by the operands beside that.
    if (way === undefined || way.outputs[0] === result) ways.set(key, way);
    return way;
  }

  /** `undefined` where the op reads all of every operand. */
  #askedFor(result: LayoutId): AskedResult | undefined {
    if (this.#byResult.has(result)) return this.#byResult.get(result);
    const asked = this.#readsBeside(result);
    this.#byResult.set(result, asked);
    return asked;
  }

  #readsBeside(result: LayoutId): AskedResult | undefined {
    const { opModel } = this.#evaluator;
    const combinations = this.#reads.reduce((product, layouts) => product * layouts.length, 1);
    if (this.#evaluator.isOverridden(this.#op) || combinations > Number.MAX_SAFE_INTEGER) return undefined;
    const signature = this.#evaluator.signature(this.#op);
    let isShared = false;
    const asRead = this.#reads.map((layouts, operand) => {
      const first = new Map<LayoutId | undefined, number>();
      return layouts.map((layout, index) => {
        const read = layout === undefined
          ? undefined
          : opModel.operandAsRead(signature, operand, layout, result);
        const known = first.get(read);
        if (known === undefined) first.set(read, index);
        else isShared = true;
        return known ?? index;
      });
    });
    return isShared ? { asRead, ways: new Map() } : undefined;
  }
}
