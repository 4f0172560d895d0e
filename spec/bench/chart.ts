/** A line of a chart: one contestant, from the smallest to the largest number of objects. */
export interface Series {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
}

const WIDTH = 890;
const HEIGHT = 440;
const LEFT = 80;
const RIGHT = 280;
const TOP = 50;
const BOTTOM = 60;
const LABEL_HEIGHT = 18;
const COLOURS = [
  '#2563eb',
  '#0891b2',
  '#7c3aed',
  '#16a34a',
  '#ea580c',
  '#dc2626',
  '#b45309',
  '#be185d',
  '#4b5563',
  '#111827',
];

/** Both axes are logarithmic: contestants differ by factors, and growth in proportion is a straight line. */
export function chartSvg({ title, xLabel, yLabel, series }: Chart): string {
  const drawn = series
    .map(({ name, points }) => ({ name, points: points.filter(({ x, y }) => x > 0 && y > 0) }))
    .filter(({ points }) => points.length > 0);
  const all = drawn.flatMap(({ points }) => points);
  const xs = decades(all.map(({ x }) => x));
  const ys = decades(all.map(({ y }) => y));
  const right = WIDTH - RIGHT;
  const bottom = HEIGHT - BOTTOM;
  const atX = (x: number): number => scale(x, xs, LEFT, right);
  const atY = (y: number): number => scale(y, ys, bottom, TOP);
  const grid = [
    ...ys.map((y) => line(LEFT, atY(y), right, atY(y), 'grid')),
    ...ys.map((y) => text(LEFT - 8, atY(y) + 4, numeral(y), 'end')),
    ...xs.map((x) => line(atX(x), TOP, atX(x), bottom, 'grid')),
    ...xs.map((x) => text(atX(x), bottom + 20, numeral(x), 'middle')),
  ];
  const labels = spread(drawn.map(({ points }) => atY(points.at(-1)?.y ?? 1)));
  const lines = drawn.map(({ name, points }, place) => {
    const colour = COLOURS[place % COLOURS.length] ?? '';
    const path = points.map(({ x, y }) => `${round(atX(x))},${round(atY(y))}`).join(' ');
    const last = points.at(-1);
    const labelY = labels[place] ?? 0;
    const dots = points.map(
      ({ x, y }) =>
        `<circle cx="${round(atX(x))}" cy="${round(atY(y))}" r="3.5" fill="${colour}"/>`,
    );
    const end = last === undefined ? '' : ` ${numeral(last.y)}`;
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="${name.startsWith('ours') ? 3 : 1.6}"/>`,
      ...dots,
      `<text x="${right + 14}" y="${round(labelY + 4)}" fill="${colour}" text-anchor="start">${escape(name)}${end}</text>`,
    ].join('\n');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12.5">`,
    `<title>${escape(title)}</title>`,
    '<style>.grid { stroke: #d1d5db; stroke-width: 1; } .axis { fill: #374151; } .head { font-size: 16px; font-weight: 600; }</style>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text class="axis head" x="${LEFT}" y="28">${escape(title)}</text>`,
    ...grid,
    text((LEFT + right) / 2, HEIGHT - 14, xLabel, 'middle'),
    `<text class="axis" transform="translate(20 ${(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle">${escape(yLabel)}</text>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

/** The powers of ten around the values, and between them. */
function decades(values: readonly number[]): number[] {
  const least = Math.floor(Math.log10(Math.min(...values)));
  const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: most - least + 1 }, (_, index) => 10 ** (least + index));
}

function scale(value: number, ticks: readonly number[], from: number, to: number): number {
  const low = Math.log10(ticks[0] ?? 1);
  const high = Math.log10(ticks.at(-1) ?? 10);
  return from + ((Math.log10(value) - low) / (high - low)) * (to - from);
}

/** Heights for labels that want to be at `wanted`, far enough apart to be read. */
function spread(wanted: readonly number[]): number[] {
  const order = wanted.map((_, place) => place).toSorted((a, b) => at(wanted, a) - at(wanted, b));
  const heights = [...wanted];
  for (const [rank, place] of order.entries()) {
    const above = order[rank - 1];
    if (above === undefined) continue;
    heights[place] = Math.max(at(wanted, place), at(heights, above) + LABEL_HEIGHT);
  }
  const over = Math.max(0, ...heights.map((height) => height - (HEIGHT - BOTTOM)));
  return heights.map((height) => height - over);
}

function at(values: readonly number[], place: number): number {
  return values[place] ?? 0;
}

function line(x1: number, y1: number, x2: number, y2: number, style: string): string {
  return `<line class="${style}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
}

function text(x: number, y: number, content: string, anchor: string): string {
  return `<text class="axis" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escape(content)}</text>`;
}

function numeral(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
