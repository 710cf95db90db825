// SPDX-License-Identifier: Apache-2.0

// @ts-types="./closest_string.d.ts"
export * from "npm:deno-std@1.4.0/text/closest_string.js";
