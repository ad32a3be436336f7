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

  const missing = (file) =>
    fail(
      "The predictor could not be loaded.",
      `${file} is missing, damaged or out of reach. If the page was published anew since you opened it, trying again helps.`,
    );
  const name = (address) => new URL(address, location.href).pathname.split("/").pop();

  const broken = (reason) => {
    const program = document.querySelector('link[type="application/wasm"]')?.href;
    if (program && /compile|fetch|network/i.test(reason)) missing(`${name(program)} (${reason})`);
    else fail("The predictor could not be started.", reason);
  };

  addEventListener(
    "error",
    (event) => {
      if (event.target?.src) missing(name(event.target.src));
      else if (event.message) broken(event.message);
    },
    true,
  );
  addEventListener("unhandledrejection", (event) => broken(String(event.reason?.message ?? event.reason)));
  addEventListener("DOMContentLoaded", () => {
    if (typeof WebAssembly !== "object") {
      fail("This browser has no WebAssembly, in which the predictor runs.", "It may be switched off by a setting or a policy.");
    }
  });
})();
