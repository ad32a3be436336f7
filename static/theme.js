// Runs before the first paint: the theme, so that the page never flashes in another.
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
  if (query.get("embed") === "1") {
    root.dataset.embed = "1";
    document.head.append(Object.assign(document.createElement("script"), { src: "frame.js" }));
  }
  // The page around it makes the frame as high as its content.
  if (query.has("host")) root.dataset.host = "1";
})();
