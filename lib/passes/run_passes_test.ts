// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { corpusFiles, corpusName, corpusTest } from "../../testing/corpus.ts";
import { parseModule } from "../ir/mod.ts";
import { verifyModule } from "../verify/verify_module.ts";
import { DEVICE_TYPE } from "../dialect/other_type.ts";
import { TtnnFunction } from "../ttnn/function.ts";
import type { GraphPass } from "./graph_pass.ts";
import { DEFAULT_PASS_OPTIONS } from "./pass_options.ts";
import { runPasses } from "./run_passes.ts";
import { passed, ttnnModule } from "./testing/passed_body.ts";

/** Prints every op of the forward functions anew. */
const RESPELL: GraphPass = {
  name: "respell",
  upstream: "level-0",
  run: ({ functions }) => {
    for (const body of functions) {
      for (const op of body.ops()) {
        if (op.source?.form === "generic" && op.source.regions.length === 0) {
          op.setProperty("test_key", "1 : i32");
        }
      }
    }
  },
};

Deno.test("a module that no pass changes keeps its bytes", () => {
  const text = ttnnModule("(%x: T<4x32>) -> T<4x32>", ["return %x : T<4x32>   // as it came"]);
  assertEquals(
    runPasses(parseModule(text, "a.mlir"), TEST_WORMHOLE, DEFAULT_PASS_OPTIONS, { passes: [] }).text,
    text,
  );
});

Deno.test("untouched statements of a changed function keep bytes and comments", () => {
  const pass: GraphPass = {
    name: "test",
    upstream: "level-0",
    run: ({ functions: [body] }) => {
      for (const op of body?.ops() ?? []) if (op.name === "ttnn.abs") op.setProperty("x", "true");
    },
  };
  const odd = '%0   =  "ttnn.relu" ( %x ) : (T<4x32>) -> T<4x32>   // odd';
  const text = ttnnModule("(%x: T<4x32>) -> T<4x32>", [
    "// first",
    odd,
    "// second",
    '%1 = "ttnn.abs"(%0) : (T<4x32>) -> T<4x32>',
    '"ttnn.deallocate"(%0) <{force = true}> : (T<4x32>) -> ()',
    "return %1 : T<4x32>",
  ]);
  const { text: result } = passed(text, pass);
  assertEquals(result, text.replace('"ttnn.abs"(%0)', '"ttnn.abs"(%0) <{x = true}>'));
});

Deno.test("a new function stands before the one that calls it, and new tensors die once", () => {
  const pass: GraphPass = {
    name: "test",
    upstream: "level-0",
    run: (context) => {
      const [body] = context.functions;
      const [op] = body?.ops() ?? [];
      const type = op?.operands[0]?.type;
      if (body === undefined || op === undefined || type === undefined) return;
      const made = new TtnnFunction(context.module, {
        name: "main_one",
        kind: "const_eval",
        source: undefined,
        isPrivate: true,
        before: body,
      });
      const device =
        made.append({ name: "ttnn.get_device", operands: [], resultTypes: [DEVICE_TYPE] }).result;
      const one = made.append({ name: "ttnn.ones", operands: [device], resultTypes: [type] }).result;
      const two = made.append({ name: "ttnn.add", operands: [one, one], resultTypes: [type] }).result;
      made.return([two]);
      context.functions.unshift(made);
      const loaded = body.insertBefore(op, {
        name: "ttcore.load_cached",
        operands: [],
        resultTypes: [type],
        callee: "main_one",
      });
      body.setOperand(op, 0, loaded.result);
    },
  };
  const text = ttnnModule("(%x: T<4x32>) -> T<4x32>", [
    '%0 = "ttnn.abs"(%x) : (T<4x32>) -> T<4x32>',
    '"ttnn.deallocate"(%x) <{force = false}> : (T<4x32>) -> ()',
    '%1 = "ttnn.relu"(%0) : (T<4x32>) -> T<4x32>',
    "return %1 : T<4x32>",
  ]);
  const { text: result } = passed(text, pass);
  assertStringIncludes(result, "func.func private @main_one() -> tensor<4x32xbf16, ");
  assertEquals([...result.matchAll(/"ttnn.deallocate"\((%\w+)\)/g)].map(([, name]) => name), [
    "%1",
    // Nothing reads the argument any more; it is freed as in the text.
    "%x",
    "%pass_0",
  ]);
});

corpusTest("every function of the corpus can be printed op by op and read back", async (t) => {
  const files = [
    ...corpusFiles("lowered/models"),
    ...corpusFiles("dumps"),
    ...corpusFiles("upstream-level2"),
  ];
  for (const [index, file] of files.entries()) {
    if (index % 7 !== 0) continue;
    await t.step(corpusName(file), () => {
      const text = Deno.readTextFileSync(file);
      if (text.includes("// -----")) return;
      const module = parseModule(text, file);
      const result = runPasses(module, TEST_WORMHOLE, DEFAULT_PASS_OPTIONS, { passes: [RESPELL] }).text;
      const again = parseModule(result, file);
      const names = (of: typeof module) =>
        of.operations.map(({ name }) => name).filter((name) => name !== "ttnn.deallocate");
      assertEquals(names(again), names(module));
      const errors = (of: typeof module) =>
        verifyModule(of).filter(({ severity, code }) => severity === "error" && /^V(?:[123]|13)\//.test(code))
          .length;
      assert(errors(again) <= errors(module));
    });
  }
});
