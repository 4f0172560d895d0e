import { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import { silentLogger } from '../../kernel/report/logger.ts';
import { nextTask } from '../../kernel/time/wait.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { replay, type Replay } from '../../recorder/replay/replay.ts';
import type { ReplayedCollection } from '../../recorder/replay/replay-source.ts';
import type { ReplaySpeed } from '../../recorder/replay/replay-pace.ts';
import {
  optionsHelp,
  parseArguments,
  type Arguments,
  type OptionTable,
} from '../arguments/parse-arguments.ts';
import { UsageError } from '../arguments/usage-error.ts';
import type { Command, CommandHost } from '../contract/command.ts';
import { exitCodeOf, onePositional, valueOf } from './followed-collection.ts';
import { abortable } from '../../kernel/time/abort.ts';

const LINE_END = 0x0a;

/** Serves a replay until the command is interrupted. With `steps` each line of standard input gives the next answer. */
async function serveReplay(
  source: Replay,
  { port, steps }: { readonly port: number; readonly steps: boolean },
  { stdin, stdout, stderr, signal }: CommandHost,
): Promise<void> {
  await using server = await source.serve({ port });
  const names = source.collections.map(({ description }) => description);
  const resources = new Set(names.map((name) => name.split(/[ ,]/, 1)[0]));
  stdout.write(`serving ${names.join('; ')} on ${server.url}, until it is interrupted\n`);
  for (const resource of resources) {
    stderr.write(`try: kubectl --server ${server.url} get ${resource} -A --watch\n`);
  }
  if (steps) stderr.write('each line of input gives the next answer\n');
  const finished = source.whenFinished({ signal }).then(() => {
    stderr.write('this was the last record; its state is served\n');
  });
  try {
    if (steps) await takeSteps(source, stdin(), { stderr, signal });
    await finished;
    await abortable(new Promise<never>(() => {}), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await finished.catch(() => {});
  }
}

/** Until the end of the recording. At the end of the input the rest stays untold. */
async function takeSteps(
  source: Replay,
  input: AsyncIterable<Uint8Array>,
  { stderr, signal }: Pick<CommandHost, 'stderr' | 'signal'>,
): Promise<void> {
  const pieces = input[Symbol.asyncIterator]();
  try {
    while (!source.finished) {
      const { done, value } = await abortable(pieces.next(), signal);
      if (done === true) return;
      for (const byte of value) {
        if (byte !== LINE_END) continue;
        const step = await source.step({ signal });
        if (step === undefined) return;
        const { what, count, atMs, collection } = step;
        const of = source.collections.length > 1 ? `${collection}, ` : '';
        stderr.write(`${(atMs / 1000).toFixed(3)} ${of}${what}${count > 0 ? `: ${count}` : ''}\n`);
      }
    }
  } finally {
    // It does not wait for a read that is under way.
    void pieces.return?.();
  }
}

const OPTIONS: OptionTable = {
  speed: {
    type: 'string',
    value: 'N',
    help: '1 for the recorded times, 10 for ten times as fast, instant; with --serve also step. Otherwise instant, with --serve 1',
  },
  serve: {
    type: 'boolean',
    help: 'serves the recording on a port of this machine, for kubectl and any other client',
  },
  port: { type: 'string', value: 'N', help: 'with --serve; otherwise a free one' },
  partial: {
    type: 'boolean',
    help: 'also a recording that was cut short, up to its last whole record',
  },
  dump: {
    type: 'boolean',
    help: 'prints the objects at the end as JSON, one a line, in place of the changes',
  },
};

const HELP = `listwatch replay: gives an informer what listwatch record has written, and prints the calls of its handlers.

Usage: listwatch replay FILE [options]

A line is the time of the recording in seconds, + for an object that was added, ~ for a change, - for a deletion, key and version; with the
resource if the recording has several. Failures of lists and watches are printed with ! as they were recorded. At the end it says which
resources the recording has, on standard error.

With --serve no informer reads it: clients list and watch all of them over HTTP, read only, and get the changes at their times, from the first
watch on. With --speed step each line of input gives the next answer. It runs until it is interrupted.

Options:
${optionsHelp(OPTIONS)}

Examples:
  npx listwatch replay pods.listwatch
  npx listwatch replay pods.listwatch --speed 10
  npx listwatch replay pods.listwatch --dump | jq .metadata.name
  npx listwatch replay pods.listwatch --serve --port 8001

Exit code: 0 at the end of the recording, 1 for a file that is no recording, was cut short or damaged, 2 for wrong arguments.
`;

export function replayCommand(): Command {
  return {
    help: HELP,
    options: OPTIONS,
    async run(parameters: readonly string[], host: CommandHost): Promise<number> {
      const given = parseArguments(parameters, OPTIONS);
      const file = onePositional(given, 'a recording, e.g. pods.listwatch');
      const speed = speedOf(given);
      const port = portOf(given);
      return await exitCodeOf(host, async () => {
        const partial = given.options.has('partial');
        const { runtime } = host;
        const source = await replay(file, { speed, partial, runtime });
        if (port === undefined) await play(source, given.options.has('dump'), host);
        else await serveReplay(source, { port, steps: speed === 'step' }, host);
      });
    },
  };
}

function speedOf(given: Arguments): ReplaySpeed {
  const serves = given.options.has('serve');
  const text = valueOf(given, 'speed') ?? (serves ? '1' : 'instant');
  if (text === 'instant' || (text === 'step' && serves)) return text;
  const speed = Number(text);
  if (speed > 0 && Number.isFinite(speed)) return speed;
  const words = serves ? 'instant or step' : 'or instant';
  throw new UsageError(`--speed takes a number above 0, ${words}, not ${JSON.stringify(text)}`);
}

/** Undefined without --serve. */
function portOf(given: Arguments): number | undefined {
  const text = valueOf(given, 'port');
  if (!given.options.has('serve')) {
    if (text === undefined) return undefined;
    throw new UsageError('--port needs --serve');
  }
  if (given.options.has('dump'))
    throw new UsageError('--dump prints objects; use it without --serve');
  const port = Number(text ?? 0);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--port takes a number from 0 to 65535, not ${JSON.stringify(text)}`);
}

async function play(incident: Replay, dumps: boolean, host: CommandHost): Promise<void> {
  const { signal, stdout, stderr } = host;
  const { collections, records, durationMs, header } = incident;
  const isOne = collections.length === 1;
  const say = (sign: string, text: string): void => {
    const seconds = (incident.positionMs / 1000).toFixed(3).padStart(9);
    if (!dumps) stdout.write(`${seconds} ${sign} ${text}\n`);
  };
  const readers = sourcesOf(incident).map((source) => {
    const [resource = ''] = source.description.split(/[ ,]/, 1);
    return new PlayedCollection(source, host, (sign, text) => {
      say(sign, isOne ? text : `${resource} ${text}`);
    });
  });
  const running = readers.map(({ informer }) => informer.run({ signal }));
  try {
    await incident.whenFinished({ signal });
    for (const reader of readers) await reader.caughtUp();
    const sizes: string[] = [];
    for (const { informer, source, registration } of readers) {
      registration.remove();
      if (dumps) for await (const chunk of informer.dump({ mask: 'nothing' })) stdout.write(chunk);
      sizes.push(`${source.description}: ${informer.indexer.size} objects at the end\n`);
    }
    const what = `${records} records of ${(durationMs / 1000).toFixed(1)} s from ${header.startedAt}`;
    if (isOne) stderr.write(`${header.collection}: ${what}; ${sizes.join('').split(': ').at(-1)}`);
    else stderr.write(`${collections.length} collections, ${what}\n${sizes.join('')}`);
  } finally {
    for (const { informer } of readers) await informer.close();
    await Promise.all(running);
  }
}

/** A source for each of its collections. */
function sourcesOf(incident: Replay): readonly ReplayedCollection<KubernetesObject>[] {
  return incident.collections.length === 1
    ? [incident]
    : incident.collections.map(({ apiVersion = '', resource = '', ...options }) => {
        const { description: _, requests: __, ...selection } = options;
        return incident.listerWatcher<KubernetesObject>({ apiVersion, resource }, selection);
      });
}

/** An informer that reads a collection of a recording. */
class PlayedCollection {
  readonly source: ReplayedCollection<KubernetesObject>;
  readonly informer: SharedIndexInformer<KubernetesObject>;
  readonly registration: { remove(): void };
  readonly #host: CommandHost;

  constructor(
    source: ReplayedCollection<KubernetesObject>,
    host: CommandHost,
    say: (sign: string, text: string) => void,
  ) {
    this.source = source;
    this.#host = host;
    this.informer = new SharedIndexInformer<KubernetesObject>({
      listerWatcher: source,
      runtime: host.runtime,
      logger: silentLogger,
      onError: () => {},
      // The times of the recording do not pass.
      silenceProbeMs: 0,
      backoff: { baseMs: 1, capMs: 1 },
    });
    this.registration = this.informer.addHandler({
      view: 'metadata',
      onAdd: ({ key, metadata }) => say('+', `${key} ${metadata.resourceVersion}`),
      onUpdate: (_, { key, metadata }) => say('~', `${key} ${metadata.resourceVersion}`),
      onDelete: ({ key, metadata }) => say('-', `${key} ${metadata.resourceVersion}`),
    });
    this.informer.events.on('watch-error', (error) =>
      say('!', error instanceof Error ? error.message : ''),
    );
  }

  /** Handlers got everything. */
  async caughtUp(): Promise<void> {
    const { informer, source } = this;
    const { signal, runtime } = this.#host;
    if (source.resourceVersion === '') return;
    await informer.whenSynced({ signal });
    await informer.caughtUp(source.resourceVersion, { signal });
    while (informer.inspect().handlers.some(({ pending }) => pending > 0)) await nextTask(runtime);
  }
}
