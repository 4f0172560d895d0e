import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { AxiosTransport } from '../../../lib/client/transport/axios-transport.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { silentLogger, type LogFields } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { PodLogLine } from '../../../lib/server/api/pods/pod-log-bytes.ts';
import { TcpProxy } from '../../faults/storms/tcp-proxy.ts';
import { until } from '../../support/until.ts';

const NAMESPACE = { namespace: 'default' };
const POD = { metadata: { name: 'web' }, spec: { containers: [{ name: 'app', image: 'web:1' }] } };
const STEP_MS = 100;

interface World extends AsyncDisposable {
  readonly server: ApiServer;
  readonly proxy: TcpProxy;
  /** Its requests go through the proxy, and it has a clock of its own. */
  readonly client: Client;
  /** Goes past the proxy. */
  readonly writer: Client;
  /** How many requests were answered. */
  readonly answers: () => number;
  /** The log of the client. */
  readonly warnings: string[];
  /** Takes what a stream brings, and notes how it ends. */
  readonly follow: <V>(stream: AsyncIterable<V>, name: (item: V) => string) => Followed;
  /** Waits in real time. Tasks that are due run meanwhile, and the clock stands still. */
  readonly standing: (what: string, condition: () => boolean) => Promise<void>;
  /** Lets the clock run until `condition` holds or `mostMs` have passed; returns the milliseconds. */
  readonly runsUntil: (condition: () => boolean, mostMs: number) => Promise<number>;
}

interface Followed {
  readonly seen: string[];
  /** Undefined while it goes on. */
  ended: string | undefined;
}

