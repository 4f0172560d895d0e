import { logLine } from '../../kernel/report/log-line.ts';
import type { LogFields } from '../../kernel/report/logger.ts';

/** An event of a run. `actor`: a process, `user`, `environment` names, or `server`. */
export type JournalEntry = { readonly atMs: number; readonly actor: string } & (
  | { readonly type: 'step'; readonly text: string }
  | { readonly type: 'start' | 'crash' | 'exit'; readonly text: string }
  | { readonly type: 'fault'; readonly text: string }
  | { readonly type: 'request'; readonly id: number; readonly text: string }
  | { readonly type: 'answer'; readonly id: number; readonly text: string }
  | { readonly type: 'commit'; readonly text: string }
  | { readonly type: 'event'; readonly text: string }
  | ({ readonly type: 'log'; readonly text: string } & Partial<LoggedText>)
);

/** A text that a process has logged. */
export interface LoggedText {
  readonly level: string;
  /** The same for a text that is logged again with other numbers. */
  readonly identity: string;
  /** The controller and the key in the fields, or the identity. */
  readonly subject: string;
}

type Kind = JournalEntry['type'];
/** Those that are a text and nothing more. */
type TextKind = Exclude<Kind, 'request' | 'answer' | 'log'>;

/** A run has a bounded number of requests; this bounds what a log can add. */
const MOST_ENTRIES = 200_000;

/** The trace of a run: with the same plan it is the same text, in every process. */
export class Journal {
  readonly entries: JournalEntry[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(actor: string, type: TextKind, text: string): void {
    this.#push({ atMs: this.#nowMs(), actor, type, text });
  }

  log(actor: string, level: string, message: string, fields?: LogFields): void {
    const { line, identity } = logLine(message, fields);
    const { controller, key } = fields ?? {};
    const subject = typeof key === 'string' ? `${String(controller)}: ${key}` : identity;
    const text = `${level}: ${line}`;
    this.#push({ atMs: this.#nowMs(), actor, type: 'log', text, level, identity, subject });
  }

  exchange(actor: string, type: 'request' | 'answer', id: number, text: string): void {
    this.#push({ atMs: this.#nowMs(), actor, type, id, text });
  }

  #push(entry: JournalEntry): void {
    const { length } = this.entries;
    if (length < MOST_ENTRIES) this.entries.push(entry);
    else if (length === MOST_ENTRIES) {
      const text = `after ${MOST_ENTRIES} entries nothing more is recorded`;
      this.entries.push({ atMs: entry.atMs, actor: 'server', type: 'log', text });
    }
  }

  /** The trace as text, one entry a line. */
  text(): string {
    return this.entries.map(lineOf).join('\n');
  }
}

function lineOf(entry: JournalEntry): string {
  const id = 'id' in entry ? ` #${entry.id}` : '';
  return `${entry.atMs.toFixed(3)} ${entry.actor} ${entry.type}${id} ${entry.text}`;
}
