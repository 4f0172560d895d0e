import { logLine } from '../../../../lib/kernel/report/log-line.ts';
import { request } from 'node:http';
import { expect } from 'chai';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { textResponse } from '../../../../lib/server/http/responses/api-response.ts';
import { HttpListener } from '../../../../lib/server/api/port/http-listener.ts';
import {
  RequestClock,
  type RequestRecord,
} from '../../../../lib/server/api/port/request-record.ts';
import { until, within } from '../../../support/until.ts';

interface Sent {
  readonly token?: string;
  readonly host?: string;
  readonly length?: number;
}

/** Sends a GET, and resolves to its status when the response has ended. */
async function get(url: string, { token, host, length }: Sent = {}): Promise<number> {
  const done = deferred<number>();
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(host === undefined ? {} : { host }),
    ...(length === undefined ? {} : { 'content-length': length }),
  };
  const sent = request(url, { headers, agent: false }, (response) => {
    response.resume().on('end', () => done.resolve(response.statusCode ?? 0));
  });
  sent.on('error', () => {});
  if (length === undefined) sent.end();
  else sent.flushHeaders();
  return await within(done.promise, url);
}

describe('the record of a request', () => {
  const records: RequestRecord[] = [];
  const onRequest = (record: RequestRecord): void => {
    records.push(record);
  };
  let server: ApiServer;

  beforeEach(async () => {
    records.length = 0;
    server = new ApiServer({ onRequest });
    await server.listen();
  });

  afterEach(async () => {
    await server.close();
  });

  async function recordOf(url: string, sent: Sent = {}): Promise<RequestRecord> {
    await get(`${server.url}${url}`, sent);
    await until('the record', () => records.length === 1);
    return records[0]!;
  }

  it('has the user of the token, the status, path and query, and the time', async () => {
    const before = Date.now();
    const { startedMs, durationMs, ...rest } = await recordOf('/api/v1/pods?limit=1', {
      token: server.token,
    });
    expect(rest).to.deep.equal({
      method: 'GET',
      url: '/api/v1/pods?limit=1',
      user: 'listwatch:admin',
      status: 200,
    });
    expect(startedMs).to.be.at.least(Math.floor(before));
    expect(durationMs).to.be.at.least(0);
  });

  it('has the annotations that admission adds: the first value of a key', () => {
    const clock = new RequestClock({}, realRuntime);
    expect(clock.record(200)).not.to.have.property('annotations');
    clock.annotate('check.example.com/why', 'one');
    clock.annotate('check.example.com/why', 'another');
    expect(clock.record(200).annotations).to.deep.equal({ 'check.example.com/why': 'one' });
  });

  it('has 64 Ki characters of annotations at most, and says that it was cut', () => {
    const clock = new RequestClock({}, realRuntime);
    clock.annotate('a/b', 'x'.repeat(65_533));
    expect(Object.keys(clock.record(200).annotations ?? {})).to.deep.equal(['a/b']);
    clock.annotate('a/c', 'x');
    const { annotations = {} } = clock.record(200);
    expect(Object.keys(annotations)).to.deep.equal(['a/b', 'audit.k8s.io/truncated']);
    expect(annotations['audit.k8s.io/truncated']).to.equal('true');
  });

  it('of a request without credentials has the anonymous user on public paths', async () => {
    expect(await recordOf('/healthz')).to.include({ user: 'system:anonymous', status: 200 });
  });

  it('of a request that does not authenticate has no user, and none of its credentials', async () => {
    const record = await recordOf('/api', { token: 'a-wrong-token-of-some-length' });
    expect(record).to.include({ user: undefined, status: 401 });
    expect(JSON.stringify(record)).to.not.include('wrong-token');
  });

  it('is also made of a request for another host, and of one whose body is too large', async () => {
    expect(await recordOf('/api', { host: 'evil.example' })).to.include({ status: 403 });
    records.length = 0;
    const large = { token: server.token, length: 1_000_000_000 };
    expect(await recordOf('/api/v1/pods', large)).to.include({ status: 413 });
  });

  it('of a watch is made when it ends', async () => {
    const sent = request(`${server.url}/api/v1/pods?watch=true`, {
      headers: { authorization: `Bearer ${server.token}` },
      agent: false,
    });
    sent.on('error', () => {}).end();
    const begun = deferred<void>();
    sent.on('response', (response) => {
      response.on('error', () => {}).resume();
      begun.resolve();
    });
    await within(begun.promise, 'the watch');
    expect(records).to.deep.equal([]);
    sent.destroy();
    await until('the record', () => records.length === 1);
    expect(records[0]).to.include({ url: '/api/v1/pods?watch=true', status: 200 });
  });

  it('has status 0 when the client leaves before the response begins', async () => {
    const entered = deferred<void>();
    const listener = new HttpListener({
      onRequest,
      handler: async ({ signal }) => {
        entered.resolve();
        const left = deferred<void>();
        signal.addEventListener('abort', () => left.resolve());
        await left.promise;
        return textResponse(200, 'too late');
      },
    });
    await listener.listen();
    try {
      const sent = request(`http://${listener.address}/slow`, { agent: false });
      sent.on('error', () => {}).end();
      await within(entered.promise, 'the request');
      sent.destroy();
      await until('the record', () => records.length === 1);
      expect(records[0]).to.include({ url: '/slow', status: 0, user: undefined });
    } finally {
      await listener.close();
    }
  });

  it('goes to a function whose errors are logged and fail no request', async () => {
    const logged: string[] = [];
    const listener = new HttpListener({
      handler: async () => textResponse(200, 'in'),
      logger: {
        ...silentLogger,
        error: (message, fields) => logged.push(logLine(message, fields).line),
      },
      onRequest: () => {
        throw new Error('no room');
      },
    });
    await listener.listen();
    try {
      expect(await get(`http://${listener.address}/`)).to.equal(200);
      await until('the log', () => logged.length === 1);
      expect(logged).to.deep.equal(['hook threw: no room (hook=onRequest)']);
    } finally {
      await listener.close();
    }
  });
});
