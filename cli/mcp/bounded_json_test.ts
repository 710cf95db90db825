// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { boundedJson, clipped } from "./bounded_json.ts";

/** Bytes of a value as a text in a message. */
function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(JSON.stringify(value))).length - 2;
}

Deno.test("boundedJson() keeps small values", () => {
  const value = { a: [1, 2, 3], b: "text" };
  assertEquals(boundedJson(value, 1000), { value, omitted: [] });
});

Deno.test("boundedJson() keeps small members and the ops that take longest", () => {
  const ops = Array.from({ length: 100 }, (_, id) => ({ id, us: id % 2 }));
  const { value, omitted } = boundedJson({ ops, short: [1, 2] }, 400);
  const kept = Object(value).ops;
  assertEquals(Object(value).short, [1, 2]);
  assert(kept.length > 5 && kept.length < 100);
  assert(kept.every(({ us }: { us: number }) => us === 1), JSON.stringify(kept));
  assertEquals(omitted, [
    `ops: ${100 - kept.length} of 100 left out; those with the most time that fit are kept`,
  ]);
});

Deno.test("boundedJson() begins with the function of most ops, and cuts texts and lists without weights at the end", () => {
  const value = {
    summary: { us: 1 },
    functions: [
      ...Array.from({ length: 200 }, (_, index) => ({ name: `const_eval_${index}`, decisions: [{ op: 0 }] })),
      { name: "main", decisions: Array.from({ length: 400 }, (_, op) => ({ op })) },
    ],
    files: Array.from({ length: 400 }, (_, index) => `file ${index}`),
    text: "x".repeat(5000),
  };
  const { value: bounded } = boundedJson(value, 4000);
  const { summary, functions, files, text } = Object(bounded);
  assertEquals([summary, functions[0].name, functions[0].decisions[0]], [{ us: 1 }, "main", { op: 0 }]);
  assert(functions.length > 5, "the others follow");
  assertEquals(files, value.files.slice(0, files.length));
  assert(text.endsWith("x…"));
});

Deno.test("boundedJson() keeps each of a few large items", () => {
  const results = ["dram", "greedy"].map((policy) => ({
    policy,
    ops: Array.from({ length: 500 }, (_, us) => ({ us })),
  }));
  const { value } = boundedJson({ results: [...results, { policy: "none", ops: [] }] }, 5000);
  const policies = Object(value).results.map(({ policy, ops }: { policy: string; ops: readonly unknown[] }) =>
    `${policy} ${ops.length > 50 || ops.length === 0}`
  );
  assertEquals(policies, ["dram true", "greedy true", "none true"]);
});

Deno.test("boundedJson() never gives more bytes than asked for, and says so for whatever it cuts", () => {
  const texts = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: "binary" }),
      texts,
      fc.integer({ min: 4, max: 300 }),
      (json, text, most) => {
        for (const whole of [json, { json, text }, [json, text, json]]) {
          const { value, omitted } = boundedJson(whole, most);
          assert(bytesOf(value) <= Math.max(most, 4), JSON.stringify(value));
          if (bytesOf(whole) <= most) assertEquals([value, omitted], [whole, []]);
        }
      },
    ),
  );
});

Deno.test("clipped() ends a text within its bytes", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 8, max: 100 }), (text, most) => {
    const kept = clipped(text, most);
    assert(
      bytesOf(kept) - 4 <= 2 * most && new TextEncoder().encode(JSON.stringify(kept)).length - 2 <= most,
    );
    assert(kept === text || kept.endsWith(" …"));
  }));
});
