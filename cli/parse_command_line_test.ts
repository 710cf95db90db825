// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "./command.ts";
import { COMMANDS } from "./command_table.ts";
import { parseArguments } from "./parse_command_line.ts";

function valueOf(name: string, args: readonly string[], option: string): unknown {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) throw new RangeError(name);
  return parseArguments(command, args).layer.values.get(option);
}

Deno.test("a minus alone, or with a digit or letters behind it, is the value of the option before it", () => {
  assertEquals(valueOf("doctor", ["--log", "-"], "log"), "-");
  assertEquals(valueOf("doctor", ["model.mlir", "--log=-"], "log"), "-");
  assertEquals(valueOf("optimize", ["model.mlir", "-o", "-"], "output"), "-");
  assertEquals(valueOf("optimize", ["model.mlir", "--free", "-configs"], "free"), "-configs");
  assertThrows(() => valueOf("doctor", ["--log", "--json"], "log"), UsageError, "needs a value");
  for (
    const message of ["- E Out of Memory", "--- stderr ---", "-Out of Memory", "--foo failed: 3", "-rwx: bad"]
  ) {
    assertEquals(valueOf("doctor", ["--message", message, "--json"], "message"), message);
  }
  assertThrows(() => valueOf("doctor", ["--message", "--json"], "message"), UsageError, "--message=-…");
});
