// The page without a network: every file of one build, kept together. The build fills in which.
//
// The document is asked of the host first, so that a new build shows at once; its files, whose names are those of their
// content, come from the host, too, until the worker of that build takes over. Without a host, the document and all of
// its files come from one kept build. So no two builds are ever mixed.
const HASH = "";
const FILES = [];
// Files whose names stay the same over builds.
const UNHASHED = /^(frame|start|worker)\.js$|^profiles\/|^manifest\.webmanifest$/;
// Longest wait for a host before the kept document is shown, milliseconds.
const PATIENCE_MS = 3000;

const scope = new URL(self.registration.scope);
// Another copy of the page on the same host keeps its own files.
const OURS = `stepcast ${scope.pathname} `;
const BUILD = OURS + HASH;
const isDocument = (path) => path === "" || path === "index.html";

addEventListener("install", (event) => {
  const request = (file) => new Request(new URL(file, scope), UNHASHED.test(file) || isDocument(file) ? { cache: "reload" } : {});
  event.waitUntil(caches.open(BUILD).then((cache) => cache.addAll(FILES.map(request))));
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

// What the host has, or what is kept of it.
async function newest(request, address) {
  const late = new Promise((_, give) => setTimeout(give, PATIENCE_MS));
  try {
    const answer = await Promise.race([fetch(request), late]);
    if (answer.ok) return answer;
  } catch {
    // No host: what is kept is as good.
  }
  return (await kept(address)) ?? fetch(request);
}

addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || !request.url.startsWith(scope.href)) return;
  const path = address.pathname.slice(scope.pathname.length);
  if (isDocument(path)) event.respondWith(newest(request, new URL("index.html", scope)));
  else if (UNHASHED.test(path)) event.respondWith(newest(request, address));
  else if (FILES.includes(path)) event.respondWith(kept(address).then((answer) => answer ?? fetch(request)));
});