async function world(http2: boolean): Promise<World> {
  const server = new ApiServer({ logger: silentLogger });
  await server.listen();
  const proxy = new TcpProxy({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
  await proxy.up();
  const writer = await connect({ ...server.clientConfig(), logger: silentLogger });
  const runtime = new VirtualRuntime();
  const transport = new AxiosTransport({
    server: `https://127.0.0.1:${proxy.port}`,
    token: server.token,
    tls: { ca: server.certificateAuthority },
    http2,
    runtime,
  });
  let answers = 0;
  const send = transport.send.bind(transport);
  transport.send = async (request) => {
    const answer = await send(request);
    answers += 1;
    return answer;
  };
  const warnings: string[] = [];
  const warn = (message: string, fields?: LogFields): void => {
    warnings.push(`${message}: ${String(fields?.['error'])}`);
  };
  const client = new Client({ transport, runtime, logger: { ...silentLogger, warn } });
  const standing: World['standing'] = (what, condition) =>
    until(what, async () => {
      await runtime.advance(0);
      return condition();
    });
  return {
    server,
    proxy,
    client,
    writer,
    warnings,
    answers: () => answers,
    follow: (stream, name) => {
      const followed: Followed = { seen: [], ended: undefined };
      const reading = async (): Promise<void> => {
        try {
          for await (const item of stream) followed.seen.push(name(item));
          followed.ended = 'end';
        } catch (error) {
          followed.ended = isListwatchError(error) ? error.code : String(error);
        }
      };
      void reading();
      return followed;
    },
    standing,
    runsUntil: async (condition, mostMs) => {
      const startMs = runtime.monotonicMs();
      while (!condition() && runtime.monotonicMs() - startMs < mostMs) {
        // The clock stands while something is answered; the stream is the one request that stays.
        if (!proxy.isSilent && !http2) {
          await standing('the answers', () => condition() || transport.inspect().requests <= 1);
        }
        await runtime.advance(STEP_MS);
      }
      await standing('what is under way', () => true);
      return runtime.monotonicMs() - startMs;
    },
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await writer.close();
      await proxy.down();
      await server.close();
    },
  };
}

interface LogWorld extends World {
  /** The output of the container. */
  readonly lines: PodLogLine[];
  readonly followed: Followed;
  /** How often the log was asked for to be followed. */
  readonly follows: () => number;
}

function line(text: string, second: number): PodLogLine {
  return { text, timeMs: Date.parse('2026-01-31T12:00:00Z') + 1000 * second };
}

/** A log that is followed, of a container that printed some lines and then is quiet. */
async function logWorld(
  texts: readonly string[],
  options: { tailLines?: number } = {},
): Promise<LogWorld> {
  const one = await world(false);
  const { server, client, writer, follow, standing } = one;
  const lines = texts.map((text) => line(text, 0));
  let follows = 0;
  const live: AsyncIterable<PodLogLine> = {
    [Symbol.asyncIterator]: () => {
      follows += 1;
      return { next: () => new Promise(() => {}) };
    },
  };
  server.pods.handle({ log: () => ({ lines: [...lines], live }) });
  await writer.resource('v1', 'pods', NAMESPACE).create(POD);
  const pods = client.resource('v1', 'pods', NAMESPACE);
  const followed = follow(pods.logs('web', { follow: true, ...options }), String);
  const expected = options.tailLines ?? texts.length;
  await standing('the first lines', () => follows === 1 && followed.seen.length === expected);
  return { ...one, lines, followed, follows: () => follows };
}

describe('a watch whose connection is gone without a word', () => {
  for (const http2 of [false, true]) {
    it(`ends within 35 s with STREAM_IDLE or CONNECTION_FAILED, HTTP/2: ${http2}`, async () => {
      await using one = await world(http2);
      const { client, writer, proxy, follow, standing, runsUntil } = one;
      const maps = writer.resource('v1', 'configmaps', NAMESPACE);
      const watch = client.resource('v1', 'configmaps', NAMESPACE).watch();
      const followed = follow(watch, ({ type }) => type);
      await maps.create({ metadata: { name: 'early' } });
      await standing('the first event', () => followed.seen.length === 1);
      proxy.strand();
      await maps.create({ metadata: { name: 'late' } });
      const tookMs = await runsUntil(() => followed.ended !== undefined, 60_000);
      expect(followed).to.deep.equal({
        seen: ['ADDED'],
        ended: http2 ? 'CONNECTION_FAILED' : 'STREAM_IDLE',
      });
      expect(tookMs).to.be.greaterThan(30_000).and.at.most(35_000);
    });
  }

  it('ends within 35 s when nothing answers, also before there was an event', async () => {
    await using one = await world(false);
    const { client, proxy, answers, follow, standing, runsUntil } = one;
    const followed = follow(client.resource('v1', 'configmaps', NAMESPACE).watch(), String);
    await standing('the watch', () => answers() === 1);
    proxy.silence(true);
    const tookMs = await runsUntil(() => followed.ended !== undefined, 60_000);
    expect(followed.ended).to.equal('STREAM_IDLE');
    expect(tookMs).to.be.greaterThan(30_000).and.at.most(35_000);
  });

  it('stays open for ten quiet minutes, with and without an event before', async () => {
    await using one = await world(false);
    const { client, writer, answers, follow, standing, runsUntil } = one;
    const followed = follow(
      client.resource('v1', 'configmaps', NAMESPACE).watch(),
      ({ type }) => type,
    );
    await standing('the watch', () => answers() === 1);
    expect(await runsUntil(() => followed.ended !== undefined, 300_000)).to.be.at.least(300_000);
    await writer.resource('v1', 'configmaps', NAMESPACE).create({ metadata: { name: 'a' } });
    await standing('the event', () => followed.seen.length === 1);
    await runsUntil(() => followed.ended !== undefined, 300_000);
    expect(followed).to.deep.equal({ seen: ['ADDED'], ended: undefined });
  });
});

describe('a followed log', () => {
  it('whose connection is gone without a word is read on within 35 s, and brings every line', async () => {
    await using one = await logWorld(['one', 'two']);
    const { lines, followed, proxy, runsUntil } = one;
    proxy.strand();
    lines.push(line('three', 1));
    const tookMs = await runsUntil(() => followed.seen.length === 3, 60_000);
    expect(followed).to.deep.equal({ seen: ['one', 'two', 'three'], ended: undefined });
    expect(tookMs).to.be.greaterThan(30_000).and.at.most(35_000);
  });

  it('is tried again for five minutes when nothing answers, and then fails', async () => {
    await using one = await logWorld(['one']);
    const { followed, warnings, proxy, runsUntil } = one;
    proxy.silence(true);
    expect(await runsUntil(() => warnings.length > 0, 60_000)).to.be.at.most(35_000);
    expect(warnings[0]).to.include('the server did not answer either');
    await runsUntil(() => followed.ended !== undefined, 400_000);
    expect(followed.seen).to.deep.equal(['one']);
    expect(followed.ended).to.be.oneOf(['CONNECTION_FAILED', 'REQUEST_TIMEOUT']);
  });

  it('keeps its connection while the container is quiet, for any earlier output', async () => {
    await using one = await logWorld(['one', 'two'], { tailLines: 0 });
    const { followed, follows, runsUntil } = one;
    await runsUntil(() => followed.ended !== undefined, 300_000);
    expect([followed, follows()]).to.deep.equal([{ seen: [], ended: undefined }, 1]);
  });
});
