// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { ttnnModule } from "../testing/passed_body.ts";
import { constantsRight } from "./constants_right.ts";

const MIRROR = { eq: "eq", ne: "ne", ge: "le", gt: "lt", le: "ge", lt: "gt" } as const;

keepsMeaning(
  "constants on the right of comparisons",
  [constantsRight],
  fc.record({
    op: fc.constantFrom(
      "eq" as const,
      "ne" as const,
      "ge" as const,
      "gt" as const,
      "le" as const,
      "lt" as const,
    ),
    width: fc.integer({ min: 1, max: 8 }),
  }).map(({ op, width }) => ({
    text: ttnnModule(`(%x: T<1x${width}>) -> T<1x${width}>`, [
      '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
      '%one = "ttnn.ones"(%d) <{shape = #ttnn.shape<1x1>}> : (!ttnn.device) -> T<1x1>',
      `%0 = "ttnn.${op}"(%one, %x) : (T<1x1>, T<1x${width}>) -> T<1x${width}>`,
      `return %0 : T<1x${width}>`,
    ]),
    ops: [MIRROR[op]],
  })),
);
