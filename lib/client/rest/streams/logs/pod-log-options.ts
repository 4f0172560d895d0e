import { invalidOption, is, optionsOf } from '../../../../kernel/options/options-schema.ts';
import { CALL, type CallOptions } from '../../request/resource-options.ts';

/** The part of the log of a container to read. */
export interface LogOptions extends CallOptions {
  /** @defaultValue the container of a pod that has one */
  readonly container?: string | undefined;
  /** The newest lines only; 0 for none but those to come. @defaultValue all that the node has kept */
  readonly tailLines?: number | undefined;
  /** From this time on; it excludes `sinceSeconds`. A text is RFC 3339. Kubernetes cuts it to whole seconds. */
  readonly sinceTime?: Date | string | undefined;
  readonly sinceSeconds?: number | undefined;
  /** The log of the container before its last restart. @defaultValue false */
  readonly previous?: boolean | undefined;
  /** Whether each line begins with its time and a space. @defaultValue false */
  readonly timestamps?: boolean | undefined;
  /** At most so many bytes of the log, counted from its beginning. */
  readonly limitBytes?: number | undefined;
  /** @defaultValue false */
  readonly follow?: false | undefined;
}

export interface FollowLogOptions extends Omit<LogOptions, 'follow'> {
  /**
   * The lines as they come, until the container ends or the signal aborts; a cut connection is made again. A container may be silent for
   * ever, so there is no time limit: a connection that dies without a word is noticed after 34 s over HTTP/2, and over HTTP/1.1 only
   * by TCP.
   */
  readonly follow: true;
  /** A longer line ends the loop with FRAME_TOO_LARGE, bytes. @defaultValue 1 048 576 (1 MiB) */
  readonly maxLineBytes?: number | undefined;
}

const count = is.integer({ min: 1 });
const LOGS = optionsOf<LogOptions>()('logs', {
  ...CALL,
  container: is.text(),
  tailLines: is.integer({ min: 0 }),
  sinceTime: is.rule<Date | string>(
    'a Date, or a time such as 2026-01-31T12:00:00Z',
    (given) => !Number.isNaN(new Date(given as string).getTime()),
  ),
  sinceSeconds: count,
  previous: is.flag(),
  timestamps: is.flag(),
  limitBytes: count,
  follow: is.flag(),
});
const FOLLOW = optionsOf<FollowLogOptions>()('logs', {
  ...LOGS.rules,
  follow: is.flag().required,
  maxLineBytes: count,
});

/** Whether the lines are wanted as they come. */
export function isFollowed(options: LogOptions | FollowLogOptions): options is FollowLogOptions {
  return Object(options) === options && Object.hasOwn(options, 'follow') && options.follow === true;
}

/** @throws {ListwatchError} code INVALID_OPTION. */
export function checkLogOptions(options: LogOptions | FollowLogOptions): void {
  if (isFollowed(options)) FOLLOW.read(options);
  else LOGS.read(options);
  if (options.sinceTime === undefined || options.sinceSeconds === undefined) return;
  throw invalidOption('logs', 'option "sinceTime" excludes "sinceSeconds"; give one or the other');
}

/** The query of a log. */
export function logQuery(options: Omit<LogOptions, 'follow' | 'signal'>): URLSearchParams {
  const { container, tailLines, sinceTime, sinceSeconds, previous, timestamps, limitBytes } =
    options;
  const query = new URLSearchParams();
  const values = {
    container: container === '' ? undefined : container,
    tailLines,
    sinceTime: sinceTime === undefined ? undefined : new Date(sinceTime).toISOString(),
    sinceSeconds,
    previous: previous === true ? true : undefined,
    timestamps: timestamps === true ? true : undefined,
    limitBytes,
  };
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query;
}
