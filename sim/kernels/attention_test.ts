// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { Attribute } from "../../lib/ir/attribute.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import type { SdpaProgramConfig } from "../../lib/op_config/op_config.ts";
import type { MathFidelity } from "../../lib/op_config/math_fidelity.ts";
import { getDevice } from "../devices/device_registry.ts";
import { pricedTensor } from "../testing/priced.ts";
import { priceLaunch } from "./price_program.ts";

const P100 = getDevice("p100");

interface Attention {
  readonly sequence?: number;
  readonly keyHeads?: number;
  readonly chunk?: number;
  readonly grid?: readonly [number, number];
  readonly causal?: boolean;
  readonly window?: number;
  readonly fidelity?: MathFidelity;
}

/** Cycles of a prefill of 32 heads of 128 in bfp8 on p100, 128 queries and keys per chunk unless asked otherwise. */
function prefill(given: Attention): number {
  const { sequence = 4096, keyHeads = 8, chunk = 128, grid = [11, 10], causal = true } = given;
  const tensor = (heads: number) => pricedTensor(P100, [1, heads, sequence, 128], { dataType: "bfp_bf8" });
  const attributes = new Map<string, Attribute>([["is_causal", { kind: "bool", value: causal }]]);
  if (given.window !== undefined) {
    attributes.set("sliding_window_size", {
      kind: "integer",
      value: BigInt(given.window),
      type: undefined,
    });
  }
  const [query, keys] = [tensor(32), tensor(keyHeads)];
  return priceLaunch("sdpa", {
    name: "ttnn.scaled_dot_product_attention",
    attributes,
    inputs: [query, keys, keys],
    outputs: [query],
    config: {
      kind: "sdpa",
      programConfig: {
        computeWithStorageGridSize: grid,
        qChunkSize: chunk,
        kChunkSize: Math.min(chunk, 128),
      },
      computeConfig: { mathFidelity: given.fidelity ?? "hifi2" },
    },
  }, P100).cycles;
}

Deno.test("keys and values are streamed once per block of queries", () => {
  // Published on p100: 6,831, 3,616 and 1,835 us at 32, 64 and 128 queries per block.
  const [small, medium, large] = [32, 64, 128].map((chunk) => prefill({ chunk }));
  assert(small !== undefined && medium !== undefined && large !== undefined);
  assert(small / medium > 1.7 && small / medium < 2.1, `${small / medium}`);
  assert(medium / large > 1.7 && medium / large < 2.1, `${medium / large}`);
});

Deno.test("the stream follows the query heads, for any grouping of key heads", () => {
  assertEquals(prefill({ keyHeads: 8 }), prefill({ keyHeads: 1 }));
  assertEquals(prefill({ keyHeads: 8 }), prefill({ keyHeads: 32 }));
});

Deno.test("fidelity hardly shows where the stream of keys limits", () => {
  const ratio = prefill({ fidelity: "hifi4" }) / prefill({ fidelity: "lofi" });
  assert(ratio > 1 && ratio < 1.25, `${ratio}`);
});

Deno.test("time steps with the pairs of the most loaded core", () => {
  // 256 and 512 pairs on 110 cores: three and five rounds, the last of them part full.
  const [short, long] = [prefill({ sequence: 2048 }), prefill({ sequence: 4096 })];
  assert(long / short > 3 && long / short < 3.6, `${long / short}`);
  assert(prefill({ grid: [8, 8] }) > 1.1 * prefill({}));
});

Deno.test("a causal program skips tiles beyond the diagonal and outside the window", () => {
  const window = prefill({ sequence: 8192, window: 1024 });
  assert(prefill({ sequence: 8192, window: 2048 }) / window > 1.6);
  assert(prefill({ sequence: 8192 }) / window > 3);
  // A full one hands keys on from core to core, so that twice the work is far from twice the time.
  const ratio = prefill({ causal: false }) / prefill({});
  assert(ratio > 1 && ratio < 1.5, `${ratio}`);
});

