import { styleText } from 'node:util';

export interface StoryOptions {
  readonly write: (text: string) => void;
  readonly color: boolean;
  /** Prints details too. */
  readonly verbose: boolean;
}

type Style = Parameters<typeof styleText>[0];

const WIDTH = 80;
const SECOND = 1000;

/** Prints a story in chapters: a line for each action, then the result of the chapter and its time. */
export class Story {
  readonly #options: StoryOptions;
  readonly #begunAtMs = performance.now();
  readonly #details: { readonly atMs: number; readonly text: string }[] = [];
  #chapters = 0;

  constructor(options: StoryOptions) {
    this.#options = options;
  }

  /** `body` resolves to the result. */
  async chapter(title: string, body: () => Promise<string>): Promise<void> {
    this.#chapters += 1;
    const startedAtMs = performance.now();
    this.#line(`\n${this.#paint('bold', `${this.#chapters}  ${title}`)}`);
    const result = await body();
    this.#printDetails();
    const time = duration(performance.now() - startedAtMs);
    const text = `   ${this.#paint('green', '✓')} ${result.padEnd(WIDTH - 7 - time.length)}`;
    this.#line(`${text}  ${this.#paint('dim', time)}`);
  }

  /** After the last chapter. */
  end(durationMs: number): void {
    const chapters = `${this.#chapters} chapters in ${duration(durationMs)}`;
    this.#line(`\n${this.#paint('bold', `${chapters}: all is well`)}`);
  }

  say(who: string, text: string): void {
    this.#line(`   ${this.#paint('cyan', who.padEnd(9))} ${text}`);
  }

  /** Printed with `verbose`, in the order of time, before the result. */
  detail(text: string, atMs: number = performance.now()): void {
    if (this.#options.verbose) this.#details.push({ atMs, text });
  }

  #printDetails(): void {
    const details = this.#details.splice(0).toSorted((one, other) => one.atMs - other.atMs);
    for (const { atMs, text } of details) {
      const time = duration(atMs - this.#begunAtMs).padStart(9);
      this.#line(`   ${this.#paint('dim', `${time}  ${text}`)}`);
    }
  }

  #line(text: string): void {
    this.#options.write(`${text}\n`);
  }

  #paint(style: Style, text: string): string {
    return this.#options.color ? styleText(style, text, { validateStream: false }) : text;
  }
}

function duration(ms: number): string {
  return ms < SECOND ? `${Math.round(ms)} ms` : `${(ms / SECOND).toFixed(1)} s`;
}

/** Whether a stream wants colours: it is a terminal, and NO_COLOR is not set (https://no-color.org). */
export function wantsColor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  return (stream.isTTY ?? false) && (env['NO_COLOR'] ?? '') === '';
}
