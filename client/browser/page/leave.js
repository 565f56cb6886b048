/** Loaded first, by every page that names a survey: it can be left at once, whatever else fails. */

import { openStorage } from "../core/storage.js";
import { armExit } from "./exit.js";

armExit(openStorage());
