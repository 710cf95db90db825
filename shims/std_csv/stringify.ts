// SPDX-License-Identifier: Apache-2.0

// @ts-types="./stringify.d.ts"
export * from "npm:deno-std@1.4.0/csv/stringify.js";
