import { expect } from 'chai';
import type {
  ListPage,
  ListRequest,
} from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import { listAllPages, listPages } from '../../../../lib/client/rest/read/pager.ts';
import { expired, failure } from '../../support/status-failures.ts';
import { failureOf, rejectionOf } from '../../support/failure-of.ts';

/** Serves the numbers below `total`; the token is the next number. */
function numbers(
  total: number,
  failAt?: { token: string; error: Error },
): { requests: ListRequest[]; source: (request: ListRequest) => Promise<ListPage<number>> } {
  const requests: ListRequest[] = [];
  return {
    requests,
    source: (request) => {
      requests.push(request);
      const { continueToken, limit = total } = request;
      if (failAt !== undefined && continueToken === failAt.token)
        return Promise.reject(failAt.error);
      const start = Number(continueToken ?? 0);
      const end = Math.min(total, start + (limit === 0 ? total : limit));
      const items = Array.from({ length: end - start }, (_, index) => start + index);
      return Promise.resolve({
        items,
        resourceVersion: `${100 + start}`,
        ...(end < total ? { continueToken: String(end) } : {}),
      });
    },
  };
}

describe('the pager', () => {
  it('refuses pages that go round in a circle', async () => {
    let pages = 0;
    const source = ({ continueToken }: ListRequest): Promise<ListPage<number>> => {
      pages += 1;
      const next = continueToken === 'A' ? 'B' : 'A';
      return Promise.resolve({ items: [1], resourceVersion: '5', continueToken: next });
    };
    const error = await failureOf(listAllPages(source, {}));
    expect(error.code).to.equal('MALFORMED_RESPONSE');
    expect(pages).to.equal(4);
  });

  it('hands on a single page as it is', async () => {
    const page = { items: [1], resourceVersion: '5', remainingItemCount: 0 };
    expect(await listAllPages(() => Promise.resolve(page), {})).to.equal(page);
  });

  it('joins pages under the resource version of the first, and names a version only there', async () => {
    const { requests, source } = numbers(5);
    const list = await listAllPages(source, {
      limit: 2,
      resourceVersion: '90',
      resourceVersionMatch: 'NotOlderThan',
    });
    expect(list).to.deep.equal({ items: [0, 1, 2, 3, 4], resourceVersion: '100' });
    expect(requests).to.deep.equal([
      { limit: 2, resourceVersion: '90', resourceVersionMatch: 'NotOlderThan' },
      { limit: 2, continueToken: '2', signal: undefined },
      { limit: 2, continueToken: '4', signal: undefined },
    ]);
  });

  it('reads as many pages as there are, and one when they end together', async () => {
    for (const [total, pages] of [
      [0, 1],
      [9, 1],
      [10, 1],
      [11, 2],
      [21, 3],
    ] as const) {
      const { requests, source } = numbers(total);
      const { items } = await listAllPages(source, { limit: 10 });
      expect(items).to.deep.equal(Array.from({ length: total }, (_, index) => index));
      expect(requests).to.have.length(pages);
    }
  });

  it('passes an expired later page on to a reader of pages', async () => {
    const error = expired();
    const { requests, source } = numbers(21, { token: '10', error });
    const seen: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const { items } of listPages(source, { limit: 10 })) seen.push(...items);
    };
    expect(await rejectionOf(reading())).to.equal(error);
    expect(seen).to.have.length(10);
    expect(requests).to.have.length(2);
  });

  it('asks for pages of 500 by default', async () => {
    const { requests, source } = numbers(1_200);
    expect((await listAllPages(source, {})).items).to.have.length(1_200);
    expect(requests.map((one) => one.limit)).to.deep.equal([500, 500, 500]);
  });

  it('reads the whole list once more when a token has expired', async () => {
    const { requests, source } = numbers(5, { token: '4', error: expired() });
    const list = await listAllPages(source, { limit: 2, resourceVersion: '90' });
    expect(list.items).to.deep.equal([0, 1, 2, 3, 4]);
    expect(requests.at(-1)).to.deep.equal({
      limit: undefined,
      continueToken: undefined,
      resourceVersion: '90',
    });
  });

  it('hands on an expired first page, and any other failure', async () => {
    const first = expired();
    let requests = 0;
    const refusing = (): Promise<never> => {
      requests += 1;
      return Promise.reject(first);
    };
    expect(await rejectionOf(listAllPages(refusing, {}))).to.equal(first);
    expect(requests).to.equal(1);
    for (const error of [
      failure('Gone', 410),
      failure('InternalError', 500),
      new Error('broken'),
    ]) {
      const { source } = numbers(5, { token: '2', error });
      expect(await rejectionOf(listAllPages(source, { limit: 2 }))).to.equal(error);
    }
  });

  it('reads a page only when it is asked for', async () => {
    const { requests, source } = numbers(100);
    for await (const page of listPages(source, { limit: 10 })) {
      if (page.items.includes(15)) break;
    }
    expect(requests).to.have.length(2);
  });

  it('stops between pages when the signal aborts', async () => {
    const { requests, source } = numbers(100);
    const controller = new AbortController();
    const reason = new Error('enough');
    const seen: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const page of listPages(source, { limit: 10, signal: controller.signal })) {
        seen.push(...page.items);
        controller.abort(reason);
      }
    };
    expect(await rejectionOf(reading())).to.equal(reason);
    expect(seen).to.have.length(10);
    expect(requests).to.have.length(1);
  });

  it('refuses a negative limit', async () => {
    const { source } = numbers(1);
    expect((await failureOf(listAllPages(source, { limit: -1 }))).code).to.equal('INVALID_OPTION');
  });

  it('joins more pages than a call has room for arguments', async () => {
    const { source } = numbers(300_000);
    const list = await listAllPages(source, { limit: 150_000 });
    expect(list.items).to.have.length(300_000);
  });
});
