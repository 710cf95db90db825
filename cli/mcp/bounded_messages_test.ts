// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { boundedMessages, type JsonRpcId } from "./bounded_messages.ts";

/** What passes and which ids are left out, whatever the pieces that a text arrives in. */
async function passed(text: string, mostBytes: number, pieceBytes: number) {
  const ids: JsonRpcId[] = [];
  const stream = boundedMessages(mostBytes, (id) => ids.push(id));
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) stream.write(bytes.subarray(at, at + pieceBytes));
  stream.end();
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return { text: await new Blob(parts.map((part) => new Uint8Array(part))).text(), ids };
}

Deno.test("boundedMessages() drops oversized messages, with their id at any place", async () => {
  const long = "x".repeat(60);
  const messages: readonly (readonly [string, JsonRpcId])[] = [
    [`{"id":8,"params":{"id":1,"text":"${long}"}}`, 8],
    [`{"params":{"id":1,"list":[{"id":2}],"text":"${long}"},"id":"a\\"b"}`, 'a"b'],
    [`{"params":{"text":"\\"}}${long}\\\\"}, "id" : -3 }`, -3],
    [`{"method":"note","params":["${long}"]}`, null],
    [`{"id":{"id":5},"params":"${long}"}`, null],
    [`{"id":9,"method":"${"m".repeat(9000)}"}`, null],
    [`[{"id":9}, "${long}"]`, null],
    [`}}}${long}`, null],
  ];
  const text = messages.map(([message], index) => `${message}\n{"n":${index}}\n`).join("");
  for (const pieceBytes of [1, 7, 64, 100_000]) {
    assertEquals(await passed(text, 40, pieceBytes), {
      text: messages.map((_, index) => `{"n":${index}}\n`).join(""),
      ids: messages.map(([, id]) => id),
    });
  }
});

Deno.test("boundedMessages() passes messages of the largest size, and a last one without an end", async () => {
  assertEquals(await passed("12345678\n\n123456789\n1234", 9, 4), { text: "12345678\n\n1234", ids: [null] });
});
