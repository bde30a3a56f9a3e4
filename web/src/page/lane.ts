/** A method's run on the page's request, and what became of it. */

import type { Method } from "lacuna-lm";
import { Timeline } from "./timeline.ts";
import type { Verdict } from "./verdict.ts";

/** A run among those that are shown side by side. */
export class Lane {
  readonly method: Method;
  /** What has been shown of it. */
  readonly timeline = new Timeline();
  /** What others make of its text. */
  verdict: Verdict | undefined;
  /** Why it could not go on, if so. */
  fault: string | undefined;

  constructor(method: Method) {
    this.method = method;
  }

  /** Whether nothing more will come. */
  get over(): boolean {
    return this.timeline.done !== undefined || this.fault !== undefined;
  }
}
