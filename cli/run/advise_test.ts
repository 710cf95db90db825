// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost } from "../testing/memory_host.ts";
import { createProjectHost } from "../testing/project_host.ts";

const MNIST = "testdata/models/mnist.mlir";

async function run(...args: readonly string[]) {
  const host = createProjectHost();
  const code = await runCommandLine(args, host, "0.0.0", COMMANDS);
  assertEquals(code, 0, host.err());
  return host.out();
}

Deno.test("advise reports for each option the prediction of optimize with it", async () => {
  const { summary, saving } = JSON.parse(await run("advise", MNIST, "--policy", "greedy", "--json"));
  const plan = JSON.parse(await run("optimize", MNIST, "--policy", "greedy", "--json"));
  assertEquals(summary.predictedUs, plan.summary.predictedUs);
  assert(saving.length > 2);
  for (const { options, predictedUs, comparison: { deltaUs } } of saving) {
    const words = Object.entries({ policy: "greedy", ...options }).flatMap(([name, value]) =>
      value === true ? [`--${name}`] : [`--${name}`, String(value)]
    );
    const changed = JSON.parse(await run("optimize", MNIST, ...words, "--json"));
    assertEquals(predictedUs, changed.summary.predictedUs, words.join(" "));
    assert(deltaUs < 0 && predictedUs < summary.predictedUs);
  }
  const savings = saving.map(({ comparison }: { comparison: { deltaUs: number } }) => comparison.deltaUs);
  assertEquals(savings, savings.toSorted((a: number, b: number) => a - b));
});

Deno.test("advise keeps the numbers where that is asked for, and tries no option that the policy does not read", async () => {
  const { saving, others } = JSON.parse(
    await run("advise", MNIST, "--policy", "dram", "--same-numbers", "--json"),
  );
  const tried = [...saving, ...others];
  assert(tried.every(({ numbers }) => numbers === "same"));
  assert(tried.some(({ options }) => options.policy === "auto"));
  assert(
    !tried.some(({ options }) => options.policy === undefined && options["row-major-enabled"] !== undefined),
  );
});

Deno.test("advise prints options that can be pasted", async () => {
  const out = await run("advise", MNIST, "--policy", "greedy", "--top", "2");
  assertMatch(out, /^Change +Saves +Δ +Sure +Error +Options$/m);
  assertMatch(out, /--policy auto/);
  // Every column has a title, in the table of a spreadsheet as well.
  const [titles = ""] = (await run("advise", MNIST, "--policy", "greedy", "--top", "2", "--csv")).split("\n");
  assertEquals(titles, "Change,Saves [µs],Δ [%],Sure [%],Error,Options");
});

Deno.test("advise omits changes beyond the allowed error, and lists them", async () => {
  const limited = async (limit: string) => {
    const { saving, inexact } = JSON.parse(await run("advise", MNIST, "--max-error", limit, "--json"));
    const names = (list: readonly { what: string }[]) => list.map(({ what }) => what);
    return { saving: names(saving), inexact: names(inexact) };
  };
  const { saving, inexact } = await limited("relative=5%");
  assert(saving.includes("weights in bfp8") && !saving.includes("weights in bfp4"));
  assert(inexact.includes("weights in bfp4") && inexact.includes("accumulation in 16 bits"));
  assert((await limited("correlation=0.9")).saving.includes("weights in bfp4"));
  const host = createProjectHost();
  assertEquals(await runCommandLine(["advise", MNIST, "--max-error", "2"], host, "0.0.0", COMMANDS), 2);
});

Deno.test("advise lists what an older generation of TTNN cannot spell, where optimize refuses it", async () => {
  const type = "tensor<32x4096xbf16>";
  const weight = "tensor<4096x4096xbf16>";
  const text =
    `func.func @main(%x: ${type}, %w: ${weight} {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> ${type} {
  %0 = "ttir.matmul"(%x, %w) : (${type}, ${weight}) -> ${type}
  return %0 : ${type}
}
`;
  const host = createMemoryHost({ files: { "decode.mlir": text } });
  const does = (...args: readonly string[]) => runCommandLine(args, host, "0.0.0", COMMANDS);
  const old = ["old.mlir", "--policy", "greedy"];
  assertEquals(
    await does("optimize", "decode.mlir", "--ttnn-profile", "g2", "-o", "old.mlir"),
    0,
    host.err(),
  );
  assertEquals(await does("optimize", ...old, "--free", "+weights"), 3);
  assertStringIncludes(host.err(), "choose --ttnn-profile memory-config or a newer one");
  const before = host.out().length;
  assertEquals(await does("advise", ...old, "--same-numbers", "--json"), 0, host.err());
  const { faulty } = JSON.parse(host.out().slice(before));
  assertEquals(faulty.map(({ options }: { options: unknown }) => options), [{ free: "+weights" }]);
});
