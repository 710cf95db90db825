// SPDX-License-Identifier: Apache-2.0
import { errorText, inputError } from "../lib/diagnostics/diagnostic.ts";
import type { PageServer, ServedPage } from "./host.ts";

/** Milliseconds between two checks of the files. */
const LOOK = 300;

/** Reloads the page when the server requests it, and restores the scroll position. */
const RELOADS = `<script>
const kept = sessionStorage.getItem("tilewright-scroll");
if (kept !== null) addEventListener("load", () => setTimeout(() => scrollTo(0, Number(kept)), 100));
new EventSource("/changes").onmessage = () => {
  sessionStorage.setItem("tilewright-scroll", String(scrollY));
  location.reload();
};
</script>
`;

/**
 * Serves a page on this machine alone and renders it again whenever one of its files changes. Errors in a
 * file are shown instead of the page.
 *
 * @throws {DiagnosticError} if the port is taken, or the network may not be used
 */
export function servePage({ port, files, page }: PageServer): ServedPage {
  let current = page().then((html) => html, wrong);
  let seen = stamps(files);
  const readers = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const look = setInterval(async () => {
    const now = await stamps(files);
    if (now === await seen) return;
    seen = Promise.resolve(now);
    current = page().then((html) => html, wrong);
    await current;
    for (const reader of readers) reader.enqueue(new TextEncoder().encode("data: changed\n\n"));
  }, LOOK);
  const changes = (): Response => {
    let own: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void readers.add(own = controller),
      cancel: () => {
        if (own !== undefined) readers.delete(own);
      },
    });
    return new Response(body, {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    });
  };
  let server: Deno.HttpServer<Deno.NetAddr>;
  try {
    server = Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, async ({ url }) => {
      const { pathname } = new URL(url);
      if (pathname === "/changes") return changes();
      if (pathname !== "/") return new Response("no such page\n", { status: 404 });
      const html = (await current).replace("</body>", `${RELOADS}</body>`);
      return new Response(html, {
        headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
      });
    });
  } catch (error) {
    clearInterval(look);
    throw inputError("serve/not-started", `Cannot serve on port ${port}: ${errorText(error)}`);
  }
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    finished: server.finished,
    stop: async () => {
      clearInterval(look);
      for (const reader of readers) reader.close();
      readers.clear();
      await server.shutdown();
    },
  };
}

/** A page with an error message. */
function wrong(error: unknown): string {
  const text = errorText(error).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<!doctype html><meta charset="utf-8"><title>Tilewright</title><body><pre>${text}</pre></body>`;
}

/** Modification time of each file; none for a file that is being replaced. */
async function stamps(files: readonly string[]): Promise<string> {
  const times = await Promise.all(
    files.map(async (file) => (await Deno.stat(file).catch(() => undefined))?.mtime?.getTime() ?? 0),
  );
  return times.join();
}
