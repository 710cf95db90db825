// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { createProjectHost } from "../testing/project_host.ts";

const CAP = ["--tensor-l1-usage-cap", "0.2"];

Deno.test("doctor --apply writes the program with a remedy: the op fits, the rest is as it was", async () => {
  const host = createProjectHost({ columns: 200 });
  const run = async (...args: readonly string[]) => await runCommandLine(args, host, "0.0.0", COMMANDS);
  const model = "testdata/models/segformer_block.mlir";
  assertEquals(await run("optimize", model, "--policy", "greedy", "-o", "full.mlir"), EXIT.ok);
  const examined = async (file: string, ...more: readonly string[]) => {
    const fresh = createProjectHost({ files: Object.fromEntries(host.files) });
    await runCommandLine(["doctor", file, ...CAP, ...more, "--json"], fresh, "0.0.0", COMMANDS);
    const { summary, diagnoses } = JSON.parse(fresh.out());
    return { misfits: summary.verdict.misfits, remedies: diagnoses[0]?.remedies };
  };
  const { misfits } = await examined("full.mlir");
  const op = String(misfits.find(({ name }: { name: string }) => name === "ttnn.multiply").op);
  const { remedies: [remedy] } = await examined("full.mlir", "--op", op);
  assertEquals([remedy.fixes, "plan" in remedy], [true, false]);
  await run("doctor", "full.mlir", ...CAP, "--op", op, "--apply", "1", "-o", "fixed.mlir");
  assertStringIncludes(host.out(), `op ${op}: ${remedy.description}\nfixed.mlir: DOES NOT FIT`);
  assertEquals(await run("lint", "fixed.mlir"), EXIT.ok, host.err());
  // What the replay of the remedy said is left, the text has.
  const left = (await examined("fixed.mlir")).misfits;
  assertEquals(left.length, remedy.failuresLeft);
  assert(left.length < misfits.length);
  assertEquals(await run("doctor", "full.mlir", "--apply", "1"), EXIT.usage);
  assertEquals(await run("doctor", "full.mlir", "--op", op, "--apply", "99", "-o", "no.mlir"), EXIT.usage);
});

Deno.test("doctor --apply takes the first op with that remedy, and prints it as options of ttmlir-opt or says why not", async () => {
  const [dram, l1] = ["1x1>, memref<8x8", "8x8>, memref<1x1"].map((place, index) =>
    `tensor<256x256xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <${place}x!ttcore.tile<32x32, bf16>, ` +
    `#ttnn.buffer_type<${index === 0 ? "dram" : "l1"}>>, <interleaved>>>`
  );
  const text = `func.func @main(%x: ${dram}) -> ${dram} {
  %0 = "ttnn.relu"(%x) : (${dram}) -> ${l1}
  %1 = "ttnn.exp"(%0) : (${l1}) -> ${dram}
  return %1 : ${dram}
}
`;
  const apply = async (files: Readonly<Record<string, string>>) => {
    const host = createProjectHost({ files });
    const args = ["doctor", "named.mlir", "--op", "0", "--apply", "1", "-o", "fixed.mlir"];
    assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), EXIT.ok, host.err());
    return host.out();
  };
  assertStringIncludes(
    await apply({ "named.mlir": text }),
    "ttmlir-opt has no option for this: they name ops",
  );
  const named = text.replace(/("ttnn\.relu"\(.*)/, `$1 loc("it's|one")`);
  assertStringIncludes(
    await apply({ "named.mlir": named }),
    `--override-output-layout 'it'\\''s|one=dram:interleaved:tile:bf16'`,
  );
  const short = createProjectHost();
  const args = [
    "doctor",
    "testdata/models/mnist.mlir",
    "--tensor-l1-usage-cap",
    "0.01",
    "--apply",
    "1",
    "-o",
    "no.mlir",
  ];
  assertEquals(await runCommandLine(args, short, "0.0.0", COMMANDS), EXIT.usage);
  assertStringIncludes(short.err(), "op 0 has none");
});
