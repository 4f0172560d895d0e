import type {
  Compare,
  KeyValue,
  TxnOperation,
  OperationResponse,
  RangeRequest,
  Revision,
} from '../../../lib/server/mvcc/contract/key-value-store.ts';
import type {
  RecordedOperation,
  RecordedRange,
  RecordedTxn,
} from '../../../lib/conformance/history/history-recorder.ts';

/** A way in which a store can be wrong. */
export interface Fault {
  readonly name: string;
  /** Whether each key by itself shows it; otherwise it takes revisions or several keys. */
  readonly perKey: boolean;
  /** The share of lost answers in the history it is put into. @defaultValue that of the generator */
  readonly unknown?: number;
  /** A history that shows the fault; undefined where this one has no place for it. */
  readonly apply: (history: readonly RecordedOperation[]) => RecordedOperation[] | undefined;
}

const KEY = '/fault/k';
const OTHER = '/fault/l';

/** Writes down operations behind the end of a history, by default one after the other. */
class Script {
  readonly #operations: RecordedOperation[];
  #now: number;
  revision: Revision;

  constructor(history: readonly RecordedOperation[]) {
    this.#operations = [...history];
    this.#now = 1000;
    this.revision = 1n;
    for (const { calledAt, returnedAt, outcome } of history) {
      const ends = returnedAt === Number.POSITIVE_INFINITY ? calledAt : returnedAt;
      this.#now = Math.max(this.#now, ends + 1);
      if (outcome.type === 'answered' && outcome.response.revision > this.revision) {
        this.revision = outcome.response.revision;
      }
    }
  }

  get operations(): RecordedOperation[] {
    return this.#operations;
  }

  moment(): number {
    this.#now += 1;
    return this.#now;
  }

  put(key: string, value: string, version = 1n, createRevision?: Revision): KeyValue {
    const kv = this.next(key, value, version, createRevision);
    this.txn([], [putOf(kv)], { revision: kv.modRevision });
    return kv;
  }

  next(key: string, value: string, version = 1n, createRevision?: Revision): KeyValue {
    this.revision += 1n;
    return {
      key,
      value: Buffer.from(value),
      modRevision: this.revision,
      createRevision: createRevision ?? this.revision,
      version,
      lease: 0n,
    };
  }

  txn(
    compare: readonly Compare[],
    success: readonly TxnOperation[],
    {
      failure,
      succeeded = true,
      responses = success.map(() => ({ type: 'put' }) as const),
      revision = this.revision,
      calledAt = this.moment(),
      returnedAt = this.moment(),
      outcome,
    }: {
      failure?: readonly TxnOperation[];
      succeeded?: boolean;
      responses?: readonly OperationResponse[];
      revision?: Revision;
      calledAt?: number;
      returnedAt?: number;
      outcome?: RecordedTxn['outcome'];
    } = {},
  ): void {
    this.#operations.push({
      type: 'txn',
      id: this.#operations.length,
      client: 'fault',
      calledAt,
      returnedAt,
      request: { compare, success, ...(failure === undefined ? {} : { failure }) },
      outcome: outcome ?? { type: 'answered', response: { succeeded, revision, responses } },
    });
  }

  read(
    items: readonly KeyValue[],
    {
      request = { key: KEY },
      revision = this.revision,
      calledAt = this.moment(),
      returnedAt = this.moment(),
      count = items.length,
      more = false,
    }: {
      request?: RangeRequest;
      revision?: Revision;
      calledAt?: number;
      returnedAt?: number;
      count?: number;
      more?: boolean;
    } = {},
  ): void {
    this.#operations.push({
      type: 'range',
      id: this.#operations.length,
      client: 'fault',
      calledAt,
      returnedAt,
      request,
      outcome: { type: 'answered', response: { revision, items, count, more } },
    });
  }
}

function putOf({ key, value }: KeyValue): TxnOperation {
  return { type: 'put', key, value };
}

