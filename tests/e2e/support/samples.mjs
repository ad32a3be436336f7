// Samples of a made-up GPU: a linear layer, forward and backward, on a grid of shapes (84 of them, or 1,755), with two
// rows that cannot be read and one that no GPU can be as fast as.
export function linear(full = false) {
  const rate = 300e6;
  const every = (first, last, step) => Array.from({ length: (last - first) / step + 1 }, (_, at) => first + at * step);
  const rows = ["mp,b,l,dim,F_dur(us),B_dur(us)"];
  let noise = 1;
  const shapes = full
    ? [[1, 2, 4, 8, 16], [2, 4, 8], every(1024, 5120, 512), every(2048, 8192, 512)]
    : [[1, 2, 4, 8], [4], [1024, 2048, 4096], every(2048, 8192, 1024)];
  for (const mp of shapes[0]) {
    for (const b of shapes[1]) {
      for (const l of shapes[2]) {
        for (const dim of shapes[3]) {
          noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0;
          const flops = 2 * b * l * dim * ((3 * dim) / mp);
          const time = (20 + flops / rate) * (1 + (0.04 * noise) / 2 ** 32);
          rows.push([mp, b, l, dim, time.toFixed(3), (2 * time).toFixed(3)].join());
        }
      }
    }
  }
  rows.push("1,4,wide,4096,10,20", "1,4,2048", "1,4,4096,8192,10,20");
  return rows.join("\n") + "\n";
}

// What nccl-tests prints for an all-reduce over eight GPUs.
export function nccl() {
  const ranks = Array.from({ length: 8 }, (_, rank) => `#  Rank  ${rank} Group  0 Pid  1 on   node device  ${rank} [0x01] NVIDIA H100`);
  const rows = [];
  for (let bytes = 1 << 16; bytes <= 1 << 30; bytes *= 2) {
    const time = 25 + (bytes * 1.75) / 400e3;
    rows.push(`  ${bytes}  ${bytes / 4}  float  sum  -1  ${time.toFixed(2)}  1.0  1.0  0  ${time.toFixed(2)}  1.0  1.0  0`);
  }
  return [
    "# nThread 1 nGpus 8",
    ...ranks,
    "#                                out-of-place                       in-place",
    "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong",
    ...rows,
    "",
  ].join("\n");
}
