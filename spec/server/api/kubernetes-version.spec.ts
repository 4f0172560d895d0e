import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import type { KubernetesVersion } from '../../../lib/meta/releases/kubernetes-releases.ts';
import { call } from './support.ts';

const DRIVERS = '/apis/storage.k8s.io/v1/csidrivers';
const SETS = '/apis/apps/v1/namespaces/default/statefulsets';
const SCALERS = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';

const driver = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: 'd.example.com' },
  spec: { preventPodSchedulingIfMissing: true },
};

const LESS = 'Invalid value: 0: must be greater than or equal to `minReplicas`';
const labels = { app: 'a' };
const set = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 's' },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};

describe('a server of a version of Kubernetes', () => {
  const of = (version?: KubernetesVersion): ApiServer => new ApiServer({ version });

  for (const [version, release] of [
    ['1.35', 'v1.35.4+listwatch'],
    ['1.36', 'v1.36.3+listwatch'],
    [undefined, 'v1.37.2+listwatch'],
  ] as const) {
    it(`says that it is ${release}`, async () => {
      await using server = of(version);
      const said = (await call(server.handler, 'GET', '/version')).json();
      expect(said).to.include({ major: '1', minor: release.slice(3, 5), gitVersion: release });
    });
  }

  it('serves the kinds of the version, in discovery, OpenAPI and by path', async () => {
    const groups = async (version: KubernetesVersion): Promise<object> => {
      await using server = of(version);
      const ask = async (path: string): Promise<number> =>
        (await call(server.handler, 'GET', path)).status;
      const { json } = await call(server.handler, 'GET', '/apis');
      const all = (json() as { groups: readonly { name: string }[] }).groups;
      return {
        discovered: all.some(({ name }) => name === 'storagemigration.k8s.io'),
        listed: await ask('/apis/storagemigration.k8s.io/v1/storageversionmigrations'),
        described: await ask('/openapi/v3/apis/storagemigration.k8s.io/v1'),
        policies: await ask('/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies'),
      };
    };
    expect(await groups('1.37')).to.deep.equal({
      discovered: true,
      listed: 200,
      described: 200,
      policies: 200,
    });
    const none = { discovered: false, listed: 404, described: 404 };
    expect(await groups('1.36')).to.deep.equal({ ...none, policies: 200 });
    expect(await groups('1.35')).to.deep.equal({ ...none, policies: 404 });
  });

  it('sets the defaults of the version', async () => {
    const rolling = async (version: KubernetesVersion): Promise<unknown> => {
      await using server = of(version);
      const { status, text, json } = await call(server.handler, 'POST', SETS, { body: set });
      expect(status, text).to.equal(201);
      const { spec } = json() as { spec: { updateStrategy: { rollingUpdate: object } } };
      return spec.updateStrategy.rollingUpdate;
    };
    expect(await rolling('1.37')).to.deep.equal({ partition: 0, maxUnavailable: 1 });
    expect(await rolling('1.36')).to.deep.equal({ partition: 0 });
  });

  it('has the rules of the version', async () => {
    const body = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
    };
    const refusal = async (version: KubernetesVersion): Promise<unknown> => {
      await using server = of(version);
      const { status, json } = await call(server.handler, 'POST', SCALERS, { body });
      expect(status).to.equal(422);
      const { details } = json() as { details: { causes: readonly object[] } };
      return details.causes.map((cause) => (cause as { message: string }).message);
    };
    expect(await refusal('1.37')).to.deep.equal([LESS, 'Required value']);
    expect(await refusal('1.36')).to.deep.equal([
      'Required value: must be set and greater than 0',
      LESS,
    ]);
    expect(await refusal('1.35')).to.deep.equal(['Invalid value: 0: must be greater than 0', LESS]);
  });

  it('refuses a field of a newer version under strict validation, and leaves it out otherwise', async () => {
    await using server = of('1.35');
    const strict = await call(server.handler, 'POST', `${DRIVERS}?fieldValidation=Strict`, {
      body: driver,
    });
    expect(strict.status).to.equal(400);
    expect(strict.text).to.contain('unknown field \\"spec.preventPodSchedulingIfMissing\\"');
    const warned = await call(server.handler, 'POST', `${DRIVERS}?fieldValidation=Warn`, {
      body: driver,
    });
    expect(warned.status).to.equal(201);
    expect(warned.text).not.to.contain('preventPodSchedulingIfMissing');
    expect(String(warned.headers['warning'])).to.contain('unknown field');
  });

  it('removes a field whose feature is off, without a word', async () => {
    await using server = of('1.36');
    const { status, text, headers } = await call(
      server.handler,
      'POST',
      `${DRIVERS}?fieldValidation=Strict`,
      { body: driver },
    );
    expect(status, text).to.equal(201);
    expect(text).not.to.contain('preventPodSchedulingIfMissing');
    expect(headers).not.to.have.property('warning');
  });

  it('reads what a newer and an older server have stored as its version does', async () => {
    const keyValueStore = new EmbeddedKeyValueStore();
    const read = async (version: KubernetesVersion, body?: object): Promise<unknown> => {
      await using server = new ApiServer({ version, keyValueStore });
      if (body !== undefined) {
        const { status, text } = await call(server.handler, 'POST', DRIVERS, { body });
        expect(status, text).to.equal(201);
      }
      const { json } = await call(server.handler, 'GET', `${DRIVERS}/d.example.com`);
      const { spec } = json() as { spec: Record<string, unknown> };
      return spec['preventPodSchedulingIfMissing'];
    };
    expect(await read('1.37', driver)).to.equal(true);
    expect(await read('1.35')).to.equal(undefined);
    // Nothing was written by the older server.
    expect(await read('1.37')).to.equal(true);
    await keyValueStore.close();
  });

  it('is refused for a version that is not known, with those that are', () => {
    expect(() => new ApiServer({ version: '1.20' as '1.37' }))
      .to.throw(ListwatchError, /version.*1\.35.*1\.36.*1\.37/)
      .with.property('code', 'INVALID_OPTION');
  });
});
