// Bars over time as SVG, with the same numbers as a table.

import { day, h, s } from './dom.js';

const WIDTH = 720;
const HEIGHT = 180;
const MARGIN = { left: 56, right: 8, top: 10, bottom: 24 };

/**
 * What a chart shows of each period: the number that is drawn, and the columns of the same as a table.
 * @typedef {{ start: number }} Period
 * @typedef {{ name: string, value: (period: any) => number, shown: (value: number) => string,
 *   columns: [string, (period: any) => string][] }} Series
 */

/**
 * Bars by day, above or below zero.
 * @param {Period[]} periods @param {Series} series
 */
export function barChart(periods, series) {
  const values = periods.map(series.value);
  const top = nice(Math.max(0, ...values));
  const bottom = -nice(Math.max(0, ...values.map((value) => -value)));
  const range = top - bottom || 1;
  const inner = { width: WIDTH - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
  /** @param {number} value */
  const y = (value) => MARGIN.top + ((top - value) / range) * inner.height;
  const step = inner.width / periods.length;
  const bars = periods.map((one, index) => {
    const from = Math.min(y(0), y(values[index]));
    const height = Math.abs(y(0) - y(values[index]));
    return s('rect', {
      x: (MARGIN.left + index * step + step * 0.1).toFixed(1), y: from.toFixed(1), width: (step * 0.8).toFixed(1), height: height.toFixed(1),
      class: values[index] < 0 ? 'loss' : 'gain',
    }, s('title', {}, `${day(one.start)}: ${series.shown(values[index])}`));
  });
  // A mark too near to zero would be written over it.
  const marks = [0, top, bottom].filter((value) => value === 0 || Math.abs(y(value) - y(0)) > 16);
  const every = Math.ceil(periods.length / 6);
  const labels = periods.map((one, index) => (index % every ? null
    : s('text', { x: (MARGIN.left + (index + 0.5) * step).toFixed(1), y: HEIGHT - 6, 'text-anchor': 'middle' }, day(one.start))));
  const total = values.reduce((sum, value) => sum + value, 0);
  return h('figure', { class: 'chart' },
    s('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${series.name}: ${series.shown(total)} in all` },
      marks.map((value) => [
        s('line', { x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(value).toFixed(1), y2: y(value).toFixed(1), class: value === 0 ? 'axis' : 'grid' }),
        s('text', { x: MARGIN.left - 6, y: (y(value) + 4).toFixed(1), 'text-anchor': 'end' }, short(value)),
      ]).flat(), bars, labels),
    h('figcaption', {}, h('details', {}, h('summary', {}, 'The same as a table'),
      table(series.name, ['Day', ...series.columns.map((column) => column[0])], periods.filter((one, index) => values[index] !== 0)
        .map((one) => [day(one.start), ...series.columns.map((column) => column[1](one))])))));
}

/**
 * A table whose first column names the rows; the others are numbers.
 * @param {string} label @param {string[]} head @param {(string | Node)[][]} rows
 */
export function table(label, head, rows) {
  return h('div', { class: 'wide', role: 'region', tabindex: '0', 'aria-label': label }, h('table', {},
    h('thead', {}, h('tr', {}, head.map((text, index) => h('th', { scope: 'col', class: index ? 'number' : '' }, text)))),
    h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell, index) => (
      index ? h('td', { class: `number ${typeof cell === 'string' && cell.startsWith('\u2212') ? 'loss' : ''}` }, cell) : h('th', { scope: 'row' }, cell))))))));
}

/** The next number of 1, 2, 5 times a power of ten. @param {number} value */
function nice(value) {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((one) => one * power >= value) ?? 10;
  return factor * power;
}

/** @param {number} value */
function short(value) {
  const size = Math.abs(value);
  const text = size >= 1e6 ? `${+(size / 1e6).toFixed(1)}M` : size >= 1e3 ? `${+(size / 1e3).toFixed(1)}k` : String(Math.round(size));
  return value < 0 ? `−${text}` : text;
}
