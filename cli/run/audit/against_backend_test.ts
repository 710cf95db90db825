// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../../testing/corpus.ts";
import { COMMANDS } from "../../command_table.ts";
import { runCommandLine } from "../../dispatch.ts";
import type { Host } from "../../host.ts";
import { createMemoryHost } from "../../testing/memory_host.ts";
import { RECORDED_PYTHON } from "../../testing/recorded_backend.ts";

const MNIST = Deno.readTextFileSync(join(PROJECT_ROOT, "testdata/models/mnist.mlir"));

/** Runs `audit op-model --against ttnn` with a backend that replies so to every question. */
async function audit(reply: (op: string) => object) {
  const host = createMemoryHost({
    files: { "mnist.mlir": MNIST, ...RECORDED_PYTHON.files },
    environment: RECORDED_PYTHON.environment,
    columns: 100,
  });
  const asked: string[] = [];
  const startProgram: NonNullable<Host["startProgram"]> = () => {
    const replies: string[] = [];
    return Promise.resolve({
      lines: async function* () {
        for (let next = replies.shift(); next !== undefined; next = replies.shift()) yield await next;
      }(),
      write: (text) => {
        const { op } = JSON.parse(text);
        asked.push(op);
        replies.push(JSON.stringify(reply(op)));
        return Promise.resolve();
      },
      closeInput: () => Promise.resolve(),
      ended: Promise.resolve({ code: 0, signal: undefined, errors: "" }),
      stop: () => {},
    });
  };
  const args = ["audit", "op-model", "--against", "ttnn", "mnist.mlir", "--json"];
  const code = await runCommandLine(args, { ...host, startProgram }, "0.0.0", COMMANDS);
  return { code, asked, out: host.out(), err: host.err() };
}

Deno.test("audit --against ttnn queries every op of a file once, and lists disagreements with the rule book", async () => {
  const { code, asked, out } = await audit((op) =>
    op === "ttnn.relu"
      ? { ok: false, status: "notImplemented", reason: "no words" }
      : { ok: false, status: "error", reason: "refused" }
  );
  assertEquals(code, 0);
  assertEquals(asked.filter((op) => op === "ttnn.linear").length, 3);
  const { summary } = JSON.parse(out);
  // What cannot be put to the backend counts for nobody; the rest is accepted by the rule book alone.
  assertEquals([summary.questions, summary.leftOut], [5, 1]);
});

Deno.test("audit --against ttnn wants files", async () => {
  const host = createMemoryHost();
  assertEquals(await runCommandLine(["audit", "op-model", "--against", "ttnn"], host, "0.0.0", COMMANDS), 2);
  assertStringIncludes(host.err(), "name the files whose ops are asked about");
});
