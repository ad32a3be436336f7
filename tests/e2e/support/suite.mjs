// What every file of tests starts from: one server, one browser, and a fresh context per test that
// must end without problems.

import { after, afterEach, before, beforeEach } from "node:test";
import { assertClean, launch, newContext } from "./browser.mjs";
import { Stepcast } from "./page.mjs";
import { serve } from "./server.mjs";

// The job of the examples: a published model on a published cluster.
export const LLAMA = "#1;m=llama3-70b;g=dgx-h100;n=512";

// The same as the page writes it: every field of a layout that is set.
export const LLAMA_WRITTEN =
  "#2;m=llama3-70b;g=dgx-h100;n=512;seq=8192;gb=1024;stack=nemo;tp=8;sp=1;cp=1;pp=4;vpp=1;sched=1f1b;zero=1;mb=1;rc=none;split=even";

// APNet'24's GPT of 3 billion parameters, as the page's example has it.
export const APNET =
  "#1;m=apnet24-gpt-3b;g=apnet24-rtx3090;n=32;seq=1024;prec=fp16;stack=megatron-deepspeed;year=2023;tp=2;sp=0;zero=0;mb=32;rc=full;tpo=0;dpo=0";

export function suite(serverOptions) {
  const shared = {
    // Opens the page in a context of the running test.
    async open(fragment, { query, ...options } = {}) {
      const context = await shared.context(options);
      return Stepcast.open(context, shared.url, fragment, query);
    },
    // A fresh context; its problems are checked when the test ends.
    async context(options) {
      const opened = await newContext(shared.browser, shared.origin, options);
      shared.opened.push(opened);
      return opened.context;
    },
    // Problems so far, of all contexts of the running test.
    problems: () => shared.opened.flatMap((opened) => opened.problems),
  };
  before(async () => {
    Object.assign(shared, await serve(serverOptions), { browser: await launch() });
  });
  beforeEach(() => {
    shared.opened = [];
  });
  afterEach(async () => {
    // What was cut off by closing is no problem of the page.
    const problems = shared.problems();
    await Promise.all(shared.opened.map((opened) => opened.context.close()));
    assertClean(problems);
  });
  after(async () => {
    await shared.browser?.close();
    await shared.close?.();
  });
  return shared;
}
