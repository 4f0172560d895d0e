import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

export type Component =
  | 'server'
  | 'reflector'
  | 'fifo'
  | 'store'
  | 'handler'
  | 'queue'
  | 'reconcile';

/** The parts of the pipeline, in the order in which a change passes them, with their colours. */
const COMPONENTS: Readonly<Record<Component, Format>> = {
  server: 'blue',
  reflector: 'cyan',
  fifo: 'gray',
  store: 'magenta',
  handler: 'yellow',
  queue: 'gray',
  reconcile: 'green',
};

const ORDER = Object.keys(COMPONENTS) as readonly Component[];
const COMPONENT_WIDTH = Math.max(...ORDER.map((name) => name.length));
const RESOURCE_WIDTH = 25;

/** Counts that arrive within this time become one line. */
const BURST_MS = 400;

export interface TimelineOptions {
  readonly write: (text: string) => void;
  readonly color: boolean;
}

interface Tally {
  readonly component: Component;
  readonly resource: string;
  readonly counts: Map<string, number>;
}

/**
 * Prints events as aligned columns: elapsed time, component, resource, text. Single events go through `say`; bursts go
 * through `tally` and are printed as one line of counts for each component and resource.
 */
export class Timeline implements Disposable {
  readonly #options: TimelineOptions;
  readonly #startedAtMs = performance.now();
  readonly #tallies = new Map<string, Tally>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TimelineOptions) {
    this.#options = options;
  }

  /** A heading. */
  chapter(title: string): void {
    this.flush();
    this.#options.write(`\n${this.#paint('bold', title)}\n`);
  }

  say(component: Component, resource: string, text: string): void {
    this.#line(component, resource, text);
  }

  /** Counts `by` more of `what`, to be printed with the others of its burst. */
  tally(component: Component, resource: string, what: string, by: number = 1): void {
    if (by === 0) return;
    const key = `${component} ${resource}`;
    let tally = this.#tallies.get(key);
    if (tally === undefined) {
      tally = { component, resource, counts: new Map() };
      this.#tallies.set(key, tally);
    }
    tally.counts.set(what, (tally.counts.get(what) ?? 0) + by);
    this.#timer ??= setTimeout(() => this.flush(), BURST_MS);
  }

  /** Prints the counts so far. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const tallies = [...this.#tallies.values()].toSorted(
      (left, right) => ORDER.indexOf(left.component) - ORDER.indexOf(right.component),
    );
    this.#tallies.clear();
    for (const { component, resource, counts } of tallies) {
      const text = Array.from(counts, ([what, count]) => `${what}: ${count}`).join(', ');
      this.#line(component, resource, text);
    }
  }

  [Symbol.dispose](): void {
    this.flush();
  }

  #line(component: Component, resource: string, text: string): void {
    const elapsed = `${Math.round(performance.now() - this.#startedAtMs)} ms`;
    const columns = [
      this.#paint('dim', elapsed.padStart(8)),
      this.#paint(COMPONENTS[component], component.padEnd(COMPONENT_WIDTH)),
      resource.padEnd(RESOURCE_WIDTH),
      text,
    ];
    this.#options.write(`${columns.join('  ')}\n`);
  }

  #paint(format: Format, text: string): string {
    return this.#options.color ? styleText(format, text, { validateStream: false }) : text;
  }
}

/** Whether a stream wants colours: it is a terminal, and NO_COLOR is not set (https://no-color.org). */
export function wantsColor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  return (stream.isTTY ?? false) && (env['NO_COLOR'] ?? '') === '';
}
