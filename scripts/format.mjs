// `npm run format`: formats Rust, TypeScript, CSS and JSON, and mends what the
// linters can mend.

import { nodePackages } from "./lib/node-packages.mjs";
import { inside } from "./lib/paths.mjs";
import { main, optionsOf, stage } from "./lib/report.mjs";
import { run } from "./lib/run.mjs";

optionsOf();
await main(async () => {
  await stage("node packages", nodePackages);
  await stage("rustfmt", () => run("cargo", ["fmt", "--all"]));
  const biome = inside("node_modules", "@biomejs", "biome", "bin", "biome");
  await stage("Biome", () => run(process.execPath, [biome, "check", "--write"]));
});
