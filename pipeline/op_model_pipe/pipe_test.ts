// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertSpyCalls, spy } from "@std/testing/mock";
import { join } from "@std/path";
import { l1Region } from "../../lib/memory/l1_schedule.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { OpModelPipe } from "./pipe.ts";

/** A session written by hand; what each line asks follows from its tests below. */
const LINES = Deno.readTextFileSync(join(PROJECT_ROOT, "testdata/op_model_pipe/session.jsonl"))
  .trimEnd().split("\n");

/** Bytes per core of 1024x512 bf16 over 8 cores: 4 x 16 tiles of 2048 bytes. */
const SHARD = 4 * 16 * 2048;

function line(id: number): string {
  const found = LINES[id - 1];
  if (found === undefined) throw new RangeError(`The session has no line ${id}`);
  return found;
}

/** Replies to the whole session, by line. */
function session(device = "n150"): Record<string, unknown>[] {
  const pipe = new OpModelPipe(getDevice(device));
  return LINES.map((text) => JSON.parse(pipe.answerLine(text)));
}

const REPLIES = session();

function reply(id: number): Record<string, unknown> {
  const found = REPLIES[id - 1];
  if (found === undefined) throw new RangeError(`No reply ${id}`);
  return found;
}

const ACCEPTED = {
  ok: true,
  outputLayouts: [null],
  cbPeak: 0,
  tensorPeak: SHARD,
  totalPeak: SHARD,
  outputL1: SHARD,
};

Deno.test("hello is answered with the protocol and the device", () => {
  assertEquals(reply(1), { id: 1, ok: true, protocol: 1, device: "n150" });
});

Deno.test("a stateless answer has the result layouts; null is the requested layout", () => {
  assertEquals(reply(2), { id: 2, ...ACCEPTED });
});

Deno.test("a layout that the compiler cannot come to by itself is spelled for its builder", () => {
  const coreRanges = "#ttnn.core_range_set<[#ttnn.core_range<(0,0), (7,0)>]>";
  const layout = { bufferType: "l1", memLayout: "height_sharded", grid: [8, 1], tiled: true, dtype: "bf16" };
  assertEquals(reply(3), { id: 3, ...ACCEPTED, outputLayouts: [{ ...layout, coreRanges }] });
});

Deno.test("a stateful answer has addresses below the live buffers", () => {
  const { top } = l1Region(chipDescription(getDevice("n150")), 0.95, 0);
  // The live record of line 4 is one shard at the top.
  const allocation = { bufferType: "l1", address: top - 2 * SHARD, sizePerBank: SHARD };
  assertEquals(reply(4), { id: 4, ...ACCEPTED, outputAllocations: [allocation] });
});

Deno.test("no room by address, or by bytes beside other live tensors, is out of memory", () => {
  for (const id of [5, 6]) assertEquals([reply(id).ok, reply(id).status], [false, "oom"]);
  assertMatch(String(reply(5).reason), /l1\/no_space/);
  assertMatch(String(reply(6).reason), /1300000 live bytes/);
});

Deno.test("the backend picks grid and shard for a sharding without a physical layout", () => {
  const { ok, outputLayouts } = reply(7);
  assertEquals(ok, true);
  assert(Array.isArray(outputLayouts));
  assertEquals([outputLayouts[0].memLayout, outputLayouts[0].grid], ["height_sharded", [32, 1]]);
});

Deno.test("layoutLegal looks at the grid of the question", () => {
  assertEquals(reply(8), { id: 8, ok: true });
  assertEquals(reply(9).ok, false);
});

Deno.test("prepared weights are window and channels by channels, in whole tiles", () => {
  assertEquals(reply(10), { id: 10, ok: true, shape: [1, 1, 3 * 3 * 64, 96] });
});

Deno.test("runtime and reshardRuntime are answered in the same shape", () => {
  for (const id of [11, 12]) {
    assertEquals(Object.keys(reply(id)), ["id", "ok", "microseconds", "relativeError", "bound", "cores"]);
    assert(Number(reply(id).microseconds) > 1);
  }
});

Deno.test("a line that makes no sense is refused with the reason and the next one answered", () => {
  for (const id of [13, 14, 15]) assertEquals([reply(id).ok, reply(id).status], [false, "error"]);
  assertStringIncludes(String(reply(13).reason), "not JSON");
  assertStringIncludes(String(reply(14).reason), "kind must be one of hello, constraints");
  assertStringIncludes(String(reply(15).reason), "Cannot read the layout");
  assertEquals(reply(16), { id: 16, ...ACCEPTED });
});

