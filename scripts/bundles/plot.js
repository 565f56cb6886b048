// What the lab's pages draw with, and nothing else of the library.
export {
  areaY,
  axisX,
  axisY,
  barY,
  dot,
  gridY,
  line,
  plot,
  ruleX,
  ruleY,
} from "@observablehq/plot";
