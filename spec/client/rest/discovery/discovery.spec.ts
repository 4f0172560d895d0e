import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { failureOf, rejectionOf } from '../../support/failure-of.ts';
import { ScriptedTransport, type ScriptedAnswer } from '../../support/scripted-transport.ts';
import { statusOf } from '../../support/status-failures.ts';

const resource = (name: string, kind: string, more: object = {}): object => ({
  resource: name,
  responseKind: { group: '', version: '', kind },
  scope: 'Namespaced',
  singularResource: kind.toLowerCase(),
  verbs: ['get', 'list'],
  ...more,
});

const scale = {
  subresource: 'scale',
  responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  verbs: ['get', 'update'],
};

type Versions = readonly [version: string, resources: readonly object[], freshness?: string][];

const groups = (all: Readonly<Record<string, Versions>>): object => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  items: Object.entries(all).map(([name, versions]) => ({
    metadata: name === '' ? {} : { name },
    versions: versions.map(([version, resources, freshness = 'Current']) => ({
      version,
      resources,
      freshness,
    })),
  })),
});

const CORE = groups({
  '': [
    [
      'v1',
      [
        resource('pods', 'Pod', { shortNames: ['po'] }),
        resource('nodes', 'Node', { scope: 'Cluster' }),
      ],
    ],
  ],
});
const DEPLOYMENTS = resource('deployments', 'Deployment', { subresources: [scale] });
const APPS: Versions = [['v1', [DEPLOYMENTS]]];

interface Answers extends Map<string, ScriptedAnswer> {}

