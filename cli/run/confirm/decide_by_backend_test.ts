// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../command_table.ts";
import { runCommandLine } from "../../dispatch.ts";
import type { Host } from "../../host.ts";
import { createMemoryHost } from "../../testing/memory_host.ts";
import { RECORDED_PYTHON } from "../../testing/recorded_backend.ts";

/** A product and a ReLU: each search of the tests asks about few candidates. */
const PRODUCT = `func.func @main(%x: tensor<128x256xbf16>, %w: tensor<256x128xbf16>) -> tensor<128x128xbf16> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<128x256xbf16>, tensor<256x128xbf16>) -> tensor<128x128xbf16>
  %1 = "ttir.relu"(%0) : (tensor<128x128xbf16>) -> tensor<128x128xbf16>
  return %1 : tensor<128x128xbf16>
}
`;

/** What a stand-in for the backend answers to a question; `undefined` ends its process. */
type Answer = (question: { readonly op: string; readonly outputLayout: unknown }) => object | undefined;

const REFUSES_NOTHING: Answer = () => ({ ok: false, status: "notImplemented", reason: "not asked here" });

/** Runs `optimize --op-model ttnn` with the files of a former run. */
async function optimize(answer: Answer, kept: ReadonlyMap<string, string> = new Map()) {
  const host = createMemoryHost({
    files: { "model.mlir": PRODUCT, ...RECORDED_PYTHON.files, ...Object.fromEntries(kept) },
    environment: RECORDED_PYTHON.environment,
  });
  let asked = 0;
  const startProgram: NonNullable<Host["startProgram"]> = () => {
    const { readable, writable } = new TransformStream<string, string>();
    const writer = writable.getWriter();
    const ended = Promise.withResolvers<{ code: number; signal: undefined; errors: string }>();
    const end = (code: number) => {
      ended.resolve({ code, signal: undefined, errors: code === 0 ? "" : "Segmentation fault" });
      writer.close().catch(() => {});
    };
    return Promise.resolve({
      lines: readable,
      write: (text) => {
        const question = JSON.parse(text);
        const isHello = question.kind === "hello";
        if (!isHello) asked++;
        const reply = isHello ? { ok: true, version: "0.81.1" } : answer(question);
        if (reply === undefined) end(139);
        else writer.write(JSON.stringify(reply)).catch(() => {});
        return Promise.resolve();
      },
      closeInput: () => Promise.resolve(end(0)),
      ended: ended.promise,
      stop: () => {},
    });
  };
  const args = ["optimize", "model.mlir", "--policy", "greedy", "--op-model", "ttnn", "-o", "out.mlir"];
  const code = await runCommandLine(args, { ...host, startProgram }, "0.0.0", COMMANDS);
  return { code, err: host.err(), asked, output: host.files.get("out.mlir"), files: host.files };
}

/** The file of the cache that answers are kept in. */
function answersIn(files: ReadonlyMap<string, string>): readonly [path: string, text: string] {
  const found = [...files].find(([path]) => path.startsWith("/cache/answers/ttnn-0.81.1-n150-"));
  assert(found !== undefined, "nothing is kept");
  return found;
}

const intoShards: Answer = ({ op, outputLayout }) =>
  op === "ttnn.relu" && JSON.stringify(outputLayout).includes("_sharded")
    ? { ok: false, status: "error", reason: "no kernel for these shards" }
    : REFUSES_NOTHING({ op, outputLayout });

Deno.test("optimize --op-model ttnn plans without candidates that the backend refuses, and queries none twice", async () => {
  const free = await optimize(REFUSES_NOTHING);
  const shardedRelu = /"ttnn\.relu"\(.*-> tensor<[^>]*#(ttnn_layout\d*)>/;
  const layoutOf = (text = "") => {
    const [, alias = ""] = shardedRelu.exec(text) ?? [];
    return text.split("\n").find((line) => line.startsWith(`#${alias} = `)) ?? "";
  };
  assertStringIncludes(layoutOf(free.output), "_sharded");
  const held = await optimize(intoShards);
  assertEquals([held.code, layoutOf(held.output).includes("_sharded")], [0, false]);
  assertStringIncludes(held.err, "remark: ttnn does not run ttnn.relu so: no kernel for these shards");
  assertMatch(held.err, /[1-9]\d* ways that no plan needed not asked about/);
  const again = await optimize(() => undefined, held.files);
  assertEquals([again.code, again.asked, again.output], [0, 0, held.output]);
});

Deno.test("a backend that ends causes an error, and its earlier verdicts are kept for the next run", async () => {
  let left = 10;
  const first = await optimize((question) => left-- > 0 ? REFUSES_NOTHING(question) : undefined);
  assertEquals([first.code, first.output], [3, undefined]);
  assertStringIncludes(first.err, " ended with exit code 139 before it answered");
  assertStringIncludes(first.err, "Segmentation fault");
  const [path, text] = answersIn(first.files);
  assertEquals(text.trimEnd().split("\n").length, 10);
  // A file that is cut off within a line is read up to there.
  const next = await optimize(REFUSES_NOTHING, new Map([...first.files, [path, text.slice(0, -9)]]));
  const whole = await optimize(REFUSES_NOTHING);
  assertEquals([next.code, next.asked, next.output], [0, whole.asked - 9, whole.output]);
});
