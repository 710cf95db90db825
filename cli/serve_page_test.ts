// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { DiagnosticError, inputError } from "../lib/diagnostics/diagnostic.ts";
import { COMMANDS } from "./command_table.ts";
import { runCommandLine } from "./dispatch.ts";
import type { PageServer } from "./host.ts";
import { servePage } from "./serve_page.ts";
import { createProjectHost } from "./testing/project_host.ts";

Deno.test("a served page is made anew when its file changes, and says what is wrong with it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tilewright_" });
  const file = join(folder, "a.txt");
  await Deno.writeTextFile(file, "first");
  const page = async (): Promise<string> => {
    const text = await Deno.readTextFile(file);
    if (text === "wrong") throw inputError("test/wrong", "<b> is wrong");
    return `<body>${text}</body>`;
  };
  const served = servePage({ port: 0, files: [file], page });
  try {
    const text = async () => await (await fetch(served.url)).text();
    assertStringIncludes(await text(), "<body>first<script>");
    assertEquals(await (await fetch(`${served.url}other`)).text(), "no such page\n");
    const { body } = await fetch(`${served.url}changes`);
    assert(body !== null);
    const changes = body.pipeThrough(new TextDecoderStream()).getReader();
    for (const [written, told] of [["second", "<body>second"], ["wrong", "&lt;b> is wrong"]] as const) {
      await Deno.writeTextFile(file, written);
      await Deno.utime(file, new Date(), new Date(Date.now() + (written === "wrong" ? 5000 : 2000)));
      assertEquals((await changes.read()).value, "data: changed\n\n");
      assertStringIncludes(await text(), told);
    }
    const { port } = new URL(served.url);
    assertThrows(
      () => servePage({ port: Number(port), files: [], page }),
      DiagnosticError,
      "Cannot serve on port",
    );
    await changes.cancel();
  } finally {
    await served.stop();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("report --serve hands the host the page and the files it depends on", async () => {
  const servers: PageServer[] = [];
  const host = {
    ...createProjectHost({ files: { "base.mlir": "" } }),
    servePage: (server: PageServer) => {
      servers.push(server);
      return Promise.resolve({
        url: "http://x/",
        finished: Promise.resolve(),
        stop: () => Promise.resolve(),
      });
    },
  };
  const args = [
    "report",
    "testdata/models/mnist.mlir",
    "--serve",
    "--as-written",
    "--policies",
    "as-written",
  ];
  assertEquals(await runCommandLine([...args, "--baseline", "base.mlir"], host, "0.0.0", COMMANDS), 0);
  assertEquals(await runCommandLine(args, host, "0.0.0", COMMANDS), 0);
  assertEquals(servers.map(({ port, files }) => [port, files]), [
    [0, ["testdata/models/mnist.mlir", "base.mlir"]],
    [0, ["testdata/models/mnist.mlir"]],
  ]);
  assertStringIncludes(await servers[1]?.page() ?? "", "Where the time goes");
  // Standard input does not change.
  assertEquals(await runCommandLine(["report", "-", "--serve"], host, "0.0.0", COMMANDS), 2);
});
