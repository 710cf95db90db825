// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { idOf } from "../../testing/ids.ts";
import { L1Reservations } from "./merge_state.ts";

Deno.test("L1Reservations sums what is held at a place, both ends of a reservation included", () => {
  const reservations = new L1Reservations();
  reservations.add({ op: idOf(1), start: 2, end: 4, bytes: 100 });
  reservations.add({ op: idOf(2), start: 4, end: 5, bytes: 30 });
  assertEquals([1, 2, 3, 4, 5, 6].map((position) => reservations.bytesAt(position)), [
    0,
    100,
    100,
    130,
    30,
    0,
  ]);
});

Deno.test("L1Reservations tells whose output is held at a place", () => {
  const reservations = new L1Reservations();
  reservations.add({ op: idOf(1), start: 2, end: 4, bytes: 100 });
  assertEquals([1, 2, 4, 5].map((position) => reservations.covers(idOf(1), position)), [
    false,
    true,
    true,
    false,
  ]);
  assertEquals(reservations.covers(idOf(2), 3), false);
});
