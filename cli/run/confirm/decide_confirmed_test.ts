// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../../testing/corpus.ts";
import { COMMANDS } from "../../command_table.ts";
import { runCommandLine } from "../../dispatch.ts";
import type { Host } from "../../host.ts";
import { createMemoryHost } from "../../testing/memory_host.ts";
import { RECORDED_PYTHON } from "../../testing/recorded_backend.ts";

const SEGFORMER = Deno.readTextFileSync(join(PROJECT_ROOT, "testdata/models/segformer_block.mlir"));
const REFUSED = { before: 0, programs: [], circular_buffers: [], scratchpads: [], peak: 0, status: "error" };

/** Runs `optimize --confirm` against a backend that refuses every call that a pattern finds, and says nothing of others. */
async function optimize(refuses: RegExp) {
  const host = createMemoryHost({
    files: { "model.mlir": SEGFORMER, ...RECORDED_PYTHON.files },
    environment: RECORDED_PYTHON.environment,
  });
  const programs: string[] = [];
  const startProgram: NonNullable<Host["startProgram"]> = () => {
    const given = Promise.withResolvers<string>();
    return Promise.resolve({
      lines: async function* () {
        const { program, ops } = JSON.parse(await given.promise);
        programs.push(program);
        const lines = program.split("\n");
        yield '{"ready":"0.81.1","l1":1327776}';
        for (const [index, op] of ops.entries()) {
          if (refuses.test(lines[op.line - 1])) {
            yield JSON.stringify({ op: index, ...REFUSED, refused: "no kernel for these shards" });
          }
        }
        yield '{"done":true,"left":0}';
      }(),
      write: (text) => Promise.resolve(given.resolve(text)),
      closeInput: () => Promise.resolve(),
      ended: given.promise.then(() => ({ code: 0, signal: undefined, errors: "" })),
      stop: () => {},
    });
  };
  const args = ["optimize", "model.mlir", "--policy", "greedy", "--confirm", "-o", "out.mlir"];
  const code = await runCommandLine(args, { ...host, startProgram }, "0.0.0", COMMANDS);
  return { code, err: host.err(), programs, output: host.files.get("out.mlir") };
}

/** A softmax that reads or writes shards. */
const SHARDED_SOFTMAX = /ttnn\.softmax\(.*memory_config=(?:HEIGHT|BLOCK|WIDTH)_/;

Deno.test("optimize --confirm decides again without refused candidates, until a plan has none", async () => {
  const { code, err, programs, output } = await optimize(SHARDED_SOFTMAX);
  const [first = "", ...others] = programs;
  assert(SHARDED_SOFTMAX.test(first), "the plan has none to begin with");
  assert(!SHARDED_SOFTMAX.test(others.at(-1) ?? first));
  assertStringIncludes(err, "remark: ttnn does not run ttnn.softmax");
  assertStringIncludes(err, "no kernel for these shards");
  assertEquals([code, output === undefined], [0, false]);
});

Deno.test("optimize --confirm ends where every way is refused, names the op, and writes nothing", async () => {
  const { code, err, output } = await optimize(/ttnn\.layer_norm\(/);
  assertStringIncludes(err, "ttnn does not run ttnn.layer_norm");
  assertStringIncludes(err, "DOES NOT RUN");
  assertEquals([code, output], [1, undefined]);
});
