import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { failureOf } from '../../support/failure-of.ts';
import { ScriptedTransport, type ScriptedAnswer } from '../../support/scripted-transport.ts';
import { statusOf } from '../../support/status-failures.ts';

const resource = (name: string, kind: string, more: object = {}): object => ({
  name,
  kind,
  namespaced: true,
  singularName: '',
  verbs: ['get'],
  ...more,
});

const list = (...resources: object[]): ScriptedAnswer => ({
  body: { kind: 'APIResourceList', resources },
});

describe('DiscoverySource on a server without aggregated discovery', () => {
  let answers: Map<string, ScriptedAnswer>;
  let refusesOthers: boolean;
  let transport: ScriptedTransport;
  let client: Client;
  let warnings: object[];
  let details: object[];

  beforeEach(() => {
    warnings = [];
    details = [];
    refusesOthers = false;
    const versions = ['v2', 'v1'].map((version) => ({ groupVersion: `x.io/${version}`, version }));
    answers = new Map<string, ScriptedAnswer>([
      ['/api', { body: { kind: 'APIVersions', versions: ['v1'] } }],
      [
        '/apis',
        {
          body: {
            kind: 'APIGroupList',
            groups: [
              { name: 'apps', versions: [{ groupVersion: 'apps/v1', version: 'v1' }] },
              { name: 'x.io', versions, preferredVersion: versions[1] },
            ],
          },
        },
      ],
      [
        '/api/v1',
        list(
          resource('pods', 'Pod', { shortNames: ['po'] }),
          resource('pods/eviction', 'Eviction', { group: 'policy', version: 'v1' }),
          resource('pods/status', 'Pod'),
        ),
      ],
      ['/apis/apps/v1', list(resource('deployments', 'Deployment'))],
      ['/apis/x.io/v1', list(resource('widgets', 'Widget'))],
      ['/apis/x.io/v2', list(resource('widgets', 'Widget'), resource('gadgets', 'Gadget'))],
    ]);
    transport = new ScriptedTransport(({ path, headers }) =>
      refusesOthers && headers?.['accept'] !== 'application/json'
        ? { status: 406, body: statusOf('NotAcceptable', 406) }
        : (answers.get(path) ?? { status: 404, body: '404 page not found' }),
    );
    const warn = (_: string, fields: object = {}): void => void warnings.push(fields);
    const debug = (_: string, fields: object = {}): void => void details.push(fields);
    client = new Client({ transport, logger: { ...silentLogger, warn, debug } });
  });

  for (const refuses of [false, true]) {
    it(`reads one document for each API version, ${refuses ? 'after a 406' : 'when plain lists come'}`, async () => {
      refusesOthers = refuses;
      const all = await client.discovery.resources();
      expect(all.map((one) => `${one.apiVersion} ${one.resource}`)).to.deep.equal([
        'v1 pods',
        'apps/v1 deployments',
        'x.io/v1 widgets',
        'x.io/v2 widgets',
        'x.io/v2 gadgets',
      ]);
      expect(all[0]?.subresources).to.deep.equal([
        { name: 'eviction', apiVersion: 'policy/v1', kind: 'Eviction', verbs: ['get'] },
        { name: 'status', apiVersion: 'v1', kind: 'Pod', verbs: ['get'] },
      ]);
      expect(await client.discovery.named('po')).to.equal(all[0]);
      expect(await client.discovery.named('widget')).to.equal(all[2]);
      expect(await client.discovery.named('gadget')).to.equal(all[4]);
      expect(transport.requests).to.have.length(refuses ? 8 : 6);
    });
  }

  it('goes on without a version whose server is down', async () => {
    answers.set('/apis/apps/v1', { status: 503, body: 'service unavailable' });
    const all = await client.discovery.resources();
    expect(all.map((one) => one.resource)).to.deep.equal(['pods', 'widgets', 'widgets', 'gadgets']);
    expect(warnings).to.deep.equal([{ server: 'http://scripted', apiVersion: 'apps/v1' }]);
    const detail = details.find((one) => 'path' in one && one.path === '/apis/apps/v1');
    expect(detail).to.have.property('error').that.includes('service unavailable');
    const error = await failureOf(client.discovery.find('apps/v1', 'Deployment'));
    expect(error.code).to.equal('DISCOVERY_STALE');
    answers.set('/apis/apps/v1', list(resource('deployments', 'Deployment')));
    const found = await client.discovery.find('apps/v1', 'Deployment');
    expect([found.resource, found.stale]).to.deep.equal(['deployments', false]);
  });

  it('takes a version that went away in between as one without resources', async () => {
    answers.delete('/apis/apps/v1');
    expect((await client.discovery.resources()).map((one) => one.group)).not.to.include('apps');
    expect(warnings).to.deep.equal([]);
  });

  it('works without a core group, and not without any group', async () => {
    answers.delete('/api');
    expect((await client.discovery.resources())[0]?.resource).to.equal('deployments');
    answers.delete('/apis');
    expect((await failureOf(client.discovery.resources())).code).to.equal('NOT_FOUND');
  });
});
