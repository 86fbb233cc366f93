// Bars over time as SVG, with the same numbers as a table.

import { day, h, s } from './dom.js';

const WIDTH = 720;
const HEIGHT = 180;
const MARGIN = { left: 56, right: 8, top: 10, bottom: 24 };

/**
 * What a chart shows of each period: bars above zero, bars below it, a mark for their sum, and the columns of the same as a
 * table.
 * @typedef {{ start: number }} Period
 * @typedef {{ name: string, up: (period: any) => number, down?: (period: any) => number, shown: (value: number) => string,
 *   axis?: (value: number) => string, legend?: [string, string][], columns: [string, (period: any) => string][] }} Series
 */

/** The middle of a period is in its day, also where a clock was changed since and its 24 hours do not begin at midnight. */
const HALF_DAY = 12 * 60 * 60 * 1000;

/** @param {Period} period */
const dayOf = (period) => day(period.start + HALF_DAY);

/**
 * Bars by day, above and below zero.
 * @param {Period[]} periods @param {Series} series
 */
export function barChart(periods, series) {
  const { up, down = () => 0, axis = short } = series;
  const top = nice(Math.max(0, ...periods.map(up)));
  const bottom = -nice(Math.max(0, ...periods.map(down)));
  const range = top - bottom || 1;
  const inner = { width: WIDTH - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
  /** @param {number} value */
  const y = (value) => MARGIN.top + ((top - value) / range) * inner.height;
  const step = inner.width / periods.length;
  /** @param {number} index @param {number} value @param {string} kind */
  const bar = (index, value, kind) => (value === 0 ? null : s('rect', {
    x: (MARGIN.left + index * step + step * 0.1).toFixed(1), y: Math.min(y(0), y(value)).toFixed(1),
    width: (step * 0.8).toFixed(1), height: Math.abs(y(0) - y(value)).toFixed(1), class: kind,
  }));
  const groups = periods.map((one, index) => {
    const net = up(one) - down(one);
    const mark = down(one) && up(one) ? s('line', {
      x1: (MARGIN.left + index * step).toFixed(1), x2: (MARGIN.left + (index + 1) * step).toFixed(1), y1: y(net).toFixed(1), y2: y(net).toFixed(1), class: 'net',
    }) : null;
    return s('g', {}, s('title', {}, `${dayOf(one)}: ${series.shown(net)}`), bar(index, up(one), 'gain'), bar(index, -down(one), 'loss'), mark);
  });
  // A mark too near to zero would be written over it.
  const marks = [0, top, bottom].filter((value) => value === 0 || Math.abs(y(value) - y(0)) > 16);
  const every = Math.ceil(periods.length / 6);
  const labels = periods.map((one, index) => (index % every ? null
    : s('text', { x: (MARGIN.left + (index + 0.5) * step).toFixed(1), y: HEIGHT - 6, 'text-anchor': 'middle' }, dayOf(one))));
  const total = periods.reduce((sum, one) => sum + up(one) - down(one), 0);
  return h('figure', { class: 'chart' },
    series.legend ? h('ul', { class: 'legend', 'aria-hidden': 'true' }, series.legend.map(([kind, text]) => h('li', { class: kind }, text))) : null,
    s('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${series.name}: ${series.shown(total)} in all` },
      marks.map((value) => [
        s('line', { x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(value).toFixed(1), y2: y(value).toFixed(1), class: value === 0 ? 'axis' : 'grid' }),
        s('text', { x: MARGIN.left - 6, y: (y(value) + 4).toFixed(1), 'text-anchor': 'end' }, axis(value)),
      ]).flat(), groups, labels),
    h('figcaption', {}, h('details', {}, h('summary', {}, 'The same as a table'),
      table(series.name, ['Day', ...series.columns.map((column) => column[0])], periods.filter((one) => up(one) || down(one))
        .map((one) => [dayOf(one), ...series.columns.map((column) => column[1](one))])))));
}

/**
 * Steps from a first amount to a last one, each bar where the one before ends; the last one is the sum and starts at zero.
 * @param {string} label @param {[string, number, string][]} rows Name, signed amount, and what is written beside it.
 */
export function waterfall(label, rows) {
  let sum = 0;
  const spans = rows.map(([, value], index) => {
    const from = index === rows.length - 1 ? 0 : sum;
    sum = from + value;
    return [Math.min(from, sum), Math.max(from, sum)];
  });
  const [low, high] = [Math.min(0, ...spans.map((one) => one[0])), Math.max(0, ...spans.map((one) => one[1]))];
  const range = high - low || 1;
  /** @param {number} value */
  const percent = (value) => (((value - low) / range) * 100).toFixed(2);
  return h('div', { class: 'wide', role: 'region', tabindex: '0', 'aria-label': label }, h('table', { class: 'waterfall' },
    h('tbody', {}, rows.map(([name, value, text], index) => h('tr', { class: index === rows.length - 1 ? 'sum' : '' },
      h('th', { scope: 'row' }, name),
      h('td', { class: 'steps' }, s('svg', { viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
        s('line', { x1: percent(0), x2: percent(0), y1: 0, y2: 10, class: 'axis' }),
        s('rect', { x: percent(spans[index][0]), y: 1.5, width: Math.max(0.3, ((spans[index][1] - spans[index][0]) / range) * 100).toFixed(2), height: 7, class: value < 0 ? 'loss' : 'gain' }))),
      h('td', { class: `number ${value < 0 ? 'loss' : ''}` }, text))))));
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
