// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { corpusFiles, corpusName, corpusTest, IS_FULL_SWEEP, toolTest } from "../../testing/corpus.ts";
import { applyPatches, functionsOf, type ModuleText, parseModules, type Patch, printGeneric } from "./mod.ts";

/** Whether every file is looked at, not a sample; the full sweep with `mlir-opt` takes over half a minute. */

function modulesOf(path: string): ModuleText[] {
  return parseModules(Deno.readTextFileSync(path), corpusName(path));
}

/** Replaces every span that we claim to know by its own text. A span that is off by one breaks the text. */
function identityPatches(module: ModuleText): Patch[] {
  const patches: Patch[] = [];
  for (const operation of module.operations) {
    for (const { span } of operation.operands) {
      patches.push({ ...span, text: module.text.slice(span.start, span.end) });
    }
  }
  return patches;
}

corpusTest("parseModules() reads every corpus file, and its spans lie where they say", () => {
  let operations = 0;
  for (const path of corpusFiles()) {
    for (const module of modulesOf(path)) {
      const name = corpusName(path);
      operations += module.operations.length;
      assertEquals(applyPatches(module.text, identityPatches(module)), module.text, name);
      for (const operation of module.operations) {
        const { start, end } = operation.span;
        assert(start <= operation.nameSpan.start && operation.nameSpan.end <= end, name);
        assert(!/\s/.test(module.text.charAt(end - 1)), `${name}: blanks behind ${operation.name}`);
        const written = module.text.slice(operation.nameSpan.start, operation.nameSpan.end);
        if (operation.form === "generic") assertEquals(written, `"${operation.name}"`, name);
        for (const { name: operand, span } of operation.operands) {
          assert(module.text.startsWith(operand, span.start), name);
          assert(start <= span.start && span.end <= end, name);
        }
        if (operation.form !== "opaque") {
          assertEquals(
            operation.operandTypes?.length,
            operation.operands.length,
            `${name} ${operation.name}`,
          );
          assert(operation.operands.every(({ value }) => value !== undefined), name);
        }
        const parent = operation.parent?.span;
        if (parent !== undefined) assert(parent.start <= start && end <= parent.end, name);
      }
    }
  }
  assert(operations > 100_000, `only ${operations} operations`);
});

corpusTest("functionsOf() finds a terminator in every function with a body of TTNN or TTIR", () => {
  for (const path of corpusFiles("dumps")) {
    for (const module of modulesOf(path)) {
      for (const view of functionsOf(module)) {
        const names = new Set(
          view.blocks.flatMap((block) => block.operations).map((operation) => operation.name),
        );
        if (view.blocks.length === 0 || [...names].every((name) => !/^tt(?:nn|ir)\./.test(name))) continue;
        assertEquals(
          view.terminator?.operands.length,
          view.resultTypes.length,
          `${corpusName(path)} @${view.name}`,
        );
      }
    }
  }
});

/** Whether `mlir-opt` accepts a text, and what it says if not. */
async function acceptedBy(tool: string, text: string): Promise<string> {
  const child = new Deno.Command(tool, {
    args: ["--allow-unregistered-dialect", "-o", Deno.build.os === "windows" ? "NUL" : "/dev/null"],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // A tool that rejects its input may close the pipe before it has read all of it.
  await writer.write(new TextEncoder().encode(text)).then(() => writer.close()).catch(() => {});
  const { success, stderr } = await child.output();
  return success ? "" : new TextDecoder().decode(stderr).split("\n")[0] ?? "rejected";
}

toolTest("mlir-opt-22", "printGeneric() prints what mlir-opt accepts", async (tool) => {
  const files = corpusFiles().filter((_, index) => IS_FULL_SWEEP || index % 40 === 0);
  const jobs = files.flatMap((path) => modulesOf(path).map((module) => ({ name: corpusName(path), module })));
  const misses: string[] = [];
  const work = async (): Promise<void> => {
    for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) {
      const complaint = await acceptedBy(tool, printGeneric(job.module));
      if (complaint !== "") misses.push(`${job.name}: ${complaint}`);
    }
  };
  await Promise.all([work(), work()]);
  assertEquals(misses, []);
}, { corpus: true });

toolTest(
  "mlir-opt-22",
  "printGeneric() keeps meaning: mlir-opt prints it and the input alike",
  async (tool) => {
    // Only custom forms that stock mlir-opt reads itself, so that it can print the input as well.
    const text = `#map = affine_map<(d0) -> (d0)>
module @"a b" attributes {x.y = 3 : i32, x.z} {
  module {}
  func.func private @declared(i32, tensor<2x?xf32>) -> (i32 {a.b}) attributes {c.d = "e"}
  func.func @f(%arg0: i32 {a.b = "c"} loc("x"), %arg1: tensor<2xf32>) -> (i32, tensor<2xf32>) {
    %0 = call @declared2(%arg0) {q.r = unit} : (i32) -> i32
    %1 = tensor.empty() : tensor<2xf32>
    %2:2 = "x.y"(%0, %1) <{m = #map}> ({
    ^bb0(%a: i32):
      "x.z"(%a)[^bb1] : (i32) -> ()
    ^bb1:
      "x.end"() : () -> ()
    }) {n = [1, 2.5 : f32]} : (i32, tensor<2xf32>) -> (i32, tensor<2xf32>) loc("y")
    return %2#0, %2#1 : i32, tensor<2xf32> loc(unknown)
  } loc("f")
  func.func private @declared2(i32) -> i32
}
`;
    const canonical = async (input: string): Promise<string> => {
      const child = new Deno.Command(tool, {
        args: ["--allow-unregistered-dialect", "--mlir-print-op-generic", "--mlir-print-debuginfo"],
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(input));
      await writer.close();
      const { success, stdout, stderr } = await child.output();
      assert(success, new TextDecoder().decode(stderr));
      // What has no written location gets the line that it stands in, which rewriting moves; names stay.
      const output = new TextDecoder().decode(stdout).replaceAll(/loc\("<stdin>":\d+:\d+\)/g, "loc(here)");
      const lines = output.split("\n");
      const names = lines.filter((line) => /^#loc\d* = loc\("/.test(line)).map((line) =>
        line.replace(/^\S+ = /, "")
      );
      const rest = lines.filter((line) => !line.startsWith("#loc"))
        .map((line) => line.replaceAll(/ ?loc\(#loc\d*\)/g, ""));
      return [...rest, ...names.sort()].join("\n");
    };
    const [module] = parseModules(text, "own.mlir");
    assert(module !== undefined);
    assertEquals(await canonical(printGeneric(module)), await canonical(text));
  },
);