describe('Discovery', () => {
  let answers: Answers;
  let transport: ScriptedTransport;
  let runtime: VirtualRuntime;
  let client: Client;
  let warnings: object[];
  let etags: boolean;

  beforeEach(() => {
    warnings = [];
    etags = true;
    runtime = new VirtualRuntime();
    answers = new Map<string, ScriptedAnswer>([
      ['/api', { body: CORE }],
      ['/apis', { body: groups({ apps: APPS, 'x.io': [['v1', []]] }) }],
    ]);
    transport = new ScriptedTransport(({ path, headers }) => {
      const answer = answers.get(path) ?? { status: 404, body: '404 page not found' };
      if (!etags || answer.status !== undefined) return answer;
      const etag = `"${JSON.stringify(answer.body).length}"`;
      if (headers?.['if-none-match'] === etag) return { status: 304, headers: { etag } };
      return { ...answer, headers: { etag } };
    });
    const warn = (_: string, fields: object = {}): void => void warnings.push(fields);
    client = new Client({ transport, runtime, logger: { ...silentLogger, warn } });
  });

  const paths = (): string[] => transport.requests.map((one) => one.path);
  const pods = { group: '', version: 'v1', kind: 'Pod', resource: 'pods', namespaced: true };

  it('reads two documents with all resources, and remembers them', async () => {
    expect(await client.discovery.find('v1', 'Pod')).to.deep.include(pods);
    const node = await client.discovery.find('v1', 'Node');
    expect(node).to.include({ resource: 'nodes', namespaced: false });
    const deployments = await client.discovery.named('deployment');
    expect(deployments).to.include({ apiVersion: 'apps/v1', fullName: 'deployments.apps' });
    expect(paths()).to.deep.equal(['/api', '/apis']);
    expect(transport.requests[0]?.headers?.['accept']).to.equal(
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
    );
  });

  it('says which verbs and subresources a resource has', async () => {
    const found = await client.discovery.find('apps/v1', 'Deployment');
    const asked = [found.supports('list'), found.supports('patch')];
    const ofScale = [found.supports('update', 'scale'), found.supports('get', 'status')];
    expect([...asked, ...ofScale]).to.deep.equal([true, false, true, false]);
    expect(found.subresources).to.deep.equal([
      { name: 'scale', apiVersion: 'autoscaling/v1', kind: 'Scale', verbs: ['get', 'update'] },
    ]);
  });

  it('shares one read among callers, each of whom can stop waiting', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const both = [
      client.discovery.find('v1', 'Pod'),
      client.discovery.find('v1', 'Pod', { signal }),
    ];
    const stopped = rejectionOf(both[1]!);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await stopped).to.equal(reason);
    expect(await both[0]).to.deep.include(pods);
    expect(paths()).to.deep.equal(['/api', '/apis']);
  });

  it('asks again for a kind that was missing; an unchanged document is not sent again', async () => {
    const before = await failureOf(client.discovery.find('x.io/v1', 'Widget'));
    expect(before.code).to.equal('RESOURCE_UNKNOWN');
    const widgets = resource('widgets', 'Widget', { shortNames: ['w'] });
    answers.set('/apis', { body: groups({ 'x.io': [['v1', [widgets]]] }) });
    const found = await client.discovery.find('x.io/v1', 'Widget');
    expect(found).to.include({ group: 'x.io', version: 'v1', resource: 'widgets' });
    expect(await client.discovery.named('w')).to.equal(found);
    const [, , core, named] = transport.requests.map((one) => one.headers?.['if-none-match']);
    expect([typeof core, typeof named]).to.deep.equal(['string', 'string']);
    expect(await client.discovery.find('v1', 'Pod')).to.deep.include(pods);
    expect(transport.requests).to.have.length(4);
  });

  it('reads ten times at once for unknown kinds, and then once a second', async () => {
    await runtime.run(async () => {
      const atMs: number[] = [];
      for (let index = 0; index < 13; index += 1) {
        await failureOf(client.discovery.find('x.io/v1', 'Widget'));
        atMs.push(Math.round(runtime.monotonicMs()));
      }
      const first = atMs[0] as number;
      expect(atMs.map((one) => one - first)).to.deep.equal([
        ...Array.from({ length: 10 }, () => 0),
        1000,
        2000,
        3000,
      ]);
      const many = Array.from({ length: 100 }, () => client.discovery.find('x.io/v1', 'Widget'));
      await Promise.allSettled(many);
      expect(paths().filter((path) => path === '/apis')).to.have.length(14);
    });
  });

  it('names what is missing', async () => {
    const kind = await failureOf(client.discovery.find('v1', 'Pods'));
    expect(kind.message).to.equal('http://scripted serves no kind Pods in v1; did you mean "Pod"?');
    expect((await failureOf(client.discovery.find('v1', 'Zebra'))).message).to.equal(
      'http://scripted serves no kind Zebra in v1, only: Pod, Node; is its CustomResourceDefinition installed?',
    );
    const version = await failureOf(client.discovery.find('apps/v2', 'Deployment'));
    expect(version.message).to.equal('http://scripted does not serve apps/v2; use apps/v1');
    const other = await failureOf(client.discovery.find('y.io/v1', 'Widget'));
    expect(other.code).to.equal('RESOURCE_UNKNOWN');
    expect((await failureOf(client.discovery.find('a/b/c', 'D'))).code).to.equal(
      'INVALID_API_VERSION',
    );
    const typed = await failureOf(client.find('deploymets'));
    expect(typed.message).to.equal(
      'http://scripted serves no resource "deploymets"; did you mean "deployments.apps"?',
    );
    const elsewhere = await failureOf(client.find('deployments.x.io'));
    expect(elsewhere.message).to.contain('did you mean "deployments.apps"?');
    const category = await failureOf(client.discovery.category('al'));
    expect(category.code).to.equal('RESOURCE_UNKNOWN');
    for (const text of ['', 7, undefined]) {
      const failed = await failureOf(client.find(text as string));
      expect(failed.code).to.equal('INVALID_OPTION');
    }
  });

  it('does not remember failures', async () => {
    answers.set('/api', { status: 500, body: statusOf('InternalError', 500) });
    expect((await failureOf(client.discovery.find('v1', 'Pod'))).code).to.equal('INTERNAL_ERROR');
    answers.set('/api', { body: CORE });
    expect(await client.discovery.find('v1', 'Pod')).to.deep.include(pods);
  });

  it('keeps what it knows of a version that is stale, and says so of a kind that is missing there', async () => {
    const nodes = resource('nodes', 'NodeMetrics', { scope: 'Cluster' });
    const stale: Versions = [['v1beta1', [nodes], 'Stale']];
    answers.set('/apis', { body: groups({ apps: APPS, 'metrics.k8s.io': stale }) });
    const found = await client.discovery.find('metrics.k8s.io/v1beta1', 'NodeMetrics');
    expect(found.stale).to.equal(true);
    for (const missing of [
      client.discovery.find('metrics.k8s.io/v1beta1', 'PodMetrics'),
      client.discovery.named('podmetrics.metrics.k8s.io'),
      client.discovery.named('podmetrics.v1beta1.metrics.k8s.io'),
    ]) {
      const error = await failureOf(missing);
      expect(error.code).to.equal('DISCOVERY_STALE');
      expect(error.message).to.contain('kubectl get apiservice v1beta1.metrics.k8s.io');
    }
    const unclear = await failureOf(client.find('zebras'));
    expect(unclear.code).to.equal('RESOURCE_UNKNOWN');
    expect(unclear.message).to.contain('nothing is known of metrics.k8s.io/v1beta1');
    expect(warnings).to.deep.equal([
      { server: 'http://scripted', apiVersion: 'metrics.k8s.io/v1beta1' },
    ]);
  });

  it('reads the resources again after forget', async () => {
    await client.discovery.find('v1', 'Pod');
    client.discovery.forget();
    await client.discovery.find('v1', 'Pod');
    expect(transport.requests).to.have.length(4);
    expect(transport.requests[2]?.headers).not.to.have.property('if-none-match');
  });

  it('refuses what is no discovery document, and one that was cut', async () => {
    etags = false;
    const bad: readonly [unknown, string][] = [
      [{ kind: 'PodList', items: [] }, 'MALFORMED_RESPONSE'],
      ['<html>', 'MALFORMED_RESPONSE'],
      [JSON.stringify(CORE).slice(0, 300), 'CONNECTION_FAILED'],
      [['[]'], 'MALFORMED_RESPONSE'],
    ];
    for (const [body, code] of bad) {
      answers.set('/api', { body });
      expect((await failureOf(client.discovery.find('v1', 'Pod'))).code).to.equal(code);
    }
  });

  it('leaves out what cannot be a resource, and reads no inherited field', async () => {
    const lies = `{"kind":"APIGroupDiscoveryList","items":[
      null, 7, {"metadata":{"name":"../admin"},"versions":[{"version":"v1","resources":[]}]},
      {"metadata":{"name":"__proto__"},"versions":[{"version":"v1","resources":[]}]},
      {"metadata":{"name":"x.io"},"versions":[{"version":"v1","__proto__":{"polluted":1},"resources":[
        {"resource":"a/../../b","responseKind":{"kind":"B"}},
        {"resource":"things","responseKind":{"kind":"__proto__"}},
        {"resource":"things","responseKind":{"kind":"Thing"},"verbs":"get","shortNames":{"0":"t"},"scope":7},
        {"resource":8,"responseKind":[]}]}, {"version":"v1","resources":[]}]}]}`;
    answers.set('/apis', { body: lies });
    const found = await client.discovery.find('x.io/v1', 'Thing');
    const { verbs, shortNames, namespaced } = found;
    expect({ verbs, shortNames, namespaced }).to.deep.equal({
      verbs: [],
      shortNames: [],
      namespaced: false,
    });
    expect(({} as { polluted?: unknown }).polluted).to.equal(undefined);
    for (const kind of ['__proto__', 'constructor', 'toString']) {
      expect((await failureOf(client.discovery.find('x.io/v1', kind))).code).to.equal(
        'RESOURCE_UNKNOWN',
      );
      expect((await failureOf(client.find(kind))).code).to.equal('RESOURCE_UNKNOWN');
    }
    expect(warnings[0]).to.deep.equal({ server: 'http://scripted', resources: 5 });
  });
});
