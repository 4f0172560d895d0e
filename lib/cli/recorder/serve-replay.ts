import { abortable } from '../../kernel/time/abort.ts';
import type { Replay } from '../../recorder/replay/replay.ts';
import type { CommandHost } from '../contract/command.ts';

const LINE_END = 0x0a;

/** Serves a replay until the command is interrupted. With `steps` each line of standard input gives the next answer. */
export async function serveReplay(
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
