/** The worker that the engine starts if it is given no other. */

import { serve } from "./index.ts";

serve();
