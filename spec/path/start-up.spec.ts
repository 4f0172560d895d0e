import { createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import {
  CacheSyncError,
  waitForCacheSync,
} from '../../lib/cache/informer/factory/wait-for-cache-sync.ts';
import { connect, type ConnectOptions } from '../../lib/client/rest/connect.ts';
import type { ErrorCode } from '../../lib/kernel/failure/errors.ts';
import { realRuntime } from '../../lib/kernel/time/real-runtime.ts';
import { failure } from '../../lib/meta/failure/api-error.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import type { ApiHandler } from '../../lib/server/http/api-request.ts';
import { failureResponse } from '../../lib/server/http/responses/document-response.ts';
import { HttpListener } from '../../lib/server/api/port/http-listener.ts';
import {
  CertificateAuthority,
  type Certificate,
} from '../../lib/kernel/certificates/certificate-authority.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { CapturedStderr } from './support/captured-stderr.ts';
import { HANG_MS, until } from '../support/until.ts';

const TOKEN = 'a token that stays secret'.replaceAll(' ', '-');
const YEAR_MS = 365 * 86_400_000;

/** The informers are given this long once they have said what is wrong. */
const TOO_SHORT_MS = 50;

interface Case {
  readonly connection: ConnectOptions;
  readonly apiVersion?: string;
  readonly resource?: string;
  /** The text that a person has to read, by default, on standard error and in the rejection alike. */
  readonly words: readonly (string | RegExp)[];
  readonly code?: ErrorCode;
  /** Takes the cause away. Left out: the cause stays. */
  readonly fix?: () => Promise<unknown>;
}

/**
 * Starts informers the way a newcomer does, with no listener, hook or logger; reads what they say; takes the cause away, and
 * expects them to be synced without the program doing anything.
 */
async function startUp({ connection, words, fix, ...options }: Case): Promise<void> {
  const { apiVersion = 'v1', resource = 'configmaps', code = 'TIMEOUT' } = options;
  using stderr = new CapturedStderr();
  await using client = await connect({ ...connection, env: {} });
  await using informers = new SharedInformerFactory(client, { backoff: { baseMs: 5, capMs: 50 } });
  const informer = informers.for(apiVersion, resource);
  informers.start();
  await until('a line on standard error', () => stderr.lines.length > 0);
  const error = await informers.whenSynced({ timeoutMs: TOO_SHORT_MS }).then(
    () => new Error('it was synced'),
    (reason: Error) => reason,
  );
  expect(error).to.be.instanceOf(CacheSyncError);
  expect(error).to.have.property('code', code);
  expect(stderr.lines.length, 'lines on standard error').to.be.within(1, 4);
  for (const text of [stderr.lines[0]!, error.message]) {
    expect(text).to.include(informer.name);
    expect(text).not.to.include(TOKEN);
    for (const word of words) {
      if (typeof word === 'string') expect(text).to.include(word);
      else expect(text).to.match(word);
    }
  }
  if (fix === undefined) return;
  await fix();
  await informers.whenSynced({ timeoutMs: HANG_MS });
  expect(informer.synced).to.equal(true);
}

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

/** A certificate, and the one of the authority that signed it. */
interface Issued extends Certificate {
  readonly authority: string;
}

/** A server certificate of an authority of its own, made so long ago. */
function certificate(ageMs: number): Issued {
  const nowMs = realRuntime.wallMs() - ageMs;
  const authority = new CertificateAuthority({ name: 'an authority', nowMs });
  const leaf = authority.issue({ usage: 'server', name: 'a server', hosts: ['127.0.0.1'], nowMs });
  return { ...leaf, authority: authority.certificate };
}

describe('a start-up that fails explains itself, and recovers when its cause is gone', () => {
  let server: ApiServer;

  beforeEach(() => {
    server = new ApiServer({ token: TOKEN });
  });

  afterEach(async () => {
    await server.close();
  });

  /** Answers as an API server with RBAC does, until the rule is there. */
  const withoutRule = (isGranted: () => boolean): ApiHandler => {
    return async (request) => {
      if (isGranted()) return await server.handler(request);
      const message = `configmaps is forbidden: User "system:serviceaccount:shop:watcher" cannot list resource "configmaps" in API group "" at the cluster scope`;
      const error = failure('Forbidden', message, { details: { kind: 'configmaps' } });
      return failureResponse(error, request);
    };
  };

  it('names the rule to add when the user may not list', async () => {
    let granted = false;
    const listener = new HttpListener({ handler: withoutRule(() => granted) });
    await listener.listen();
    try {
      await startUp({
        connection: { server: `http://${listener.address}`, token: TOKEN },
        words: [
          'system:serviceaccount:shop:watcher',
          'ClusterRole',
          'apiGroups: [""], resources: ["configmaps"], verbs: ["list","watch"]',
        ],
        fix: () => {
          granted = true;
          return Promise.resolve();
        },
      });
    } finally {
      await listener.close();
    }
  });

  const createDefinition = async (): Promise<void> => {
    await using admin = await connect({ transport: inProcessTransport(server.handler) });
    await admin.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions').create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
      },
    });
  };

  it('names the resource that is not served, and waits for its definition', async () => {
    await server.listen();
    await startUp({
      connection: server.clientConfig(),
      apiVersion: 'example.com/v1',
      resource: 'widgets',
      words: [
        'widgets.example.com',
        'does not serve the group "example.com"',
        'CustomResourceDefinition',
        / (?:in \d+ ms|at once)\./,
      ],
      fix: createDefinition,
    });
  });

  it('fails at once for a resource that is not served, with the option', async () => {
    await server.listen();
    using stderr = new CapturedStderr();
    await using client = await connect(server.clientConfig());
    await using informers = new SharedInformerFactory(client, { missingResource: 'fail' });
    informers.start();
    const { informer } = informers.acquire('example.com/v1', 'widgets');
    const direct = await informer.whenSynced().then(
      () => undefined,
      (error: Error) => error,
    );
    expect(direct).to.have.property('code', 'RESOURCE_UNKNOWN');
    const error = await informers.whenSynced({ timeoutMs: HANG_MS }).then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).to.have.property('code', 'RESOURCE_UNKNOWN');
    await until('the end is logged', () => stderr.lines.length > 0);
    for (const text of [stderr.lines[0], direct?.message, error?.message]) {
      expect(text)
        .to.include('widgets of example.com/v1')
        .and.include('install the CustomResourceDefinition');
    }
    await createDefinition();
    const again = informers.acquire('example.com/v1', 'widgets');
    await again.informer.whenSynced({ timeoutMs: HANG_MS });
  });

  it('says that a host name does not resolve', async () => {
    await startUp({
      connection: { server: 'https://api.no-such-cluster.invalid:6443', token: TOKEN },
      words: ['api.no-such-cluster.invalid', /resolve/, /DNS/],
    });
  });

  it('says that nothing listens, and is synced when the server has started', async () => {
    const port = await closedPort();
    await startUp({
      connection: { server: `http://127.0.0.1:${port}`, token: TOKEN },
      words: [`127.0.0.1:${port}`, /nothing listens/i, 'ECONNREFUSED', /API server run/],
      fix: () => server.listen({ port }),
    });
  });

  it('says what is wrong with the credentials, without showing them', async () => {
    await server.listen();
    let token = 'another-token-that-stays-secret';
    await startUp({
      connection: { server: server.url, token: () => Promise.resolve(token) },
      words: [/does not accept the [^;]*token/, 'renew it'],
      fix: () => {
        token = TOKEN;
        return Promise.resolve();
      },
    });
  });

  /** Shows the first certificate until the cause is gone, and then the second, to a client that trusts any certificate. */
  const overTls = async (
    shown: Certificate,
    right: Certificate,
    trusted: readonly Issued[],
    words: readonly (string | RegExp)[],
  ): Promise<void> => {
    const { handler } = server;
    const wrong = new HttpListener({ handler, certificate: () => shown });
    await wrong.listen();
    const { address } = wrong;
    const fixed = new HttpListener({ handler, certificate: () => right });
    try {
      await startUp({
        connection: {
          server: `https://${address}`,
          token: TOKEN,
          tls: { ca: trusted.map((one) => one.authority).join('') },
        },
        words,
        fix: async () => {
          await wrong.close();
          await fixed.listen({ port: Number(new URL(`https://${address}`).port) });
        },
      });
    } finally {
      await wrong.close();
      await fixed.close();
    }
  };

  it('says that a certificate has expired', async () => {
    const [old, renewed] = [certificate(11 * YEAR_MS), certificate(0)];
    await overTls(old, renewed, [old, renewed], ['certificate expired on', /renew/, /clock/]);
  });

  it('says that no known authority signed a certificate', async () => {
    const [unknown, known] = [certificate(0), certificate(0)];
    await overTls(unknown, known, [known], ['certificate', 'known authority']);
  });

  it('reports while it waits, without a call', async () => {
    const port = await closedPort();
    using stderr = new CapturedStderr();
    await using client = await connect({ server: `http://127.0.0.1:${port}`, token: TOKEN });
    await using informers = new SharedInformerFactory(client, {
      backoff: { baseMs: 5, capMs: 50 },
    });
    const registration = informers
      .for('v1', 'configmaps')
      .addHandler({ onAdd: () => {} }, { name: 'greeter' });
    informers.start();
    const waiting = waitForCacheSync([registration], { progressIntervalMs: 50 });
    // The first report may come before the first attempt has failed.
    const isReport = (line: string): boolean =>
      line.includes('1 of 1 caches') && line.includes('ECONNREFUSED');
    await until('a report', () => stderr.lines.some(isReport));
    const report = stderr.lines.find(isReport);
    expect(report).to.include('greeter').and.include('configmaps').and.include('ECONNREFUSED');
    await server.listen({ port });
    await waiting;
    expect(registration.synced).to.equal(true);
  });
});
