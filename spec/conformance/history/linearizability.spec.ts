import { expect } from 'chai';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { checkLinearizability } from '../../../lib/conformance/history/linearizability.ts';
import {
  registerModel,
  registerOperationText,
  type RegisterOperation,
  type RegisterResult,
} from '../../../lib/conformance/history/register-model.ts';

const HISTORIES = 4000;
const MOST_OPERATIONS = 6;
/** Steps of the model for each operation of a history of which few overlap. */
const MOST_STEPS = 20;

type Part = Partial<Omit<RegisterOperation, 'result'>> & { result?: RegisterResult };

let nextId = 0;

function operation(calledAt: number, returnedAt: number, part: Part = {}): RegisterOperation {
  nextId += 1;
  return { id: nextId, client: 'c', key: 'k', calledAt, returnedAt, ...part };
}

function put(from: number, to: number, write: string, revision: bigint): RegisterOperation {
  return operation(from, to, { write, result: { succeeded: true, revision } });
}

function lostPut(from: number, write: string): RegisterOperation {
  return operation(from, Number.POSITIVE_INFINITY, { write });
}

function read(from: number, to: number, value?: string, modRevision = 0n): RegisterOperation {
  const content = value === undefined ? undefined : { value, modRevision };
  return operation(from, to, { result: { succeeded: true, seen: { content } } });
}

/** Tries every order: slow, and too simple to be wrong. */
function existsOrder(
  operations: readonly RegisterOperation[],
  state = registerModel.initial,
): boolean {
  const known = operations.filter(({ returnedAt }) => returnedAt !== Number.POSITIVE_INFINITY);
  if (known.length === 0) return true;
  return operations.some((next) => {
    if (known.some((other) => other !== next && other.returnedAt < next.calledAt)) return false;
    const after = registerModel.step(state, next);
    return (
      after !== undefined &&
      existsOrder(
        operations.filter((one) => one !== next),
        after,
      )
    );
  });
}

/** A handful of operations with times and results drawn at random: some right, most wrong. */
function randomHistory(random: () => number): RegisterOperation[] {
  const below = (limit: number): number => Math.floor(random() * limit);
  return Array.from({ length: 2 + below(MOST_OPERATIONS - 1) }, () => {
    const from = below(12);
    const to = from + 1 + below(8);
    const value = `v${below(2)}`;
    const revision = BigInt(1 + below(4));
    const kind = below(6);
    if (kind === 0) return put(from, to, value, revision);
    if (kind === 1) return lostPut(from, value);
    if (kind === 2) return read(from, to, random() < 0.3 ? undefined : value, revision);
    const expected = BigInt(below(3));
    const write = random() < 0.3 ? null : value;
    if (kind === 3) return operation(from, Number.POSITIVE_INFINITY, { expected, write });
    const succeeded = random() < 0.6;
    const content = random() < 0.3 ? undefined : { value, modRevision: revision };
    const result = {
      succeeded,
      ...(succeeded && write !== null ? { revision } : {}),
      ...(succeeded ? {} : { seen: { content } }),
    };
    return operation(from, to, kind === 4 ? { expected, write, result } : { write, result });
  });
}

