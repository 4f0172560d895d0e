import { get } from 'node:http';
import type { Runtime } from '../../kernel/time/runtime.ts';

/** Where the stand-in for etcd names its data directory. */
export const DATA_DIR_PATH = '/listwatch/data-dir';

const LONGEST_WAIT_MS = 5000;
const LONGEST_ANSWER = 10_000;

/** The data directory of the stand-in at an address; undefined when a real etcd is there, or nothing that answers in 5 s. */
export async function dataDirAt(
  address: string,
  runtime: Pick<Runtime, 'setTimer'>,
): Promise<string | undefined> {
  if (!address.startsWith('http://') || !URL.canParse(address)) return undefined;
  const abort = new AbortController();
  const timer = runtime.setTimer(LONGEST_WAIT_MS, () => {
    abort.abort();
  });
  try {
    return readAnswer(await textAt(new URL(DATA_DIR_PATH, address), abort.signal));
  } catch {
    // The connection to etcd reports what is wrong with the address.
    return undefined;
  } finally {
    timer.cancel();
  }
}

async function textAt(url: URL, signal: AbortSignal): Promise<string> {
  return await new Promise((done, failed) => {
    const request = get(url, { signal, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        if (text.length > LONGEST_ANSWER) response.destroy(new Error('too long'));
      });
      response.on('end', () => {
        done(text);
      });
      response.on('error', failed);
    });
    request.on('error', failed);
  });
}

function readAnswer(text: string): string | undefined {
  const { dataDir } = JSON.parse(text) as { readonly dataDir?: unknown };
  return typeof dataDir === 'string' ? dataDir : undefined;
}
