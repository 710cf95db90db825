// SPDX-License-Identifier: Apache-2.0
import { stripAnsiCode } from "@std/fmt/colors";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { unicodeWidth } from "@std/cli/unicode-width";
import { diffSides } from "../pipeline/diff.ts";
import { sideOfDocument } from "../pipeline/diff_side.ts";
import { readTrace } from "../pipeline/explain/upstream_trace.ts";
import { storyOf } from "../pipeline/explain/story.ts";
import { makeLayout } from "../lib/layout/make_layout.ts";
import { definitionOf } from "../lib/ops/op_book.ts";
import type { PriceList } from "../pipeline/price/price_op.ts";
import { readOp } from "../pipeline/price/read_op.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { COMMANDS } from "./command_table.ts";
import { EXIT } from "./command.ts";
import { runCommandLine } from "./dispatch.ts";
import { renderBench } from "./render/bench_table.ts";
import { renderDiff } from "./render/diff_table.ts";
import { renderPriceList } from "./render/price_list.ts";
import { renderPlan } from "./render/plan_table.ts";
import { renderStory } from "./render/story.ts";
import { createStyle, type Style } from "./render/style.ts";
import type { DataParallel } from "../sim/timeline/data_parallel.ts";
import { renderWhatIf } from "./render/what_if_table.ts";
import { DRAM_DOCUMENT, SHARDED_DOCUMENT, UPSTREAM_TRACE } from "./testing/example_documents.ts";
import { createProjectHost } from "./testing/project_host.ts";
import { colourTest } from "../testing/colours.ts";

const MNIST = "testdata/models/mnist.mlir";

const CLASH =
  "circular buffers in program 1 clash with L1 buffers on core range [0-0 - 7-7]. L1 buffer allocated at " +
  "447488 and static circular buffer region ends at 471808";

/** Columns of terminals: half a screen, the usual one, a wide one. */
const WIDTHS = [60, 80, 120];

const stream = { write: () => {}, isTerminal: true, columns: 80 };

const PRICED_OP = readOp({
  definition: definitionOf("ttnn.matmul"),
  operands: ["64x128", "128x256"],
  results: [],
  attributes: [],
  dataType: "bf16",
  weights: "bfp_bf8",
});

/** Ways and refusals as no model makes them. */
const PRICES: PriceList = {
  device: getDevice("n150"),
  impls: [{ grid: [1, 8], us: 2.5 }, { grid: [1, 4], us: 4 }, { grid: undefined, us: 12.25 }].map(
    ({ grid, us }) => {
      const grids = grid === undefined ? {} : { grid };
      const layout = makeLayout({
        shape: [64, 256],
        dataType: "bf16",
        bufferType: grid === undefined ? "dram" : "l1",
        memoryLayout: grid === undefined ? "interleaved" : "width_sharded",
        ...grids,
      }, { rows: 8, columns: 8 });
      return {
        inputs: [layout, layout],
        outputs: [layout],
        config: undefined,
        estimate: {
          programs: [],
          microseconds: us,
          bound: "DRAM",
          relativeError: 0.2,
          ownError: 0.1,
          cores: 8,
          dramBytes: 65536,
          nocBytes: 0,
          flops: 4_194_304,
          terms: { launch: 1, read: 1, compute: 0.5, write: 0.5 },
          dominant: "read",
        },
        operandL1Bytes: 8192,
        hinted: true,
        l1PeakBytes: 65536,
      };
    },
  ),
  refused: [{
    rule: "shards/uneven",
    failure: "unsupported_layout",
    source: "tt-metal:matmul",
    count: 1204,
    message:
      "Shards of the first operand have to be whole blocks of the second one, which they are not on this grid",
  }],
  questions: 1207,
  exhaustive: false,
};

function parallel(copies: number, perSecond: number): DataParallel {
  return { chips: copies, copies, perSecond, roundUs: copies / perSecond * 1e6, hostUs: 20 };
}