function at(key: string, operand: Revision): Compare {
  return { key, target: 'modRevision', operator: '=', operand };
}

const BOTH: RangeRequest = { key: '/fault/', rangeEnd: '/fault0' };
const PAGE: RangeRequest = { ...BOTH, limit: 500, mayEndEarly: true };
const DELETE: TxnOperation = { type: 'delete', key: KEY };

/** A fault that shows in operations behind the end of a correct history. */
function scripted(name: string, write: (script: Script) => void, rest: Partial<Fault> = {}): Fault {
  return {
    name,
    perKey: true,
    ...rest,
    apply: (history) => {
      // The keys of the script are its own: no lost write of the history can explain what it does to them.
      const script = new Script(history);
      write(script);
      return script.operations;
    },
  };
}

/** The same operations as in the faults, as a correct store answers them. */
export const noFault: Fault = scripted('nothing is wrong', (script) => {
  const kv = script.next(KEY, 'a');
  script.txn([at(KEY, 0n)], [putOf(kv)]);
  const second = script.put(KEY, 'b', 2n, kv.createRevision);
  script.txn([at(KEY, kv.modRevision)], [{ type: 'put', key: KEY, value: Buffer.from('c') }], {
    succeeded: false,
    failure: [{ type: 'range', key: KEY }],
    responses: [
      { type: 'range', revision: script.revision, items: [second], count: 1, more: false },
    ],
  });
  script.read([kv], { request: { key: KEY, revision: kv.modRevision } });
  script.revision += 1n;
  script.txn([], [DELETE], { responses: [{ type: 'delete', deleted: 1, previous: [second] }] });
  script.txn([], [DELETE], { responses: [{ type: 'delete', deleted: 0, previous: [] }] });
  const lost = script.next(KEY, 'lost');
  script.txn([], [putOf(lost)], {
    returnedAt: Number.POSITIVE_INFINITY,
    outcome: { type: 'unknown', reason: 'lost' },
  });
  const other = script.put(OTHER, 'd');
  script.read([lost, other], { request: BOTH });
  script.read([lost], { request: PAGE, count: 2, more: true });
});

