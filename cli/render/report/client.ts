// SPDX-License-Identifier: Apache-2.0
import detail from "./client/detail.js" with { type: "text" };
import dom from "./client/dom.js" with { type: "text" };
import graph from "./client/graph.js" with { type: "text" };
import main from "./client/main.js" with { type: "text" };
import network from "./client/network.js" with { type: "text" };
import plots from "./client/plots.js" with { type: "text" };
import tables from "./client/tables.js" with { type: "text" };

/** The modules of `client` in one text, each after its imports, because a page of one file cannot import. */
export const CLIENT: string = [dom, detail, graph, network, plots, tables, main]
  .map((source) => source.replaceAll(/^import [^;]*;\n/gm, "").replaceAll(/^export /gm, "").trimStart()).join(
    "\n",
  );
