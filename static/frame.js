// In an embed: talks with the page around it, in messages of one shape and version. `embed.js` is the other side.
//
// Out: { stepcast: 1, type: "ready" | "resize", height }, { stepcast: 1, type: "change", link } and
// { stepcast: 1, type: "refused", reason }. In, from the page around it alone: { stepcast: 1, type: "set", link } or
// { stepcast: 1, type: "set", fields: { key: value } }. Anything else is refused and changes nothing.
(() => {
  const VERSION = 1;
  const LONGEST_LINK = 16384;
  const LONGEST_VALUE = 256;
  const MOST_FIELDS = 128;
  const query = new URLSearchParams(location.search);
  const host = query.get("host") ?? "";
  // Whom it talks with is said in its address, so that no other page listens or is listened to.
  if (query.get("embed") !== "1" || parent === window || !/^https?:\/\/[^/?#]+$/.test(host)) return;

  const tell = (type, rest) => parent.postMessage({ stepcast: VERSION, type, ...rest }, host);
  const isLink = (text) => typeof text === "string" && text.length <= LONGEST_LINK && /^#\d+(;|$)/.test(text);
  const isValue = (value) =>
    typeof value === "boolean" || Number.isFinite(value) || (typeof value === "string" && value.length <= LONGEST_VALUE);
  const areFields = (fields) =>
    fields !== null &&
    typeof fields === "object" &&
    Object.keys(fields).length <= MOST_FIELDS &&
    Object.entries(fields).every(([key, value]) => /^[a-z]{1,16}$/.test(key) && isValue(value));

  // The link with some of its fields set anew.
  const changed = (fields) => {
    const written = (value) => (typeof value === "boolean" ? Number(value) : value);
    const pairs = (link() || "#2").split(";").filter((pair) => !Object.hasOwn(fields, pair.split("=")[0]));
    return [...pairs, ...Object.entries(fields).map(([key, value]) => `${key}=${encodeURIComponent(written(value))}`)].join(";");
  };
  const whole = () => document.querySelector(".embed-foot a")?.href;
  const link = () => (whole() ? new URL(whole()).hash : location.hash);

  const asked = (data) => {
    const keys = Object.keys(data ?? {}).sort().join();
    if (data?.stepcast !== VERSION || data.type !== "set") return "no message of this version";
    if (keys === "link,stepcast,type" && isLink(data.link)) return void location.replace(data.link);
    if (keys === "fields,stepcast,type" && areFields(data.fields)) return void location.replace(changed(data.fields));
    return "a set message has a link, or fields with their values";
  };
  addEventListener("message", (event) => {
    if (event.source !== parent || event.origin !== host) return;
    const reason = asked(event.data);
    if (reason) tell("refused", { reason });
  });

  let ready = false;
  let told = "";
  const look = () => {
    const main = document.querySelector("main.embed");
    if (!main) return;
    const height = Math.ceil(main.getBoundingClientRect().bottom + scrollY);
    if (!ready) {
      ready = true;
      told = link();
      tell("ready", { height });
      new ResizeObserver(() => tell("resize", { height: Math.ceil(main.getBoundingClientRect().bottom + scrollY) })).observe(main);
    } else if (link() !== told) {
      told = link();
      tell("change", { link: told });
    }
  };
  new MutationObserver(look).observe(document, { attributes: true, childList: true, subtree: true });
  // The view may stand there already.
  look();
})();
