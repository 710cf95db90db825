// SPDX-License-Identifier: Apache-2.0
import { DECIDED_BY_CONVOLUTION, preparationTexts } from "../dialect/prepared_weights.ts";
import type { AttributeTexts } from "../dialect/printed_attributes.ts";
import { loadedFunction, type Origin } from "../graph/origin.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { preparingOp } from "../ops/preparing_ops.ts";
import { Preparations } from "../plan/preparations.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import type { TtnnValue } from "../ttnn/value.ts";
import type { FunctionRewrite } from "./rewrite_function.ts";

/** An op of the text that prepares a weight. */
interface PreparedWeight {
  /** Its properties in the text. */
  readonly properties: AttributeTexts;
  /** The preparations that the plan needs, by number; number 0 takes the place of that of the text. */
  readonly preparations: Preparation[];
}

interface Preparation {
  readonly value: TtnnValue;
  /** The value where it is loaded, by the op that loads it. */
  readonly loaded: ReadonlyMap<TtnnOp, TtnnValue>;
}

/**
 * Carries the decisions of a plan from convolutions to the ops that prepare their weights, at load time or before each
 * use. Convolutions that share a prepared weight get one preparation per combination of input layout and config.
 *
 * @param rewrites the functions of a module, whose plans are carried out already
 */
export function writePreparations(rewrites: readonly FunctionRewrite[]): void {
  const functions = new Map(rewrites.map(({ binding: { fn } }) => [fn.name, fn]));
  const needed = new Preparations([...functions.values()]);
  const weights = new Map<TtnnOp, PreparedWeight>();

  /** The function that prepares a weight: the one that reads it, or the one whose results are loaded there. */
  const makerOf = ({ op, at }: Origin, reader: FunctionRewrite): FunctionRewrite => {
    const fn = op === at ? undefined : loadedFunction(functions, at);
    return rewrites.find(({ binding }) => binding.fn === fn) ?? reader;
  };

  /** Lets every op that loads the results of a function load another one, with the type of a result that it has. */
  const loadAlso = ({ body, binding: { fn } }: FunctionRewrite, value: TtnnValue, like: number) => {
    body.addReturned(value);
    return new Map(
      rewrites.flatMap((caller) =>
        caller.binding.fn.ops.filter((op) => loadedFunction(functions, op) === fn).map(({ id }) => {
          const load = caller.opAt(id);
          return [load, caller.body.addResult(load, load.tensorResultAt(like).type, WISH)] as const;
        })
      ),
    );
  };

  for (const reader of rewrites) {
    const { binding: { fn }, execution, body } = reader;
    for (const step of execution.steps) {
      if (step.kind !== "op") continue;
      const convolution = reader.opAt(step.op);
      for (const { operand, origin, number, input } of needed.read(fn, execution, step)) {
        const maker = makerOf(origin, reader);
        const op = maker.opAt(origin.op.id);
        const { properties, preparations } = weights.getOrInsertComputed(
          op,
          () => ({ properties: op.properties, preparations: [] }),
        );
        if (preparations[number] === undefined) {
          const isWritten = input === undefined || number === 0 && readsAsWritten(convolution);
          const told = isWritten ? new Map() : toldBy(convolution, input, op);
          if (number === 0) {
            for (const [key, text] of told) op.setProperty(key, text);
            preparations.push({ value: op.result, loaded: new Map() });
          } else {
            // Before the op, because its operands may be freed after it.
            const { result } = maker.body.insertBefore(op, {
              name: op.opName,
              operands: op.operands,
              resultTypes: [op.result.type],
              properties: new Map([...properties, ...told]),
              attributes: op.attributes,
              wish: WISH,
            });
            const loaded = maker === reader ? new Map() : loadAlso(maker, result, origin.result);
            preparations.push({ value: result, loaded });
          }
        }
        const made = preparations[number];
        if (number === 0 || made === undefined) continue;
        body.setOperand(convolution, operand, made.loaded.get(reader.opAt(origin.at.id)) ?? made.value);
      }
    }
  }
}

/** Name of an additional preparation. */
const WISH = "%prepared_0";

/** Whether a convolution has the config and reads the layout for which the text prepares its weights. */
function readsAsWritten({ isRespelled, operands: [input] }: TtnnOp): boolean {
  return !isRespelled && input?.isRetyped === false && input.name !== undefined;
}

/** The properties of a preparing op that the plan decides. */
function toldBy({ properties }: TtnnOp, input: TtnnLayout, preparing: TtnnOp): AttributeTexts {
  const decided = new Map(
    [...properties].filter(([key]) => DECIDED_BY_CONVOLUTION.some((known) => known === key)),
  );
  return preparationTexts(preparingOp(preparing.opName), input, decided);
}