export const faults: readonly Fault[] = [
  {
    name: 'a read shows what had been overwritten before it began',
    perKey: true,
    apply: (history) => swapContent(history, 'past'),
  },
  {
    name: 'a read shows what was written only after it had ended',
    perKey: true,
    apply: (history) => swapContent(history, 'future'),
  },
  scripted('an acknowledged write is lost', (script) => {
    const before = script.put(KEY, 'a');
    script.put(KEY, 'b', 2n, before.createRevision);
    script.read([before]);
  }),
  scripted('an acknowledged creation is lost', (script) => {
    script.put(KEY, 'a');
    script.read([]);
  }),
  scripted('two creations of one key succeed', (script) => {
    for (const value of ['a', 'b']) {
      const kv = script.next(KEY, value);
      script.txn([at(KEY, 0n)], [putOf(kv)]);
    }
  }),
  scripted('a comparison fails that holds', (script) => {
    const kv = script.put(KEY, 'a');
    script.txn([at(KEY, kv.modRevision)], [{ type: 'put', key: KEY, value: Buffer.from('b') }], {
      succeeded: false,
      failure: [{ type: 'range', key: KEY }],
      responses: [{ type: 'range', revision: script.revision, items: [kv], count: 1, more: false }],
    });
  }),
  scripted('a comparison holds that does not', (script) => {
    const first = script.put(KEY, 'a');
    script.put(KEY, 'b', 2n, first.createRevision);
    const third = script.next(KEY, 'c', 3n, first.createRevision);
    script.txn([at(KEY, first.modRevision)], [putOf(third)]);
  }),
  scripted('a read shows a value that no client wrote', (script) => {
    const kv = script.put(KEY, 'a');
    script.read([{ ...kv, value: Buffer.from('missing') }]);
  }),
  scripted('a deleted key comes back', (script) => {
    const kv = script.put(KEY, 'a');
    script.revision += 1n;
    script.txn([], [DELETE], { responses: [{ type: 'delete', deleted: 1, previous: [kv] }] });
    script.read([kv]);
  }),
  scripted('a key survives its deletion', (script) => {
    const kv = script.put(KEY, 'a');
    script.revision += 1n;
    script.txn([at(KEY, kv.modRevision)], [DELETE], {
      responses: [{ type: 'delete', deleted: 1, previous: [kv] }],
    });
    script.read([kv]);
  }),
  scripted('a deletion does not find what is there', (script) => {
    script.put(KEY, 'a');
    script.txn([], [DELETE], { responses: [{ type: 'delete', deleted: 0, previous: [] }] });
  }),
  scripted('two reads of one client go back in time', (script) => {
    const first = script.put(KEY, 'a');
    const second = script.next(KEY, 'b', 2n, first.createRevision);
    const calledAt = script.moment();
    script.read([second]);
    script.read([first], { revision: first.modRevision });
    script.txn([], [putOf(second)], { calledAt });
  }),
  scripted('a write without an answer is carried out twice', (script) => {
    const lost = script.next(KEY, 'lost');
    script.txn([], [putOf(lost)], {
      returnedAt: Number.POSITIVE_INFINITY,
      outcome: { type: 'unknown', reason: 'lost' },
    });
    script.read([lost]);
    script.put(KEY, 'b', 2n, lost.createRevision);
    script.revision += 1n;
    script.read([{ ...lost, modRevision: script.revision, version: 3n }]);
  }),
  scripted('a write without an answer is seen before it was sent', (script) => {
    const lost = script.next(KEY, 'lost');
    script.read([lost]);
    script.txn([], [putOf(lost)], {
      returnedAt: Number.POSITIVE_INFINITY,
      outcome: { type: 'unknown', reason: 'lost' },
    });
  }),
  scripted('a write that was refused is seen', (script) => {
    const kv = script.next(KEY, 'refused');
    script.txn([], [putOf(kv)], { outcome: { type: 'refused', reason: 'no' } });
    script.read([kv]);
  }),
  scripted('a list leaves out a key', (script) => {
    script.put(KEY, 'a');
    const other = script.put(OTHER, 'b');
    script.read([other], { request: BOTH });
  }),
  scripted(
    'a page that may end early leaves out a key before its last one',
    (script) => {
      script.put(KEY, 'a');
      const other = script.put(OTHER, 'b');
      script.read([other], { request: PAGE, count: 2, more: true });
    },
    { perKey: false },
  ),
  scripted(
    'a page that may end early has no key although there is one',
    (script) => {
      script.put(KEY, 'a');
      script.read([], { request: PAGE, count: 1, more: true });
    },
    { perKey: false },
  ),
  scripted('a page that ends early says that it is all', (script) => {
    const kv = script.put(KEY, 'a');
    script.put(OTHER, 'b');
    script.read([kv], { request: PAGE, count: 2 });
  }),
  scripted(
    'a list shows half of a transaction',
    (script) => {
      const kv = script.put(KEY, 'a');
      const other = script.put(OTHER, 'a');
      const revision = script.revision + 1n;
      const calledAt = script.moment();
      const next = script.next(KEY, 'b', 2n, kv.createRevision);
      const otherNext = { ...next, key: OTHER, createRevision: other.createRevision };
      script.read([next, other], { request: BOTH, revision });
      script.txn([], [putOf(next), putOf(otherNext)], { calledAt });
    },
    { perKey: false },
  ),
  scripted(
    'two writes have one revision',
    (script) => {
      const kv = script.put(KEY, 'a');
      script.txn([], [{ type: 'put', key: OTHER, value: Buffer.from('b') }], {
        revision: kv.modRevision,
      });
    },
    { perKey: false },
  ),
  scripted(
    'a later write has an earlier revision',
    (script) => {
      const later = script.next(KEY, 'a');
      const earlier = script.next(OTHER, 'b');
      script.txn([], [putOf(earlier)], { revision: earlier.modRevision });
      script.txn([], [putOf(later)], { revision: later.modRevision });
    },
    { perKey: false },
  ),
  scripted(
    'a revision was made by no client',
    (script) => {
      script.revision += 1n;
      script.put(KEY, 'a');
    },
    { perKey: false, unknown: 0 },
  ),
  scripted(
    'a read is answered from a revision before an answered one',
    (script) => {
      const { revision } = script;
      script.put(KEY, 'a');
      script.read([], { request: { key: OTHER }, revision });
    },
    { perKey: false },
  ),
  scripted(
    'a version is counted wrong',
    (script) => {
      const kv = script.put(KEY, 'a');
      script.read([{ ...kv, version: 2n }]);
    },
    { perKey: false },
  ),
  scripted(
    'a key says it was created before it was deleted',
    (script) => {
      const kv = script.put(KEY, 'a');
      script.revision += 1n;
      script.txn([], [DELETE], { responses: [{ type: 'delete', deleted: 1, previous: [kv] }] });
      const again = script.put(KEY, 'b');
      script.read([{ ...again, createRevision: kv.createRevision, version: 2n }]);
    },
    { perKey: false },
  ),
  scripted(
    'a count is wrong',
    (script) => {
      const kv = script.put(KEY, 'a');
      script.read([kv], { count: 2 });
    },
    { perKey: false },
  ),
  scripted(
    'a read of the past shows another state',
    (script) => {
      const kv = script.put(KEY, 'a');
      const second = script.put(KEY, 'b', 2n, kv.createRevision);
      script.read([second], { request: { key: KEY, revision: kv.modRevision } });
    },
    { perKey: false },
  ),
];

