import { ASPECTS, differences, sameAspects, type Aspect } from './aspects.ts';
import { withoutManagedFields } from './normalise.ts';
import { AREAS, type Answer, type Area, type Scenario, type Step } from './scenario.ts';

/** One request, what the real server answered, and what the embedded one did. */
export interface Compared {
  /** Scenario and number of the step. */
  readonly id: string;
  readonly area: Area;
  readonly step: Step;
  readonly real: Answer;
  readonly embedded: Answer;
  readonly same: ReadonlySet<Aspect>;
}

/** Leaves out the steps that only prepare. */
export function compareAll(
  scenarios: readonly Scenario[],
  real: readonly (readonly (Answer | undefined)[])[],
  embedded: readonly (readonly Answer[])[],
): Compared[] {
  return scenarios.flatMap(({ id, area, steps }, at) =>
    steps.flatMap((step, number) => {
      const theirs = real[at]?.[number];
      const ours = embedded[at]?.[number];
      if (step.setup === true || theirs === undefined || ours === undefined) return [];
      const same = sameAspects(theirs, ours);
      return [{ id: `${id}#${number}`, area, step, real: theirs, embedded: ours, same }];
    }),
  );
}

export type Figures = Readonly<Record<Aspect | 'requests', number>>;

export function figuresOf(compared: readonly Compared[]): Figures {
  const counts = ASPECTS.map((aspect) => [
    aspect,
    compared.filter(({ same }) => same.has(aspect)).length,
  ]);
  return { requests: compared.length, ...Object.fromEntries(counts) } as Figures;
}

const COLUMNS = ['requests', ...ASPECTS] as const;

/** A line an area, and their sum. */
export function tableOf(compared: readonly Compared[]): string[] {
  const row = (name: string, of: readonly Compared[]): string[] => {
    const figures = figuresOf(of);
    const shares = ASPECTS.map(
      (aspect) => `${figures[aspect]} ${((100 * figures[aspect]) / (of.length || 1)).toFixed(1)} %`,
    );
    return [name, String(of.length), ...shares];
  };
  const areas = AREAS.filter((area) => compared.some((one) => one.area === area));
  const rows = [
    ['same', ...COLUMNS],
    ...areas.map((area) =>
      row(
        area,
        compared.filter((one) => one.area === area),
      ),
    ),
    row('all', compared),
  ];
  const widths = rows[0]!.map((_title, at) => Math.max(...rows.map((cells) => cells[at]!.length)));
  return rows.map((cells) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join('  '),
  );
}

const LONGEST_BODY = 600;
const MOST_PLACES = 8;

/** The request, both statuses, and the places in which the answers differ: real | embedded; managed fields only for the aspect `all`. */
export function describeDifference(
  { id, step, real, embedded, same }: Compared,
  aspect: Aspect,
): string[] {
  const seen = aspect === 'all' ? (body: unknown): unknown => body : withoutManagedFields;
  const { method, path, body, headers = {} } = step;
  const sent = body === undefined ? [] : [`    ${JSON.stringify(body).slice(0, LONGEST_BODY)}`];
  const named = Object.entries(headers).map(([name, value]) => `    ${name}: ${value}`);
  const missing = ASPECTS.filter((aspect) => !same.has(aspect)).join(', ');
  return [
    `${id}: ${missing}`,
    `  ${method} ${path}`,
    ...named,
    ...sent,
    `  real ${real.status} ${real.type} | embedded ${embedded.status} ${embedded.type}`,
    ...(real.warnings ?? []).map((text) => `    real warns: ${text}`),
    ...(embedded.warnings ?? []).map((text) => `    embedded warns: ${text}`),
    ...differences(seen(real.body), seen(embedded.body), MOST_PLACES).map((line) => `    ${line}`),
  ];
}