/** Reports of made-up documents: their text changes when a renderer does, not when a model behind the figures does. */
const GOLDEN: readonly (readonly [string, (style: Style) => string])[] = [
  ["plan", (style) => renderPlan(SHARDED_DOCUMENT, style)],
  ["what-if", (style) =>
    renderWhatIf(
      [
        { document: DRAM_DOCUMENT, mesh: [], parallel: parallel(1, 2100) },
        { document: SHARDED_DOCUMENT, mesh: [], parallel: parallel(8, 14000) },
      ],
      [],
      style,
    )],
  ["diff", (style) => {
    const report = diffSides(
      sideOfDocument("a.json", DRAM_DOCUMENT),
      sideOfDocument("b.json", SHARDED_DOCUMENT),
    );
    return renderDiff(report, style, Infinity);
  }],
  ["bench", (style) => {
    const results = [DRAM_DOCUMENT, SHARDED_DOCUMENT].map(({ input, policy, device, summary }) => ({
      model: input,
      policy,
      device,
      summary,
    }));
    const means = [{ policy: "dram", timeAgainstFirst: 1 }, { policy: "greedy", timeAgainstFirst: 0.625 }];
    return renderBench(results, means, style);
  }],
  ["prices", (style) => renderPriceList(PRICED_OP, PRICES, style, 2)],
  ["story", (style) => {
    const view = readTrace(JSON.stringify(UPSTREAM_TRACE), "trace.json");
    return view.ops.map((op) => renderStory(storyOf(view, op), style, 5)).join("\n");
  }],
];

for (const [name, render] of GOLDEN) {
  for (const width of WIDTHS) {
    colourTest(`report of ${name} at width ${width}, with and without colour`, async (t) => {
      const lines = { ...stream, columns: width };
      const plain = render(createStyle("never", false, lines));
      const coloured = render(createStyle("always", false, lines));
      assertEquals(stripAnsiCode(coloured), plain);
      await t.assertSnapshot(plain);
      await t.assertSnapshot(coloured);
      const rows = plain.split("\n").filter((line) => line.includes("  ") && !line.startsWith(" "));
      for (const row of rows) assert(unicodeWidth(row) <= width, row);
    });
  }
}

for (const columns of WIDTHS) {
  Deno.test(`doctor explains a message of the runtime at width ${columns}`, async (t) => {
    const host = createProjectHost({ columns });
    assertEquals(await runCommandLine(["doctor", "--message", CLASH], host, "0.0.0", COMMANDS), EXIT.finding);
    await t.assertSnapshot(host.out());
  });
}

for (const columns of WIDTHS) {
  Deno.test(`layout draws a sharded tensor at width ${columns}`, async (t) => {
    const host = createProjectHost({ columns });
    const args = ["layout", "tensor<2x3x64x128xbf16>", "--sharding", "block", "--grid", "2x4"];
    assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), EXIT.ok);
    await t.assertSnapshot(host.out());
    const copied = /^(?:tensor|layout) /;
    for (const line of host.out().split("\n")) {
      assert(copied.test(line) || unicodeWidth(line) <= columns, line);
    }
  });
}

for (const columns of WIDTHS) {
  Deno.test(`help fits ${columns} columns, except text to copy`, async (t) => {
    for (const command of ["", ...COMMANDS.map(({ name }) => name)]) {
      const host = createProjectHost({ columns });
      assertEquals(
        await runCommandLine([command, "--help"].filter(Boolean), host, "0.0.0", COMMANDS),
        EXIT.ok,
      );
      for (const line of host.out().split("\n")) {
        const isCopied = /^ {2}tilewright |^Usage: /.test(line);
        assert(isCopied || unicodeWidth(line) <= columns, line);
      }
      if (command === "diff") await t.assertSnapshot(host.out());
    }
  });
}

colourTest("colour is used on terminals only, and NO_COLOR and --color are respected", async () => {
  const hasColour = async (
    isTerminal: boolean,
    environment: Readonly<Record<string, string>>,
    ...flags: string[]
  ): Promise<boolean> => {
    const host = createProjectHost({ isTerminal, environment });
    await runCommandLine(["devices", ...flags], host, "0.0.0", COMMANDS);
    return host.out().includes("\x1b[");
  };
  assertEquals(await hasColour(true, {}), true);
  assertEquals(await hasColour(false, {}), false);
  assertEquals(await hasColour(true, { NO_COLOR: "1" }), false);
  assertEquals(await hasColour(false, {}, "--color=always"), true);
  assertEquals(await hasColour(true, {}, "--color=never"), false);
});

Deno.test("progress is shown on terminals only, on standard error, and goes away", async () => {
  for (const isTerminal of [true, false]) {
    const host = createProjectHost({ isTerminal });
    await runCommandLine(["optimize", MNIST, "--policy", "dram"], host, "0.0.0", COMMANDS);
    assertEquals(host.err().includes("reading"), isTerminal);
    if (isTerminal) assert(host.err().endsWith("\r\x1b[K"));
  }
});

