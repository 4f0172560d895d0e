import { expect } from 'chai';
import type { Client } from '../../../lib/client/rest/client.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import type { AdmissionHook } from '../../../lib/server/admission/admission-hook.ts';
import type { AdmissionRequest } from '../../../lib/server/registry/contract/admission.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';

/** Writes between the read and the write of the first update that it sees, which is then tried again. */
class Interrupting implements AdmissionHook {
  readonly name = 'interrupting';
  readonly seen: AdmissionRequest[] = [];
  readonly checked: AdmissionRequest[] = [];
  readonly #resource: string;
  readonly #write: () => Promise<unknown>;
  #written = false;

  constructor(resource: string, write: () => Promise<unknown>) {
    this.#resource = resource;
    this.#write = write;
  }

  matches({ resource, operation, subresource }: Parameters<AdmissionHook['matches']>[0]): boolean {
    return resource === this.#resource && operation === 'UPDATE' && subresource === '';
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    if (isInterruption(request)) return;
    this.seen.push(request);
    if (this.#written) return;
    this.#written = true;
    await this.#write();
  }

  validate(request: AdmissionRequest): void {
    if (!isInterruption(request)) this.checked.push(request);
  }
}

const INTERRUPTION = { metadata: { annotations: { by: 'another' } } };

function isInterruption({ oldObject, object }: AdmissionRequest): boolean {
  return by(oldObject) === undefined && by(object) !== undefined;
}

function by(object: UnstructuredObject | undefined): string | undefined {
  return object?.metadata?.annotations?.['by'];
}

async function served(hook: AdmissionHook, work: (client: Client) => Promise<void>): Promise<void> {
  await using server = new ApiServer({ admission: [hook] });
  await server.listen();
  await using client = await connect(server.clientConfig());
  clientOfHook = client;
  await work(client);
}

let clientOfHook: Client;

const interrupt =
  (resource: string, name: string): (() => Promise<unknown>) =>
  async () =>
    await clientOfHook
      .resource<UnstructuredObject>('v1', resource, { namespace: 'default' })
      .patch(name, INTERRUPTION, { type: 'merge' });

describe('an update that another write interrupts', () => {
  it('is admitted once an attempt, each time against the object as it is then', async () => {
    const hook = new Interrupting('configmaps', interrupt('configmaps', 'a'));
    await served(hook, async (client) => {
      const maps = client.resource<UnstructuredObject>('v1', 'configmaps', {
        namespace: 'default',
      });
      await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
      const patched = await maps.patch('a', { data: { x: 'y' } }, { type: 'merge' });
      expect(by(patched)).to.equal('another');
      for (const requests of [hook.seen, hook.checked]) {
        expect(requests.map(({ oldObject }) => by(oldObject))).to.deep.equal([
          undefined,
          'another',
        ]);
      }
    });
  });

  // kube-apiserver does so too: of 8 services that became node ports under concurrent patches, it had counted 17 (1.36.3).
  it('charges a quota at each attempt, until the controller of quotas counts again', async () => {
    const hook = new Interrupting('services', interrupt('services', 's'));
    await served(hook, async (client) => {
      const scope = { namespace: 'default' };
      const quotas = client.resource<UnstructuredObject>('v1', 'resourcequotas', scope);
      const hard = { 'services.nodeports': '5' };
      await quotas.create({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q' },
        spec: { hard },
      });
      const status = { hard, used: { 'services.nodeports': '0' } };
      await quotas.patch('q', { status }, { type: 'merge', subresource: 'status' });
      const services = client.resource<UnstructuredObject>('v1', 'services', scope);
      const spec = { ports: [{ port: 80 }] };
      await services.create({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's' },
        spec,
      });
      await services.patch('s', { spec: { type: 'NodePort' } }, { type: 'merge' });
      expect(hook.seen).to.have.length(2);
      const quota = await quotas.get('q');
      expect(quota['status']).to.deep.equal({ hard, used: { 'services.nodeports': '2' } });
    });
  });
});
