// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { fromFileUrl, join, relative } from "@std/path";
import { denoHost } from "./deno_host.ts";

Deno.test("standard input may be named twice", async () => {
  const main = fromFileUrl(new URL("main.ts", import.meta.url));
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", main, "diff", "-", "-", "--json"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  await using child = command.spawn();
  const tensor = "tensor<32x32xbf16>";
  const text = `func.func @main(%x: ${tensor}) -> ${tensor} {
  %0 = "ttir.relu"(%x) : (${tensor}) -> ${tensor}
  return %0 : ${tensor}
}
`;
  await new Response(text).body?.pipeTo(child.stdin);
  const { code, stdout, stderr } = await child.output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  assertEquals(JSON.parse(new TextDecoder().decode(stdout)).summary.matchedOps, 1);
});

Deno.test("folders are walked through links, each once, even where links lead in a circle", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(join(folder, "real"));
    await Deno.writeTextFile(join(folder, "real", "a.mlir"), "");
    await Deno.mkdir(join(folder, "models"));
    await Deno.symlink(join(folder, "real"), join(folder, "models", "linked"));
    await Deno.symlink(join(folder, "models"), join(folder, "real", "back"));
    await Deno.symlink(join(folder, "real", "a.mlir"), join(folder, "models", "b.mlir"));
    const found = await denoHost.filesBelow(join(folder, "models"));
    assertEquals(found?.map((path) => relative(folder, path)).toSorted(), [
      "models/b.mlir",
      "models/linked/a.mlir",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
