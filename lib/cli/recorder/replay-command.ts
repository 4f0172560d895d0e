import { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import { silentLogger } from '../../kernel/report/logger.ts';
import { nextTask } from '../../kernel/time/wait.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { replay, type Replay } from '../../recorder/replay/replay.ts';
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

const OPTIONS: OptionTable = {
  speed: {
    type: 'string',
    value: 'N',
    help: '1 for the recorded times, 10 for ten times as fast; otherwise without waiting',
  },
  partial: {
    type: 'boolean',
    help: 'also a recording that was cut short, up to its last whole record',
  },
  dump: {
    type: 'boolean',
    help: 'prints the objects at the end as JSON, one a line, in place of the changes',
  },
};

const HELP = `listwatch replay: gives an informer what listwatch record has written, and prints what its handlers are told.

Usage: listwatch replay FILE [options]

A line is the time of the recording in seconds, + for an object that was added, ~ for a change, - for a deletion, key and version. Failures of
lists and watches are printed with ! as they were recorded.

Options:
${optionsHelp(OPTIONS)}

Examples:
  npx listwatch replay pods.listwatch
  npx listwatch replay pods.listwatch --speed 10
  npx listwatch replay pods.listwatch --dump | jq .metadata.name

Exit code: 0 at the end of the recording, 1 for a file that is no recording, was cut short or damaged, 2 for wrong arguments.
`;

export function replayCommand(): Command {
  return {
    help: HELP,
    async run(parameters: readonly string[], host: CommandHost): Promise<number> {
      const given = parseArguments(parameters, OPTIONS);
      const file = onePositional(given, 'a recording, e.g. pods.listwatch');
      const speed = speedOf(given);
      return await exitCodeOf(host, async () => {
        const partial = given.options.has('partial');
        const { runtime } = host;
        const source = await replay(file, { speed, partial, runtime });
        await play(source, given.options.has('dump'), host);
      });
    },
  };
}

function speedOf(given: Arguments): ReplaySpeed {
  const text = valueOf(given, 'speed');
  if (text === undefined || text === 'instant') return 'instant';
  const speed = Number(text);
  if (speed > 0 && Number.isFinite(speed)) return speed;
  throw new UsageError(`--speed takes a number above 0, or instant, not ${JSON.stringify(text)}`);
}

async function play(
  source: Replay,
  dumps: boolean,
  { runtime, signal, stdout, stderr }: CommandHost,
): Promise<void> {
  const informer = new SharedIndexInformer<KubernetesObject>({
    listerWatcher: source,
    runtime,
    logger: silentLogger,
    onError: () => {},
    // The times of the recording do not pass.
    silenceProbeMs: 0,
    backoff: { baseMs: 1, capMs: 1 },
  });
  const say = (sign: string, text: string): void => {
    if (!dumps)
      stdout.write(`${(source.positionMs / 1000).toFixed(3).padStart(9)} ${sign} ${text}\n`);
  };
  const registration = informer.addHandler({
    view: 'metadata',
    onAdd: ({ key, metadata }) => say('+', `${key} ${metadata.resourceVersion}`),
    onUpdate: (_, { key, metadata }) => say('~', `${key} ${metadata.resourceVersion}`),
    onDelete: ({ key, metadata }) => say('-', `${key} ${metadata.resourceVersion}`),
  });
  informer.events.on('watch-error', (error) =>
    say('!', error instanceof Error ? error.message : ''),
  );
  const isBusy = (): boolean => informer.inspect().handlers.some(({ pending }) => pending > 0);
  const running = informer.run({ signal });
  try {
    await source.whenFinished({ signal });
    if (source.resourceVersion !== '') {
      await informer.whenSynced({ signal });
      await informer.caughtUp(source.resourceVersion, { signal });
      while (isBusy()) await nextTask(runtime);
    }
    registration.remove();
    if (dumps) for await (const chunk of informer.dump({ mask: 'nothing' })) stdout.write(chunk);
    const { records, durationMs, header } = source;
    const seconds = (durationMs / 1000).toFixed(1);
    stderr.write(
      `${header.collection}: ${records} records of ${seconds} s from ${header.startedAt}; ${informer.indexer.size} objects at the end\n`,
    );
  } finally {
    await informer.close();
    await running;
  }
}
