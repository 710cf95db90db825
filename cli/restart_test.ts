// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { COMMANDS } from "./command_table.ts";
import { BACKEND_PERMISSIONS, gainsByRestart, PERMISSIONS, permissionsFor } from "./restart.ts";

const MAIN = fromFileUrl(new URL("main.ts", import.meta.url));
const MNIST = fromFileUrl(new URL("../testdata/models/mnist.mlir", import.meta.url));

/** Tells what its process has and may do, and ends with a code of its own. */
const TELLS = `
// "prompt" is a refusal: nobody can be asked.
const state = (name) => Deno.permissions.querySync({ name }).state;
console.log(JSON.stringify({ gc: typeof gc, args: Deno.args, run: state("run"), net: state("net"), read: state("read") }));
Deno.exitCode = 7;
`;

/** Ends with 99 where {@linkcode restarted} does not start the program that tells. */
const STARTS = `
import { restarted } from ${JSON.stringify(new URL("restart.ts", import.meta.url).href)};
Deno.exitCode = await restarted(new URL("tells.ts", import.meta.url), Deno.args) ?? 99;
`;

async function start(
  permissions: readonly string[],
  args: readonly string[],
): Promise<{ readonly code: number; readonly told: string }> {
  const folder = await Deno.makeTempDir({ prefix: "tilewright_" });
  try {
    await Deno.writeTextFile(join(folder, "tells.ts"), TELLS);
    await Deno.writeTextFile(join(folder, "starts.ts"), STARTS);
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", ...permissions, join(folder, "starts.ts"), ...args],
    }).output();
    return { code, told: new TextDecoder().decode(stdout) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("with all permissions the program restarts itself, with V8's flags and only its own permissions", async () => {
  const { code, told } = await start(["-A"], ["optimize", "--top", "3"]);
  assertEquals(code, 7);
  assertEquals(JSON.parse(told), {
    gc: "function",
    args: ["optimize", "--top", "3"],
    run: "prompt",
    net: "prompt",
    read: "granted",
  });
});

Deno.test("nothing is started that might do more than this process, or that gains nothing", async () => {
  const read = `--allow-read=${fromFileUrl(new URL("..", import.meta.url))}`;
  for (const permissions of [PERMISSIONS, ["--allow-run", "--allow-write", "--allow-env", read]]) {
    assertEquals(await start(permissions, ["optimize"]), { code: 99, told: "" });
  }
  assertEquals(await start(["-A"], ["serve"]), { code: 99, told: "" });
});

Deno.test("servers stay in their process, as what reads its open files does; help and commands do not", () => {
  const names = COMMANDS.map(({ name }) => name);
  assertEquals(names.filter((name) => !gainsByRestart([name])), ["serve", "mcp"]);
  assertEquals(gainsByRestart(["lint", "/dev/fd/63"]), false);
  // In this process help would download the packages of tests as well.
  for (const args of [[], ["--help"], ["--version"], ["help", "optimize"], ["optimize", "--help"]]) {
    assertEquals(gainsByRestart(args), true);
  }
});

Deno.test("output and exit codes are equal in either process", async () => {
  const run = (permissions: readonly string[], args: readonly string[]): Promise<Deno.CommandOutput> =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", ...permissions, MAIN, ...args],
      env: { NO_COLOR: "1" },
    }).output();
  for (
    const [args, expected] of [
      [["optimize", MNIST, "-o", "-"], 0],
      [["diff", MNIST, "nowhere.mlir"], 3],
      [["optimise", MNIST], 2],
    ] as const
  ) {
    const [again, here] = await Promise.all([run(["-A"], args), run(PERMISSIONS, args)]);
    assertEquals([again.code, here.code], [expected, expected]);
    assertEquals([again.stdout, again.stderr], [here.stdout, here.stderr]);
  }
});

Deno.test({
  name: "a signal that ends the program ends the process that works",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "-A", MAIN, "lint", "-"],
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    // It waits for its input, so that it ends by the signal or not at all.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    child.kill("SIGTERM");
    assertEquals((await child.status).code, 128 + 15);
  },
});

Deno.test("only report --serve may listen, and on this machine alone", () => {
  const net = (...args: readonly string[]) => permissionsFor(args).filter((flag) => flag.includes("net"));
  assertEquals(net("report", "a.mlir", "--serve"), ["--allow-net=127.0.0.1"]);
  assertEquals([net("report", "a.mlir"), net("simulate", "--serve", "report")], [[], []]);
});

Deno.test("only commands that query the backend may start programs", () => {
  const asks = (...args: readonly string[]) => permissionsFor(args) === BACKEND_PERMISSIONS;
  assertEquals(
    [
      asks("confirm", "a.mlir"),
      asks("optimize", "a.mlir", "--confirm"),
      asks("optimize", "a.mlir", "--op-model", "ttnn"),
      asks("optimize", "a.mlir", "--op-model=ttnn"),
    ],
    [true, true, true, true],
  );
  assertEquals([asks("optimize", "a.mlir", "--op-model", "rules"), asks("simulate", "a.mlir")], [
    false,
    false,
  ]);
});
