import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import type {
  ListPage,
  ListRequest,
} from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import { listItems } from '../../../../lib/client/rest/read/pager.ts';
import { failure } from '../../../../lib/meta/failure/api-error.ts';
import { expired } from '../../support/status-failures.ts';
import { failureOf, rejectionOf } from '../../support/failure-of.ts';

const PAGE = 10;

/** Serves the numbers below `total` in pages of ten, and may fail instead of one of them. */
class Numbers {
  readonly requests: ListRequest[] = [];
  readonly #total: number;
  readonly #failure: { readonly page: number; readonly error: Error } | undefined;

  constructor(total: number, failure?: { readonly page: number; readonly error: Error }) {
    this.#total = total;
    this.#failure = failure;
  }

  readonly source = (request: ListRequest): Promise<ListPage<number>> => {
    this.requests.push(request);
    if (this.#failure?.page === this.requests.length) return Promise.reject(this.#failure.error);
    const start = Number(request.continueToken ?? 0);
    const end = Math.min(this.#total, start + PAGE);
    const items = Array.from({ length: end - start }, (_, index) => start + index);
    const continueToken = end < this.#total ? String(end) : undefined;
    return Promise.resolve({ items, resourceVersion: '20', continueToken });
  };
}

/** Lets everything happen that can happen by itself. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('going through a list item by item', () => {
  for (const prefetchPages of [0, 1, 10]) {
    it(`hands on every item once and in order, ${prefetchPages} pages ahead`, async () => {
      for (const total of [0, 9, 10, 11, 20, 21, 51]) {
        const { source, requests } = new Numbers(total);
        const seen: number[] = [];
        for await (const item of listItems(source, { limit: PAGE }, { prefetchPages })) {
          seen.push(item);
        }
        expect(seen).to.deep.equal(Array.from({ length: total }, (_, index) => index));
        expect(requests).to.have.length(Math.max(1, Math.ceil(total / PAGE)));
      }
    });
  }

  it('ends when every page of a list that may go on has expired', async () => {
    let requests = 0;
    const source = (request: ListRequest): Promise<ListPage<number>> => {
      requests += 1;
      return request.continueToken === undefined
        ? Promise.resolve({ items: [1], resourceVersion: '1', continueToken: 'a' })
        : Promise.reject(failure('Expired', 'too old', { continueToken: 'b' }));
    };
    const items = listItems(source, {}, { onExpired: 'continue' });
    const reading = async (): Promise<void> => {
      for await (const item of items) void item;
    };
    expect(await failureOf(reading())).to.include({ code: 'MALFORMED_RESPONSE' });
    expect(requests).to.be.lessThan(6);
  });

  it('sends resource version and match for the first page only, also when it reads ahead', async () => {
    const { source, requests } = new Numbers(30);
    const request = { limit: PAGE, resourceVersion: '20', resourceVersionMatch: 'Exact' } as const;
    for await (const item of listItems(source, request, { prefetchPages: 2 })) void item;
    const withoutSignal = requests.map((one) => ({ ...one, signal: undefined }));
    expect(withoutSignal).to.deep.equal([
      { ...request, signal: undefined },
      { limit: PAGE, continueToken: '10', signal: undefined },
      { limit: PAGE, continueToken: '20', signal: undefined },
    ]);
  });

  const readAhead: readonly (readonly [ahead: number, inUse: number, requests: number])[] = [
    [0, 1, 1],
    [0, 2, 2],
    [0, 5, 5],
    [1, 1, 2],
    [1, 4, 5],
    [1, 5, 5],
    [10, 1, 5],
  ];
  for (const [prefetchPages, inUse, requests] of readAhead) {
    it(`has read ${requests} of 5 pages while page ${inUse} is in use, when it may be ${prefetchPages} ahead`, async () => {
      const numbers = new Numbers(5 * PAGE);
      for await (const item of listItems(numbers.source, { limit: PAGE }, { prefetchPages })) {
        if (item !== inUse * PAGE - 1) continue;
        await settled();
        expect(numbers.requests).to.have.length(requests);
        break;
      }
      await settled();
      expect(numbers.requests, 'nothing is read once the loop was left').to.have.length(requests);
    });
  }

  it('reads no page ahead while those read ahead have 8 MiB', async () => {
    const numbers = new Numbers(5 * PAGE);
    const large: typeof numbers.source = async (request) => {
      const page = await numbers.source(request);
      return { ...page, bytes: 5 * 1024 * 1024 };
    };
    let most = 0;
    for await (const item of listItems(large, { limit: PAGE }, { prefetchPages: 4 })) {
      await settled();
      most = Math.max(most, numbers.requests.length - Math.floor(item / PAGE));
    }
    expect(numbers.requests).to.have.length(5);
    expect(most, 'the page in use, and two ahead').to.equal(3);
  });

  for (const prefetchPages of [0, 3]) {
    it(`hands on an expired page after the items before it, ${prefetchPages} pages ahead`, async () => {
      const error = expired();
      const { source, requests } = new Numbers(51, { page: 2, error });
      const seen: number[] = [];
      const reading = async (): Promise<void> => {
        for await (const item of listItems(source, { limit: PAGE }, { prefetchPages })) {
          seen.push(item);
        }
      };
      expect(await rejectionOf(reading())).to.equal(error);
      expect(seen).to.have.length(PAGE);
      expect(requests, 'no list takes its place').to.have.length(2);
    });

    it(`goes on with the newest state when a page has expired and it may, ${prefetchPages} pages ahead`, async () => {
      const error = failure('Expired', 'too old', { continueToken: '010' });
      const { source, requests } = new Numbers(51, { page: 2, error });
      const options = { prefetchPages, onExpired: 'continue' } as const;
      const seen: number[] = [];
      for await (const item of listItems(source, { limit: PAGE }, options)) seen.push(item);
      expect(seen).to.deep.equal(Array.from({ length: 51 }, (_, index) => index));
      expect(requests[2]).to.deep.include({ limit: PAGE, continueToken: '010' });
    });

    it(`says what to do when a page has expired and it may not go on, ${prefetchPages} pages ahead`, async () => {
      const error = failure('Expired', 'too old', { continueToken: '10' });
      const { source } = new Numbers(51, { page: 2, error });
      const items = listItems(source, { limit: PAGE }, { prefetchPages });
      const reading = async (): Promise<void> => {
        for await (const item of items) void item;
      };
      const thrown = await failureOf(reading());
      expect(thrown).to.include({ code: 'EXPIRED', cause: error });
      expect(thrown.message).to.equal(
        "too old; iterate again from the start, with larger pages, or set onExpired: 'continue' to go on with the newest state",
      );
    });

    it(`finishes the page in use when the signal aborts, ${prefetchPages} pages ahead`, async () => {
      const { source } = new Numbers(51);
      const stopper = new AbortController();
      const reason = new Error('enough');
      const seen: number[] = [];
      const { signal } = stopper;
      const reading = async (): Promise<void> => {
        const items = listItems(source, { limit: PAGE, signal }, { prefetchPages });
        for await (const item of items) {
          seen.push(item);
          if (item === 3) stopper.abort(reason);
        }
      };
      expect(await rejectionOf(reading())).to.equal(reason);
      expect(seen).to.have.length(PAGE);
      expect(getEventListeners(signal, 'abort')).to.have.length(0);
    });

    it(`leaves the list with what the loop throws, ${prefetchPages} pages ahead`, async () => {
      const { source, requests } = new Numbers(51);
      const error = new Error('cannot go on');
      const seen: number[] = [];
      const reading = async (): Promise<void> => {
        for await (const item of listItems(source, { limit: PAGE }, { prefetchPages })) {
          seen.push(item);
          if (item === 2) throw error;
        }
      };
      expect(await rejectionOf(reading())).to.equal(error);
      expect(seen).to.deep.equal([0, 1, 2]);
      await settled();
      expect(requests.length).to.be.at.most(1 + prefetchPages);
    });
  }

  it('ends the request under way when the loop is left', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const hanging = (request: ListRequest): Promise<ListPage<number>> => {
      signals.push(request.signal);
      if (request.continueToken !== undefined) return new Promise(() => {});
      return Promise.resolve({ items: [1], resourceVersion: '1', continueToken: 'x' });
    };
    for await (const item of listItems(hanging, {}, { prefetchPages: 1 })) {
      expect(item).to.equal(1);
      break;
    }
    expect(signals.map((signal) => signal?.aborted)).to.deep.equal([true, true]);
  });

  it('refuses to read a negative number of pages ahead', async () => {
    const { source, requests } = new Numbers(1);
    const reading = listItems(source, {}, { prefetchPages: -1 }).next();
    expect((await failureOf(reading)).code).to.equal('INVALID_OPTION');
    expect(requests).to.deep.equal([]);
  });
});