describe('checkLinearizability', () => {
  it(`says of ${HISTORIES} small random histories what trying every order says`, () => {
    const random = seededRandom(7);
    const verdicts = { linearizable: 0, illegal: 0, unknown: 0 };
    for (let count = 0; count < HISTORIES; count += 1) {
      const history = randomHistory(random);
      const found = checkLinearizability(history, registerModel);
      const text = history.map(registerOperationText).join('\n');
      expect(found.verdict === 'linearizable', text).to.equal(existsOrder(history));
      verdicts[found.verdict] += 1;
      if (found.verdict !== 'illegal') continue;
      // The window alone is enough, whatever was there before it.
      const { initial, anything } = registerModel;
      const isIllegal = [initial, anything].some((state) => !existsOrder(found.window, state));
      expect(
        isIllegal,
        `${text}\nwindow:\n${found.window.map(registerOperationText).join('\n')}`,
      ).to.equal(true);
    }
    expect(verdicts.linearizable).to.be.above(500);
    expect(verdicts.illegal).to.be.above(500);
    expect(verdicts.unknown).to.equal(0);
  });

  it('gives an order that explains everything', () => {
    const first = put(1, 4, 'a', 3n);
    const second = put(2, 3, 'b', 2n);
    const seen = read(5, 6, 'a', 3n);
    const found = checkLinearizability([first, second, seen], registerModel);
    if (found.verdict !== 'linearizable') throw new Error('refused');
    expect(found.order).to.deep.equal([second, first, seen]);
  });

  it('lets a write without an answer take effect at any later time, or never', () => {
    const lost = lostPut(1, 'lost');
    const before = read(2, 3);
    const after = read(8, 9, 'lost', 7n);
    for (const history of [
      [lost, before],
      [lost, after],
      [lost, before, after],
    ]) {
      expect(checkLinearizability(history, registerModel).verdict).to.equal('linearizable');
    }
    const back = [lost, after, put(10, 11, 'b', 8n), read(12, 13, 'lost', 7n)];
    expect(checkLinearizability(back, registerModel).verdict).to.equal('illegal');
  });

  it('shows the few operations that matter out of thousands', () => {
    const history: RegisterOperation[] = [];
    let at = 0;
    let revision = 1n;
    for (let count = 0; count < 3000; count += 1) {
      revision += 1n;
      history.push(put(at + 1, at + 2, `v${count}`, revision));
      history.push(read(at + 3, at + 4, `v${count}`, revision));
      at += 4;
    }
    const [overwritten] = history;
    const wrong = read(at / 2 + 0.5, at / 2 + 0.7, overwritten!.write!, 2n);
    const found = checkLinearizability([...history, wrong], registerModel);
    if (found.verdict !== 'illegal') throw new Error(found.verdict);
    expect(found.window).to.include(wrong);
    expect(found.window.length).to.be.at.most(4);
  });

  it('takes a number of steps that grows with the length of a history, with dozens of lost writes in it', () => {
    const history: RegisterOperation[] = [];
    let revision = 1n;
    for (let count = 0; count < 2000; count += 1) {
      const at = count * 10;
      if (count % 40 === 0) history.push(lostPut(at, `lost${count}`));
      revision += 1n;
      history.push(put(at + 1, at + 6, `v${count}`, revision));
      history.push(put(at + 2, at + 5, `w${count}`, revision + 1n));
      revision += 1n;
      history.push(read(at + 7, at + 8, `w${count}`, revision));
      if (count % 80 !== 79) continue;
      revision += 1n;
      history.push(read(at + 8.5, at + 9, `lost${count - 39}`, revision));
    }
    let steps = 0;
    const counting: typeof registerModel = {
      ...registerModel,
      step: (state, operation) => {
        steps += 1;
        return registerModel.step(state, operation);
      },
    };
    expect(checkLinearizability(history, counting).verdict).to.equal('linearizable');
    expect(steps).to.be.below(MOST_STEPS * history.length);
  });

  it('says that time ran out rather than guess', () => {
    class LateRuntime extends VirtualRuntime {
      #reads = 0;
      override monotonicMs(): number {
        this.#reads += 1;
        return this.#reads * 10_000;
      }
    }
    const writes = Array.from({ length: 14 }, (_, index) => put(1, 50, `v${index}`, 2n));
    const history = [...writes, read(60, 61, 'missing', 9n)].map((one) =>
      one.write === undefined ? one : { ...one, result: { succeeded: true } },
    );
    const found = checkLinearizability(history, registerModel, {
      budgetMs: 1,
      runtime: new LateRuntime(),
    });
    expect(found.verdict).to.equal('unknown');
  });
});