Deno.test("exit codes keep usage, bad input and findings apart", async (t) => {
  const cases: readonly (readonly [readonly string[], number])[] = [
    [["lint", MNIST], EXIT.ok],
    [["diff", MNIST, MNIST], EXIT.ok],
    [["diff", MNIST, "--policy-a", "dram", "--policy-b", "greedy"], EXIT.finding],
    [["optimize", MNIST, "--policy", "gready"], EXIT.usage],
    [["optimize", MNIST, "--optimization-level", "0", "--policy", "beam"], EXIT.usage],
    [["optimize", MNIST, "--optimization-level", "1", "--policy", "df-sharding"], EXIT.usage],
    [["optimize", MNIST, "--device", "n1500"], EXIT.usage],
    [["optimize", MNIST, "--device", "n150,p150", "-o", "x.mlir"], EXIT.usage],
    [["optimize", MNIST, "--beam-width", "0"], EXIT.usage],
    [["optimize", MNIST, "--tensor-l1-usage-cap", "1.5"], EXIT.usage],
    [["optimize", "missing.mlir"], EXIT.badInput],
    [["optimize", "garbage.mlir"], EXIT.badInput],
    [["optimize", MNIST, "--device", "broken.json"], EXIT.badInput],
    [["optimize", MNIST, "--override-output-layout", "nobody=l1"], EXIT.badInput],
    [["diff", "plan.json", MNIST], EXIT.badInput],
    [["doctor"], EXIT.usage],
    [["doctor", "--message", "all is well"], EXIT.usage],
    [["report", "missing.mlir"], EXIT.badInput],
    [["completions", "tcsh"], EXIT.usage],
    [["bench", MNIST, "--policies", "dram,nothing"], EXIT.usage],
  ];
  for (const [args, code] of cases) {
    await t.step(args.join(" "), async () => {
      const files = {
        "garbage.mlir": "func.func @main( {",
        "broken.json": "{ ",
        "plan.json": '{"schema": 1}',
      };
      const host = createProjectHost({ files });
      assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), code, host.err());
      if (code === EXIT.usage || code === EXIT.badInput) assertEquals(host.out(), "");
    });
  }
});

Deno.test("--optimization-level selects policy, score and spills", async () => {
  const layouts = async (level: string): Promise<string[]> => {
    const host = createProjectHost();
    const args = [
      "optimize",
      "testdata/models/segformer_block.mlir",
      "--json",
      "--optimization-level",
      level,
    ];
    assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), EXIT.ok, host.err());
    const { ops } = JSON.parse(host.out());
    return ops.flatMap((op: { after: string[] }) => op.after);
  };
  const isSharded = (layout: string): boolean => layout.includes("sharded");
  const [none, plain, full] = [await layouts("0"), await layouts("1"), await layouts("2")];
  assertEquals(none.filter((layout) => layout.startsWith("l1")), []);
  assertEquals(plain.filter(isSharded), []);
  assert(full.some(isSharded));
});

Deno.test("--optimization-level 3 ranks by predicted time where a policy ranks by cores", async () => {
  const predicted = async (...args: string[]): Promise<number> => {
    const host = createProjectHost();
    const whole = ["optimize", "testdata/models/segformer_block.mlir", "--json", "--policy", "beam", ...args];
    assertEquals(await runCommandLine(whole, host, "0.0.0", COMMANDS), EXIT.ok, host.err());
    return JSON.parse(host.out()).summary.predictedUs;
  };
  const costMode = await predicted("--optimization-level", "3");
  assertEquals(costMode, await predicted("--score", "runtime"));
  assert(costMode < await predicted());
  assertEquals(await predicted("--optimization-level", "3", "--score", "bottleneck"), await predicted());
});

Deno.test("--optimization-level 3 counts for every policy of a run that ranks, and is refused where none does", async () => {
  const run = async (...args: string[]) => {
    const host = createProjectHost();
    const code = await runCommandLine([...args, "--json"], host, "0.0.0", COMMANDS);
    return { code, out: host.out(), err: host.err() };
  };
  const model = "testdata/models/segformer_block.mlir";
  const compare = async (...args: string[]) =>
    JSON.parse((await run("diff", model, "--policy-a", "dram", "--policy-b", "beam", ...args)).out).summary;
  assertEquals(await compare("--optimization-level", "3"), await compare("--score", "runtime"));
  const refused = await run("optimize", model, "--policy", "df-sharding", "--optimization-level", "3");
  assertEquals(refused.code, EXIT.usage);
  assertStringIncludes(
    refused.err,
    "--optimization-level 3 has no effect on policy 'df-sharding'; it is read by auto, greedy",
  );
});
