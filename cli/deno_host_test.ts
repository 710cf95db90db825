// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

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
