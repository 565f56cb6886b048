// What plot.js exports, as far as the lab draws with it.

export interface Mark {
  readonly plotMark: unique symbol;
}

type Options = Record<string, unknown>;

export function plot(options: Options & { marks: (Mark | Mark[])[] }): LabPlot;
export function areaY(data: object[], options: Options): Mark;
export function axisX(options: Options): Mark;
export function axisY(options: Options): Mark;
export function barY(data: object[], options: Options): Mark;
export function dot(data: object[], options: Options): Mark;
export function gridY(options: Options): Mark;
export function line(data: object[], options: Options): Mark;
export function ruleX(data: unknown[], options: Options): Mark;
export function ruleY(data: unknown[], options: Options): Mark;
