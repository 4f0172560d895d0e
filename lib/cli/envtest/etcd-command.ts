import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { makeFolders } from '../files/make-folders.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import { deferred } from '../../kernel/time/latch.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { EXIT, type Command, type CommandHost } from '../contract/command.ts';
import { DATA_DIR_PATH } from './data-dir.ts';
import { ETCD_FLAGS } from './known-flags.ts';
import { lastValue, listValue, readFlags, type FlagWords } from './read-flags.ts';

const WORDS: FlagWords = {
  program: 'etcd',
  unknown: (name) => `flag provided but not defined: -${name}`,
};

const HELP = `listwatch envtest-etcd: stands where envtest starts etcd. It stores nothing itself: it answers /health, and names its data
directory to the kube-apiserver beside it, which keeps its objects there while it is stopped.

Usage: listwatch envtest-etcd [flags of etcd]

Flags that have an effect; the others of etcd are accepted:
  --listen-client-urls URL   the address, plain HTTP on this machine; otherwise http://localhost:2379
  --data-dir DIR             the directory; otherwise default.etcd
  --unsafe-no-fsync          no effect
  -h, --help                 this text
  --version                  the version of listwatch
`;

/** The stand-in for etcd that envtest starts. */
export function envtestEtcdCommand(): Command {
  return { help: HELP, options: {}, run: runEtcd };
}

async function runEtcd(parameters: readonly string[], host: CommandHost): Promise<number> {
  const flags = readFlags(parameters, ETCD_FLAGS, WORDS);
  if (flags.has('version')) {
    host.stdout.write(`listwatch ${host.version}, in the place of etcd\n`);
    return EXIT.ok;
  }
  const [url = 'http://localhost:2379'] = listValue(flags, 'listen-client-urls');
  const dataDir = resolve(lastValue(flags, 'data-dir') ?? 'default.etcd');
  const address = addressOf(url);
  await makeDirectory(dataDir);
  const server = healthServer(dataDir);
  try {
    server.listen(address);
    await once(server, 'listening', { signal: host.signal });
  } catch (error) {
    if (host.signal.aborted) return EXIT.interrupted;
    host.stderr.write(`etcd: cannot listen on ${url}: ${errorMessage(error)}\n`);
    return EXIT.failed;
  }
  host.stderr.write(`etcd: listwatch in its place; ready on ${url}, data in ${dataDir}\n`);
  const stopped = deferred<void>();
  onAbort(host.signal, () => {
    stopped.resolve();
  });
  await stopped.promise;
  server.close();
  server.closeAllConnections();
  return EXIT.ok;
}

function healthServer(dataDir: string): Server {
  const limits = { requestTimeout: 5000, headersTimeout: 5000 };
  const server = createServer(limits, ({ url }, response) => {
    const document =
      url === '/health'
        ? { health: 'true', reason: '' }
        : url === DATA_DIR_PATH
          ? { dataDir }
          : undefined;
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? { error: 'listwatch is in the place of etcd' }));
  });
  server.maxConnections = 100;
  return server;
}

/** @throws {UsageError} */
function addressOf(text: string): { readonly host: string; readonly port: number } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:') {
    throw new UsageError(
      `--listen-client-urls must be a URL such as http://127.0.0.1:2379, not ${JSON.stringify(text)}`,
    );
  }
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) };
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await makeFolders(path, { mode: 0o700 });
  } catch (error) {
    throw new UsageError(`--data-dir ${path} cannot be made: ${errorMessage(error)}`);
  }
}
