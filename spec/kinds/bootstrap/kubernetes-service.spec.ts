import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { invalid, notFound } from '../../../lib/meta/failure/failures.ts';
import { KubernetesService } from '../../../lib/kinds/bootstrap/kubernetes-service.ts';
import type { ObjectStore } from '../../../lib/server/registry/contract/object-store.ts';
import { fieldInvalid } from '../../../lib/server/registry/rules/field-causes.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { call } from '../../server/api/support.ts';
import { Answers } from '../../server/registry/support/answers.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const SERVICE = `${SERVICES}/kubernetes`;
const RESOURCE = { group: '', resource: 'services' } as const;
const TAKEN = invalid({ group: '', kind: 'Service' }, 'kubernetes', [
  fieldInvalid('spec.clusterIPs', ['10.96.0.1'], 'provided IP is already allocated'),
]);

describe('the service default/kubernetes', () => {
  it('is there at the first request, as kube-apiserver makes it', async () => {
    await using api = new Answers();
    const { body } = await api.get(SERVICE);
    expect(body).to.deep.nested.include({
      'metadata.labels': { component: 'apiserver', provider: 'kubernetes' },
      'spec.clusterIP': '10.96.0.1',
      'spec.clusterIPs': ['10.96.0.1'],
      'spec.type': 'ClusterIP',
      'spec.sessionAffinity': 'None',
      'spec.ports': [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
      status: { loadBalancer: {} },
    });
    const list = (await api.get('/api/v1/services')).body['items'] as {
      metadata: { name: string };
    }[];
    expect(list.map(({ metadata }) => metadata.name)).to.deep.equal(['kubernetes']);
  });

  it('names the port on which the server listens', async () => {
    await using api = new Answers();
    await api.server.listen();
    const port = Number(new URL(api.server.url).port);
    const { body } = await api.get(SERVICE);
    expect(body).to.nested.include({ 'spec.ports[0].targetPort': port, 'spec.ports[0].port': 443 });
  });

  it('keeps its address from other services', async () => {
    await using api = new Answers();
    const spec = { clusterIP: '10.96.0.1', ports: [{ port: 80 }] };
    const refused = await api.post(SERVICES, { metadata: { name: 'thief' }, spec });
    expect(refused.status).to.equal(422);
    expect(refused.body['message']).to.contain('already allocated');
  });

  it('waits for a server on the same storage that has taken the address and not yet stored it', async () => {
    const runtime = new VirtualRuntime();
    const answers = ['taken', 'taken', 'created'];
    const asked: (string | undefined)[] = [];
    const services = {
      get: () => Promise.reject(notFound(RESOURCE, 'kubernetes')),
      create: () => {
        const answer = answers.shift();
        asked.push(answer);
        return answer === 'taken' ? Promise.reject(TAKEN) : Promise.resolve({});
      },
    } as unknown as ObjectStore;
    const service = new KubernetesService({
      storeOf: () => services,
      isSeeded: false,
      runtime,
      logger: silentLogger,
    });
    await runtime.run(service.start());
    expect(asked).to.deep.equal(['taken', 'taken', 'created']);
    await runtime.run(service.close());
  });

  it('is given up at the start after fifty attempts in five seconds, with one warning', async () => {
    const runtime = new VirtualRuntime();
    let asked = 0;
    const warnings: string[] = [];
    const services = {
      get: () => Promise.reject(notFound(RESOURCE, 'kubernetes')),
      create: () => {
        asked += 1;
        return Promise.reject(TAKEN);
      },
    } as unknown as ObjectStore;
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    const service = new KubernetesService({
      storeOf: () => services,
      isSeeded: false,
      runtime,
      logger,
    });
    const startedMs = runtime.wallMs();
    await runtime.run(service.start());
    expect([asked, runtime.wallMs() - startedMs]).to.deep.equal([50, 4900]);
    expect(warnings).to.deep.equal(['the service default/kubernetes comes later']);
    await runtime.run(service.close());
  });

  it('comes back within ten seconds when it is deleted', async () => {
    const runtime = new VirtualRuntime();
    const server = new ApiServer({ runtime });
    const status = async (method: string): Promise<number> => {
      const answer = await runtime.run(call(server.handler, method, SERVICE));
      return answer.status;
    };
    expect(await status('DELETE')).to.equal(200);
    expect(await status('GET')).to.equal(404);
    await runtime.advance(10_000);
    expect(await status('GET')).to.equal(200);
    await runtime.run(server.close());
  });
});

describe('the objects of a new server', () => {
  it('has the namespaces, priority classes, service range and APIServices of a kube-apiserver', async () => {
    await using api = new Answers();
    const names = async (path: string): Promise<string[]> => {
      const { items } = (await api.get(path)).body as { items: { metadata: { name: string } }[] };
      return items.map(({ metadata }) => metadata.name);
    };
    expect(await names('/api/v1/namespaces')).to.deep.equal([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
    expect(await names('/apis/scheduling.k8s.io/v1/priorityclasses')).to.deep.equal([
      'system-cluster-critical',
      'system-node-critical',
    ]);
    expect(await names('/apis/networking.k8s.io/v1/servicecidrs')).to.deep.equal(['kubernetes']);
    const services = await names('/apis/apiregistration.k8s.io/v1/apiservices');
    expect(services).to.have.length(22);
    expect(services).to.include.members(['v1.', 'v1.apps', 'v2.autoscaling']);
    const apps = (await api.get('/apis/apiregistration.k8s.io/v1/apiservices/v1.apps')).body;
    expect(apps).to.nested.include({
      'spec.groupPriorityMinimum': 17_800,
      'spec.versionPriority': 15,
      'status.conditions[0].reason': 'Local',
    });
  });

  it('leaves changed ones as they are at the next start', async () => {
    await using api = new Answers();
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical';
    await api.merge(path, { metadata: { labels: { mine: 'yes' } } });
    await api.server.listen();
    expect((await api.get(path)).body).to.have.nested.property('metadata.labels.mine', 'yes');
  });
});
