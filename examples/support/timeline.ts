import { styleText } from 'node:util';

export type Component =
  | 'reflector'
  | 'fifo'
  | 'store'
  | 'handler'
  | 'queue'
  | 'reconcile'
  | 'server';

const COLORS: Readonly<Record<Component, Parameters<typeof styleText>[0]>> = {
  server: 'blue',
  reflector: 'cyan',
  fifo: 'gray',
  store: 'magenta',
  handler: 'yellow',
  queue: 'gray',
  reconcile: 'green',
};

const COMPONENT_WIDTH = Math.max(...Object.keys(COLORS).map((name) => name.length));
const RESOURCE_WIDTH = 27;

/** Counts that arrive within this time become one line. */
const BURST_MS = 200;

export interface TimelineOptions {
  readonly write: (text: string) => void;
  readonly color: boolean;
}

/**
 * Prints what happens as aligned columns: elapsed time, component, resource, text. Single events go through `say`; what
 * comes in bursts goes through `tally`, and is printed as one line of counts per component and resource.
 */
export class Timeline implements Disposable {
  readonly #options: TimelineOptions;
  readonly #startedAtMs = performance.now();
  readonly #tallies = new Map<string, Map<string, number>>();
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
    this.flush();
    this.#line(component, resource, text);
  }

  /** Counts `by` more of `what`, to be printed with the others of its burst. */
  tally(component: Component, resource: string, what: string, by: number = 1): void {
    if (by === 0) return;
    const key = `${component} ${resource}`;
    let counts = this.#tallies.get(key);
    if (counts === undefined) this.#tallies.set(key, (counts = new Map()));
    counts.set(what, (counts.get(what) ?? 0) + by);
    this.#timer ??= setTimeout(() => this.flush(), BURST_MS);
  }

  /** Prints the counts so far. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [key, counts] of this.#tallies) {
      const [component, resource] = key.split(' ') as [Component, string];
      const text = [...counts].map(([what, count]) => `${count} ${what}`).join(', ');
      this.#line(component, resource, text);
    }
    this.#tallies.clear();
  }

  [Symbol.dispose](): void {
    this.flush();
  }

  #line(component: Component, resource: string, text: string): void {
    const elapsed = `${Math.round(performance.now() - this.#startedAtMs)} ms`.padStart(8);
    const columns = [
      this.#paint('dim', elapsed),
      this.#paint(COLORS[component], component.padEnd(COMPONENT_WIDTH)),
      resource.padEnd(RESOURCE_WIDTH),
      text,
    ];
    this.#options.write(`${columns.join('  ')}\n`);
  }

  #paint(format: Parameters<typeof styleText>[0], text: string): string {
    return this.#options.color ? styleText(format, text, { validateStream: false }) : text;
  }
}

/** Whether a stream wants colours: it is a terminal, and nobody asked for none (https://no-color.org). */
export function wantsColor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  return (stream.isTTY ?? false) && (env['NO_COLOR'] ?? '') === '';
}
