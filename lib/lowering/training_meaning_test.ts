// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { extent, keepsMeaning, type } from "./testing/keeps_meaning.ts";
import { ttirFunction } from "./testing/lowered_body.ts";

const EPSILON = "epsilon = 1.0e-05 : f32, momentum = 1.0e-01 : f32";

/** Norms in training, whose kernel updates running statistics in place; each reads those of its input or of a norm before. */
keepsMeaning(
  "running statistics, of which what they were is read later",
  fc.record({
    batch: extent,
    channels: extent,
    isRunningShaped: fc.boolean(),
    isMade: fc.boolean(),
    sources: fc.array(fc.nat(10), { minLength: 1, maxLength: 3 }),
  }).map(({ batch, channels, isRunningShaped, isMade, sources }) => {
    const x = type([batch, channels, 3, 2]);
    const vector = type([channels]);
    const running = type(isRunningShaped ? [1, channels, 1, 1] : [channels]);
    const extents = isRunningShaped ? `1, ${channels}, 1, 1` : `${channels}`;
    const lines = [
      isMade
        ? `%m0 = "ttir.zeros"() <{shape = array<i32: ${extents}>}> : () -> ${running}`
        : `%m0 = "ttir.neg"(%m) : (${running}) -> ${running}`,
      `%v0 = "ttir.abs"(%m) : (${running}) -> ${running}`,
    ];
    let input = "%x";
    sources.forEach((source, at) => {
      const from = source % (at + 1);
      const [mean, variance] = from === 0 ? ["%m0", "%v0"] : [`%n${from}#1`, `%n${from}#2`];
      lines.push(
        `%n${
          at + 1
        }:3 = "ttir.batch_norm_training"(${input}, %s, %o, ${mean}, ${variance}) <{dimension = 1 : i32, ` +
          `${EPSILON}}> : (${x}, ${vector}, ${vector}, ${running}, ${running}) -> (${x}, ${running}, ${running})`,
      );
      input = `%n${at + 1}#0`;
    });
    const norms = sources.flatMap((_, at) => [`%n${at + 1}#1`, `%n${at + 1}#2`]);
    const returned = [input, "%m0", "%v0", ...norms];
    const types = [x, ...returned.slice(1).map(() => running)].join(", ");
    return {
      text: ttirFunction(`(%x: ${x}, %s: ${vector}, %o: ${vector}, %m: ${running}) -> (${types})`, [
        ...lines,
        `return ${returned.join(", ")} : ${types}`,
      ]),
    };
  }),
);
