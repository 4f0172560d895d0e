import { expect } from 'chai';
import type { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import {
  badRequest,
  expired,
  tooLargeResourceVersion,
  tooManyRequests,
} from '../../../../lib/meta/failure/failures.ts';
import type { ObjectEvent } from '../../../../lib/meta/watch-event.ts';
import type { ApiHandler, ApiResponse } from '../../../../lib/server/http/api-request.ts';
import { chunkAround } from '../../../../lib/server/http/responses/chunk.ts';
import { WatchFrames } from '../../../../lib/server/api/verbs/answer/watch-frames.ts';
import type { WatchOptions } from '../../../../lib/server/registry/contract/rest-storage.ts';
import {
  apiRequest,
  call,
  FakeWatch,
  fakeStorage,
  readAll,
  serve,
  storedObject,
  widget,
  type CallOptions,
} from '../support.ts';

const SHOP = '/apis/example.io/v1/namespaces/shop/widgets';
const WATCH = `${SHOP}?watch=true&resourceVersion=5`;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

interface Rig {
  readonly handler: ApiHandler;
  readonly runtime: VirtualRuntime;
  readonly watch: FakeWatch;
  readonly asked: WatchOptions[];
}

function rig(): Rig {
  const watch = new FakeWatch();
  const asked: WatchOptions[] = [];
  const storage = fakeStorage({
    watch: async (_context, options) => {
      asked.push(options);
      return watch;
    },
  });
  return { ...serve(storage), watch, asked };
}

async function lines(response: ApiResponse): Promise<string[]> {
  const text = await readAll(response.body);
  if (text !== '') expect(text.endsWith('\n')).to.equal(true);
  return text.split('\n').slice(0, -1);
}

type Event = ObjectEvent<ReturnType<typeof storedObject>>;

const stored = (name: string, version: string): ReturnType<typeof storedObject> =>
  storedObject(widget(name, version));

describe('watch', () => {
  it('writes one line an event around the bytes of the storage', async () => {
    const { handler, watch } = rig();
    const response = await handler(apiRequest('GET', WATCH));
    expect(response.status).to.equal(200);
    expect(response.headers['content-type']).to.equal('application/json');
    const [a, b] = [stored('a', '6'), stored('b', '7')];
    watch.add('ADDED', a);
    watch.add('MODIFIED', b);
    watch.add('DELETED', b);
    watch.destroy();
    expect(await lines(response)).to.deep.equal([
      `{"type":"ADDED","object":${Buffer.from(a.bytes).toString()}}`,
      `{"type":"MODIFIED","object":${Buffer.from(b.bytes).toString()}}`,
      `{"type":"DELETED","object":${Buffer.from(b.bytes).toString()}}`,
    ]);
  });

  it('may be compressed if it begins with the state and has bookmarks', async () => {
    const cases: readonly (readonly [string, boolean])[] = [
      ['resourceVersion=5', false],
      ['resourceVersion=5&allowWatchBookmarks=true', false],
      ['', false],
      ['allowWatchBookmarks=true', true],
      ['resourceVersion=0&allowWatchBookmarks=true', true],
      ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan', false],
      ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true', true],
      ['sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true', false],
    ];
    for (const [query, mayCompress] of cases) {
      const { handler, watch } = rig();
      const response = await handler(apiRequest('GET', `${SHOP}?watch=true&${query}`));
      expect(response.status, query).to.equal(200);
      expect(response.mayCompress ?? false, query).to.equal(mayCompress);
      watch.destroy();
    }
  });

  it('writes bookmarks as objects with nothing but a version', async () => {
    const { handler, watch } = rig();
    const response = await handler(apiRequest('GET', WATCH));
    watch.bookmark('8', true);
    watch.bookmark('9');
    watch.destroy();
    const bookmark = (metadata: object): object => ({
      type: 'BOOKMARK',
      object: { kind: 'Widget', apiVersion: 'example.io/v1', metadata },
    });
    expect((await lines(response)).map((line) => JSON.parse(line) as object)).to.deep.equal([
      bookmark({ resourceVersion: '8', annotations: { 'k8s.io/initial-events-end': 'true' } }),
      bookmark({ resourceVersion: '9' }),
    ]);
  });

  it('hands selectors, versions and the deadline on', async () => {
    const { handler, asked, runtime, watch } = rig();
    const query =
      'labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&allowWatchBookmarks=1&timeoutSeconds=9';
    await handler(apiRequest('GET', `${WATCH}&${query}`));
    expect(asked[0]).to.deep.include({
      resourceVersion: '5',
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name=x',
      allowWatchBookmarks: true,
      sendInitialEvents: undefined,
      deadlineMonotonicMs: runtime.monotonicMs() + 9_000,
    });
    await runtime.advance(9_000);
    expect(watch.closed).to.equal(true);
  });

  it('follows one object when the old path form names it', async () => {
    const { handler, asked, runtime } = rig();
    await handler(apiRequest('GET', '/apis/example.io/v1/watch/namespaces/shop/widgets/x'));
    expect(asked[0]?.fieldSelector).to.equal('metadata.name=x');
    await runtime.advance(3_600_000);
  });

  it('ends cleanly at its timeout', async () => {
    const { handler, runtime, watch } = rig();
    const response = await handler(apiRequest('GET', `${WATCH}&timeoutSeconds=3`));
    const all = lines(response);
    await runtime.advance(2_999);
    expect(watch.closed).to.equal(false);
    watch.add('ADDED', stored('a', '6'));
    await runtime.advance(1);
    expect(await all).to.have.length(1);
    expect(runtime.pending).to.equal(0);
  });

  it('chooses an end between 1 800 and 3 600 seconds when none is given', async () => {
    const ends = new Set<number>();
    const { handler, runtime, asked } = rig();
    for (let count = 0; count < 50; count += 1) {
      await handler(apiRequest('GET', WATCH));
      ends.add((asked.at(-1)?.deadlineMonotonicMs ?? 0) - runtime.monotonicMs());
    }
    expect(Math.min(...ends)).to.be.at.least(1_800_000);
    expect(Math.max(...ends)).to.be.below(3_600_000);
    expect(ends.size).to.be.above(40);
    await runtime.advance(3_600_000);
    expect(runtime.pending).to.equal(0);
  });

  it('puts a failure into the stream, after what came before it, and nothing after it', async () => {
    const { handler, runtime, watch } = rig();
    const response = await handler(apiRequest('GET', WATCH));
    watch.add('ADDED', stored('a', '6'));
    watch.fail(expired('too old resource version: 5 (7)'));
    const all = (await lines(response)).map(
      (line) => JSON.parse(line) as { type: string; object: object },
    );
    expect(all.map(({ type }) => type)).to.deep.equal(['ADDED', 'ERROR']);
    expect(all[1]?.object).to.deep.include({ kind: 'Status', code: 410, reason: 'Expired' });
    expect(watch.closed).to.equal(true);
    expect(runtime.pending).to.equal(0);
  });

  it('answers a failed start in the stream (410, 504) or as HTTP (400, 429)', async () => {
    const refusing = (error: Error): ApiHandler =>
      serve(
        fakeStorage({
          watch: async () => {
            throw error;
          },
        }),
      ).handler;
    for (const [error, code] of [
      [expired('too old'), 410],
      [tooLargeResourceVersion('9', '5'), 504],
    ] as const) {
      const answer = await call(refusing(error), 'GET', WATCH);
      expect(answer.status).to.equal(200);
      expect(answer.text.split('\n')).to.have.length(2);
      expect(answer.json()).to.deep.include({ type: 'ERROR' });
      expect(answer.json()['object']).to.deep.include({ code });
    }
    const busy = await call(refusing(tooManyRequests('not ready', 3)), 'GET', WATCH);
    expect([busy.status, busy.headers['retry-after']]).to.deep.equal([429, '3']);
    expect((await call(refusing(badRequest('no')), 'GET', WATCH)).status).to.equal(400);
    expect((await call(rig().handler, 'GET', `${WATCH}&sendInitialEvents=true`)).status).to.equal(
      422,
    );
  });

  it('closes the storage watch when the client disconnects, even if the answer was never read', async () => {
    const { handler, runtime, watch } = rig();
    const client = new AbortController();
    await handler(apiRequest('GET', WATCH, { signal: client.signal }));
    client.abort();
    expect(watch.closed).to.equal(true);
    expect(runtime.pending).to.equal(0);
  });

  it('closes the storage watch when the reader leaves the loop', async () => {
    const { handler, runtime, watch } = rig();
    const response = await handler(apiRequest('GET', WATCH));
    watch.add('ADDED', stored('a', '6'));
    for await (const piece of response.body as AsyncIterable<Uint8Array>) {
      expect(piece.length).to.be.above(0);
      break;
    }
    expect(watch.closed).to.equal(true);
    expect(runtime.pending).to.equal(0);
  });

  it('joins a burst into few pieces', async () => {
    const { handler, watch } = rig();
    const response = await handler(apiRequest('GET', WATCH));
    for (let index = 0; index < 10_000; index += 1)
      watch.add('ADDED', stored(`w${index}`, String(index + 6)));
    watch.destroy();
    let [pieces, bytes] = [0, 0];
    for await (const piece of response.body as AsyncIterable<Uint8Array>) {
      pieces += 1;
      bytes += piece.length;
    }
    expect(bytes / pieces).to.be.above(60_000);
  });

  it('shows tables of one row, with the columns in the first only', async () => {
    const { handler, watch } = rig();
    const options: CallOptions = { headers: { accept: TABLE } };
    const response = await handler(apiRequest('GET', WATCH, options));
    watch.add('ADDED', stored('a', '6'));
    watch.add('MODIFIED', stored('b', '7'));
    watch.bookmark('9');
    watch.fail(expired('gone'));
    const all = (await lines(response)).map(
      (line) => JSON.parse(line) as { type: string; object: Record<string, unknown[]> },
    );
    expect(
      all.map(({ type, object }) => [type, object['kind'], object['columnDefinitions']?.length]),
    ).to.deep.equal([
      ['ADDED', 'Table', 2],
      ['MODIFIED', 'Table', undefined],
      ['BOOKMARK', 'Table', undefined],
      ['ERROR', 'Status', undefined],
    ]);
    expect(all[1]?.object['columnDefinitions']).to.equal(null);
    expect(all[1]?.object['rows']).to.have.length(1);
    expect(all[2]?.object['metadata']).to.deep.equal({ resourceVersion: '9' });
  });

  it('is refused for YAML, which has no frames, after all that is wrong with the request', async () => {
    const { handler, watch } = rig();
    const headers = { accept: 'application/yaml' };
    const refused = await handler(apiRequest('GET', `${WATCH}&limit=x`, { headers }));
    expect(refused.status).to.equal(400);
    const response = await handler(apiRequest('GET', WATCH, { headers }));
    expect(response.status).to.equal(406);
    expect(watch.closed).to.equal(true);
  });

  it('shows metadata alone when asked', async () => {
    const { handler, watch } = rig();
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    const response = await handler(apiRequest('GET', WATCH, { headers: { accept } }));
    watch.add('ADDED', storedObject(widget('a', '6', { spec: { secret: 1 } })));
    watch.destroy();
    const [line] = await lines(response);
    expect(line).to.contain('"kind":"PartialObjectMetadata"').and.not.contain('secret');
  });
});

describe('watch frames', () => {
  it('are the same bytes for all watchers of an event', () => {
    const frames = new WatchFrames();
    const a = stored('a', '6');
    expect(frames.frame('ADDED', a)).to.equal(frames.frame('ADDED', a));
    expect(frames.frame('DELETED', a)).not.to.equal(frames.frame('ADDED', a));
  });

  it('are made once for 100 watchers, and joined once when they come together', async () => {
    let made = 0;
    const watches = Array.from({ length: 100 }, () => new FakeWatch());
    const waiting = [...watches];
    const storage = fakeStorage({ watch: () => Promise.resolve(waiting.pop() as FakeWatch) });
    const { handler } = serve(storage);
    const bodies = await Promise.all(
      watches.map(async () => (await handler(apiRequest('GET', WATCH))).body),
    );
    const items = ['a', 'b', 'c'].map((name, index) => {
      const one = stored(name, String(6 + index));
      const pieces = (): readonly Uint8Array[] => {
        made += 1;
        return [one.bytes];
      };
      return { type: 'ADDED', object: { ...one, pieces } } as const;
    });
    for (const watch of watches) watch.push(items);
    const received = await Promise.all(
      bodies.map(async (body) => {
        const iterator = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
        const { value } = await iterator.next();
        await iterator.return?.();
        return value as Uint8Array;
      }),
    );
    expect(made).to.equal(3);
    expect(new Set(received).size).to.equal(1);
    expect(new Set(received.map(chunkAround)).size).to.equal(1);
    expect(chunkAround(received[0] as Uint8Array)?.byteLength).to.be.above(0);
    const names = Buffer.from(received[0] as Uint8Array)
      .toString()
      .split('\n')
      .map((line) => /"name":"(.)"/.exec(line)?.[1]);
    expect(names).to.deep.equal(['a', 'b', 'c', undefined]);
  });

  it('are joined as each watcher has them: none left out, none added, bookmarks in their place', () => {
    const frames = new WatchFrames();
    const events = ['a', 'b', 'c', 'd'].map((name, index) => {
      return { type: 'ADDED', object: stored(name, String(6 + index)) } as const;
    });
    const [a, b, c, d] = events as [Event, Event, Event, Event];
    const bookmark = { type: 'BOOKMARK', resourceVersion: '8', initialEventsEnd: false } as const;
    const namesOf = (batch: readonly (Event | typeof bookmark)[], from: number = 0): string => {
      const { bytes, count } = frames.piece(batch, from);
      const text = Buffer.from(bytes).toString();
      return `${[...text.matchAll(/"name":"(.)"/g)].map(([, name]) => name).join('')} ${count}`;
    };
    const batches = [
      [a, b, d],
      [a, c, d],
      [a, b, c, d],
      [a, b],
      [a, b, bookmark, d],
    ];
    for (let round = 0; round < 2; round += 1) {
      const notified = batches.map((batch) => namesOf(batch));
      expect(notified).to.deep.equal(['abd 3', 'acd 3', 'abcd 4', 'ab 2', 'ab 2']);
    }
    expect(namesOf([a, b, bookmark, d], 3)).to.equal('d 1');
    expect(namesOf([a, b, d], 1)).to.equal('bd 2');
  });

  it('are joined up to some 256 KiB', () => {
    const frames = new WatchFrames();
    const big = (name: string): Event => ({
      type: 'ADDED',
      object: storedObject(widget(name, '6', { text: 'x'.repeat(120_000) })),
    });
    const batch = ['a', 'b', 'c', 'd', 'e'].map(big);
    const counts: number[] = [];
    for (let from = 0; from < batch.length; from += counts.at(-1) as number) {
      counts.push(frames.piece(batch, from).count);
    }
    expect(counts).to.deep.equal([3, 2]);
    expect(frames.piece(batch, 0).bytes).to.equal(frames.piece(batch, 0).bytes);
  });

  it('are forgotten when enough others came after', () => {
    const frames = new WatchFrames();
    const big = (name: string): ReturnType<typeof storedObject> =>
      storedObject(widget(name, '6', { text: 'x'.repeat(1_000_000) }));
    const first = big('first');
    const frame = frames.frame('ADDED', first);
    for (let count = 0; count < 12; count += 1) frames.frame('ADDED', big(`w${count}`));
    expect(frames.frame('ADDED', first)).not.to.equal(frame);
  });
});
