// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { denoHost } from "../deno_host.ts";
import { realFolder, rootedHost } from "./rooted_host.ts";

/** A folder with a root, a folder to write to, a secret beside both, and links from inside to outside. */
async function playground() {
  const top = await Deno.realPath(await Deno.makeTempDir());
  const path = (...parts: string[]) => join(top, ...parts);
  for (const folder of ["root/sub", "out", "rootless"]) await Deno.mkdir(path(folder), { recursive: true });
  await Deno.writeTextFile(path("root/a.mlir"), "a");
  await Deno.writeTextFile(path("root/sub/b.mlir"), "b");
  await Deno.writeTextFile(path("secret.mlir"), "secret");
  await Deno.writeTextFile(path("rootless/c.mlir"), "c");
  await Deno.symlink(path("secret.mlir"), path("root/link.mlir"));
  await Deno.symlink(path("rootless"), path("root/door"));
  await Deno.symlink(path("root/sub/b.mlir"), path("root/inner.mlir"));
  await Deno.symlink(path("secret.mlir"), path("out/link.mlir"));
  await Deno.symlink(path("nowhere.mlir"), path("out/dangling.mlir"));
  return { path, [Symbol.asyncDispose]: () => Deno.remove(top, { recursive: true }) };
}

Deno.test("rootedHost() reads regular files below its roots, and nothing else by any path", async () => {
  await using place = await playground();
  const host = rootedHost(denoHost, { read: [place.path("root")], write: [] }, undefined);
  for (
    const [path, text] of [["a.mlir", "a"], ["sub/../sub/b.mlir", "b"], ["inner.mlir", "b"], [
      place.path("root/a.mlir"),
      "a",
    ]]
  ) {
    assertEquals(await host.readText(path ?? ""), text);
  }
  const outside = [
    "../secret.mlir",
    "link.mlir",
    "door/c.mlir",
    "sub",
    "missing.mlir",
    "../rootless/c.mlir",
    place.path("secret.mlir"),
    "/etc/passwd",
    "/dev/zero",
    "/proc/self/environ",
    "",
  ];
  for (const path of outside) {
    await assertRejects(() => host.readText(path), DiagnosticError, "no such file below");
  }
  await assertRejects(() => host.readText("-"), DiagnosticError, "standard input");
  assertEquals(
    await rootedHost(denoHost, { read: [place.path("root")], write: [] }, "ir").readText("-"),
    "ir",
  );
});

Deno.test("rootedHost() writes below the folders for it, through no link that leads out", async () => {
  await using place = await playground();
  const roots = { read: [place.path("root")], write: [place.path("out")] } as const;
  const host = rootedHost(denoHost, roots, undefined);
  await host.writeText(place.path("out/new.mlir"), "new");
  await host.writeText("../out/new.mlir", "newer");
  assertEquals(await Deno.readTextFile(place.path("out/new.mlir")), "newer");
  for (
    const path of [
      "a.mlir",
      "../secret.mlir",
      "../out/link.mlir",
      "../out/dangling.mlir",
      "../out",
      "../out/no/x",
    ]
  ) {
    await assertRejects(() => host.writeText(path, "x"), DiagnosticError, "Cannot write");
  }
  assertEquals(await Deno.readTextFile(place.path("secret.mlir")), "secret");
  const reader = rootedHost(denoHost, { read: [place.path("root")], write: [] }, undefined);
  await assertRejects(() => reader.writeText("new.mlir", "x"), DiagnosticError, "--write FOLDER");
});

/** Swaps a file or folder for a link, and back, until it is told to stop. In a thread: the host blocks while it works. */
const SWAPPER = `onmessage = ({ data: { name, link, stop } }) => {
  for (let isFirst = true; Atomics.load(stop, 0) === 0; isFirst = false) {
    Deno.renameSync(name, name + ".away");
    Deno.symlinkSync(link, name);
    if (isFirst) postMessage("started");
    Deno.removeSync(name);
    Deno.renameSync(name + ".away", name);
  }
  postMessage("stopped");
}`;

/** No answer of a scheduler takes longer, in ms: a thread may rest with the link in place for all rounds. */
const PATIENCE_MS = 30_000;

