// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { printable } from "./standard_error.ts";

Deno.test("printable() keeps text, line breaks and colours, and drops control characters", () => {
  assertEquals(printable("\x1b[31mµs\x1b[0m\t1\n"), "\x1b[31mµs\x1b[0m\t1\n");
  assertEquals(printable("a\x1b[2Jb\x1b]0;title\x07c\rd\x9be\x7f"), "a[2Jb]0;titlecde");
});
