// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { DiagnosticError, errorAt } from "../lib/diagnostics/diagnostic.ts";
import { type Command, type CommandRun, EXIT, UsageError } from "./command.ts";
import { runCommandLine } from "./dispatch.ts";
import { createMemoryHost, type MemoryHost } from "./testing/memory_host.ts";

function commandThat(run: CommandRun): Command {
  return {
    name: "simulate",
    summary: "Time and L1 of the layouts as written",
    positionals: "[FILE]",
    options: [
      { name: "output", short: "o", kind: "string", value: "FILE", description: "Where to write" },
      { name: "json", kind: "boolean", description: "Print JSON" },
      { name: "beam-width", kind: "number", value: "K", default: 8, description: "Beam width" },
      {
        name: "policy",
        kind: "choice",
        value: "NAME",
        choices: ["dram", "greedy"],
        default: "greedy",
        description: "Policy",
      },
      {
        name: "device",
        kind: "choice",
        value: "NAME",
        choices: ["n150", "p150"],
        repeatable: true,
        description: "Device",
      },
    ],
    examples: ["simulate a.mlir — Prices a file"],
    load: () => Promise.resolve({ run }),
  };
}

async function runWith(
  args: readonly string[],
  run: CommandRun = () => EXIT.ok,
  host: MemoryHost = createMemoryHost(),
): Promise<{ code: number; host: MemoryHost }> {
  return { code: await runCommandLine(args, host, "1.2.3", [commandThat(run)]), host };
}

Deno.test("runCommandLine() prints the version", async () => {
  const { code, host } = await runWith(["--version"]);
  assertEquals([code, host.out()], [EXIT.ok, "tilewright 1.2.3 (op model of ttnn 0.81.1)\n"]);
});

Deno.test("runCommandLine() answers usage errors with code 2, a hint and nothing on stdout", async (t) => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [[], "Commands:"],
    [["simulat"], "did you mean 'simulate'?"],
    [["simulate", "--outptu", "x"], "did you mean --output?"],
    [["simulate", "a.mlir", "-_"], "Unknown option -_"],
    [["simulate", "a.mlir", "--_=3"], "Unknown option --_"],
    [["simulate", "--policy", "greddy"], "did you mean 'greedy'?"],
    [["simulate", "--beam-width", "wide"], "needs a number, not 'wide'"],
    [["simulate", "a.mlir", "b.mlir"], "2 arguments were given"],
    [["simulate", "--device", "n150,x99"], "choose one of n150, p150"],
  ];
  for (const [args, hint] of cases) {
    await t.step(args.join(" ") || "(nothing)", async () => {
      const { code, host } = await runWith(args);
      assertEquals([code, host.out()], [EXIT.usage, ""]);
      assertStringIncludes(host.err(), hint);
    });
  }
});

Deno.test("invalid words found by a command are reported with their origin", async () => {
  const refuse: CommandRun = ({ options }) => {
    throw new UsageError(`Unknown policy '${options.text("policy")}' beside --beam-width`);
  };
  const environment = { TILEWRIGHT_POLICY: "dram" };
  const { code, host } = await runWith(["simulate"], refuse, createMemoryHost({ environment }));
  assertEquals(code, EXIT.usage);
  assertEquals(host.err().split("\n").slice(0, 2), [
    "error: Unknown policy 'dram' beside --beam-width",
    "note: --policy dram is from TILEWRIGHT_POLICY",
  ]);
  const flag = await runWith(["simulate", "--policy", "greedy"], refuse, createMemoryHost({ environment }));
  assertEquals(flag.host.err().includes("note: "), false);
});

Deno.test("runCommandLine() hands parsed options to the command", async () => {
  const seen: unknown[] = [];
  const { code } = await runWith(
    ["simulate", "-", "-o", "out.mlir", "--json", "--beam-width=4", "--device", "n150", "--device", "p150"],
    ({ positionals, options }) => {
      seen.push(positionals, options.text("output"), options.flag("json"), options.number("beam-width"));
      seen.push(
        options.text("policy"),
        options.texts("device"),
        options.given("policy"),
        options.given("json"),
      );
      return EXIT.finding;
    },
  );
  assertEquals(code, EXIT.finding);
  assertEquals(seen, [["-"], "out.mlir", true, 4, "greedy", ["n150", "p150"], false, true]);
});

Deno.test("runCommandLine() renders bad input with place and caret and exits with 3", async () => {
  const { code, host } = await runWith(["simulate", "a.mlir"], () => {
    throw new DiagnosticError([
      errorAt("x", "a.mlir", "one\ntwo three\n", 8, "Cannot parse: 'three' is too many"),
    ]);
  });
  assertEquals(code, EXIT.badInput);
  assertEquals(host.err(), "a.mlir:2:5: error: Cannot parse: 'three' is too many\ntwo three\n    ^\n");
});

Deno.test("runCommandLine() calls its own failures internal and shows no stack", async () => {
  const { code, host } = await runWith(["simulate", "a.mlir"], () => {
    throw new TypeError("undefined is not a function");
  });
  assertEquals(code, EXIT.internal);
  assertStringIncludes(host.err(), "Internal error in simulate");
  assertStringIncludes(host.err(), "tilewright simulate a.mlir");
  assertEquals(host.err().includes("    at "), false);
});

Deno.test("runCommandLine() leads help with examples", async () => {
  const { code, host } = await runWith(["simulate", "--help"]);
  assertEquals(code, EXIT.ok);
  assertStringIncludes(host.out(), "Examples:\n  tilewright simulate a.mlir\n");
  assertStringIncludes(host.out(), "-o, --output FILE");
});
