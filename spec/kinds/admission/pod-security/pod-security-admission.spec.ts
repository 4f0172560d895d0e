import { NEWEST_MINOR } from '../../../../lib/meta/releases/kubernetes-releases.ts';
import { expect } from 'chai';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { PodSecurity } from '../../../../lib/kinds/admission/pod-security/pod-security-admission.ts';
import { logLine } from '../../../../lib/kernel/report/log-line.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import type { ApiHandler } from '../../../../lib/server/http/api-request.ts';
import type { FollowOptions } from '../../../../lib/server/registry/contract/plug-in.ts';
import { call } from '../../../server/api/support.ts';

type Json = Readonly<Record<string, unknown>>;

const NAMESPACES = '/api/v1/namespaces';
const PREFIX = 'pod-security.kubernetes.io/';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const REST = 'allowPrivilegeEscalation != false (container "a" must set';

function namespaceOf(name: string, modes: Json = {}): Json {
  const labels = Object.entries(modes).map(([mode, value]) => [`${PREFIX}${mode}`, value]);
  const metadata = { name, labels: Object.fromEntries(labels) as Json };
  return { apiVersion: 'v1', kind: 'Namespace', metadata };
}

function podOf(name: string, spec: Json = {}): Json {
  const containers = [{ name: 'a', image: 'i' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers, ...spec } };
}

describe('PodSecurity', () => {
  let server: ApiServer;
  let notes: Record<string, string>;

  beforeEach(() => {
    server = new ApiServer();
    notes = {};
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
  });

  async function send(method: string, url: string, body: object): Promise<Json> {
    notes = {};
    const annotate = (key: string, value: string): void => {
      notes[key] ??= value;
    };
    const handler: ApiHandler = (request) => server.handler({ ...request, annotate });
    const headers = method === 'PATCH' ? MERGE : {};
    const { status, json } = await call(handler, method, url, { body, headers });
    return { ...json(), status };
  }

  const create = async (namespace: string, pod: Json): Promise<Json> =>
    await send('POST', `${NAMESPACES}/${namespace}/pods`, pod);

  it('obeys labels at once, and no longer when they are gone', async () => {
    await send('POST', NAMESPACES, namespaceOf('one'));
    expect((await create('one', podOf('a', { hostPID: true })))['status']).to.equal(201);
    const labels = { [`${PREFIX}enforce`]: 'baseline' };
    await send('PATCH', `${NAMESPACES}/one`, { metadata: { labels } });
    expect((await create('one', podOf('b', { hostPID: true })))['status']).to.equal(403);
    const none = { [`${PREFIX}enforce`]: null };
    await send('PATCH', `${NAMESPACES}/one`, { metadata: { labels: none } });
    expect((await create('one', podOf('b', { hostPID: true })))['status']).to.equal(201);
  });

  it('refuses as restricted what has a level that cannot be read, and names it in the audit', async () => {
    await send('POST', NAMESPACES, namespaceOf('one'));
    // A write of the status is not compared with the standards.
    const labels = { [`${PREFIX}enforce`]: 'strict', [`${PREFIX}warn`]: 'x' };
    await send('PATCH', `${NAMESPACES}/one/status`, { metadata: { labels } });
    const { status, message } = await create('one', podOf('a'));
    expect(status).to.equal(403);
    expect(message).to.contain(`violates PodSecurity "restricted:latest": ${REST}`);
    expect(notes[`${PREFIX}error`]).to.equal(
      `Failed to parse policy: [metadata.labels[${PREFIX}enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, metadata.labels[${PREFIX}warn]: Invalid value: "x": must be one of privileged, baseline, restricted]`,
    );
    // They may stay as they are, while other labels change.
    const other = await send('PATCH', `${NAMESPACES}/one`, { metadata: { labels: { a: 'b' } } });
    expect(other['status']).to.equal(200);
    const worse = { [`${PREFIX}audit`]: 'y' };
    const refused = await send('PATCH', `${NAMESPACES}/one`, { metadata: { labels: worse } });
    expect(refused['status']).to.equal(422);
  });

  it('notes the level and what breaks that of the audit, also of a pod that is refused', async () => {
    await send('POST', NAMESPACES, namespaceOf('one', { enforce: 'baseline', audit: 'baseline' }));
    await create('one', podOf('good'));
    expect(notes).to.deep.equal({ [`${PREFIX}enforce-policy`]: 'baseline:latest' });
    await create('one', podOf('bad', { hostIPC: true }));
    expect(notes).to.deep.equal({
      [`${PREFIX}enforce-policy`]: 'baseline:latest',
      [`${PREFIX}audit-violations`]:
        'would violate PodSecurity "baseline:latest": host namespaces (hostIPC=true)',
    });
  });

  it('notes the level of a privileged namespace without comparing its pods', async () => {
    await send('POST', NAMESPACES, namespaceOf('one', { 'enforce-version': 'v1.20' }));
    await create('one', podOf('a', { hostIPC: true }));
    expect(notes).to.deep.equal({ [`${PREFIX}enforce-policy`]: 'privileged:latest' });
  });

  it('names a refused pod by its generated name', async () => {
    await send('POST', NAMESPACES, namespaceOf('one', { enforce: 'baseline' }));
    const pod = podOf('', { hostIPC: true });
    const { message } = await create('one', { ...pod, metadata: { generateName: 'web-' } });
    expect(message).to.match(/^pods "web-[a-z0-9]{5}" is forbidden: violates PodSecurity /);
  });
});

