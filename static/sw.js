// The page without a network: every file of one build, kept together. The build fills in which, each with the first half of
// its SHA-256: what a host sends instead of a file, as the page of a captive portal, is never kept.
//
// The document is asked of the host first, so that a new build shows at once; its files, whose names are those of their
// content, come from the host, too, until the worker of that build takes over. Without a host, the document and all of
// its files come from one kept build. So no two builds are ever mixed.
const HASH = "";
const FILES = {};
// Files whose names stay the same over builds.
const UNHASHED = /^(frame|start|worker)\.js$|^profiles\/|^manifest\.webmanifest$/;
// Longest wait for a host before the kept document is shown, milliseconds.
const PATIENCE_MS = 3000;

const scope = new URL(self.registration.scope);
// Another copy of the page on the same host keeps its own files.
const OURS = `stepcast ${scope.pathname} `;
const BUILD = OURS + HASH;
const isDocument = (path) => path === "" || path === "index.html";

// Whether an answer is a file of this build, byte by byte.
async function isOurs(file, answer) {
  if (!answer.ok) return false;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", await answer.clone().arrayBuffer()));
  const text = Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return text === FILES[file];
}

// Keeps a file: as the browser's cache has it, or as the host does where that is another.
async function keep(cache, file) {
  const address = new URL(file, scope);
  const fresh = UNHASHED.test(file) || isDocument(file);
  for (const mode of fresh ? ["reload"] : ["default", "reload"]) {
    const answer = await fetch(new Request(address, { cache: mode }));
    if (await isOurs(file, answer)) return cache.put(address, answer);
  }
  throw new Error(`${file} of the host is not of this build`);
}

addEventListener("install", (event) => {
  event.waitUntil(caches.open(BUILD).then((cache) => Promise.all(Object.keys(FILES).map((file) => keep(cache, file)))));
});

addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith(OURS) && name !== BUILD);
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(old(names).map((name) => caches.delete(name))))
      .then(() => clients.claim()),
  );
});

const kept = async (address) => (await caches.open(BUILD)).match(address, { ignoreSearch: true });

// Whether a host that has no such file has sent a document in its place.
const isInstead = (path, answer) => !isDocument(path) && /^text\/html\b/i.test(answer.headers.get("content-type") ?? "");

// What the host has, or what is kept of it.
async function newest(request, address, path) {
  const late = new Promise((_, give) => setTimeout(give, PATIENCE_MS));
  try {
    const answer = await Promise.race([fetch(request), late]);
    if (answer.ok && !isInstead(path, answer)) return answer;
  } catch {
    // No host: what is kept is as good.
  }
  return (await kept(address)) ?? fetch(request);
}

// A file of this build that is asked for anew, since what is kept of it was of no use.
async function renewed(address, path) {
  const plain = new URL(path, scope);
  try {
    const answer = await fetch(new Request(address, { cache: "reload" }));
    if (await isOurs(path, answer)) {
      await (await caches.open(BUILD)).put(plain, answer.clone());
      return answer;
    }
  } catch {
    // No host: what is kept is all there is.
  }
  return (await kept(plain)) ?? fetch(new Request(address, { cache: "reload" }));
}

addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || !request.url.startsWith(scope.href)) return;
  const path = address.pathname.slice(scope.pathname.length);
  const again = request.cache === "reload" || address.search !== "";
  if (isDocument(path)) event.respondWith(newest(request, new URL("index.html", scope), path));
  else if (UNHASHED.test(path)) event.respondWith(newest(request, address, path));
  else if (!Object.hasOwn(FILES, path)) return;
  else if (again) event.respondWith(renewed(address, path));
  else event.respondWith(kept(address).then((answer) => answer ?? fetch(request)));
});
