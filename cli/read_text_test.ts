// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertRejects } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { textOfFile } from "./read_text.ts";

const MODULE = "module @m {\n}\n";
const encode = (text: string) => new TextEncoder().encode(text);

async function packed(
  bytes: Uint8Array<ArrayBuffer>,
  format: CompressionFormat,
): Promise<Uint8Array<ArrayBuffer>> {
  return await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream(format))).bytes();
}

function little(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => (value >>> (8 * index)) & 0xff);
}

/** A zip archive: every other member deflated, without checksums, which nobody reads here. */
async function zip(
  members: readonly (readonly [string, Uint8Array<ArrayBuffer>])[],
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes: number[] = [];
  const directory: number[] = [];
  for (const [index, [name, plain]] of members.entries()) {
    const isDeflated = index % 2 === 0;
    const body = isDeflated ? await packed(plain, "deflate-raw") : plain;
    const sizes = [...little(body.length, 4), ...little(plain.length, 4), ...little(name.length, 2)];
    const common = [...little(0, 2), ...little(isDeflated ? 8 : 0, 2), ...little(0, 8), ...sizes];
    const local = bytes.length;
    // The record of a member may have more after its name than the directory says.
    bytes.push(
      ...encode("PK\u0003\u0004"),
      ...little(20, 2),
      ...common,
      ...little(4, 2),
      ...encode(name),
      9,
      9,
      0,
      0,
    );
    bytes.push(...body);
    directory.push(
      ...encode("PK\u0001\u0002"),
      ...little(20, 4),
      ...common,
      ...little(0, 12),
      ...little(local, 4),
    );
    directory.push(...encode(name));
  }
  const place = [...little(directory.length, 4), ...little(bytes.length, 4)];
  const count = little(members.length, 2);
  return new Uint8Array([
    ...bytes,
    ...directory,
    ...encode("PK\u0005\u0006"),
    0,
    0,
    0,
    0,
    ...count,
    ...count,
    ...place,
    0,
    0,
  ]);
}

Deno.test("the text of a file is found in gzip, UTF-16, zip archives and flatbuffers", async () => {
  const bytes = encode(MODULE);
  assertEquals(await textOfFile("a", bytes), MODULE);
  assertEquals(await textOfFile("a", await packed(bytes, "gzip")), MODULE);
  const units = [...`\uFEFF${MODULE}`].map((character) => character.charCodeAt(0));
  assertEquals(
    await textOfFile("a", new Uint8Array(units.flatMap((unit) => [unit & 255, unit >> 8]))),
    MODULE,
  );
  assertEquals(
    await textOfFile("a", new Uint8Array(units.flatMap((unit) => [unit >> 8, unit & 255]))),
    MODULE,
  );
  assertEquals(await textOfFile("a", await zip([["d/m.mlir", bytes]])), MODULE);
  const two = await zip([["d/m.mlir", bytes], ["n.log", encode("said")], [
    "b.bin",
    new Uint8Array([255, 1]),
  ]]);
  assertEquals(JSON.parse(await textOfFile("a", two)), { "d/m.mlir": MODULE, "n.log": "said" });
  const flat = [
    8,
    0,
    0,
    0,
    255,
    254,
    0,
    ...little(bytes.length, 4),
    ...bytes,
    0,
    0,
    7,
    ...encode("other"),
    0,
  ];
  // By name, so that the module is told as one that the file holds; also where no byte is above 127.
  for (const [high, sign] of [[255, 254], [1, 2]]) {
    const given = flat.map((byte) => byte === 255 ? high ?? 0 : byte === 254 ? sign ?? 0 : byte);
    assertEquals(JSON.parse(await textOfFile("a", new Uint8Array(given))), { "string 1": MODULE });
  }
  // A log with a zero in it holds none.
  assertEquals(await textOfFile("a", encode("said\0 more")), "said\0 more");
});

/** A file of a tar archive. */
function tarred(name: string, body: Uint8Array, type = "0"): number[] {
  const header = new Uint8Array(512);
  const octal = (value: number) => encode(value.toString(8).padStart(11, "0"));
  for (
    const [at, part] of [
      [0, encode(name)],
      [124, octal(body.length)],
      [156, encode(type)],
      [257, encode("ustar")],
    ] as const
  ) header.set(part, at);
  return [...header, ...body, ...new Array<number>((512 - body.length % 512) % 512).fill(0)];
}

Deno.test("the files of a tar archive are found by name, those that are no text are passed over", async () => {
  const files = Array.from(
    { length: 5 },
    (_, index) => [`irs/${index}.mlir`, MODULE + "x".repeat(index * 256)] as const,
  );
  const archive = new Uint8Array([
    ...tarred("irs", new Uint8Array(), "5"),
    ...files.flatMap(([name, text]) => tarred(name, encode(text))),
    ...tarred("b.bin", new Uint8Array([255, 1])),
    ...new Array<number>(1024).fill(0),
  ]);
  for (const bytes of [archive, await packed(archive, "gzip")]) {
    assertEquals(JSON.parse(await textOfFile("a", bytes)), Object.fromEntries(files));
  }
  assertEquals(await textOfFile("a", new Uint8Array(tarred("m.mlir", encode(MODULE)))), MODULE);
  // One that ends early.
  assertEquals(await textOfFile("a", archive.subarray(0, 512 + 512 + MODULE.length)), MODULE);
});

Deno.test("bytes that another program makes text of are told with it", async () => {
  for (
    const [begin, said] of [
      ["ML\u00efR\r", "ttmlir-opt"],
      ["SQLite format 3\0", "database"],
      ["(\u00b5/\u00fd", "zstd"],
    ] as const
  ) {
    const bytes = Uint8Array.from([...begin].map((one) => one.charCodeAt(0)).concat(255, 0, 200));
    await assertRejects(() => textOfFile("a", bytes), DiagnosticError, said);
  }
});

Deno.test("bytes without text are refused, damaged archives too", async () => {
  const archive = await zip([["m.mlir", encode(MODULE)]]);
  for (
    const bytes of [
      [255, 254, 0, 1, 2].slice(2).concat(255),
      [...archive].slice(0, 40),
      [...archive].fill(1, 8, 60),
    ]
  ) {
    await assertRejects(
      () => textOfFile("a", new Uint8Array([...bytes, 200])),
      DiagnosticError,
      "holds no MLIR text",
    );
  }
});
