import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import {
  prefixEnd,
  type RangeRequest,
  type RangeResponse,
  type Revision,
  type TxnRequest,
  type TxnResponse,
} from '../../../lib/server/mvcc/contract/key-value-store.ts';
import type {
  Outcome,
  RecordedOperation,
} from '../../../lib/conformance/history/history-recorder.ts';

export const PREFIX = '/generated/';

export interface GeneratorOptions {
  readonly seed: number;
  readonly clients?: number;
  readonly operations?: number;
  readonly keys?: number;
  /** Share of writes whose answer gets lost. */
  readonly unknown?: number;
}

interface Call {
  readonly client: string;
  readonly calledAt: number;
  readonly effectAt: number;
  returnedAt: number;
  readonly id: number;
  request: { type: 'range'; range: RangeRequest } | { type: 'txn'; txn: TxnRequest };
  fate: 'answered' | 'applied' | 'lost';
  response: RangeResponse | TxnResponse | undefined;
}

/**
 * A history that is linearizable by construction: clients call and return at random, overlapping times; in between each
 * operation is carried out at one moment on the embedded engine. Every value is written once.
 */
export async function generateHistory(options: GeneratorOptions): Promise<RecordedOperation[]> {
  const { seed, clients = 5, operations = 60, keys = 3, unknown = 0.1 } = options;
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  await using store = new EmbeddedKeyValueStore({ compactionIntervalMs: 0 });
  const calls: Call[] = [];
  /** The value of each key that each client saw last. */
  const known = new Map<string, Revision>();

  const requestOf = (client: string, id: number): Call['request'] => {
    const key = `${PREFIX}${below(keys)}`;
    const put = { type: 'put', key, value: Buffer.from(`v${id}`) } as const;
    const expected = random() < 0.3 ? 0n : (known.get(`${client} ${key}`) ?? 0n);
    const compare = [{ key, target: 'modRevision', operator: '=', operand: expected }] as const;
    const failure = [{ type: 'range', key }] as const;
    const draw = random();
    if (draw < 0.25) return { type: 'range', range: { key } };
    if (draw < 0.35) return { type: 'range', range: { key: PREFIX, rangeEnd: prefixEnd(PREFIX) } };
    if (draw < 0.5) return { type: 'txn', txn: { compare: [], success: [put] } };
    if (draw < 0.6)
      return { type: 'txn', txn: { compare: [], success: [{ type: 'delete', key }] } };
    if (draw < 0.65) {
      const other = { ...put, key: `${PREFIX}other` };
      return { type: 'txn', txn: { compare: [], success: [put, other] } };
    }
    if (draw < 0.9) return { type: 'txn', txn: { compare, success: [put], failure } };
    return { type: 'txn', txn: { compare, success: [{ type: 'delete', key }], failure } };
  };

  const learn = ({ client, request, response }: Call): void => {
    if (response === undefined) return;
    if ('items' in response) {
      for (const kv of response.items) known.set(`${client} ${kv.key}`, kv.modRevision);
    } else if (request.type === 'txn' && response.succeeded) {
      for (const one of request.txn.success) known.set(`${client} ${one.key}`, response.revision);
    } else {
      const [found] = response.responses;
      const kv = found?.type === 'range' ? found.items[0] : undefined;
      if (kv !== undefined) known.set(`${client} ${kv.key}`, kv.modRevision);
    }
  };

  const free = Array.from({ length: clients }, (_, index) => ({
    client: `c${index}`,
    at: random() * 10,
  }));
  const pending: Call[] = [];
  const settle = async (before: number): Promise<void> => {
    const moments = pending
      .flatMap((call) => [
        { at: call.effectAt, run: () => carryOut(store, call) },
        { at: call.returnedAt, run: async () => learn(call) },
      ])
      .filter(({ at }) => at >= settled && at < before)
      .toSorted((left, right) => left.at - right.at);
    for (const { run } of moments) await run();
    settled = before;
  };
  let settled = 0;
  for (let id = 0; id < operations; id += 1) {
    free.sort((left, right) => left.at - right.at);
    const next = free[0]!;
    const calledAt = next.at;
    await settle(calledAt);
    const effectAt = calledAt + 0.001 + random() * 8;
    const returnedAt = effectAt + 0.001 + random() * 8;
    const request = requestOf(next.client, id);
    const isLost = request.type === 'txn' && random() < unknown;
    const fate = !isLost ? 'answered' : random() < 0.5 ? 'applied' : 'lost';
    const call: Call = {
      client: next.client,
      calledAt,
      // An answer that was lost says nothing about when the work is done.
      effectAt: isLost ? effectAt + random() * 40 : effectAt,
      returnedAt: isLost ? Number.POSITIVE_INFINITY : returnedAt,
      id,
      request,
      fate,
      response: undefined,
    };
    calls.push(call);
    pending.push(call);
    next.at = returnedAt + random() * 4;
  }
  await settle(Number.POSITIVE_INFINITY);
  return calls.map(recorded);
}

async function carryOut(store: EmbeddedKeyValueStore, call: Call): Promise<void> {
  if (call.fate === 'lost') return;
  const { request } = call;
  call.response =
    request.type === 'range' ? await store.range(request.range) : await store.txn(request.txn);
}

function recorded({ request, response, fate, ...call }: Call): RecordedOperation {
  const { id, client, calledAt, returnedAt } = call;
  const outcome = (
    fate === 'answered' ? { type: 'answered', response } : { type: 'unknown', reason: 'lost' }
  ) as Outcome<never>;
  return request.type === 'range'
    ? { type: 'range', id, client, calledAt, returnedAt, request: request.range, outcome }
    : { type: 'txn', id, client, calledAt, returnedAt, request: request.txn, outcome };
}
