// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { parseModule } from "../lib/ir/mod.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { PassBuilder, patternPass, type RewritePattern } from "../lib/passes/rewrite_pattern.ts";
import { runPasses } from "../lib/passes/run_passes.ts";
import { ttnnModule } from "../lib/passes/testing/passed_body.ts";
import { TEST_WORMHOLE } from "../testing/chips.ts";
import { requireSoundPasses, requireSoundText } from "./require_sound.ts";

const TEXT = ttnnModule("(%x: T<2x8>) -> T<2x8>", [
  '%0 = "ttnn.neg"(%x) : (T<2x8>) -> T<2x8>',
  '%1 = "ttnn.relu"(%0) : (T<2x8>) -> T<2x8> loc("late")',
  "return %1 : T<2x8>",
]);

/** Replaces an op by another one, of a result with so many extents of one in front. */
function replacing(from: string, to: string, ones: number): RewritePattern {
  return {
    name: `${from}-to-${to}`,
    upstream: "level-0",
    roots: [`ttnn.${from}`],
    rewrite: (op, body, context) => {
      const [input, result] = [op.tensorOperand(0), op.tensorResult];
      if (input === undefined || result === undefined) return false;
      const { shape, dataType } = result.type;
      const type = { shape: [...new Array<number>(ones).fill(1), ...shape], dataType };
      const made = new PassBuilder(body, op, context).tensor(`ttnn.${to}`, [input], type);
      body.replaceAllUses(result, made);
      return true;
    },
  };
}

const PATTERNS = [replacing("neg", "abs", 0), replacing("relu", "exp", 1), replacing("abs", "tanh", 0)];

Deno.test("the change that breaks a rule is reported with its pass and location", () => {
  const module = parseModule(TEXT, "in.mlir");
  const made = (mostChanges?: number) => {
    const passes = PATTERNS.map((pattern) => patternPass(pattern.name, undefined, [pattern]));
    const limit = mostChanges === undefined ? {} : { mostChanges };
    const passed = runPasses(module, TEST_WORMHOLE, DEFAULT_PASS_OPTIONS, { passes, ...limit });
    return { module: parseModule(passed.text, "in.mlir"), changes: passed.changes };
  };
  assertEquals(made().changes.map(({ pass }) => pass), PATTERNS.map(({ name }) => name));
  const error = assertThrows(
    () =>
      requireSoundPasses(made().module, module, made().changes, (count) => made(count).module, TEST_WORMHOLE),
    DiagnosticError,
  );
  for (const part of ["relu-to-exp", "ttnn.relu of @main", 'loc("late")', "V11/shape"]) {
    assertStringIncludes(error.message, part);
  }
  assertEquals(error.diagnostics.map(({ code }) => code), ["output/unsound"]);
});

Deno.test("a text that is unsound before any change is attributed to lowering", () => {
  const input = parseModule(TEXT, "in.mlir");
  const broken = parseModule(TEXT.replace('"ttnn.relu"(%0)', '"ttnn.add"(%0)'), "in.mlir");
  const error = assertThrows(
    () => requireSoundPasses(broken, input, [], () => broken, TEST_WORMHOLE),
    DiagnosticError,
  );
  assertStringIncludes(error.message, "lowering");
});

Deno.test("violations of the input itself are no fault of the written text", () => {
  const input = parseModule(TEXT.replace('"ttnn.neg"(%x)', '"ttnn.mean"(%x)'), "in.mlir");
  const written = parseModule(input.text.replace("ttnn.relu", "ttnn.exp"), "in.mlir");
  requireSoundText(written, input, "dram", TEST_WORMHOLE);
  const broken = parseModule(TEXT.replace('"ttnn.relu"(%0)', '"ttnn.add"(%0)'), "in.mlir");
  const error = assertThrows(
    () => requireSoundText(broken, parseModule(TEXT, "in.mlir"), "greedy", TEST_WORMHOLE),
    DiagnosticError,
  );
  assertStringIncludes(error.message, "policy 'greedy'");
});
