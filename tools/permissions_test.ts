// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join, relative } from "@std/path";
import { COMMANDS } from "../cli/command_table.ts";
import { examplesOf, EXIT } from "../cli/command.ts";
import { shellWords } from "../cli/testing/project_host.ts";
import { BACKEND_PERMISSIONS, PERMISSIONS, permissionsFor, V8_FLAGS } from "../cli/restart.ts";
import { ROOT, withTempDir } from "./steps.ts";

/** What makes the first example of a command quick: which policy decides changes nothing of what it reads and writes. */
const QUICKLY: Readonly<Record<string, readonly string[]>> = {
  advise: ["--policy", "dram"],
  bench: ["--policies", "dram,greedy"],
  explain: ["--policy", "dram"],
  minimise: ["--keeps", "diff dram greedy > 1%"],
  optimize: ["--policy", "dram"],
  report: ["--policy", "dram"],
};

const MNIST = join(ROOT, "testdata/models/mnist.mlir");

const ROWS = `{"rows":[]}`;

/** What the first example of a command does not show: files of every kind, and the solver, which is WebAssembly. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  optimize: [
    MNIST,
    "--policy",
    "beam",
    "--spill",
    "exact",
    "-o",
    "out.mlir",
    "--decision-trace-dir",
    "traces",
  ],
  simulate: [MNIST, "--emit", "chrome-trace=trace.json"],
  layout: ["tensor<32x64xbf16>", "--svg", "shards.svg"],
  ops: ["--uncovered", MNIST],
  devices: ["show", "n150", "--json"],
};

Deno.test("the first line of the program asks for what cli/restart.ts lists, and no more", async () => {
  const [shebang = ""] = (await Deno.readTextFile(join(ROOT, "cli/program.ts"))).split("\n");
  assertEquals(shebang.match(/--allow-\S+/g), [...PERMISSIONS]);
  assertEquals(shebang.match(/--v8-flags=\S+/g), [`--v8-flags=${V8_FLAGS}`]);
});

/** Commands that ask the real backend may do more; they have a test of their own. */
const OF_ALL = COMMANDS.filter(({ name }) => permissionsFor([name]) === PERMISSIONS);

for (const command of OF_ALL) {
  const { name } = command;
  const [example] = examplesOf(command);
  const [, ...words] = shellWords(example?.command ?? name);
  const shown = [...words, ...QUICKLY[name] ?? []];
  Deno.test(`${name} runs with these permissions, and asks for no other`, async () => {
    for (const args of [shown, ...(MORE[name] === undefined ? [] : [MORE[name]])]) {
      await runAudited(name, args);
    }
  });
}

/** Runs a command in a folder with the files that examples name, and looks at all that it asked Deno for. */
async function runAudited(name: string, args: readonly string[]): Promise<void> {
  await withTempDir(async (cwd) => {
    await Deno.symlink(join(ROOT, "testdata"), join(cwd, "testdata"));
    for (const file of ["op-model-expectations.json", "measured-perf.json"]) {
      await Deno.writeTextFile(join(cwd, file), ROWS);
    }
    const log = join(cwd, "permissions.jsonl");
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", ...PERMISSIONS, join(ROOT, "cli/main.ts"), name, ...args],
      cwd,
      env: { DENO_AUDIT_PERMISSIONS: log, NO_COLOR: "1" },
    }).output();
    const told = new TextDecoder().decode(stderr);
    assert(code !== EXIT.internal && code !== EXIT.usage, told);
    assertEquals(told.includes("--allow-"), false, told);
    const asked = (await Deno.readTextFile(log)).trim().split("\n").map((line) => JSON.parse(line));
    const kinds = new Set(asked.map(({ permission }) => permission));
    assertEquals([...kinds].filter((kind) => !["read", "write", "env"].includes(kind)), []);
    for (const { permission, value } of asked) {
      if (permission !== "env") continue;
      assert(/^(?:TILEWRIGHT_\w+|NO_COLOR|COLUMNS)$/.test(value), `it reads ${value}`);
    }
  });
}

Deno.test({
  name: "confirm with an interpreter that is named writes into its cache alone, and asks for no network",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await withTempDir(async (cwd) => {
      const python = join(cwd, "python");
      const recorded = join(ROOT, "testdata/confirm/mnist.1.jsonl");
      await Deno.writeTextFile(python, `#!/bin/sh\ncat > /dev/null\ncat '${recorded}'\n`, { mode: 0o755 });
      const [log, cache] = [join(cwd, "permissions.jsonl"), join(cwd, "cache")];
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "--quiet",
          "--no-prompt",
          ...BACKEND_PERMISSIONS,
          join(ROOT, "cli/main.ts"),
          "confirm",
          MNIST,
        ],
        cwd,
        env: {
          DENO_AUDIT_PERMISSIONS: log,
          NO_COLOR: "1",
          TILEWRIGHT_CACHE: cache,
          TILEWRIGHT_TTNN: python,
        },
      }).output();
      assertEquals(code, EXIT.ok, new TextDecoder().decode(stderr));
      assertEquals([...Deno.readDirSync(cwd)].map(({ name }) => name).sort(), [
        "cache",
        "permissions.jsonl",
        "python",
      ]);
      const asked = (await Deno.readTextFile(log)).trim().split("\n").map((line) => JSON.parse(line));
      assertEquals(asked.filter(({ permission }) => permission === "net"), []);
    });
  },
});

Deno.test("the audit of variables shows one that is read", async () => {
  await withTempDir(async (cwd) => {
    const log = join(cwd, "permissions.jsonl");
    const args = ["eval", "Deno.env.get('HOME')"];
    await new Deno.Command(Deno.execPath(), { args, cwd, env: { DENO_AUDIT_PERMISSIONS: log } }).output();
    assertStringIncludes(await Deno.readTextFile(log), "HOME");
  });
});

/** Ways to the network and to other programs, which Deno refuses above but a program could try and keep silent about. */
const NETWORK_APIS =
  /\b(?:fetch\(|WebSocket|EventSource|XMLHttpRequest|Deno\.(?:Command|connect|listen|serve|dlopen|run))/;
/** The one place that starts a process of the program itself, with fewer permissions. */
const STARTS_ITSELF = "cli/restart.ts";
/** The one place that starts another program: Python, for commands that ask the real backend. */
const STARTS_PYTHON = "cli/start_program.ts";
/** The one place that listens: on this machine alone, for `report --serve`. */
const LISTENS = "cli/serve_page.ts";
/** The one place that starts threads, with the permissions and from a module of the program itself. */
const STARTS_THREADS = "cli/deno_host.ts";

Deno.test("no file of the program names a way to the network or to another program than itself", async () => {
  const found: string[] = [];
  const startsThreads: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      const path = join(folder, name);
      if (isDirectory && name !== "testing") await walk(path);
      if (!/\.[jt]s$/.test(name) || name.endsWith("_test.ts")) continue;
      const text = await Deno.readTextFile(path);
      if (NETWORK_APIS.test(text)) found.push(relative(ROOT, path));
      if (/\bnew Worker\(/.test(text)) startsThreads.push(relative(ROOT, path));
    }
  };
  for (const folder of ["cli", "lib", "pipeline", "sim"]) await walk(join(ROOT, folder));
  assertEquals(found.toSorted(), [STARTS_ITSELF, LISTENS, STARTS_PYTHON]);
  assertEquals(startsThreads, [STARTS_THREADS]);
});
