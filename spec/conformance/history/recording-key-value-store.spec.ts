import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import type {
  KeyValueStore,
  TxnRequest,
} from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { HistoryRecorder } from '../../../lib/conformance/history/history-recorder.ts';
import { operationText } from '../../../lib/conformance/history/revision-checker.ts';
import { RecordingKeyValueStore } from '../../../lib/conformance/history/recording-key-value-store.ts';

const PUT: TxnRequest = {
  compare: [{ key: 'k', target: 'modRevision', operator: '=', operand: 0n }],
  success: [{ type: 'put', key: 'k', value: Buffer.from('v') }],
  failure: [{ type: 'range', key: 'k' }],
};

describe('RecordingKeyValueStore', () => {
  let embedded: EmbeddedKeyValueStore;
  let recorder: HistoryRecorder;

  beforeEach(() => {
    embedded = new EmbeddedKeyValueStore({ compactionIntervalMs: 0 });
    recorder = new HistoryRecorder();
  });

  afterEach(async () => {
    await embedded.close();
  });

  function recording(faults: Partial<KeyValueStore> = {}): RecordingKeyValueStore {
    const store = Object.assign(Object.create(embedded) as KeyValueStore, {
      range: embedded.range.bind(embedded),
      txn: embedded.txn.bind(embedded),
      watch: embedded.watch.bind(embedded),
      compact: embedded.compact.bind(embedded),
      ...faults,
    });
    return new RecordingKeyValueStore({ store, recorder, client: 'c' });
  }

  it('notes calls and answers on one clock, and hands on the very answers', async () => {
    const store = recording();
    const first = await store.txn(PUT);
    const both = await Promise.all([store.range({ key: 'k' }), store.range({ key: 'l' })]);
    const texts = recorder.operations.map(operationText);
    expect(texts).to.deep.equal([
      '#0 c [1..2] if modRevision("k") = 0: put "k" "v" else read "k" -> yes at revision 2',
      '#1 c [3..5] read "k" -> 1 found (k="v"@2) at revision 2',
      '#2 c [4..6] read "l" -> 0 found at revision 2',
    ]);
    const responses = recorder.operations.map(({ outcome }) =>
      outcome.type === 'answered' ? outcome.response : undefined,
    );
    expect(responses[0]).to.equal(first);
    expect(responses.slice(1)).to.have.members(both);
  });

  it('distinguishes calls that were refused, may have been done, and are under way', async () => {
    let proceed = (): void => {};
    const refusal = Object.assign(new Error('no listener'), { outcome: 'none' });
    const answers: (() => Promise<never>)[] = [
      () => Promise.reject(refusal),
      () => Promise.reject(new Error('connection lost')),
      () =>
        new Promise((_resolve, reject) => {
          proceed = () => reject(new Error('late'));
        }),
    ];
    const store = recording({ txn: async () => await answers.shift()!() });
    await store.txn(PUT).catch(() => {});
    await store.txn(PUT).catch(() => {});
    const waiting = store.txn(PUT).catch(() => {});
    await recording()
      .txn({ compare: [], success: [...PUT.success, ...PUT.success] })
      .catch(() => {});
    expect(
      recorder.operations.map(({ outcome, returnedAt }) => [
        outcome.type,
        'reason' in outcome && outcome.reason,
        returnedAt !== Number.POSITIVE_INFINITY,
      ]),
    ).to.deep.equal([
      ['refused', 'no listener', true],
      ['unknown', 'connection lost', false],
      ['unknown', 'under way', false],
      ['refused', 'the transaction writes the key "k" twice', true],
    ]);
    proceed();
    await waiting;
  });

  it('notes what the reader of a watch was given, and how it ended', async () => {
    const store = recording();
    const watch = await store.watch({ key: 'k' });
    await store.txn(PUT);
    for await (const _batch of watch) break;
    const [seen] = recorder.watches;
    expect(seen?.batches[0]?.messages).to.have.length(1);
    expect(seen?.startedAt).to.equal(1n);
    expect(seen?.end).to.deep.equal({});
    await store.txn({ compare: [], success: PUT.success });
    await store.compact(3n);
    const late = await store.watch({ key: 'k', startRevision: 1n });
    const error: unknown = await (async () => {
      for await (const _batch of late) break;
    })().catch((reason: unknown) => reason);
    expect(isListwatchError(error, 'COMPACTED')).to.equal(true);
    expect(recorder.watches[1]?.end?.error).to.include('compacted');
    expect(recorder.compactions.map(({ revision }) => revision)).to.deep.equal([3n]);
  });

  it('refuses to grow beyond its bound', async () => {
    recorder = new HistoryRecorder({ capacity: 2 });
    const store = recording();
    await store.txn(PUT);
    await store.range({ key: 'k' });
    const error: unknown = await store.range({ key: 'k' }).catch((reason: unknown) => reason);
    expect(isListwatchError(error, 'BUFFER_FULL')).to.equal(true);
  });
});
