// SPDX-License-Identifier: Apache-2.0

/**
 * Questions to the backend, made from a seed: layouts that passes ask for, and some that are nearly right, over shapes
 * of published models. They depend on no search of ours, so that a better search asks nothing else.
 *
 * @module
 */

import type { ChipDescription } from "../../lib/device/chip_description.ts";
import type { ConstraintsRequest } from "../../pipeline/op_model_pipe/request.ts";
import { ATTENTION } from "./attention.ts";
import { ELEMENTWISE } from "./elementwise.ts";
import { MOVEMENT } from "./movement.ts";
import { PRODUCT_FAMILIES } from "./products.ts";
import { type QuestionMaker, questionOf } from "./question.ts";
import { Random } from "./random.ts";
import { ROW_FAMILIES } from "./rows.ts";
import { TensorMaker } from "./tensors.ts";
import { WINDOWS } from "./windows.ts";

const MAKERS: ReadonlyMap<string, QuestionMaker> = new Map(
  Object.entries({
    ...ELEMENTWISE,
    ...PRODUCT_FAMILIES,
    ...ROW_FAMILIES,
    ...MOVEMENT,
    ...WINDOWS,
    ...ATTENTION,
  }),
);

/**
 * Families that questions can be made of: ops that ttnn checks alike. They have names of their own, because a file of
 * answers outlives how the rule book groups its rules.
 */
export const QUESTION_FAMILIES: readonly string[] = [...MAKERS.keys()].toSorted();

/**
 * Questions of a family for a chip, without end and without repetitions.
 *
 * @param seed another word gives other questions
 * @throws {RangeError} for an unknown family
 */
export function* questionsOf(
  family: string,
  chip: ChipDescription,
  seed: string,
): Generator<ConstraintsRequest, never> {
  const make = MAKERS.get(family);
  if (make === undefined) throw new RangeError(`Cannot make questions of ${family}`);
  const random = new Random(`${seed}/${family}/${chip.name}`);
  const maker = { random, tensors: new TensorMaker(chip, random) };
  const seen = new Set<string>();
  while (true) {
    const question = questionOf(maker.tensors, make(maker));
    const key = JSON.stringify(question);
    if (seen.has(key)) continue;
    seen.add(key);
    yield question;
  }
}
