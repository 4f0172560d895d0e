import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import { AxiosTransport } from '../../../../lib/client/transport/axios-transport.ts';
import type { ListDecoder } from '../../../../lib/client/rest/decode/list-decoder.ts';
import { readList } from '../../../../lib/client/rest/read/read-list.ts';
import type { BodyReader } from '../../../../lib/client/transport/contract/transport.ts';
import { TransportError } from '../../../../lib/client/transport/contract/transport-error.ts';
import type { ObjectView } from '../../../../lib/meta/object-view.ts';
import { failureOf, rejectionOf } from '../../support/failure-of.ts';
import { RawServer } from '../../support/raw-server.ts';
import { ScriptedTransport } from '../../support/scripted-transport.ts';
import { until } from '../../../support/until.ts';

const PODS = { apiVersion: 'v1', resource: 'pods' };
const HEAD = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[';
const pod = (name: string): string => `{"metadata":{"name":"${name}"}}`;
const namesOf = (items: readonly ObjectView[]): unknown[] =>
  items.map(({ metadata }) => metadata.name);

describe('a list that is read as it comes', () => {
  it('hands items on while the server is still sending', async () => {
    let more = (): void => {};
    await using server = await RawServer.start((_, response) => {
      response.write(`${HEAD}${pod('a')},${pod('b')},`);
      more = () => response.end(`${pod('c')}]}`);
    });
    await using client = new Client({ transport: new AxiosTransport({ server: server.url }) });
    const batches: unknown[][] = [];
    const page = await client.listerWatcher(PODS).list({}, (items) => {
      batches.push(namesOf(items));
      more();
    });
    expect(batches).to.deep.equal([['a', 'b'], ['c']]);
    expect(page).to.deep.equal({ items: [], resourceVersion: '7' });
    expect(server.connections).to.equal(1);
  });

  it('reads no further while the consumer of the items is busy', async () => {
    const pieces = [`${HEAD}${pod('a')}`, `,${pod('b')}`, ']}'];
    let sent = 0;
    const transport = new ScriptedTransport(() => ({
      body: pieces.map((piece) => ({ [Symbol.toPrimitive]: () => ((sent += 1), piece) })),
    }));
    const waiting: (() => void)[] = [];
    const reading = new Client({ transport }).listerWatcher(PODS).list(
      {},
      () =>
        new Promise<void>((resolve) => {
          waiting.push(resolve);
        }),
    );
    await until('the first item is there', () => waiting.length === 1);
    expect(sent).to.equal(1);
    waiting[0]?.();
    await until('the second item is there', () => waiting.length === 2);
    expect(sent).to.equal(2);
    waiting[1]?.();
    expect((await reading).items).to.deep.equal([]);
  });

  it('keeps all items in the page when there is no consumer', async () => {
    const transport = new ScriptedTransport(() => ({
      body: [`${HEAD}${pod('a')}`, `,${pod('b')}]}`],
    }));
    const page = await new Client({ transport }).listerWatcher(PODS).list({});
    expect(namesOf(page.items)).to.deep.equal(['a', 'b']);
  });

  it('leaves the body when its taker throws, and hands on what it threw', async () => {
    const transport = new ScriptedTransport(() => ({
      body: [`${HEAD}${pod('a')}`, 'never read'],
    }));
    const pods = new Client({ transport }).listerWatcher(PODS);
    const refusal = new Error('enough');
    const throwing = (): never => {
      throw refusal;
    };
    expect(await rejectionOf(pods.list({}, throwing))).to.equal(refusal);
    expect(await rejectionOf(pods.list({}, () => Promise.reject(refusal)))).to.equal(refusal);
    expect(transport.finished).to.equal(2);
  });

  it('ends the wait for its taker when the signal aborts', async () => {
    const transport = new ScriptedTransport(() => ({ body: [`${HEAD}${pod('a')}`, 'never read'] }));
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error('enough');
    const pods = new Client({ transport }).listerWatcher(PODS);
    const reading = pods.list({ signal }, () => {
      controller.abort(reason);
      return new Promise<void>(() => {});
    });
    expect(await rejectionOf(reading)).to.equal(reason);
    expect(transport.finished).to.equal(1);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });

  it('refuses a page over the limit as soon as it is, and a malformed one, naming the exchange', async () => {
    const answers = [
      { body: [`${HEAD}${pod('a')}`, ',', 'x'.repeat(100), 'never read'] },
      { body: [`${HEAD}${pod('a')};`, 'never read'] },
    ];
    const transport = new ScriptedTransport((_, index) => answers[index] ?? {});
    const pods = new Client({ transport, maxResponseBytes: 150 }).listerWatcher(PODS);
    for (const code of ['RESPONSE_TOO_LARGE', 'MALFORMED_RESPONSE']) {
      const error = await failureOf(pods.list({}));
      expect(error).to.be.instanceOf(TransportError).and.to.include({ code });
      expect(error.message).to.contain('GET http://scripted/api/v1/pods: ');
    }
    expect(transport.finished).to.equal(2);
  });

  it('fails like the connection, after the items before', async () => {
    const broken = new Error('broken');
    const transport = new ScriptedTransport(() => ({ body: [`${HEAD}${pod('a')}`, broken] }));
    const taken: unknown[] = [];
    const reading = new Client({ transport }).listerWatcher(PODS).list({}, (items) => {
      taken.push(...namesOf(items));
    });
    expect(await rejectionOf(reading)).to.equal(broken);
    expect(taken).to.deep.equal(['a']);
  });

  it('joins small pieces that have arrived to 16 KiB, and does not copy a large one that comes by itself', async () => {
    const small = Array.from({ length: 40 }, () => Buffer.alloc(1000, 32));
    const large = Buffer.alloc(20_000, 32);
    const waiting: Buffer[] = [...small, large, ...small.slice(0, 2)];
    const reader: BodyReader = {
      next: () => {
        const value = waiting.shift();
        return Promise.resolve(
          value === undefined ? { done: true, value: undefined } : { done: false, value },
        );
      },
      poll: () => waiting.shift(),
      return: () => Promise.resolve({ done: true, value: undefined }),
    };
    const pushed: Buffer[] = [];
    const list: ListDecoder<never> = {
      push: (piece) => void pushed.push(piece),
      takeItems: () => [],
      end: () => ({ items: [], resourceVersion: '7' }),
    };
    await readList({
      body: { [Symbol.asyncIterator]: () => reader },
      list,
      target: { server: 'http://scripted', method: 'GET', path: '/' },
      maxBytes: Infinity,
    });
    expect(pushed.map(({ length }) => length)).to.deep.equal([17_000, 17_000, 26_000, 2000]);
    waiting.push(large);
    await readList({
      body: { [Symbol.asyncIterator]: () => reader },
      list,
      target: { server: 'http://scripted', method: 'GET', path: '/' },
      maxBytes: Infinity,
    });
    expect(pushed.at(-1)).to.equal(large);
  });
});
