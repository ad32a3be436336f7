// Before the first paint: the theme, so that the page never flashes in another.
(() => {
  const query = new URLSearchParams(location.search);
  let theme = query.get("theme");
  try {
    theme ??= localStorage.getItem("stepcast.theme");
  } catch {
    // Storage may be switched off; the system's theme is as good.
  }
  const root = document.documentElement;
  root.dataset.theme = ["light", "dark"].includes(theme) ? theme : "auto";
  // The page's own address, which is to be written out and which no build knows.
  document.querySelector('link[rel="canonical"]')?.setAttribute("href", location.origin + location.pathname);
  if (query.get("embed") === "1") {
    root.dataset.embed = "1";
    document.head.append(Object.assign(document.createElement("script"), { src: "frame.js" }));
  }
  // The page around it makes the frame as high as its content.
  if (query.has("host")) root.dataset.host = "1";
})();

// The further modules, each once for all that ask for it. Every attempt has an address of its own: browsers remember
// failures.
const modules = {};
// What they draw has a style sheet of its own; without it all is there, and plain.
let style;
const styled = () =>
  (style ??= new Promise((done) => {
    const { content } = document.querySelector('meta[name="late-style"]');
    if (!content.endsWith(".css")) return done();
    const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: content });
    sheet.onload = sheet.onerror = done;
    document.head.append(sheet);
  }));
const load = (name) => {
  const module = (modules[name] ??= { attempts: 0 });
  return (module.loaded ??= (async () => {
    try {
      const { content } = document.querySelector(`meta[name="${name}"]`);
      const query = module.attempts ? `?${module.attempts}` : "";
      const [loaded] = await Promise.all([import(new URL(content + query, document.baseURI)), styled()]);
      await loaded.default();
      return loaded;
    } catch (error) {
      module.loaded = undefined;
      module.attempts += 1;
      throw error;
    }
  })());
};
globalThis.loadModule = load;

// What nobody waits for: files and texts that are dropped and pasted, launch flags, links that are packed.
globalThis.packedAddress = async (address) => address;
const offers = () => document.head.append(Object.assign(document.createElement("script"), { src: "offer.js" }));
if (/^#[12]\./.test(location.hash)) offers();
else addEventListener("TrunkApplicationStarted", offers);

// Until the program runs: says what keeps it from starting, and offers to fetch everything anew.
(() => {
  let ended = false;
  const end = () => (ended = true);
  addEventListener("TrunkApplicationStarted", end);

  // Fetches every file of the page past the caches, then loads it again.
  const again = async () => {
    const files = [...document.querySelectorAll("script[src], link[href]")].map((file) => file.src || file.href);
    await Promise.allSettled([location.pathname, ...files].map((file) => fetch(file, { cache: "reload" })));
    location.reload();
  };

  const fail = (sentence, reason) => {
    const place = document.querySelector(".shell-loading");
    if (ended || !place) return;
    end();
    const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
    const notice = document.createElement("div");
    notice.className = "notice notice-failed shell-failed";
    notice.setAttribute("role", "alert");
    const button = element("button", "Try again");
    button.type = "button";
    button.addEventListener("click", again);
    notice.append(element("p", sentence), element("p", reason), button);
    place.replaceWith(notice);
  };

  // A document of another build than the host has now is fetched anew without being asked, once a visit.
  const repaired = async (address) => {
    try {
      const { status } = await fetch(address, { method: "HEAD", cache: "no-store" });
      if (status !== 404 || sessionStorage.getItem("stepcast.repaired")) return false;
      sessionStorage.setItem("stepcast.repaired", "1");
    } catch {
      return false;
    }
    again();
    return true;
  };
  const missing = async (address, reason = "") => {
    if (ended || (await repaired(address))) return;
    fail(
      "The predictor could not be loaded.",
      `${name(address)}${reason} is missing, damaged or unreachable. If the page was updated since you opened it, try again.`,
    );
  };
  const name = (address) => new URL(address, location.href).pathname.split("/").pop();

  const broken = (reason) => {
    const program = document.querySelector('link[type="application/wasm"]')?.href;
    if (program && /compile|fetch|network/i.test(reason)) missing(program, ` (${reason})`);
    else fail("The predictor could not be started.", reason);
  };

  addEventListener(
    "error",
    (event) => {
      if (event.target?.src) missing(event.target.src);
      else if (event.message) broken(event.message);
    },
    true,
  );
  addEventListener("unhandledrejection", (event) => broken(String(event.reason?.message ?? event.reason)));
  // Keeps the page for when there is no network, once there is nothing better to do.
  const keep = () => {
    const worker = document.querySelector('meta[name="offline"]')?.content;
    if (worker?.endsWith(".js") && !document.documentElement.dataset.embed) navigator.serviceWorker?.register(worker).catch(() => {});
  };
  addEventListener("TrunkApplicationStarted", () => setTimeout(keep, 2000));
  addEventListener("DOMContentLoaded", () => {
    if (typeof WebAssembly !== "object") {
      fail("The predictor needs WebAssembly, which this browser does not provide.", "WebAssembly may be disabled by a setting or a policy.");
    }
  });
})();
