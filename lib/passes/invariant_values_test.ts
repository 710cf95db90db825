// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { parseModule } from "../ir/mod.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import { InvariantValues } from "./invariant_values.ts";
import { DEFAULT_PASS_OPTIONS } from "./pass_options.ts";
import { GRAPH_PASSES } from "./pass_table.ts";
import { patternPass, type RewritePattern } from "./rewrite_pattern.ts";
import { runPasses } from "./run_passes.ts";
import { ttnnModule } from "./testing/passed_body.ts";

function constantOps(body: TtnnFunction, values: InvariantValues): readonly TtnnOp[] {
  return [...body.ops()].filter((op) => values.hasOp(op));
}

for (const name of ["unet", "llama_3_2_1b_decode"]) {
  Deno.test(`what is kept of constants is as asked anew, after every change of passes: ${name}`, () => {
    const url = new URL(`../../testdata/models/${name}.mlir`, import.meta.url);
    let compared = 0;
    const passes = GRAPH_PASSES.map((pass) => ({
      ...pass,
      run: (context: Parameters<typeof pass.run>[0]): void => {
        const compare = (): void => {
          for (const body of context.functions) {
            compared++;
            assertEquals(
              constantOps(body, InvariantValues.of(body)),
              constantOps(body, new InvariantValues(body)),
            );
          }
        };
        pass.run({
          ...context,
          record: (change) => {
            compare();
            context.record(change);
          },
        });
        compare();
      },
    }));
    runPasses(parseModule(Deno.readTextFileSync(url), name), TEST_WORMHOLE, DEFAULT_PASS_OPTIONS, { passes });
    assertEquals(compared > 2 * GRAPH_PASSES.length, true);
  });
}

Deno.test("an op whose operand is replaced by an input is no longer constant", () => {
  const text = ttnnModule(
    "(%x: T<32x32>, %w: T<32x32> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> T<32x32>",
    [
      '%0 = "ttnn.abs"(%w) : (T<32x32>) -> T<32x32>',
      '%1 = "ttnn.tanh"(%0) : (T<32x32>) -> T<32x32>',
      "return %1 : T<32x32>",
    ],
  );
  const seen: boolean[] = [];
  const swap: RewritePattern = {
    name: "swap",
    upstream: "level-0",
    roots: ["ttnn.abs"],
    rewrite: (op, body) => {
      const [input] = body.arguments;
      const last = body.results[0]?.producer;
      if (input === undefined || last === undefined || op.operands[0] === input.value) return false;
      seen.push(InvariantValues.of(body).hasOp(last));
      body.setOperand(op, 0, input.value);
      seen.push(InvariantValues.of(body).hasOp(last));
      return true;
    },
  };
  runPasses(parseModule(text, "swap.mlir"), TEST_WORMHOLE, DEFAULT_PASS_OPTIONS, {
    passes: [patternPass("test", undefined, [swap])],
  });
  assertEquals(seen, [true, false]);
});
