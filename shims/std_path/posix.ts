// SPDX-License-Identifier: Apache-2.0

// @ts-types="./mod.d.ts"
export * from "npm:deno-std@1.4.0/path/posix/mod.js";
