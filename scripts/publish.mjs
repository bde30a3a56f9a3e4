// `npm run publish:package`: looks at what would be published; `--publish` does it. npm
// signs where a package was built (its provenance), which takes a run of GitHub Actions
// with `id-token: write`: elsewhere nothing is published.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { PACKAGE } from "./lib/npm-package.mjs";
import { main, optionsOf, SetupError, stage } from "./lib/report.mjs";
import { capture, run } from "./lib/run.mjs";

const values = optionsOf({ publish: { type: "boolean", default: false } });

function requireChangelog() {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
  const changes = readFileSync(join(PACKAGE, "CHANGELOG.md"), "utf8");
  if (changes.includes(`\n## ${version}\n`)) return;
  const mend = `write what is new under "## ${version}" in web/lacuna/CHANGELOG.md`;
  throw new SetupError(`the change log says nothing of version ${version}`, mend);
}

async function requireCommitted() {
  const { output } = await capture("git", ["status", "--porcelain"]);
  if (output === "") return;
  throw new SetupError(`what is published has to be committed:\n${output}`, "git commit");
}

function requireIdentity() {
  const { GITHUB_ACTIONS, ACTIONS_ID_TOKEN_REQUEST_URL } = process.env;
  if (GITHUB_ACTIONS && ACTIONS_ID_TOKEN_REQUEST_URL) return;
  const mend = "publish from GitHub Actions, with `permissions: id-token: write`";
  throw new SetupError("there is no identity here to sign the provenance with", mend);
}

const publish = () =>
  run("npm", ["publish", "--provenance", "--access", "public"], { cwd: PACKAGE });

await main(async () => {
  requireChangelog();
  if (values.publish) requireIdentity();
  await build();
  if (!values.publish) {
    const dry = ["publish", "--dry-run", "--no-provenance"];
    await stage("what would be published", () => run("npm", dry, { cwd: PACKAGE }));
    return;
  }
  await stage("everything is committed", requireCommitted);
  await stage("publishing", publish);
});
