// Generated from data/gpus.tsv by `cargo xtask data`: change the table, not this file.

//! GPUs by their data sheets.

use super::presets::{GpuPreset, gpu, gpus};
use super::{Gpu, GpuFamily};

gpus! {
V100_32G = "v100-32g", "V100 SXM2 32 GB", "v100", gpu([125.0, 0.0, 0.0], 32.0, 0.9, 80, 100, GpuFamily::Volta), 300.0, 0.97, Some("dgx1-v100"), "median price of older GPUs, AIMultiple GPU index, May 2026: https://aimultiple.com/gpu-index";
V100_16G = "v100-16g", "V100 SXM2 16 GB", "v100 16g", gpu([125.0, 0.0, 0.0], 16.0, 0.9, 80, 100, GpuFamily::Volta), 300.0, 0.97, Some("dgx1-v100-16g"), "as V100 SXM2 32 GB";
V100_32G_PCIE = "v100-32g-pcie", "V100 PCIe 32 GB", "v100 pcie", gpu([112.0, 0.0, 0.0], 32.0, 0.9, 80, 100, GpuFamily::Volta), 250.0, 0.97, None, "as V100 SXM2";
T4 = "t4", "T4 16 GB", "t4", gpu([65.0, 0.0, 0.0], 16.0, 0.32, 40, 100, GpuFamily::Turing), 70.0, 0.35, Some("t4"), "Google Cloud, on demand: https://cloud.google.com/compute/gpus-pricing";
RTX3090 = "rtx3090", "GeForce RTX 3090", "3090", gpu([71.0, 0.0, 0.0], 24.0, 0.936, 82, 100, GpuFamily::Geforce), 350.0, 0.39, Some("rtx3090"), "RunPod, on demand, March 2026: https://deploybase.ai/articles/runpod-gpu-pricing";
A10 = "a10", "A10 24 GB", "a10", gpu([125.0, 0.0, 0.0], 24.0, 0.6, 72, 71, GpuFamily::AmpereGa10x), 150.0, 0.75, Some("a10-pcie"), "Lambda, on demand: https://lambda.ai/pricing";
A10G = "a10g", "A10G 24 GB", "a10g", gpu([70.0, 0.0, 0.0], 24.0, 0.6, 80, 366, GpuFamily::AmpereGa10x), 300.0, 1.00, Some("a10g"), "AWS g5.xlarge, on demand: https://aws.amazon.com/ec2/instance-types/g5/";
RTXA5000 = "rtxa5000", "RTX A5000 24 GB", "a5000", gpu([111.1, 0.0, 0.0], 24.0, 0.768, 64, 132, GpuFamily::AmpereGa10x), 230.0, 0.27, Some("rtxa5000"), "RTX A6000 price scaled by 16-bit peak, halved because of the smaller memory";
A40 = "a40", "A40 48 GB", "a40", gpu([149.7, 0.0, 0.0], 48.0, 0.696, 84, 106, GpuFamily::AmpereGa10x), 300.0, 0.80, Some("a40"), "same price class as RTX A6000, RunPod: https://docs.runpod.io/serverless/pricing";
RTXA6000 = "rtxa6000", "RTX A6000 48 GB", "a6000", gpu([154.8, 0.0, 0.0], 48.0, 0.768, 84, 100, GpuFamily::AmpereGa10x), 300.0, 0.80, Some("rtxa6000"), "Lambda, on demand: https://lambda.ai/pricing";
RTX4090 = "rtx4090", "GeForce RTX 4090", "4090", gpu([165.2, 330.3, 0.0], 24.0, 1.008, 128, 100, GpuFamily::Geforce), 450.0, 0.69, Some("rtx4090"), "RunPod, on demand: https://www.runpod.io/pricing";
L40S = "l40s", "L40S 48 GB", "l40s", gpu([362.0, 733.0, 0.0], 48.0, 0.864, 142, 100, GpuFamily::Ada), 350.0, 0.90, Some("l40s"), "midpoint of $0.80 to $1.00 at specialised clouds, on demand: https://www.runpod.io/pricing";
L4 = "l4", "L4 24 GB", "l4", gpu([121.0, 242.0, 0.0], 24.0, 0.3, 58, 124, GpuFamily::Ada), 72.0, 0.78, Some("l4"), "RunPod, on demand, March 2026: https://deploybase.ai/articles/runpod-gpu-pricing";
L40 = "l40", "L40 48 GB", "l40", gpu([181.0, 362.0, 0.0], 48.0, 0.864, 142, 268, GpuFamily::Ada), 300.0, 1.22, Some("l40"), "RunPod, on demand, March 2026: https://deploybase.ai/articles/runpod-gpu-pricing";
RTX6000ADA = "rtx6000ada", "RTX 6000 Ada 48 GB", "6000 ada/6000ada/rtx6000ada", gpu([364.2, 728.5, 0.0], 48.0, 0.96, 142, 86, GpuFamily::Ada), 300.0, 0.90, Some("rtx6000ada"), "same price class as L40S, RunPod: https://docs.runpod.io/serverless/pricing";
RTX5060TI_16G = "rtx5060ti-16g", "GeForce RTX 5060 Ti 16 GB", "5060 ti/5060ti", gpu([47.4, 94.8, 379.5], 16.0, 0.448, 36, 100, GpuFamily::GeforceBlackwell), 180.0, 0.20, Some("rtx5090"), "no list price found; RTX 4090 price scaled by 16-bit peak";
RTX5090 = "rtx5090", "GeForce RTX 5090", "5090", gpu([209.5, 419.0, 1676.0], 32.0, 1.792, 170, 100, GpuFamily::GeforceBlackwell), 575.0, 1.22, Some("rtx5090"), "RunPod, on demand, March 2026: https://deploybase.ai/articles/runpod-gpu-pricing";
RTXPRO6000 = "rtxpro6000", "RTX PRO 6000 Blackwell 96 GB", "pro 6000/pro6000", gpu([503.8, 1007.6, 2015.2], 96.0, 1.792, 188, 100, GpuFamily::BlackwellRtx), 600.0, 1.57, Some("rtxpro6000"), "RunPod, on demand, March 2026: https://deploybase.ai/articles/runpod-gpu-pricing";
A100_40G = "a100-40g", "A100 SXM4 40 GB", "a100 40g", gpu([312.0, 0.0, 0.0], 40.0, 1.555, 108, 100, GpuFamily::Ampere), 400.0, 1.30, Some("dgx-a100-40g"), "as A100 80 GB";
A100_80G = "a100-80g", "A100 SXM4 80 GB", "a100", gpu([312.0, 0.0, 0.0], 80.0, 2.039, 108, 100, GpuFamily::Ampere), 400.0, 1.30, Some("dgx-a100-80g"), "midpoint of $1.10 to $1.50 at specialised clouds, on demand, May 2026: https://www.mercatus-ai.com/blog/cloud-gpu-pricing";
A100_80G_PCIE = "a100-80g-pcie", "A100 PCIe 80 GB", "a100 pcie", gpu([312.0, 0.0, 0.0], 80.0, 1.935, 108, 75, GpuFamily::Ampere), 300.0, 1.30, Some("a100-pcie"), "as A100 SXM4 80 GB";
A100_64G = "a100-64g", "A100 custom 64 GB (Leonardo)", "a100 64g", gpu([358.2, 0.0, 0.0], 64.0, 1.631, 124, 93, GpuFamily::Ampere), 467.0, 1.30, Some("leonardo"), "as A100 80 GB";
A30 = "a30", "A30 24 GB", "a30", gpu([165.0, 0.0, 0.0], 24.0, 0.933, 56, 117, GpuFamily::Ampere), 165.0, 0.60, Some("a30"), "no list price found; A100 price scaled by 16-bit peak";
A800_80G = "a800-80g", "A800 SXM4 80 GB", "a800", gpu([312.0, 0.0, 0.0], 80.0, 2.039, 108, 100, GpuFamily::Ampere), 400.0, 1.30, Some("hgx-a800"), "as A100 80 GB";
H100_80G = "h100-80g", "H100 SXM5 80 GB", "h100", gpu([989.4, 1978.9, 0.0], 80.0, 3.35, 132, 100, GpuFamily::Hopper), 700.0, 3.00, Some("dgx-h100"), "midpoint of $2.50 to $3.50 at specialised clouds, on demand, May 2026: https://www.mercatus-ai.com/blog/cloud-gpu-pricing";
H100_96G_HBM2E = "h100-96g-hbm2e", "H100 96 GB HBM2e", "h100 96g", gpu([989.4, 1978.9, 0.0], 96.0, 2.4, 132, 71, GpuFamily::Hopper), 500.0, 3.00, Some("dgx-h100"), "as H100 80 GB";
H100_64G = "h100-64g", "H100 SXM5 64 GB (MareNostrum 5)", "h100 64g", gpu([989.4, 1978.9, 0.0], 64.0, 1.6, 132, 100, GpuFamily::Hopper), 700.0, 3.00, Some("marenostrum5"), "as H100 80 GB";
H100_80G_PCIE = "h100-80g-pcie", "H100 PCIe 80 GB", "h100 pcie", gpu([756.0, 1513.0, 0.0], 80.0, 2.0, 114, 78, GpuFamily::Hopper), 350.0, 2.40, Some("h100-pcie"), "RunPod, on demand: https://www.runpod.io/pricing";
H100_94G_NVL = "h100-94g-nvl", "H100 NVL 94 GB", "h100 nvl", gpu([835.0, 1671.0, 0.0], 94.0, 3.9, 132, 75, GpuFamily::Hopper), 400.0, 3.07, Some("h100-nvl"), "RunPod, on demand: https://gpu.blog/gpus/nvidia-h100-nvl";
H20 = "h20", "H20 96 GB", "h20", gpu([148.0, 296.0, 0.0], 96.0, 4.0, 78, 100, GpuFamily::HopperH20), 400.0, 1.50, Some("hgx-h20"), "no list price found; half the price of H100 80 GB";
H200 = "h200", "H200 SXM 141 GB", "h200", gpu([989.4, 1978.9, 0.0], 141.0, 4.8, 132, 100, GpuFamily::Hopper), 700.0, 4.00, Some("dgx-h200"), "midpoint of $3.50 to $4.50 at specialised clouds, on demand, May 2026: https://www.mercatus-ai.com/blog/cloud-gpu-pricing";
H200_NVL = "h200-nvl", "H200 NVL 141 GB", "h200 nvl", gpu([835.5, 1671.0, 0.0], 141.0, 4.8, 132, 113, GpuFamily::Hopper), 600.0, 3.40, Some("h200-nvl"), "H200 SXM price scaled by 16-bit peak";
H800 = "h800", "H800 SXM5 80 GB", "h800", gpu([989.4, 1978.9, 0.0], 80.0, 3.35, 132, 100, GpuFamily::Hopper), 700.0, 3.00, Some("hgx-h800"), "as H100 80 GB";
GH200 = "gh200", "GH200 96 GB HBM3", "gh200", gpu([989.4, 1978.9, 0.0], 96.0, 4.0, 132, 100, GpuFamily::Hopper), 700.0, 3.00, Some("vista"), "as H100 80 GB";
GH200_680W = "gh200-680w", "GH200 96 GB, 680 W with Grace", "gh200 680w", gpu([989.4, 1978.9, 0.0], 96.0, 4.0, 132, 83, GpuFamily::Hopper), 580.0, 3.00, Some("jupiter"), "as H100 80 GB";
GH200_144G = "gh200-144g", "GH200 144 GB HBM3e", "gh200 144g", gpu([989.4, 1978.9, 0.0], 144.0, 4.9, 132, 100, GpuFamily::Hopper), 700.0, 3.50, Some("gh200-144g"), "between H100 and H200";
B200 = "b200", "B200 180 GB", "b200", gpu([2250.0, 4500.0, 9000.0], 180.0, 8.0, 148, 100, GpuFamily::Blackwell), 1000.0, 5.25, Some("dgx-b200"), "midpoint of $4.50 to $6.00 at specialised clouds, on demand, March 2026: https://lyceum.technology/magazine/nvidia-b200-gpu-cloud-pricing-2026/";
B300 = "b300", "B300 270 GB", "b300", gpu([2250.0, 4500.0, 13500.0], 270.0, 8.0, 148, 100, GpuFamily::BlackwellUltra), 1100.0, 6.13, Some("dgx-b300"), "midpoint of $5.00 to $7.25 at specialised clouds, on demand, 2026: https://www.ornnai.com/research/nvidia-b200-vs-b300-why-use-one-instead-of-the-other";
GB200 = "gb200", "GB200 186 GB", "gb200", gpu([2500.0, 5000.0, 10000.0], 186.0, 8.0, 148, 100, GpuFamily::Blackwell), 1200.0, 5.25, Some("gb200-nvl72"), "as B200";
GB300 = "gb300", "GB300 279 GB", "gb300", gpu([2500.0, 5000.0, 15000.0], 279.0, 8.0, 148, 100, GpuFamily::BlackwellUltra), 1400.0, 6.13, Some("gb300-nvl72"), "as B300";
MI210 = "mi210", "Instinct MI210 64 GB", "mi210", gpu([181.0, 0.0, 0.0], 64.0, 1.6385, 104, 100, GpuFamily::Cdna2), 300.0, 0.80, Some("mi210"), "no list price found; price of MI250";
MI250 = "mi250", "Instinct MI250, one of two dies", "mi250", gpu([181.05, 0.0, 0.0], 64.0, 1.6385, 104, 100, GpuFamily::Cdna2), 280.0, 0.80, Some("mi250x"), "as MI250X";
MI250X = "mi250x", "Instinct MI250X, one of two dies", "mi250x", gpu([191.5, 0.0, 0.0], 64.0, 1.6385, 110, 100, GpuFamily::Cdna2), 280.0, 0.80, Some("mi250x"), "no list price found; MI300X price scaled by 16-bit peak, rounded up";
MI300X = "mi300x", "Instinct MI300X 192 GB", "mi300x", gpu([1307.4, 2614.9, 0.0], 192.0, 5.3, 304, 100, GpuFamily::Cdna3), 750.0, 1.99, Some("mi300x"), "median list price, on demand, May 2026: https://www.cliffcenter.com/research/amd-inference-economics";
MI325X = "mi325x", "Instinct MI325X 256 GB", "mi325x", gpu([1307.4, 2614.9, 0.0], 256.0, 6.0, 304, 133, GpuFamily::Cdna3), 1000.0, 2.25, Some("mi325x"), "upper end of $2.00 to $2.25: https://awesomeagents.ai/hardware/amd-mi325x";
MI350X = "mi350x", "Instinct MI350X 288 GB", "mi350x", gpu([2300.0, 4600.0, 9200.0], 288.0, 8.0, 256, 82, GpuFamily::Cdna4), 1000.0, 3.50, Some("mi350x"), "no list price found; MI300X price scaled by 16-bit peak";
MI355X = "mi355x", "Instinct MI355X 288 GB", "mi355x", gpu([2500.0, 5000.0, 10000.0], 288.0, 8.0, 256, 100, GpuFamily::Cdna4), 1400.0, 3.81, Some("mi355x"), "no list price found; MI300X price scaled by 16-bit peak";
}
