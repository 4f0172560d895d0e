import { plainCause } from '../../../../kernel/text/plain-text.ts';
import { quotedName } from '../../../../meta/api-call.ts';

/** The fields of a Pod that explain a failed stream. They come from the network, so any may have another type. */
export interface PodFields {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

const LISTS = ['containers', 'initContainers', 'ephemeralContainers'] as const;
const STATUSES = [
  'containerStatuses',
  'initContainerStatuses',
  'ephemeralContainerStatuses',
] as const;
const LONGEST_WORDS = 120;

/** The containers of a pod, each with its name in quotes. */
export function containerNames({ spec = {} }: PodFields): readonly string[] {
  return LISTS.flatMap((list) => records(spec[list])).map(({ name }) => quotedName(text(name)));
}

/** Why a pod, or its container, does not run; undefined if that cannot be seen. One that had `started` can only have ended. */
export function whyNotRunning(
  { spec = {}, status = {} }: PodFields,
  container: string | undefined,
  started: boolean,
): string | undefined {
  const phase = text(status['phase']);
  if (phase === 'Succeeded' || phase === 'Failed') {
    return `the pod has ended: its phase is ${phase}${inBrackets(status)}`;
  }
  if (!started && text(spec['nodeName']) === '')
    return `the pod has no node yet${inBrackets(status)}`;
  const all = STATUSES.flatMap((list) => records(status[list]));
  const statuses = container === undefined ? all : all.filter(({ name }) => name === container);
  for (const { name, state } of statuses) {
    const { terminated, waiting } = record(state);
    const which = `container ${quotedName(text(name))}`;
    if (terminated !== undefined) {
      const { exitCode } = record(terminated);
      return `${which} has ended with exit code ${String(exitCode).slice(0, 5)}${inBrackets(record(terminated))}`;
    }
    if (waiting !== undefined && !started)
      return `${which} has not started${inBrackets(record(waiting))}`;
  }
  return undefined;
}

function inBrackets({ reason, message }: Readonly<Record<string, unknown>>): string {
  const words = [reason, message].map(text).filter((one) => one !== '');
  return words.length === 0 ? '' : ` (${plainCause(words.join(': '), LONGEST_WORDS)})`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function records(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(record) : [];
}
