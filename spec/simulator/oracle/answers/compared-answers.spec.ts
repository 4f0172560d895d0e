import { expect } from 'chai';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import type { ApiHandler } from '../../../../lib/server/http/api-request.ts';
import {
  ComparedAnswers,
  comparesAnswers,
} from '../../../../lib/simulator/oracle/answers/compared-answers.ts';
import { WrittenHistory } from '../support/written-history.ts';

const encoder = new TextEncoder();
const COLLECTION = '/api/v1/namespaces/default/configmaps';

interface Served {
  readonly written: WrittenHistory;
  /** Sends a request that is answered so; returns what is found. */
  readonly ask: (
    method: string,
    url: string,
    answer: () => object,
    status?: number,
  ) => Promise<string[]>;
}

function served(): Served {
  const written = new WrittenHistory();
  const found: string[] = [];
  const answers = new ComparedAnswers(written.history, ({ class: kind, subject, message }) => {
    found.push(`${kind}: ${subject}: ${message}`);
  });
  return {
    written,
    ask: async (method, url, answer, status = 200) => {
      const handler: ApiHandler = async () => ({
        status,
        headers: { 'content-type': 'application/json' },
        body: encoder.encode(JSON.stringify(answer())),
      });
      const { signal } = new AbortController();
      const body = encoder.encode(JSON.stringify({ metadata: { resourceVersion: '11' } }));
      await answers.checked(handler)({ method, url, headers: {}, body, signal });
      return found.splice(0);
    },
  };
}

const listOf = (resourceVersion: string, items: readonly KubernetesObject[]): object => ({
  kind: 'ConfigMapList',
  metadata: { resourceVersion },
  items,
});

describe('the oracle of answers', () => {
  it('looks at the runs from which a search learns, and at each fourth seed', () => {
    expect([-4, -3, -2, -1].map(comparesAnswers)).to.deep.equal([true, true, true, true]);
    expect([0, 1, 2, 3, 4, 5].map(comparesAnswers)).to.deep.equal([
      true,
      false,
      false,
      false,
      true,
      false,
    ]);
  });

  it('accepts lists of the present and of the past, with selectors', async () => {
    const { written, ask } = served();
    const a = written.put('a', { color: 'red' });
    const b = written.put('b');
    const then = written.version;
    expect(await ask('GET', COLLECTION, () => listOf(then, [a, b]))).to.deep.equal([]);
    const red = `${COLLECTION}?labelSelector=color%3Dred`;
    expect(await ask('GET', red, () => listOf(then, [a]))).to.deep.equal([]);
    written.delete('a');
    const past = `${COLLECTION}?resourceVersion=${then}&resourceVersionMatch=Exact`;
    expect(await ask('GET', past, () => listOf(then, [a, b]))).to.deep.equal([]);
  });

  it('reports a list that lacks an object, has one too many, or an old one', async () => {
    const { written, ask } = served();
    const a = written.put('a');
    const gone = written.put('gone');
    written.delete('gone');
    written.put('a');
    written.put('b');
    const { version } = written;
    expect(await ask('GET', COLLECTION, () => listOf(version, [a, gone]))).to.deep.equal([
      'server: list configmaps: its list at 15 has default/a at 11, which has version 14',
      'server: list configmaps: its list at 15 has default/gone at 12, which is not in it',
      'server: list configmaps: its list at 15 lacks default/b',
    ]);
  });

  it('reports a list and an object that are of the past, when the present was asked for', async () => {
    const { written, ask } = served();
    const a = written.put('a');
    const then = written.version;
    written.put('a');
    expect(await ask('GET', COLLECTION, () => listOf(then, [a]))).to.deep.equal([
      'server: list configmaps: its list has version 11, and 12 was written before',
    ]);
    expect(await ask('GET', `${COLLECTION}/a`, () => a)).to.deep.equal([
      'server: get configmaps: it gives version 11 of default/a, which had version 12 before',
    ]);
    expect(await ask('GET', `${COLLECTION}/a?resourceVersion=0`, () => a)).to.deep.equal([]);
  });

  it('reports an object that is there and not found', async () => {
    const { written, ask } = served();
    written.put('a');
    const status = { kind: 'Status', code: 404 };
    expect(await ask('GET', `${COLLECTION}/a`, () => status, 404)).to.deep.equal([
      'server: get configmaps: it does not find default/a, which is there',
    ]);
    expect(await ask('GET', `${COLLECTION}/b`, () => status, 404)).to.deep.equal([]);
  });

  it('reports a write that was made from an old version, and a create that has made nothing', async () => {
    const { written, ask } = served();
    const first = written.put('a');
    expect(await ask('PUT', `${COLLECTION}/a`, () => written.put('a'))).to.deep.equal([]);
    expect(await ask('PUT', `${COLLECTION}/a`, () => written.put('a'))).to.deep.equal([
      'server: update configmaps: it has accepted a write to default/a that was made from version 11, over version 12',
    ]);
    expect(await ask('POST', COLLECTION, () => written.put('b'), 201)).to.deep.equal([]);
    expect(
      await ask(
        'POST',
        COLLECTION,
        () => ({ ...first, metadata: { name: 'c', namespace: 'default' } }),
        201,
      ),
    ).to.deep.equal([
      'server: create configmaps: it says that it has created default/c, and has not',
    ]);
  });
});
