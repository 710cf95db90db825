// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";

const NUMBER = v.pipe(v.union([v.number(), v.string()]), v.transform(Number));

/** Nodes of a list that ttnn's capture returns, as far as they tell of memory. */
const NODES = v.array(v.looseObject({
  node_type: v.string(),
  params: v.nullish(v.looseObject({
    name: v.exactOptional(v.string()),
    type: v.exactOptional(v.string()),
    address: v.exactOptional(NUMBER),
    size: v.exactOptional(NUMBER),
    max_size_per_bank: v.exactOptional(NUMBER),
  })),
}));

/** A file that ttnn writes of them. */
const FILE = v.pipe(v.looseObject({ graph: NODES }), v.transform(({ graph }) => graph));

/**
 * What the events of a captured graph say of L1: the most that tensors take per core, at which op, and whether circular
 * buffers reach into them; `undefined` of another text.
 */
export function memoryOfCapture(text: string): string | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const nodes = v.safeParse(v.union([NODES, FILE]), json);
  if (!nodes.success) return undefined;
  const tensors = new Map<number, number>();
  let op = "the beginning";
  let peak = { bytes: 0, op };
  let buffers = { end: 0, op };
  let overlap: string | undefined;
  for (const { node_type: event, params } of nodes.output) {
    const { name = "", type, address = 0, size = 0, max_size_per_bank: bytes = 0 } = params ?? {};
    if (event === "function_start" && /^ttnn|DeviceOperation$/.test(name)) op = name;
    if (event === "buffer_allocate" && type === "L1") tensors.set(address, bytes);
    if (event === "buffer_deallocate" && type === "L1") tensors.delete(address);
    if (event === "circular_buffer_allocate" && params?.["globally_allocated"] !== "1") {
      if (address + size > buffers.end) buffers = { end: address + size, op };
      if (address + size > Math.min(...tensors.keys())) overlap ??= op;
    }
    const sum = tensors.values().reduce((all, one) => all + one, 0);
    if (sum > peak.bytes) peak = { bytes: sum, op };
  }
  const count = (value: number): string => value.toLocaleString("en-US");
  return `by its events, tensors made in it take at most ${
    count(peak.bytes)
  } bytes of L1 per core, at ${peak.op}, ${
    buffers.end === 0
      ? "no circular buffer was recorded"
      : `recorded circular buffers end at ${count(buffers.end)} (${buffers.op})`
  }, and ${
    overlap === undefined ? "nothing overlaps: it fits" : `buffers of ${overlap} reach into a tensor`
  }`;
}
