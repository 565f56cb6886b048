/** Where the pages around a survey start: all that they can do is to be left at once. */

import { armExit } from "./exit.js";
import { openStorage } from "./storage.js";

armExit(openStorage());