/** Cycles of decoding on p100 with keys of 576 and values of 512 that are a part of them, or of grouped heads of 128. */
function decode(
  given: {
    readonly users?: number;
    readonly heads: number;
    readonly latent?: boolean;
    readonly keys?: number;
    readonly dataType?: DataType;
    readonly program?: Partial<SdpaProgramConfig>;
  },
): number {
  const { users = 4, heads, latent = false, keys = 1152, dataType = "bfp_bf8" } = given;
  const width = latent ? 576 : 128;
  const cache = pricedTensor(P100, [users, latent ? 1 : 8, keys, width], { dataType });
  return priceLaunch("sdpa_decode", {
    name: "ttnn.scaled_dot_product_attention_decode",
    attributes: new Map(),
    inputs: [pricedTensor(P100, [1, users, heads, width]), cache, latent ? undefined : cache],
    outputs: [pricedTensor(P100, [1, users, heads, latent ? 512 : 128])],
    config: {
      kind: "sdpa",
      programConfig: {
        computeWithStorageGridSize: [11, 10],
        qChunkSize: 0,
        kChunkSize: 128,
        ...given.program,
      },
    },
  }, P100).cycles;
}

Deno.test("decoding is a fixed time and the stream of whole chunks", () => {
  const at = (keys: number) => decode({ users: 32, heads: 32, keys });
  assertEquals(at(1100), at(1152));
  const [one, two, four] = [at(1024), at(2048), at(4096)];
  assertAlmostEquals((four - two) / (two - one), 2, 0.02);
  const fixed = one - (two - one);
  assert(fixed > 10_000 && fixed < 25_000, `${fixed}`);
});

Deno.test("latent decoding reads the cache once per 32 heads, and fewer cores per group combine less", () => {
  const slices = decode({ heads: 128, latent: true, keys: 8320 }) /
    decode({ heads: 32, latent: true, keys: 8320 });
  assert(slices > 1.5, `${slices}`);
  const many = decode({ users: 8, heads: 32, latent: true, keys: 512 });
  const few = decode({ users: 8, heads: 32, latent: true, keys: 512, program: { maxCoresPerHeadBatch: 4 } });
  assert(few < 1.1 * many, `${few} on 4, ${many} on 13 cores per group`);
});

Deno.test("small pages reach less of the DRAM bandwidth", () => {
  const at = (dataType: DataType) => decode({ users: 8, heads: 32, keys: 32768, dataType });
  assert(at("bfp_bf8") / at("bf16") > 1.05 * 1088 / 2048, `${at("bfp_bf8") / at("bf16")}`);
  assert(at("bfp_bf4") / at("bfp_bf8") > 1.08 * 576 / 1088, `${at("bfp_bf4") / at("bfp_bf8")}`);
});

Deno.test("cores that share a head add up their parts in pairs", () => {
  const at = (cores: number) =>
    decode({ users: 1, heads: 32, latent: true, keys: 2048, program: { maxCoresPerHeadBatch: cores } });
  // Sixteen chunks: a core more of every two saves chunks and adds a round, whatever cores there are.
  const rounds = P100.attention.combineTile * 16;
  assert(
    at(8) - at(16) > -rounds && at(16) < at(4),
    `${at(4)}, ${at(8)}, ${at(16)} cycles, ${rounds} a round`,
  );
});

Deno.test("the last chunk's mask is filled tile by tile, for any position of the newest key", () => {
  const at = (kChunkSize: number) =>
    decode({ users: 32, heads: 32, keys: 128, program: { kChunkSize, maxCoresPerHeadBatch: 1 } });
  const [narrow, wide] = [at(32), at(128)];
  // Four chunks of a tile or one of four: the steps that are saved, and a mask of three tiles more.
  const steps = 3 * 4 * (P100.attention.step + P100.attention.row);
  const mask = 3 * P100.attention.maskTile;
  assert(wide - narrow > mask - 1.5 * steps && wide - narrow < mask, `${wide - narrow} cycles, mask ${mask}`);
});