/** Puts into a read what its key held before, or after, any moment at which it can have been done. */
function swapContent(
  history: readonly RecordedOperation[],
  when: 'past' | 'future',
): RecordedOperation[] | undefined {
  const puts = history.filter(isAnsweredPut);
  for (const read of history) {
    if (!isReadOfOne(read)) continue;
    const ofKey = puts.filter((one) => one.request.success[0]!.key === read.request.key);
    const wrong =
      when === 'future'
        ? ofKey.find((one) => one.calledAt > read.returnedAt)
        : ofKey.find((one) => ofKey.some((later) => follows(later, one) && follows(read, later)));
    if (wrong === undefined) continue;
    const content = contentOf(wrong);
    const response = { ...answerOf(read), items: [content], count: 1 };
    const changed: RecordedRange = { ...read, outcome: { type: 'answered', response } };
    return history.map((one) => (one === read ? changed : one));
  }
  return undefined;
}

function follows(later: RecordedOperation, earlier: RecordedOperation): boolean {
  return earlier.returnedAt < later.calledAt;
}

function isReadOfOne(operation: RecordedOperation): operation is RecordedRange {
  return operation.type === 'range' && operation.request.rangeEnd === undefined;
}

function answerOf({ outcome }: RecordedRange): { revision: Revision; more: boolean } {
  if (outcome.type !== 'answered') throw new Error('no answer');
  return outcome.response;
}

function isAnsweredPut(operation: RecordedOperation): operation is RecordedTxn {
  return (
    operation.type === 'txn' &&
    operation.outcome.type === 'answered' &&
    operation.outcome.response.succeeded &&
    operation.request.success.length === 1 &&
    operation.request.success[0]!.type === 'put'
  );
}

function contentOf({ request, outcome }: RecordedTxn): KeyValue {
  const put = request.success[0]!;
  if (put.type !== 'put' || outcome.type !== 'answered') throw new Error('no put');
  const { key, value } = put;
  const { revision } = outcome.response;
  return { key, value, modRevision: revision, createRevision: revision, version: 1n, lease: 0n };
}