describe('PodSecurity, when pods cannot be listed', () => {
  const at = async (signal?: AbortSignal): Promise<{ logged: string[]; warnings: string[] }> => {
    const logged: string[] = [];
    const warnings: string[] = [];
    const plugIn = new PodSecurity(
      {
        runtime: new VirtualRuntime(),
        logger: {
          ...silentLogger,
          warn: (message, fields) => logged.push(logLine(message, fields).line),
        },
        storeOf: () => ({ list: () => Promise.reject(new Error('no answer')) }) as never,
        follow: () => ({ isEmpty: true, in: () => [], named: () => undefined }),
      },
      NEWEST_MINOR,
    );
    const context = { signal, warn: (text: string) => warnings.push(text) };
    await plugIn.validate({
      target: { resource: 'namespaces' },
      namespace: 'one',
      object: namespaceOf('one', { enforce: 'baseline' }),
      oldObject: namespaceOf('one'),
      context,
    } as never);
    return { logged, warnings };
  };

  it('warns the client, and logs why', async () => {
    const { logged, warnings } = await at();
    expect(warnings).to.deep.equal([
      'failed to list pods while checking new PodSecurity enforce level',
    ]);
    expect(logged.join()).to.contain('no answer').and.to.contain('namespace=one');
  });

  it('gives up for a client that is gone', async () => {
    const gone = new Error('gone');
    const error = await at(AbortSignal.abort(gone)).catch((thrown: unknown) => thrown);
    expect(error).to.equal(gone);
  });
});

describe('PodSecurity without labelled namespaces', () => {
  function plugIn(): {
    plugIn: PodSecurity;
    change: NonNullable<FollowOptions<unknown>['onChange']>;
  } {
    const runtime = new VirtualRuntime();
    const parts = { runtime, storeOf: () => undefined, logger: silentLogger };
    let change: NonNullable<FollowOptions<unknown>['onChange']> = () => {};
    const plugIn = new PodSecurity(
      {
        ...parts,
        follow: ({ onChange, read }) => {
          const labelled = (labels: unknown): unknown =>
            read({ metadata: { labels } } as UnstructuredObject);
          change = (before, after) => {
            (onChange as typeof change)(labelled(before), labelled(after));
          };
          return { isEmpty: true, in: () => [], named: () => undefined };
        },
      },
      NEWEST_MINOR,
    );
    return { plugIn, change: (...given) => change(...given) };
  }

  const pods = { operation: 'CREATE', group: '', resource: 'pods', subresource: '' } as const;
  const labels: Json = { [`${PREFIX}warn`]: 'baseline' };

  it('looks at no pods', () => {
    const { plugIn: one, change } = plugIn();
    change(undefined, { a: 'b' });
    expect(one.wants(pods)).to.equal(false);
    change({ a: 'b' }, labels);
    expect(one.wants(pods)).to.equal(true);
    change(labels, undefined);
    expect(one.wants(pods)).to.equal(false);
  });

  it('looks at changes of pods and templates alone, and not at those of states', () => {
    const { plugIn: one, change } = plugIn();
    change(undefined, labels);
    const deployments = { ...pods, group: 'apps', resource: 'deployments' };
    expect(one.wants(deployments)).to.equal(true);
    expect(one.wants({ ...deployments, group: 'example.com' })).to.equal(false);
    expect(one.wants({ ...deployments, subresource: 'scale' })).to.equal(false);
    expect(one.wants({ ...pods, operation: 'DELETE' })).to.equal(false);
    expect(one.wants({ ...pods, subresource: 'ephemeralcontainers' })).to.equal(true);
    expect(one.wants({ ...pods, subresource: 'status' })).to.equal(false);
    expect(one.wants({ ...pods, resource: 'configmaps' })).to.equal(false);
  });
});
