// SPDX-License-Identifier: Apache-2.0

/**
 * A typed builder of TTNN modules: one method per op, which works out the result's shape, gives it the DRAM-interleaved
 * tile layout that upstream gives every value before its optimizer runs, and spells attributes as upstream prints them.
 *
 * @module
 */

import { type ModuleText, parseModule } from "../../lib/ir/mod.ts";
import { writeModule } from "../../lib/ttnn/write_module.ts";
import { TtnnFunction } from "../../lib/ttnn/function.ts";
import type { TensorValue, TtnnTensorType } from "../../lib/ttnn/value.ts";
import { type Image, tensorType, ZOO_CHIP, type ZooPlacement, type ZooWindow } from "./tensors.ts";
import { type ConstEval, ZooFunction } from "./zoo_function.ts";

/** A new module refers to no text. */
export const NO_TEXT: ModuleText = parseModule("module {}", "zoo.mlir");

/** A module of the zoo under construction: const-eval functions and one forward function. */
export class ZooModule {
  readonly #name: string;
  readonly #functions: TtnnFunction[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** The forward function; call it once, after the const-eval functions. */
  forward(): ZooFunction {
    const func = new TtnnFunction(NO_TEXT, { name: "forward", kind: "forward_device", source: undefined });
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
    const func = new TtnnFunction(NO_TEXT, { name, kind: "const_eval", source: undefined, isPrivate: true });
    const args = inputs.map((type) => func.addArgument(type));
    const result = build(new ZooFunction(func), args);
    func.return([result]);
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
export type { ConstEval, Image, TensorValue, ZooPlacement, ZooWindow };
