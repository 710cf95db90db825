// SPDX-License-Identifier: Apache-2.0

/**
 * A typed builder of TTNN modules: one method per op, which works out the result's shape, gives it the DRAM-interleaved
 * tile layout that upstream gives every value before its optimizer runs, and spells attributes as upstream prints them.
 *
 * @module
 */

import { attributes, stringText } from "../../lib/dialect/printed_attributes.ts";
import { writeModule } from "../../lib/lowering/emit/module_writer.ts";
import { TtnnFunction } from "../../lib/lowering/emit/ttnn_function.ts";
import type { TensorValue, TtnnTensorType } from "../../lib/lowering/emit/ttnn_value.ts";
import { ZOO_CHIP } from "./chip.ts";
import type { Image, Window } from "./image.ts";
import { type Placement, tensorType } from "./tensor_type.ts";
import { type ConstEval, ZooFunction } from "./zoo_function.ts";

/** A module of the zoo under construction: const-eval functions and one forward function. */
export class ZooModule {
  readonly #name: string;
  readonly #functions: TtnnFunction[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** The forward function; call it once, after the const-eval functions. */
  forward(): ZooFunction {
    const func = new TtnnFunction({
      name: "forward",
      attributes: attributes({ "tt.function_type": stringText("forward_device") }),
    });
    this.#functions.push(func);
    return new ZooFunction(func);
  }

  /**
   * A const-eval function: what is computed once from weights and cached.
   *
   * @param inputs types of the weights
   * @param build makes the result from the arguments
   * @returns a call of it, to be given to {@linkcode ZooFunction.loadCached}
   */
  constEval(
    inputs: readonly TtnnTensorType[],
    build: (body: ZooFunction, args: readonly TensorValue[]) => TensorValue,
  ): ConstEval {
    const name = `forward_const_eval_${this.#functions.length}`;
    const func = new TtnnFunction({
      name,
      isPrivate: true,
      attributes: attributes({ "tt.function_type": stringText("const_eval") }),
    });
    const args = inputs.map((type) => func.argument(type));
    const result = build(new ZooFunction(func), args);
    func.results = [result];
    this.#functions.push(func);
    return { name, type: result.type };
  }

  /** The module's text. */
  write(): string {
    return writeModule({
      symbol: `@${this.#name}`,
      attributes: new Map(),
      chip: ZOO_CHIP,
      mesh: [],
      functions: this.#functions,
    });
  }
}

export { tensorType, ZooFunction };
export type { ConstEval, Image, Placement, TensorValue, Window };
