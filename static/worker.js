// Starts the page's own WebAssembly module in a worker. The page posts the address of the module's
// JavaScript and the compiled module itself; everything after that is between the two Rust sides.
self.onmessage = async ({ data: { glue, module } }) => {
  self.onmessage = null;
  try {
    const { default: init } = await import(glue);
    await init({ module_or_path: module });
  } catch (error) {
    self.postMessage(String(error));
  }
};
