import { expect } from 'chai';
import { LimitedTransport } from '../../../../lib/client/transport/flow/limited-transport.ts';
import { RecordedMetrics } from '../../support/recorded-metrics.ts';
import { ScriptedTransport } from '../../support/scripted-transport.ts';
import { statusOf } from '../../support/status-failures.ts';

const GET = { method: 'GET', path: '/api/v1/pods' } as const;
/** Recorded from kube-apiserver 1.36.3, whose API Priority and Fairness refused the request. */
const REFUSED = {
  status: 429,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' },
  body: 'Too many requests, please try again later.\n',
};

describe('an answer that limits the requests that follow', () => {
  const JSON_TYPE = { 'content-type': 'application/json', 'retry-after': '1' };
  const cases: readonly {
    readonly title: string;
    readonly answer: object;
    readonly path?: string;
    readonly method?: 'POST';
    readonly limits: boolean;
  }[] = [
    { title: '429 in plain text, as of kube-apiserver', answer: REFUSED, limits: true },
    { title: '429 without Retry-After, as of a proxy', answer: { status: 429 }, limits: true },
    {
      title: '503 with Retry-After',
      answer: { ...REFUSED, status: 503 },
      limits: true,
    },
    { title: '503 without Retry-After', answer: { status: 503 }, limits: false },
    { title: '500 with Retry-After', answer: { ...REFUSED, status: 500 }, limits: false },
    {
      title: 'JSON of a gateway',
      answer: { status: 429, headers: JSON_TYPE, body: { error: 'slow down' } },
      limits: true,
    },
    {
      title: 'a Status, as of a cache that is not ready',
      answer: { status: 429, headers: JSON_TYPE, body: statusOf('TooManyRequests', 429) },
      limits: false,
    },
    {
      title: 'JSON that is cut at 64 KiB',
      answer: {
        status: 429,
        headers: JSON_TYPE,
        body: statusOf('TooManyRequests', 429, 'x'.repeat(65_536)),
      },
      limits: true,
    },
    {
      title: 'a write to something whose name ends like that of an eviction',
      answer: { status: 429 },
      method: 'POST',
      path: '/api/v1/namespaces/a/pods/p/evictions',
      limits: true,
    },
    {
      title: 'a read of an eviction',
      answer: { status: 429 },
      path: '/api/v1/namespaces/a/pods/p/eviction',
      limits: true,
    },
    {
      title: 'an eviction',
      answer: { status: 429 },
      method: 'POST',
      path: '/api/v1/namespaces/a/pods/p/eviction?dryRun=All',
      limits: false,
    },
  ];
  for (const { title, answer, path = GET.path, method = 'GET', limits } of cases) {
    it(`${title}: ${limits ? 'yes' : 'no'}`, async () => {
      const metrics = new RecordedMetrics();
      const transport = new ScriptedTransport(() => answer);
      const limited = new LimitedTransport(transport, { metrics });
      await limited.send({ method, path });
      const slowed = metrics.sum('listwatch_client_limiter_slowdowns_total');
      expect(slowed).to.equal(limits ? 1 : 0);
    });
  }

  it('leaves the body of a refusal to its caller', async () => {
    const status = statusOf('TooManyRequests', 429, 'not ready');
    const answer = { status: 429, headers: JSON_TYPE, body: status };
    const limited = new LimitedTransport(new ScriptedTransport(() => answer));
    const { body } = await limited.send(GET);
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    expect(JSON.parse(Buffer.concat(pieces).toString())).to.deep.equal(status);
  });
});
