import { expect } from 'chai';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import {
  prefixEnd,
  type KeyValueEvent,
  type KeyValueWatchMessage,
  type TxnOperation,
} from '../../../lib/server/mvcc/contract/key-value-store.ts';
import {
  HistoryRecorder,
  type WatchRecording,
} from '../../../lib/conformance/history/history-recorder.ts';
import type { KeyValueHistory } from '../../../lib/conformance/history/key-value-history.ts';
import { RecordingKeyValueStore } from '../../../lib/conformance/history/recording-key-value-store.ts';
import { checkRevisions } from '../../../lib/conformance/history/revision-checker.ts';
import {
  validateWatch,
  type WatchGuarantee,
  type WatchValidationOptions,
} from '../../../lib/conformance/history/watch-validators.ts';

const RANGE = { key: '/w/', rangeEnd: prefixEnd('/w/') } as const;

function put(key: string, value: string): TxnOperation {
  return { type: 'put', key, value: Buffer.from(value) };
}

type Batches = readonly (readonly KeyValueWatchMessage[])[];

const progress = (revision: bigint): KeyValueWatchMessage => ({ type: 'progress', revision });

describe('validateWatch', () => {
  let history: KeyValueHistory;
  /** A correct recording: events of revisions 2 to 7, with two at 4, progress to 8, a last event at 9. */
  let good: WatchRecording;
  let batches: KeyValueWatchMessage[][];

  before(async () => {
    await using embedded = new EmbeddedKeyValueStore({ compactionIntervalMs: 0 });
    const recorder = new HistoryRecorder();
    const store = new RecordingKeyValueStore({ store: embedded, recorder, client: 'writer' });
    const watch = await store.watch({ ...RANGE, startRevision: 2n, previous: true });
    const write = async (...success: TxnOperation[]): Promise<void> => {
      await store.txn({ compare: [], success });
    };
    await write(put('/w/a', '1')); // 2
    await write(put('/w/b', '1')); // 3
    await write(put('/w/a', '2'), put('/w/b', '2')); // 4
    await write({ type: 'delete', key: '/w/a' }); // 5
    await write(put('/w/a', '3')); // 6
    await write(put('/w/c', '1')); // 7
    await write(put('/elsewhere', '1')); // 8
    await watch.requestProgress();
    const reading = (async () => {
      for await (const batch of watch) {
        if (batch.some((one) => one.type === 'event' && one.event.kv.modRevision === 9n)) break;
      }
    })();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    await write(put('/w/c', '2')); // 9
    await reading;
    const found = checkRevisions({ operations: recorder.operations });
    if (found.verdict !== 'linearizable') throw new Error(found.reason);
    ({ history } = found);
    const [recording] = recorder.watches;
    good = recording!;
    const messages = good.batches.flatMap((batch) => batch.messages);
    const at = (revision: bigint): KeyValueWatchMessage[] =>
      messages.filter((one) => one.type === 'event' && one.event.kv.modRevision === revision);
    // One batch a revision, so that each case has its own terms.
    batches = [at(2n), at(3n), at(4n), at(5n), at(6n), at(7n), [progress(8n)], at(9n)];
  });

  function violated(of: Batches, options?: WatchValidationOptions): WatchGuarantee[] {
    const recording = {
      ...good,
      batches: of.map((messages, receivedAt) => ({ receivedAt, messages })),
    };
    const found = validateWatch(recording, history, options);
    for (const { message, client } of found) {
      expect(message).to.match(/revision|progress|twice|behind|outside/);
      expect(client).to.equal('writer');
    }
    return [...new Set(found.map(({ guarantee }) => guarantee))];
  }

  function eventOf(batch: readonly KeyValueWatchMessage[] | undefined): KeyValueEvent {
    const [message] = batch ?? [];
    if (message?.type !== 'event') throw new Error('no event');
    return message.event;
  }

  function changed(batch: readonly KeyValueWatchMessage[], change: object): KeyValueWatchMessage[] {
    return [{ type: 'event', event: { ...eventOf(batch), ...change } }];
  }

  it('accepts what the engine delivers, as it delivered it and batch by batch', () => {
    expect(validateWatch(good, history, { through: 9n })).to.deep.equal([]);
    expect(violated(batches, { through: 9n })).to.deep.equal([]);
  });

  it('accepts a watch that ends in the middle, and one that saw nothing', () => {
    for (let count = 0; count < batches.length; count += 1) {
      expect(violated(batches.slice(0, count))).to.deep.equal([]);
    }
  });

  const wrong: Readonly<Record<WatchGuarantee, (good: Batches) => Batches>> = {
    filter: (all) => {
      const event = history.firstEvent({ key: '/elsewhere' }, 8n)!;
      return [...all.slice(0, 6), [{ type: 'event', event }], ...all.slice(6)];
    },
    ordered: ([a, b, c, d, e, ...rest]) => [a!, b!, c!, e!, d!, ...rest],
    unique: ([a, b = [], ...rest]) => [a!, [...b, ...b], ...rest],
    atomic: ([a, b, c = [], ...rest]) => [a!, b!, c.slice(0, 1), c.slice(1), ...rest],
    bookmarkable: ([a, b, c, d, e, f, p, ...rest]) => [a!, b!, c!, d!, e!, p!, f!, ...rest],
    resumable: (all) => all.slice(1),
    reliable: ([a, b, c, _d, ...rest]) => [a!, b!, c!, ...rest],
    isCreate: ([a, ...rest]) => [
      changed(a!, { kv: { ...eventOf(a).kv, createRevision: 1n, version: 2n } }),
      ...rest,
    ],
    prevKV: ([a, b, c, d, ...rest]) => [
      a!,
      b!,
      c!,
      changed(d!, { previous: { ...eventOf(d).previous!, value: Buffer.from('1') } }),
      ...rest,
    ],
  };

  for (const [guarantee, spoil] of Object.entries(wrong)) {
    it(`refuses with "${guarantee}", and nothing else, what breaks only that`, () => {
      expect(violated(spoil(batches))).to.deep.equal([guarantee]);
    });
  }

  it('refuses the other ways of being wrong', () => {
    const [a, b, c, d, e, f, p, last] = batches as unknown as readonly [
      KeyValueWatchMessage[],
      ...Batches,
    ];
    const cases: [string, Batches, WatchGuarantee[]][] = [
      ['an event twice, the second time late', [a, b!, c!, d!, b!], ['ordered', 'unique']],
      [
        'progress that goes back',
        [a, b!, [progress(5n)], [progress(4n)]],
        ['reliable', 'bookmarkable'],
      ],
      ['progress behind the last event', [a, b!, c!, [progress(3n)]], ['bookmarkable']],
      ['progress past an event that never came', [a, b!, p!], ['reliable']],
      ['progress past everything, with nothing delivered', [p!], ['resumable']],
      [
        'another value',
        [a, changed(b!, { kv: { ...eventOf(b).kv, value: Buffer.from('x') } })],
        ['reliable'],
      ],
      [
        'a put for a delete',
        [
          a,
          b!,
          c!,
          changed(d!, { type: 'put', kv: { ...eventOf(d).kv, createRevision: 2n, version: 3n } }),
        ],
        ['reliable'],
      ],
      [
        'an event from behind the end',
        [
          a,
          b!,
          c!,
          d!,
          e!,
          f!,
          last!,
          changed(last!, { kv: { ...eventOf(last).kv, modRevision: 10n } }),
        ],
        ['reliable'],
      ],
      ['no state before a change', [a, b!, c!, changed(d!, { previous: undefined })], ['prevKV']],
      ['a state before a creation', [changed(a, { previous: eventOf(b).kv })], ['prevKV']],
      [
        'a creation that calls itself none',
        [changed(a, { kv: { ...eventOf(a).kv, version: 2n } })],
        ['isCreate'],
      ],
    ];
    for (const [name, spoiled, expected] of cases) {
      expect(violated(spoiled), name).to.have.members(expected);
    }
  });

  it('counts what a watch has not delivered when it was awaited', () => {
    expect(violated(batches.slice(0, 7), { through: 9n })).to.deep.equal(['reliable']);
    expect(violated([], { through: 9n })).to.deep.equal(['resumable']);
  });

  it('lets the state before a change be missing where history was compacted', () => {
    const [a, b, c, d] = batches as unknown as readonly [KeyValueWatchMessage[], ...Batches];
    const without = [a, b!, c!, changed(d!, { previous: undefined })];
    const compactions = [{ revision: 5n, calledAt: 1 }];
    expect(violated(without, { compactions })).to.deep.equal([]);
    expect(violated(without, { compactions: [{ revision: 4n, calledAt: 1 }] })).to.deep.equal([
      'prevKV',
    ]);
  });
});
