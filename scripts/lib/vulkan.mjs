// A Vulkan adapter for the kernels' native tests: the card's where there is a driver,
// else Mesa's lavapipe, which computes on the processor.

import { readdirSync } from "node:fs";
import { SetupError } from "./report.mjs";
import { installSystemPackages } from "./system-packages.mjs";

const FOLDERS = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
const PACKAGES = ["libvulkan1", "mesa-vulkan-drivers"];

/**
 * What the tests' environment needs so that a missing adapter fails them. Nothing where lavapipe,
 * the one driver that needs no card, is not there: the tests then skip the kernels and say so.
 */
export async function vulkanAdapter() {
  if (process.platform !== "linux") return {};
  try {
    const otherwise = "install Mesa's Vulkan drivers";
    if (drivers().length === 0) await installSystemPackages(PACKAGES, "a Vulkan driver", otherwise);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.log(`  kernels: not run natively; ${error.message}: ${error.mend}`);
  }
  return drivers().some((name) => name.startsWith("lvp_icd")) ? { LACUNA_REQUIRE_GPU: "1" } : {};
}

/** The files by which installed drivers make themselves known to the Vulkan loader. */
function drivers() {
  return FOLDERS.flatMap((folder) => {
    try {
      return readdirSync(folder).filter((name) => name.endsWith(".json"));
    } catch {
      return [];
    }
  });
}
