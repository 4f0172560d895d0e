import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { silentLogger } from '../../../lib/kernel/logger.ts';
import { failureOf, rejectionOf } from '../support/failure-of.ts';
import { ScriptedTransport, type ScriptedAnswer } from '../support/scripted-transport.ts';
import { statusOf } from '../support/status-failures.ts';

const resource = (name: string, kind: string, namespaced: boolean = true): object => ({
  name,
  kind,
  namespaced,
  singularName: '',
  verbs: ['get'],
});

describe('Discovery', () => {
  let answers: Map<string, ScriptedAnswer>;
  let transport: ScriptedTransport;
  let client: Client;
  let warnings: unknown[];

  beforeEach(() => {
    warnings = [];
    answers = new Map<string, ScriptedAnswer>([
      ['/api', { body: { kind: 'APIVersions', versions: ['v1'] } }],
      [
        '/apis',
        {
          body: {
            kind: 'APIGroupList',
            groups: [
              { name: 'apps', versions: [{ groupVersion: 'apps/v1', version: 'v1' }] },
              { name: 'x.io', versions: [{ groupVersion: 'x.io/v1', version: 'v1' }] },
            ],
          },
        },
      ],
      [
        '/api/v1',
        {
          body: {
            resources: [
              resource('pods', 'Pod'),
              resource('pods/status', 'Pod'),
              resource('nodes', 'Node', false),
            ],
          },
        },
      ],
      ['/apis/apps/v1', { body: { resources: [resource('deployments', 'Deployment')] } }],
      ['/apis/x.io/v1', { body: { resources: null } }],
    ]);
    transport = new ScriptedTransport(
      ({ path }) => answers.get(path) ?? { status: 404, body: '404 page not found' },
    );
    const warn = (_: string, fields?: object): void => void warnings.push(fields);
    client = new Client({ transport, logger: { ...silentLogger, warn } });
  });

  const pods = { group: '', version: 'v1', kind: 'Pod', resource: 'pods', namespaced: true };

  it('finds the resource of a kind with one request, and remembers it', async () => {
    expect(await client.discovery.find('v1', 'Pod')).to.deep.equal(pods);
    const node = await client.discovery.find('v1', 'Node');
    expect(node).to.include({ resource: 'nodes', namespaced: false });
    expect(transport.requests.map((one) => one.path)).to.deep.equal(['/api/v1']);
  });

  it('shares one request among callers, each of whom can stop waiting', async () => {
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
    expect(await both[0]).to.deep.equal(pods);
    expect(transport.requests).to.have.length(1);
  });

  it('looks again for a kind that was missing, so a new custom resource is found', async () => {
    const before = await failureOf(client.discovery.find('x.io/v1', 'Widget'));
    expect(before.code).to.equal('RESOURCE_UNKNOWN');
    answers.set('/apis/x.io/v1', { body: { resources: [resource('widgets', 'Widget')] } });
    const found = await client.discovery.find('x.io/v1', 'Widget');
    expect(found).to.include({ group: 'x.io', version: 'v1', resource: 'widgets' });
  });

  it('names what is missing', async () => {
    const kind = await failureOf(client.discovery.find('v1', 'Pods'));
    expect(kind.message).to.equal('http://scripted serves no kind Pods in v1; did you mean "Pod"?');
    expect((await failureOf(client.discovery.find('v1', 'Zebra'))).message).to.equal(
      'http://scripted serves no kind Zebra in v1, only: Pod, Node; is its CustomResourceDefinition installed?',
    );
    const version = await failureOf(client.discovery.find('y.io/v1', 'Widget'));
    expect(version.code).to.equal('RESOURCE_UNKNOWN');
    expect(version.message).to.contain('does not serve y.io/v1');
    expect((await failureOf(client.discovery.find('a/b/c', 'D'))).code).to.equal(
      'INVALID_API_VERSION',
    );
  });

  it('does not remember failures', async () => {
    answers.set('/api/v1', { status: 500, body: statusOf('InternalError', 500) });
    expect((await failureOf(client.discovery.find('v1', 'Pod'))).code).to.equal('INTERNAL_ERROR');
    answers.set('/api/v1', { body: { resources: [resource('pods', 'Pod')] } });
    expect(await client.discovery.find('v1', 'Pod')).to.deep.equal(pods);
  });

  it('lists everything, core first, without subresources', async () => {
    const all = await client.discovery.resources();
    expect(all.map((one) => one.resource)).to.deep.equal(['pods', 'nodes', 'deployments']);
    expect(all[2]).to.include({ group: 'apps', version: 'v1' });
    expect(warnings).to.deep.equal([]);
  });

  it('leaves out an API version that is down and reports it, instead of failing altogether', async () => {
    answers.set('/apis/apps/v1', { status: 503, body: 'service unavailable' });
    const all = await client.discovery.resources();
    expect(all.map((one) => one.resource)).to.deep.equal(['pods', 'nodes']);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include({ apiVersion: 'apps/v1' });
  });

  it('asks again after forget', async () => {
    await client.discovery.find('v1', 'Pod');
    client.discovery.forget();
    await client.discovery.find('v1', 'Pod');
    expect(transport.requests).to.have.length(2);
  });
});
