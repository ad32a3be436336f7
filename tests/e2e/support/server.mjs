// Serves the built page the way a plain static host would, from a sub-path.

import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

export const DIST = resolve(fileURLToPath(import.meta.url), "../../../../dist");

// A sub-path: the page must not assume that it is at the root of its host.
const BASE = "/some/where/";

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

// Compressed quickly and aside, so that the tests in this process, which hold time limits, go on.
const QUICK = 4;
// As the build counts, and hosts that compress in advance do.
export const BEST = 11;
const squeeze = async (file, quality) =>
  promisify(brotliCompress)(await readFile(file), { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });

// `types` overrides content types by extension. `html` maps further paths, at the root of the host,
// to documents, for pages that embed ours. `brotli` compresses as most hosts do, or with the quality that it is. `root` is the folder that is served, and
// may be another later; `caching` gives the Cache-Control of a path. `served` counts the answers of each path.
export async function serve({ types = {}, html = {}, brotli = true, root = () => DIST, caching = () => null } = {}) {
  const known = { ...TYPES, ...types };
  const compressed = new Map();
  const served = new Map();
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    if (path in html) {
      response.writeHead(200, { "content-type": TYPES[".html"] }).end(html[path]);
      return;
    }
    const file = normalize(join(root(), path.slice(BASE.length) || "index.html"));
    const found = path.startsWith(BASE) && file.startsWith(root() + sep) && (await stat(file).catch(() => null));
    if (!found || !found.isFile()) {
      response.writeHead(404).end();
      return;
    }
    served.set(path, (served.get(path) ?? 0) + 1);
    const cached = caching(path);
    const type = known[extname(file)] ?? "application/octet-stream";
    const headers = { "content-type": type, ...(cached && { "cache-control": cached }) };
    if (!brotli || !/\bbr\b/.test(request.headers["accept-encoding"] ?? "")) {
      response.writeHead(200, headers);
      createReadStream(file).pipe(response);
      return;
    }
    if (!compressed.has(file)) compressed.set(file, squeeze(file, brotli === true ? QUICK : brotli));
    response.writeHead(200, { ...headers, "content-encoding": "br" }).end(await compressed.get(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://localhost:${server.address().port}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { origin, url: origin + BASE, close, served };
}
