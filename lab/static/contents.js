/** The contents, where one answers a question. */

import { letTry } from "./trying.js";

letTry();
