// SPDX-License-Identifier: Apache-2.0

// @ts-types="./parse_args.d.ts"
export * from "npm:deno-std@1.4.0/cli/parse_args.js";
