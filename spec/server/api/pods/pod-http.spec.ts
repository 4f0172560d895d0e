import { expect } from 'chai';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { PodHttp } from '../../../../lib/server/api/pods/pod-http.ts';
import { apiRequest, call, type Call, type CallOptions } from '../support.ts';

const PODS = '/api/v1/namespaces/default/pods';
const WEB = `${PODS}/web:81/proxy`;

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: {
    nodeName: 'node-1',
    containers: [
      { name: 'main', image: 'web', ports: [{ containerPort: 8080 }] },
      { name: 'side', image: 'side', ports: [{ containerPort: 81 }] },
    ],
  },
};

type Send = (method: string, path: string, options?: CallOptions) => Promise<Call>;

async function withPod(
  http: PodHttp | undefined,
  run: (send: Send, server: ApiServer) => Promise<void>,
): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    await using server = new ApiServer({ runtime, logger: silentLogger });
    const send: Send = (method, path, options) => call(server.handler, method, path, options);
    await send('POST', PODS, { body: POD });
    const status = { podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }] };
    await send('PATCH', `${PODS}/web/status`, {
      body: { status },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    if (http !== undefined) server.pods.handle({ http });
    await run(send, server);
  });
}

const message = (answer: Call): unknown => [answer.status, answer.json()['message']];