Deno.test("every line cut off anywhere gets an answer", () => {
  const pipe = new OpModelPipe(getDevice("n150"));
  for (const text of LINES.slice(0, 12)) {
    for (let length = 0; length < text.length; length += 37) {
      assertEquals(JSON.parse(pipe.answerLine(text.slice(0, length))).ok, false);
    }
  }
});

Deno.test("fields of another type, missing or null get an answer that names them", () => {
  const pipe = new OpModelPipe(getDevice("n150"));
  for (const text of LINES.slice(0, 12)) {
    const question: Record<string, unknown> = JSON.parse(text);
    for (const key of Object.keys(question)) {
      for (const value of [undefined, null, -1, "x", [], {}, [[]]]) {
        const answer = JSON.parse(pipe.answerLine(JSON.stringify({ ...question, [key]: value })));
        assertEquals(typeof answer.ok, "boolean");
        assert(!String(answer.reason).includes("internal error"), answer.reason);
      }
    }
  }
});

Deno.test("an id of any text is repeated, be the question good or not", () => {
  const pipe = new OpModelPipe(getDevice("n150"));
  const named = line(2).replace('"id": 2', '"id": "two"');
  const { id: _, ...rest } = JSON.parse(pipe.answerLine(line(2)));
  assertEquals(JSON.parse(pipe.answerLine(named)), { id: "two", ...rest });
  assertEquals(JSON.parse(pipe.answerLine('{"id": "7", "kind": "nothing"}')).id, "7");
  assertEquals(JSON.parse(pipe.answerLine('{"id": 7, "kind": "nothing"}')).id, 7);
});

Deno.test("an equal question with another id is answered from the cache, a different one is not", () => {
  const pipe = new OpModelPipe(getDevice("n150"));
  const first = pipe.answerLine(line(2));
  const again = pipe.answerLine(line(2).replace('"id": 2', '"id": 7'));
  assertEquals(again, first.replace('"id":2', '"id":7'));
  assertEquals(pipe.statistics.remembered, 1);
  // A second id inside of an attribute is part of the question, not its number.
  const withId = (value: number) => line(2).replace('"attrs": {}', `"attrs": {"id": "${value} : i32"}`);
  const nested = (value: number) => line(2).replace('"attrs": {}', `"attrs": {}, "text": {"id": ${value}}`);
  const before = (value: number) => line(2).replace('{"id": 2', `{"text": {"id": ${value}}, "id": 2`);
  for (const make of [withId, nested, before]) {
    for (const value of [2, 3]) assertEquals(JSON.parse(pipe.answerLine(make(value))).id, 2);
  }
  assertEquals(JSON.parse(pipe.answerLine(line(2).replace('"id": 2, ', ""))).id, undefined);
});

Deno.test("without a device the one that hello describes answers, and another hello changes it", () => {
  const remark = spy((_text: string): void => {});
  const pipe = new OpModelPipe(undefined, remark);
  assertEquals(JSON.parse(pipe.answerLine(line(1))).device, "n150");
  assertEquals(JSON.parse(pipe.answerLine(line(2))).ok, true);
  for (const [columns, name] of [[11, "p150"], [13, "p150-13x10"]] as const) {
    const blackhole = {
      ...JSON.parse(line(1)),
      arch: "blackhole",
      workerGrid: [10, columns],
      systemDesc: "",
    };
    assertEquals(JSON.parse(pipe.answerLine(JSON.stringify(blackhole))).device, name);
  }
  assertSpyCalls(remark, 0);
  const mock = { ...JSON.parse(line(1)), usableL1Size: 1498112, systemDesc: "" };
  pipe.answerLine(JSON.stringify(mock));
  assertSpyCalls(remark, 1);
  assertStringIncludes(String(remark.calls[0]?.args[0]), "looks like a mock one");
});

Deno.test("a line that is JSON and no object is refused without an id", () => {
  const pipe = new OpModelPipe(getDevice("n150"));
  for (const text of ["null", "5", '"hello"', "[]"]) {
    const { ok, status, reason, id } = JSON.parse(pipe.answerLine(text));
    assertEquals(
      [ok, status, reason, id],
      [false, "error", "the line is not a JSON object", undefined],
      text,
    );
  }
});
