// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import type { ProposedOp } from "../../graph_pass.ts";
import { selectScatteredRows } from "./select_scattered_rows.ts";

/** A scatter takes long, everything else nothing. */
const TOOLS = { microseconds: ({ name }: ProposedOp): number => name === "ttnn.scatter" ? 1000 : 1 };

interface Cache {
  readonly users: number;
  readonly heads: number;
  readonly positions: number;
  /** Rows between the blocks of two heads; the positions, unless told. */
  readonly stride?: number;
  readonly reduce?: string;
  /** Whether a position outside of its block is replaced by one behind all rows, and up to where that is inside. */
  readonly bound?: number;
}

/** What lowering makes of `cache.at[users, heads, positions].set(rows)`: numbers of rows of one table. */
function cache({ users, heads, positions, stride = positions, reduce = "invalid", bound }: Cache): string {
  const count = users * heads;
  const rows = count * positions;
  const list = (shape: readonly number[]): string =>
    `[${shape.map((extent) => `${extent} : i32`).join(", ")}]`;
  const [table, some, numbers] = [
    `T<1x${rows}x8>`,
    `T<1x${count}x8>`,
    (shape: string): string => `T<${shape}, si32>`,
  ];
  return ttnnModule(`(%t: ${table}, %r: ${some}, %p: ${numbers(`1x${users}`)}) -> ${table}`, [
    '%d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
    `%n = "ttnn.arange"(%d) <{start = 0 : si64, end = ${users} : si64, step = 1 : si64}> : (!ttnn.device) -> ${
      numbers(`${users}`)
    }`,
    `%f = "ttnn.full"(%d) <{fill_value = ${
      heads * stride
    } : i32, shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> ${numbers("1x1")}`,
    `%0 = "ttnn.reshape"(%n) <{shape = ${list([1, users])}}> : (${numbers(`${users}`)}) -> ${
      numbers(`1x${users}`)
    }`,
    `%1 = "ttnn.multiply"(%0, %f) : (${numbers(`1x${users}`)}, ${numbers("1x1")}) -> ${
      numbers(`1x${users}`)
    }`,
    ...bound === undefined ? [] : [
      `%c = "ttnn.clamp_scalar"(%p) <{max = ${bound - 1} : i32, min = 0 : i32}> : (${
        numbers(`1x${users}`)
      }) -> ${numbers(`1x${users}`)}`,
      `%e = "ttnn.eq"(%p, %c) : (${numbers(`1x${users}`)}, ${numbers(`1x${users}`)}) -> ${
        numbers(`1x${users}`)
      }`,
      `%o = "ttnn.full"(%d) <{fill_value = 65536 : i32, shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> ${
        numbers("1x1")
      }`,
      `%i = "ttnn.where"(%e, %p, %o) : (${numbers(`1x${users}`)}, ${numbers(`1x${users}`)}, ${
        numbers("1x1")
      }) -> ${numbers(`1x${users}`)}`,
    ],
    `%2 = "ttnn.add"(%1, ${bound === undefined ? "%p" : "%i"}) : (${numbers(`1x${users}`)}, ${
      numbers(`1x${users}`)
    }) -> ${numbers(`1x${users}`)}`,
    `%3 = "ttnn.reshape"(%2) <{shape = ${list([1, users, 1])}}> : (${numbers(`1x${users}`)}) -> ${
      numbers(`1x${users}x1`)
    }`,
    `%4 = "ttnn.constant"(%d) <{value = dense<[[[${
      Array.from({ length: heads }, (_, head) => head * stride).join(", ")
    }]]]> : tensor<1x1x${heads}xsi32>}> : (!ttnn.device) -> ${numbers(`1x1x${heads}`)}`,
    `%5 = "ttnn.add"(%3, %4) : (${numbers(`1x${users}x1`)}, ${numbers(`1x1x${heads}`)}) -> ${
      numbers(`1x${users}x${heads}`)
    }`,
    `%6 = "ttnn.reshape"(%5) <{shape = ${list([1, count, 1])}}> : (${numbers(`1x${users}x${heads}`)}) -> ${
      numbers(`1x${count}x1`)
    }`,
    `%7 = "ttnn.repeat"(%6) <{repeat_dims = #ttnn.shape<1x1x8>}> : (${numbers(`1x${count}x1`)}) -> ${
      numbers(`1x${count}x8`)
    }`,
    `%8 = "ttnn.scatter"(%t, %7, %r) <{dim = 1 : si32, scatter_reduce_type = #ttcore.reduce_type<${reduce}>}> : (${table}, ${
      numbers(`1x${count}x8`)
    }, ${some}) -> ${table}`,
    `return %8 : ${table}`,
  ]);
}

keepsMeaning(
  "one row in each block of a table is selected",
  [selectScatteredRows],
  fc.record({ users: fc.integer({ min: 2, max: 4 }), heads: fc.integer({ min: 2, max: 3 }) })
    .map((sizes) => ({ text: cache({ ...sizes, positions: 5 }), ops: ["where", "!scatter"], limit: 5 })),
  20,
  TOOLS,
);

keepsMeaning(
  "positions outside of their block choose no row",
  [selectScatteredRows],
  fc.constantFrom(3, 5).map((bound) => ({
    text: cache({ users: 3, heads: 2, positions: 5, bound }),
    ops: ["where", "!scatter"],
    limit: 8,
  })),
  12,
  TOOLS,
);

const written = (text: string, tools = TOOLS): readonly string[] =>
  passedBody(text, selectScatteredRows, undefined, tools).flatMap((line) =>
    /"ttnn\.(scatter|eq|where)".*-> tensor<([\dx]+)x/.exec(line)?.slice(1).join(" ") ?? []
  );

Deno.test("a row for every user and head is selected by its position, of which heads share one", () => {
  assertEquals(written(cache({ users: 4, heads: 2, positions: 32 })), ["eq 8x32x1", "where 8x32x8"]);
});

Deno.test("a position is not compared with the bounds of its block", () => {
  const given = { users: 4, heads: 2, positions: 32 };
  assertEquals(written(cache({ ...given, bound: 32 })), ["eq 8x32x1", "where 8x32x8"]);
  assertEquals(written(cache({ ...given, bound: 16 })).length, 4, "other bounds");
});

Deno.test("sums, rows of other blocks, and tables that scatter no slower stay", () => {
  const sizes = { users: 4, heads: 2, positions: 32 };
  for (const text of [cache({ ...sizes, reduce: "sum" }), cache({ ...sizes, stride: 16 })]) {
    assertEquals(written(text), ["scatter 1x256x8"]);
  }
  assertEquals(written(cache(sizes), { microseconds: () => 1 }), ["scatter 1x256x8"]);
});
