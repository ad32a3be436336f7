// Loaded when the page is ready: what other tools have written, and links that are packed.
(() => {
  // Links whose pairs are compressed, `#2.` and raw DEFLATE in base64 for addresses: short enough to send.
  const PACKED = /^(#[12])\./;
  const LONG_LINK = 2000;
  // Most bytes of a link's pairs, as `document::LONGEST` has it: a few packed ones may hold gigabytes.
  const MOST_PAIRS = 65_536;
  // Packing makes nothing longer but by its base64.
  const MOST_PACKED = 2 * MOST_PAIRS;
  const through = (bytes, stream) => new Blob([bytes]).stream().pipeThrough(stream);
  const upTo = async (most, stream) => {
    const reader = stream.getReader();
    const parts = [];
    let length = 0;
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      length += value.length;
      if (length > most) {
        reader.cancel().catch(() => {});
        throw new RangeError("too long");
      }
      parts.push(value);
    }
    return new Blob(parts).text();
  };
  const unpack = async () => {
    const { hash } = location;
    if (hash.length > MOST_PACKED) throw new RangeError("too long");
    const [start, version] = PACKED.exec(hash);
    const text = atob(hash.slice(start.length).replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt());
    const pairs = await upTo(MOST_PAIRS, through(bytes, new DecompressionStream("deflate-raw")));
    if (location.hash === hash) location.replace(`${version}${pairs}`);
  };
  // Nobody reads a packed link before it is unpacked, but one that is damaged: the page says so.
  let damaged;
  const opened = (event) => {
    const { hash } = location;
    if (!PACKED.test(hash) || hash === damaged) return;
    event?.stopImmediatePropagation();
    unpack().catch(() => {
      damaged = hash;
      dispatchEvent(new Event("hashchange"));
    });
  };
  ["popstate", "hashchange"].forEach((name) => addEventListener(name, opened, true));
  opened();

  // An address as it is copied: one with a long link has it packed.
  globalThis.packedAddress = async (address) => {
    const [page, link] = address.split("#2;");
    if (address.length < LONG_LINK || !link) return address;
    const packed = new Response(through(`;${link}`, new CompressionStream("deflate-raw")));
    const bytes = new Uint8Array(await packed.arrayBuffer());
    const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    return `${page}#2.${text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
  };

  // Files that are dropped and texts that are pasted anywhere, and buttons that ask for what the third module has.
  const LONGEST = 64 << 20;
  // The address has what was typed last a moment later, and a file is imported onto that.
  const ADDRESS_PAUSE = 250;
  const offer = async (what, name, text) => {
    try {
      if (what === "import") await new Promise((done) => setTimeout(done, ADDRESS_PAUSE));
      (await loadModule("exchange")).offer(what, name, text);
    } catch (reason) {
      const place = Object.assign(document.createElement("p"), { className: "notice notice-failed" });
      place.setAttribute("role", "alert");
      place.textContent = `This part could not be loaded (${reason}).`;
      document.querySelector("main").prepend(place);
    }
  };
  const read = async (files) => {
    for (const file of files) offer("import", file.name, file.size > LONGEST ? undefined : await file.text());
  };
  const hear = (name, act) => addEventListener(name, (event) => event.defaultPrevented || act(event));

  if (document.documentElement.dataset.embed) return;
  hear("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
  hear("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    read(event.dataTransfer.files);
  });
  hear("paste", (event) => {
    const { target, clipboardData } = event;
    const text = clipboardData.getData("text").trim();
    // What a field takes is the field's: texts of several lines, of which one of a line takes none, are not.
    const field = target.closest?.("textarea, input, select, dialog");
    if (field && !(field.matches("input") && (clipboardData.files.length || /^{|\n|#[12]\./.test(text)))) return;
    if (field) {
      // What was typed there is taken, and a list that it searches closes.
      event.preventDefault();
      field.blur();
    }
    if (clipboardData.files.length) read(clipboardData.files);
    else if (text) offer("import", "", text);
  });
  hear("click", ({ target }) => {
    const { dataset } = target.closest?.("[data-import], [data-flags]") ?? {};
    if (dataset) offer("flags" in dataset ? "flags" : "import", "", dataset.flags ?? dataset.import);
  });
})();
