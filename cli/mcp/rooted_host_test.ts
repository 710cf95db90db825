// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertRejects } from "@std/assert";
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

Deno.test("rootedHost() hands nothing of the environment on, and collects what is printed", async () => {
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
