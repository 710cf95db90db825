// SPDX-License-Identifier: Apache-2.0

// @ts-types="./parse.d.ts"
export * from "npm:deno-std@1.4.0/jsonc/parse.js";
