/** How the tests start Chromium, and which of them start it alone. */

/** Launch options: the browser that was named, with these flags besides the usual ones. */
export const launchOptions = (...flags: string[]) => ({
  ...(process.env.LACUNA_CHROMIUM ? { executablePath: process.env.LACUNA_CHROMIUM } : {}),
  args: ["--no-sandbox", "--disable-dev-shm-usage", ...flags],
});

/** Flags for WebGPU on a machine without a graphics card: Chromium brings SwiftShader. */
export const SOFTWARE_GPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

/** The tag of tests that measure time: no others run beside them. */
export const ALONE = "@alone";
