// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "./command.ts";
import { emitOption, OPTIMIZE_EMITS, SIMULATE_EMITS } from "./commands/shared_options.ts";
import { readEmit } from "./read_emit.ts";

Deno.test("every kind that help lists is read, others are refused with a suggestion", () => {
  for (const kinds of [SIMULATE_EMITS, OPTIMIZE_EMITS]) {
    const { description } = emitOption(kinds);
    const listed = [...description.matchAll(/([\w-]+)=FILE/g)].map(([, kind = ""]) => kind);
    assertEquals(listed.map((kind) => readEmit<string>(`${kind}=a=b`, kinds)), [
      ...Object.keys(kinds).map((kind) => ({ kind, path: "a=b" })),
    ]);
  }
  assertThrows(() => readEmit("overrid=x", OPTIMIZE_EMITS), UsageError, "overrides");
  assertThrows(() => readEmit("toString=x", OPTIMIZE_EMITS), UsageError, "Cannot emit 'toString'");
  assertThrows(() => readEmit("json", SIMULATE_EMITS), UsageError, "--emit json=FILE");
});
