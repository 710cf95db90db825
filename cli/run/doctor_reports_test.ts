// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../command_table.ts";
import { runCommandLine } from "../dispatch.ts";
import { createProjectHost } from "../testing/project_host.ts";

async function doctor(...words: readonly string[]): Promise<string> {
  const project = createProjectHost({ columns: 200 });
  await runCommandLine(["doctor", ...words], project, "0.0.0", COMMANDS);
  return project.out();
}

const CONCAT = "y = ttnn.concat(tensors)\nTT_FATAL: 1024 unique+common runtime args targeting kernel " +
  "reader_concat_stick_layout_interleaved_start_id on (x=3,y=5) are too large. Max allowable is 341";

Deno.test("doctor tells reports of the check and op, and what helped there before what it advises itself", async () => {
  const said = await doctor("--message", CONCAT);
  const [, reported = "", helps = ""] = /Reported before:\n([^]*?)\n\nWhat helps:\n([^]*)/.exec(said) ?? [];
  assertStringIncludes(
    reported,
    "tenstorrent/tt-metal#30683 (2025-10, ttnn.concat): the same check on the same op",
  );
  assertStringIncludes(helps.split("\n")[0] ?? "", "(tenstorrent/tt-metal#30683)");
  assertStringIncludes(helps, "a concat of many tensors as a concat of concats");
  const { messages } = JSON.parse(await doctor("--message", CONCAT, "--json"));
  const [{ thread, nearness, remedies }] = messages[0].reports;
  assertEquals([thread, nearness], ["tenstorrent/tt-metal#30683", "the same check on the same op"]);
  assert(remedies.length > 0);
});

Deno.test("a message of which no rule is known is answered by its report", async () => {
  const said = await doctor("--message", "section `.bss' will not fit in region `TRISC2_LOCAL_DATA_MEM'");
  assertStringIncludes(said, "tenstorrent/tt-metal#18402");
  assert(!said.includes("where it fails there as well, report it"), said);
});

Deno.test("numbers of a message of many ops are explained first, and its op's reports follow", async () => {
  const said = await doctor(
    "--message",
    "y = ttnn.rms_norm(x)\nStatically allocated circular buffers on core range [(x=0,y=0) - (x=0,y=0)] grow to " +
      "1769472 B which is beyond max L1 size of 1499136 B",
  );
  const order = [
    "Circular buffers exceed L1",
    "Reported before:",
    "What helps:",
    "(tenstorrent/tt-metal#36094)",
  ];
  const places = order.map((part) => said.indexOf(part));
  assert(places.every((at, index) => at > (places[index - 1] ?? -1)), said);
  assert(!(said.split("What helps:\n")[1] ?? "").startsWith("  1. set fp32"), said);
});

Deno.test("a line of a log that no mark introduces is answered by its report, and lines of a run that went well by none", async () => {
  const project = createProjectHost({ columns: 200 });
  const lines = Array.from({ length: 60 }, (_, layer) => `loading the weights of layer ${layer} took 3 ms`);
  const message = "Post-reset actions did not complete successfully for device at PCI index 3.";
  for (
    const [log, thread] of [[[...lines, message, "done"], "tenstorrent/tt-flash#78"], [lines, undefined]]
  ) {
    await project.writeText("a.log", [log].flat(2).join("\n"));
    const before = project.out().length;
    await runCommandLine(["doctor", "--log", "a.log"], project, "0.0.0", COMMANDS);
    assertEquals(/tenstorrent\/[\w-]+#\d+/.exec(project.out().slice(before))?.[0], thread);
  }
});