describe('a proxy to a pod', () => {
  it('gives the request to the handler, and its answer to the client', async () => {
    const seen: unknown[] = [];
    await withPod(
      async (request, { pod, container, port }) => {
        const { method, url, headers } = request;
        const sent = [...headers.keys()].toSorted();
        seen.push([pod.metadata?.name, container, port, method, url, await request.text(), sent]);
        const answer = new Response('made', { status: 201, headers: { 'x-answer': 'yes' } });
        answer.headers.append('set-cookie', 'a=1');
        answer.headers.append('set-cookie', 'b=2');
        return answer;
      },
      async (send) => {
        const answer = await send('PUT', `${WEB}/a%20b/c/?x=1&y=%26`, {
          body: 'hello',
          headers: { authorization: 'Bearer secret', 'x-mine': 'me', connection: 'close' },
        });
        expect([answer.status, answer.text]).to.deep.equal([201, 'made']);
        expect(answer.headers['x-answer']).to.equal('yes');
        expect(answer.headers['set-cookie']).to.deep.equal(['a=1', 'b=2']);
      },
    );
    expect(seen).to.deep.equal([
      [
        'web',
        'side',
        81,
        'PUT',
        'http://10.1.2.3:81/a%20b/c/?x=1&y=%26',
        'hello',
        ['content-type', 'x-forwarded-uri', 'x-mine'],
      ],
    ]);
  });

  it('passes seven methods, and asks the first port of the pod unless one is named', async () => {
    await withPod(
      ({ method, url }, { port }) => new Response(`${method} ${url} ${port}`),
      async (send) => {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
          const { text } = await send(method, `${PODS}/web/proxy/x`);
          expect(text).to.equal(`${method} http://10.1.2.3:8080/x 8080`);
        }
        const head = await send('HEAD', `${PODS}/web/proxy/x`);
        expect([head.status, head.text]).to.deep.equal([200, '']);
        expect((await send('TRACE', `${PODS}/web/proxy/x`)).status).to.equal(405);
        const https = await send('GET', `${PODS}/https:web:http/proxy/`);
        expect(https.text).to.equal('GET https://10.1.2.3:80/ 80');
      },
    );
  });

  it('leads a request without a path to the path with a slash', async () => {
    await withPod(
      () => new Response('root'),
      async (send) => {
        const { status, headers, text } = await send('GET', `${WEB}?a=1`);
        expect([status, headers['location'], text]).to.deep.equal([301, `${WEB}/?a=1`, '']);
        expect((await send('POST', WEB)).text).to.equal('root');
        expect((await send('GET', `${WEB}/`)).text).to.equal('root');
      },
    );
  });

  it('changes links to the pod so that they lead through the proxy', async () => {
    const page =
      '<a href="/x">x</a><img alt="/x" src=/y.png><a href=\'http://10.1.2.3:81/z/\'>/x</a><a href="https://example.com/x">';
    const html = { headers: { 'content-type': 'text/html; charset=utf-8' } };
    const redirect = (location: string): Response =>
      new Response(undefined, { status: 302, headers: { location } });
    await withPod(
      ({ url }) => {
        if (url.endsWith('/page')) return new Response(page, html);
        if (url.endsWith('/text')) return new Response(page);
        return redirect(decodeURIComponent(new URL(url).search.slice(1)));
      },
      async (send) => {
        expect((await send('GET', `${WEB}/page`)).text).to.equal(
          `<a href="${WEB}/x">x</a><img alt="/x" src="${WEB}/y.png"><a href="${WEB}/z/">/x</a><a href="https://example.com/x">`,
        );
        expect((await send('GET', `${WEB}/text`)).text).to.equal(page);
        const targets = [
          ['/a/?b=1', `${WEB}/a/?b=1`],
          [`${WEB}/a`, `${WEB}/a`],
          ['b', 'b'],
          ['http://10.1.2.3:81/a', `${WEB}/a`],
          ['https://example.com/a', 'https://example.com/a'],
        ] as const;
        for (const [from, to] of targets) {
          const { headers } = await send('GET', `${WEB}/r?${encodeURIComponent(from)}`);
          expect(headers['location'], from).to.equal(to);
        }
      },
    );
  });

  it('streams a body as fast as the client reads it, and leaves it when the client goes', async () => {
    let made = 0;
    let isLeft = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        made += 1;
        controller.enqueue(Buffer.alloc(65_536));
      },
      cancel: () => {
        isLeft = true;
      },
    });
    await withPod(
      () => new Response(stream),
      async (_send, { handler }) => {
        const { body } = await handler(apiRequest('GET', `${WEB}/big`));
        if (body instanceof Uint8Array) throw new TypeError('the body is no stream');
        const pieces = body[Symbol.asyncIterator]();
        await pieces.next();
        await pieces.next();
        expect(made).to.be.lessThan(5);
        await pieces.return?.();
        expect(isLeft).to.equal(true);
      },
    );
  });

  it('says what is wrong with a handler, and with the request', async () => {
    const once = new Response('once');
    const wrong: unknown = 'text';
    await withPod(
      ({ url }) => {
        if (url.endsWith('/throws')) throw new Error('no luck');
        return url.endsWith('/once') ? once : (wrong as Response);
      },
      async (send) => {
        const trouble = 'error trying to reach service:';
        expect(message(await send('GET', `${WEB}/throws`))).to.deep.equal([
          503,
          `${trouble} no luck`,
        ]);
        expect(message(await send('GET', `${WEB}/other`))).to.deep.equal([
          503,
          `${trouble} the handler "http" must return a Response`,
        ]);
        expect((await send('GET', `${WEB}/once`)).text).to.equal('once');
        expect(message(await send('GET', `${WEB}/once`))).to.deep.equal([
          503,
          `${trouble} the handler "http" returned a Response whose body has been read: return a new one for each request`,
        ]);
        expect(message(await send('GET', `${PODS}/web:metrics/proxy/x`))).to.deep.equal([
          503,
          `${trouble} dial tcp: lookup tcp/metrics: unknown port`,
        ]);
        const headers = { upgrade: 'websocket', connection: 'Upgrade' };
        expect(message(await send('GET', `${WEB}/x`, { headers }))).to.deep.equal([
          400,
          'WebSockets are not supported by the proxies of this server',
        ]);
      },
    );
  });

  it('finds no host without a handler', async () => {
    await withPod(undefined, async (send) => {
      expect(message(await send('GET', `${WEB}/x`))).to.deep.equal([
        503,
        'error trying to reach service: dial tcp 10.1.2.3:81: connect: no route to host',
      ]);
    });
  });
});
