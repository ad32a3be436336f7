// <stepcast-embed link="#2;m=llama3-70b;g=dgx-h100;n=512" view="breakdown">: a live forecast in any page.
(() => {
  const VERSION = 1;
  const HEIGHTS = { summary: 270, breakdown: 380, ranking: 520, compare: 640 };
  const base = new URL(".", document.currentScript.src);
  // Embeds start after the first has loaded, so that all share its download.
  let first;
  const dark = (element) => {
    const [red, green, blue] = getComputedStyle(element).color.match(/[\d.]+/g) ?? [0, 0, 0];
    return 0.3 * red + 0.6 * green + 0.1 * blue > 140;
  };

  // The fragment of a page's address, or of a link without its #.
  const fragment = (link) => (link.includes("#") ? link.slice(link.indexOf("#")) : link && `#${link}`);

  class StepcastEmbed extends HTMLElement {
    static observedAttributes = ["link", "view", "theme", "edit", "caption"];
    #frame;
    #shown;
    #leave;

    connectedCallback() {
      const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
      root.innerHTML = "<figure part=figure><iframe part=frame></iframe><figcaption part=caption></figcaption></figure>";
      root.firstChild.style.margin = 0;
      this.style.display ||= "block";
      this.#frame = root.querySelector("iframe");
      Object.assign(this.#frame.style, { width: "100%", border: 0, height: `${HEIGHTS[this.view] ?? 380}px` });
      const hear = (event) => this.#hear(event);
      addEventListener("message", hear);
      // The theme of the page around it.
      const follow = () => this.#show();
      const watch = new MutationObserver(follow);
      [document.documentElement, document.body].forEach((element) => watch.observe(element, { attributes: true }));
      const scheme = matchMedia("(prefers-color-scheme: dark)");
      scheme.addEventListener("change", follow);
      // Nothing is loaded before it comes near.
      const near = new IntersectionObserver(
        async ([{ isIntersecting }]) => {
          if (!isIntersecting) return;
          near.disconnect();
          if (first) await Promise.race([first, new Promise((go) => setTimeout(go, 3000))]);
          else first = new Promise((go) => this.addEventListener("stepcast-ready", go, { once: true }));
          this.#shown = "";
          this.#show();
        },
        { rootMargin: "300px" },
      );
      near.observe(this);
      this.#leave = () => {
        removeEventListener("message", hear);
        scheme.removeEventListener("change", follow);
        watch.disconnect();
        near.disconnect();
        this.#shown = undefined;
      };
    }

    disconnectedCallback() {
      this.#leave();
    }

    attributeChangedCallback(name, before) {
      if (before !== null) this.#show();
    }

    get view() {
      return this.getAttribute("view") ?? "summary";
    }

    get link() {
      return fragment(this.getAttribute("link") ?? "");
    }

    // Sets fields, { n: 1024 }, or the whole job, "#2;m=llama3-8b;g=dgx-h100;n=64" or a page's address.
    set(job) {
      const asked = typeof job === "string" ? { link: fragment(job) } : { fields: job };
      this.#frame.contentWindow.postMessage({ stepcast: VERSION, type: "set", ...asked }, base.origin);
    }

    #show() {
      if (this.#shown === undefined) return;
      const asked = this.getAttribute("theme") ?? "auto";
      const theme = asked === "auto" ? (dark(this) ? "dark" : "light") : asked;
      const query = new URLSearchParams({ embed: 1, view: this.view, theme, host: location.origin });
      if (this.hasAttribute("edit")) query.set("edit", this.getAttribute("edit"));
      const caption = this.getAttribute("caption");
      this.shadowRoot.querySelector("figcaption").textContent = caption;
      this.#frame.title = caption ?? "stepcast: training step forecast";
      const address = `${base}?${query}${this.link}`;
      if (address !== this.#shown) this.#frame.src = this.#shown = address;
    }

    #hear({ source, origin, data }) {
      if (source !== this.#frame.contentWindow || origin !== base.origin || data?.stepcast !== VERSION) return;
      const { type, height } = data;
      if (height > 0 && height < 1e4) this.#frame.style.height = `${height}px`;
      if (["ready", "resize", "change", "refused"].includes(type)) {
        this.dispatchEvent(new CustomEvent(`stepcast-${type}`, { detail: data, bubbles: true }));
      }
    }
  }
  customElements.get("stepcast-embed") ?? customElements.define("stepcast-embed", StepcastEmbed);
})();
