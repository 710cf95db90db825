// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { BUNDLED_COMMANDS } from "./bundled.ts";
import { COMMANDS } from "./command_table.ts";
import { loadRun } from "./run_command.ts";

Deno.test("BUNDLED_COMMANDS loads the code of every command of the table", async () => {
  for (const [index, command] of COMMANDS.entries()) {
    assertEquals(
      (await BUNDLED_COMMANDS[index]?.load?.())?.run,
      (await loadRun(command.name)).run,
      command.name,
    );
  }
});