/** Runs steps while what a name leads to is swapped; what a step throws must be a refusal. Both must occur. */
async function whileSwapping(name: string, link: string, step: () => Promise<void>): Promise<void> {
  const outcomes = { done: 0, refused: 0 };
  const url = URL.createObjectURL(new Blob([SWAPPER], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
  const heard = () => new Promise((resolve) => worker.onmessage = resolve);
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const started = heard();
  worker.postMessage({ name, link, stop });
  await started;
  const stopped = heard();
  const until = performance.now() + PATIENCE_MS;
  const isOneSided = () => outcomes.done === 0 || outcomes.refused === 0;
  try {
    for (let round = 0; round < 5000 || (isOneSided() && performance.now() < until); round++) {
      try {
        await step();
        outcomes.done++;
      } catch (error) {
        if (!(error instanceof DiagnosticError)) throw error;
        outcomes.refused++;
      }
    }
  } finally {
    Atomics.store(stop, 0, 1);
    await stopped;
    worker.terminate();
    URL.revokeObjectURL(url);
  }
  assert(!isOneSided(), JSON.stringify(outcomes));
}

Deno.test("a file or folder that is swapped for a link outside gives no answer from outside", async () => {
  await using place = await playground();
  await Deno.writeTextFile(place.path("root/sub/c.mlir"), "a");
  const host = rootedHost(denoHost, { read: [place.path("root")], write: [] }, undefined);
  const swaps = [["a.mlir", "secret.mlir", "a.mlir"], ["sub", "rootless", "sub/c.mlir"]] as const;
  for (const [name, outside, file] of swaps) {
    await whileSwapping(place.path("root", name), place.path(outside), async () => {
      assertEquals(await host.readText(file), "a");
    });
  }
});

Deno.test("a folder that is swapped for a link outside gets no file outside", async () => {
  await using place = await playground();
  for (const folder of ["out/sub", "outside"]) await Deno.mkdir(place.path(folder));
  const host = rootedHost(denoHost, { read: [place.path("root")], write: [place.path("out")] }, undefined);
  await whileSwapping(place.path("out/sub"), place.path("outside"), async () => {
    await host.writeText("../out/sub/x.mlir", "x");
  });
  assertEquals([...Deno.readDirSync(place.path("outside"))], []);
});

Deno.test(
  "a pipe is no file to read, and is not waited for",
  { ignore: Deno.build.os === "windows" },
  async () => {
    await using place = await playground();
    await new Deno.Command("mkfifo", { args: [place.path("root/pipe")] }).output();
    const host = rootedHost(denoHost, { read: [place.path("root")], write: [] }, undefined);
    await assertRejects(() => host.readText("pipe"), DiagnosticError, "no such file below");
  },
);

Deno.test("a file with another name is not written: the other may be outside", async () => {
  await using place = await playground();
  await Deno.link(place.path("secret.mlir"), place.path("out/hard.mlir"));
  const host = rootedHost(denoHost, { read: [place.path("root")], write: [place.path("out")] }, undefined);
  await assertRejects(() => host.writeText("../out/hard.mlir", "x"), DiagnosticError, "other names");
  assertEquals(await Deno.readTextFile(place.path("secret.mlir")), "secret");
});

Deno.test("rootedHost() passes on no environment variable, and collects its output", async () => {
  const host = rootedHost(denoHost, { read: ["/"], write: [] }, undefined);
  assertEquals([host.environment("PATH"), await host.findUpwards("deno.json")], [undefined, undefined]);
  host.stdout.write("a");
  await host.writeText("-", "b");
  host.stderr.write("c");
  assertEquals([host.out(), host.err()], ["ab", "c"]);
});

Deno.test("realFolder() wants a folder", async () => {
  await using place = await playground();
  assertEquals(await realFolder(place.path("root/door")), place.path("rootless"));
  await assertRejects(() => realFolder(place.path("root/a.mlir")), DiagnosticError, "it is not a folder");
  await assertRejects(() => realFolder(place.path("nothing")), DiagnosticError, "it is not a folder");
});
