import { expect } from 'chai';
import { Client } from '../../../../../lib/client/rest/client.ts';
import { connect } from '../../../../../lib/client/rest/connect.ts';
import { AxiosTransport } from '../../../../../lib/client/transport/axios-transport.ts';
import { silentLogger } from '../../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../../lib/kernel/time/virtual-runtime.ts';
import { deferred } from '../../../../../lib/kernel/time/latch.ts';
import type { PodLogLine } from '../../../../../lib/server/api/pods/pod-log-bytes.ts';
import { until, within } from '../../../../support/until.ts';
import { failureOf, rejectionOf } from '../../../support/failure-of.ts';
import { RawServer } from '../../../support/raw-server.ts';
import { podCluster, Relay } from '../support.ts';

const START = Date.parse('2026-01-31T12:00:00Z');

function line(text: string, timeMs: number = 0): PodLogLine {
  return { text, timeMs: START + timeMs };
}

/** A container that prints nothing more, and one that has ended. */
const silent: AsyncIterable<PodLogLine> = {
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
};
const nothing = async function* (): AsyncGenerator<PodLogLine> {};

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const read: string[] = [];
  for await (const one of lines) read.push(one);
  return read;
}

describe('logs of pods', () => {
  it('are texts, with the part that was asked for', async () => {
    const lines = [line('one'), line('two', 1000), line('', 2000), line('naïve', 3000)];
    await using cluster = await podCluster({
      log: ({ previous }) => (previous ? [line('before')] : lines),
    });
    const { pods } = cluster;
    expect(await pods.logs('web')).to.equal('one\ntwo\n\nnaïve\n');
    expect(await pods.logs('web', { tailLines: 1, container: 'app' })).to.equal('naïve\n');
    expect(await pods.logs('web', { previous: true })).to.equal('before\n');
    expect(await pods.logs('web', { limitBytes: 5 })).to.equal('one\nt');
    const sinceTime = new Date(START + 2500);
    expect(await pods.logs('web', { sinceTime, timestamps: true })).to.equal(
      '2026-01-31T12:00:03.000000000Z naïve\n',
    );
  });

  it('are followed line by line until the container ends', async () => {
    const more = deferred<void>();
    const live = async function* (): AsyncGenerator<PodLogLine> {
      yield line('three', 2000);
      await more.promise;
      yield line('', 3000);
      yield line('four', 4000);
    };
    await using cluster = await podCluster({
      log: () => ({ lines: [line('one'), line('two', 1000)], live: live() }),
    });
    const read: string[] = [];
    for await (const one of cluster.pods.logs('web', { follow: true, tailLines: 1 })) {
      read.push(one);
      if (one === 'three') more.resolve();
    }
    expect(read).to.deep.equal(['two', 'three', '', 'four']);
    const timed = cluster.pods.logs('web', { follow: true, timestamps: true, limitBytes: 36 });
    expect(await all(timed)).to.deep.equal(['2026-01-31T12:00:00.000000000Z one', '2']);
  });

  it('are read on after a cut connection, with every line once, also those of one time', async () => {
    const past = [line('a', 5), line('b', 7), line('b', 7), line('c', 7)];
    const lines = [...past];
    const cuts: (() => void)[] = [];
    let calls = 0;
    const live = async function* (call: number): AsyncGenerator<PodLogLine> {
      if (call === 2) {
        // Out of order by a little, as two outputs may be.
        for (const late of [line('d', 6), line('b', 7), line('e', 9)]) {
          lines.push(late);
          yield late;
        }
      }
      if (call < 3) await new Promise(() => {});
    };
    await using cluster = await podCluster({
      log: () => {
        calls += 1;
        return { lines: [...lines], live: live(calls) };
      },
    });
    await using relay = await Relay.to(cluster.server.url);
    const { token } = cluster.server.clientConfig();
    await using client = await connect({ server: relay.url, token, logger: silentLogger });
    const pods = client.resource('v1', 'pods', { namespace: 'default' });
    const read: string[] = [];
    cuts.push(
      () => relay.cut(),
      () => relay.cut(),
    );
    for await (const one of pods.logs('web', { follow: true })) {
      read.push(one);
      if (read.length === 4 || read.length === 7) cuts.shift()?.();
    }
    expect(read).to.deep.equal(['a', 'b', 'b', 'c', 'd', 'b', 'e']);
    expect(calls).to.equal(3);
  });

  it('are continued after a cut at any age', async () => {
    const lines = [line('one')];
    const runtime = new VirtualRuntime();
    let follows = 0;
    const live: AsyncIterable<PodLogLine> = {
      [Symbol.asyncIterator]: () => {
        follows += 1;
        return (follows < 4 ? silent : nothing())[Symbol.asyncIterator]();
      },
    };
    await using cluster = await podCluster({ log: () => ({ lines: [...lines], live }) });
    await using relay = await Relay.to(cluster.server.url);
    const { token } = cluster.server.clientConfig();
    const transport = new AxiosTransport({ server: relay.url, token, runtime });
    await using client = new Client({ transport, runtime, logger: silentLogger });
    const pods = client.resource('v1', 'pods', { namespace: 'default' });
    const read: string[] = [];
    const reading = (async () => {
      for await (const one of pods.logs('web', { follow: true })) read.push(one);
    })();
    for (const [index, text] of ['two', 'three', 'four'].entries()) {
      await until('the line before', () => read.length === index + 1);
      for (let seconds = 0; seconds < 400; seconds += 1) {
        await runtime.advance(1000);
        // The last line is asked for from time to time, and the clock stands until it has come.
        await until('the answers', () => transport.inspect().requests === 1);
      }
      expect(follows).to.equal(index + 1);
      lines.push(line(text, index + 1));
      relay.cut();
      await until('the wait before the next attempt', async () => {
        await runtime.advance(follows === index + 1 ? 100 : 0);
        return follows === index + 2;
      });
    }
    await within(reading, 'the end');
    expect(read).to.deep.equal(['one', 'two', 'three', 'four']);
  });

  it('are given up five minutes after a cut without an answer, with the error of the last attempt', async () => {
    const runtime = new VirtualRuntime();
    await using cluster = await podCluster({ log: () => ({ lines: [line('one')], live: silent }) });
    const relay = await Relay.to(cluster.server.url);
    const { token } = cluster.server.clientConfig();
    await using client = await connect({ server: relay.url, token, runtime, logger: silentLogger });
    const pods = client.resource('v1', 'pods', { namespace: 'default' });
    const read: string[] = [];
    const reading = rejectionOf(
      (async () => {
        for await (const one of pods.logs('web', { follow: true })) read.push(one);
      })(),
    );
    await until('the first line', () => read.length === 1);
    await relay[Symbol.asyncDispose]();
    let failed = false;
    void reading.then(() => (failed = true));
    await until('the end', async () => {
      if (!failed) await runtime.advance(1000);
      return failed;
    });
    expect(await reading).to.include({ code: 'CONNECTION_REFUSED' });
    expect(runtime.monotonicMs()).to.be.greaterThan(300_000);
  });

  it('fail at the first request that has no answer: nothing was cut', async () => {
    const runtime = new VirtualRuntime();
    await using cluster = await podCluster({ log: () => [line('one')] });
    const relay = await Relay.to(cluster.server.url);
    const { token } = cluster.server.clientConfig();
    const warnings: string[] = [];
    const warn = (message: string): number => warnings.push(message);
    const logger = { ...silentLogger, warn };
    await using client = await connect({ server: relay.url, token, runtime, logger });
    const pods = client.resource('v1', 'pods', { namespace: 'default' });
    await relay[Symbol.asyncDispose]();
    const reading = rejectionOf(all(pods.logs('web', { follow: true })));
    let failed = false;
    void reading.then(() => (failed = true));
    await until('the end', async () => {
      if (!failed) await runtime.advance(1000);
      return failed;
    });
    expect(await reading).to.include({ code: 'CONNECTION_REFUSED' });
    expect(warnings).not.to.include('a followed log was cut, and is read on');
  });

  it('are given whole when the connection is cut in the middle of a line, and none is given twice', async () => {
    const time = '2026-01-31T12:00:00.000000007Z';
    const queries: URLSearchParams[] = [];
    const answers = [
      `${time} one\n${time} one\n${time} tw`,
      `${time} one\n${time} one\n${time} two\n`,
    ];
    await using server = await RawServer.start((request, response) => {
      queries.push(new URL(request.url ?? '', 'http://x').searchParams);
      response.writeHead(200, { 'content-type': 'text/plain' });
      const text = answers.shift() ?? '';
      if (answers.length === 0) return void response.end(text);
      response.write(text, () => setImmediate(() => request.socket.resetAndDestroy()));
    });
    await using client = await connect({ server: server.url, logger: silentLogger });
    const pods = client.resource('v1', 'pods', { namespace: 'default' });
    const read = await within(all(pods.logs('web', { follow: true, tailLines: 9 })), 'the end');
    expect(read).to.deep.equal(['one', 'one', 'two']);
    expect(queries.map((query) => [query.get('tailLines'), query.get('sinceTime')])).to.deep.equal([
      ['9', null],
      [null, '2026-01-31T12:00:00.000Z'],
    ]);
  });

  it('begin after a cut where they began before, when there was no line yet', async () => {
    const date = 'Sat, 31 Jan 2026 12:00:30 GMT';
    for (const [options, asked] of [
      [{ tailLines: 0 }, [null, '2026-01-31T12:00:30.000Z', null]],
      [{ sinceSeconds: 10 }, [null, '2026-01-31T12:00:20.000Z', null]],
      [{ tailLines: 5 }, ['5', null, null]],
      [{}, [null, null, null]],
    ] as const) {
      const queries: URLSearchParams[] = [];
      await using server = await RawServer.start((request, response) => {
        queries.push(new URL(request.url ?? '', 'http://x').searchParams);
        response.writeHead(200, { 'content-type': 'text/plain', date });
        if (queries.length === 3) return void response.end('2026-01-31T12:00:31Z one\n');
        response.flushHeaders();
        setImmediate(() => request.socket.resetAndDestroy());
      });
      await using client = await connect({ server: server.url, logger: silentLogger });
      const pods = client.resource('v1', 'pods', { namespace: 'default' });
      const read = await within(all(pods.logs('web', { follow: true, ...options })), 'the end');
      expect(read).to.deep.equal(['one']);
      for (const query of queries.slice(1)) {
        const names = ['tailLines', 'sinceTime', 'sinceSeconds'];
        expect(names.map((name) => query.get(name))).to.deep.equal(asked);
      }
    }
  });

  it('are given when the clock of the node is put back after a cut', async () => {
    const past = ['12:00:05', '12:00:06'];
    const further = ['12:00:08', '11:59:01', '11:59:02'];
    const text = (times: readonly string[]): string =>
      times.map((time) => `2026-01-31T${time}Z at ${time}\n`).join('');
    let calls = 0;
    await using server = await RawServer.start((request, response) => {
      calls += 1;
      response.writeHead(200, { 'content-type': 'text/plain' });
      if (calls === 2) return void response.end(text([...past.slice(1), ...further]));
      response.write(text(past), () => setImmediate(() => request.socket.resetAndDestroy()));
    });
    await using client = await connect({ server: server.url, logger: silentLogger });
    const pods = client.resource('v1', 'pods', { namespace: 'default' });
    const read = await within(all(pods.logs('web', { follow: true })), 'the end');
    expect(read).to.deep.equal([...past, ...further].map((time) => `at ${time}`));
  });

  it('stop when the loop is left, and when the signal aborts', async () => {
    const signals: AbortSignal[] = [];
    await using cluster = await podCluster({
      log: ({ signal }) => {
        if (signal !== undefined) signals.push(signal);
        return { lines: [line('one')], live: silent };
      },
    });
    for await (const one of cluster.pods.logs('web', { follow: true })) {
      expect(one).to.equal('one');
      break;
    }
    const abort = new AbortController();
    const reading = (async () => {
      for await (const _ of cluster.pods.logs('web', { follow: true, signal: abort.signal })) {
        abort.abort(new Error('enough'));
      }
    })();
    expect(await within(rejectionOf(reading), 'the abort')).to.include({ message: 'enough' });
    await until('both ends', () => signals.length === 2 && signals.every(({ aborted }) => aborted));
  });

  it('end with FRAME_TOO_LARGE at a line that is too long, after the lines before it', async () => {
    await using cluster = await podCluster({
      log: () => [line('short'), line('x'.repeat(5000)), line('never')],
    });
    const read: string[] = [];
    const reading = (async () => {
      const lines = cluster.pods.logs('web', { follow: true, maxLineBytes: 1000 });
      for await (const one of lines) read.push(one);
    })();
    const failure = await failureOf(reading);
    expect(failure).to.include({ code: 'FRAME_TOO_LARGE' });
    expect(failure.message).to.include('maxLineBytes, 1000 bytes');
    expect(read).to.deep.equal(['short']);
  });

  it('refuse options that exclude each other or cannot be meant', async () => {
    await using cluster = await podCluster({ log: () => '' });
    const { pods } = cluster;
    const wrong: readonly object[] = [
      { tailLines: -1 },
      { limitBytes: 0 },
      { sinceTime: 'yesterday' },
      { sinceTime: new Date(START), sinceSeconds: 5 },
      { previous: 'yes' },
      { maxLineBytes: 5 },
      { __proto__: { follow: true }, tail: 3 },
    ];
    for (const options of wrong) {
      expect(await failureOf(pods.logs('web', options)), JSON.stringify(options)).to.include({
        code: 'INVALID_OPTION',
      });
    }
  });
});
