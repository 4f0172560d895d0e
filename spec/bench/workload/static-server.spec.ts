import { Agent } from 'node:https';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { create } from 'axios';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import {
  CertificateAuthority,
  type Certificate,
} from '../../../lib/kernel/certificates/certificate-authority.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { PodBodies } from './pod-bodies.ts';
import { podJson, TYPE_META } from './pods.ts';
import { StaticServer } from './static-server.ts';

const BODIES = 40;
const OBJECTS = 100;

/** More pods than bodies, so that some are others with names of their own. */
async function withServer(
  use: (url: string) => Promise<void>,
  options: { readonly bigChunks?: boolean; readonly certificate?: Certificate } = {},
): Promise<void> {
  const json = PodBodies.make(BODIES);
  const server = new StaticServer({ json, objects: OBJECTS, ...options });
  const url = await server.listen();
  try {
    await use(url);
  } finally {
    await server.close();
  }
}

function uidsOf(pods: readonly KubernetesObject[]): Set<string | undefined> {
  return new Set(pods.map(({ metadata }) => metadata?.uid));
}

describe('the static API server', () => {
  it('lists different pods, all at once or page by page', () =>
    withServer(async (url) => {
      await using client = await connect({ server: url });
      const pods = client.resource('v1', 'pods');
      const { items } = await pods.list();
      expect(items).to.have.length(OBJECTS);
      expect(uidsOf(items).size).to.equal(OBJECTS);
      const paged: KubernetesObject[] = [];
      for await (const pod of pods.items({ limit: 7 })) paged.push(pod);
      expect(paged.map(({ metadata }) => metadata)).to.deep.equal(
        items.map(({ metadata }) => metadata),
      );
    }));

  for (const watchList of [true, false]) {
    for (const bigChunks of [false, true]) {
      const way = watchList ? 'a watch-list' : 'a list and a watch';
      it(`gives every pod and every change to ${way}, in ${bigChunks ? 'big chunks' : 'a chunk each'}`, () =>
        withServer(
          async (url) => {
            await using client = await connect({ server: url });
            await using informers = new SharedInformerFactory(client, {
              logger: silentLogger,
              watchList,
            });
            const pods = informers.for('v1', 'pods');
            const versions: string[] = [];
            const handler = pods.addHandler({
              onUpdate: (_, pod) => versions.push(pod.metadata?.resourceVersion ?? ''),
            });
            informers.start();
            await handler.whenSynced({ timeoutMs: 5000 });
            expect(uidsOf(pods.lister.list()).size).to.equal(OBJECTS);
            const http = create({ baseURL: url, adapter: 'http', proxy: false });
            const { data } = await http.post<{ resourceVersion: string }>(
              '/control/burst?events=250&objects=30',
            );
            await pods.caughtUp(data.resourceVersion, { timeoutMs: 5000 });
            while (handler.pending > 0) await setImmediate();
            expect(new Set(versions).size).to.equal(250);
            expect(versions).to.deep.equal(versions.toSorted());
            expect(pods.indexer.size).to.equal(OBJECTS);
          },
          { bigChunks },
        ));
    }
  }

  it('speaks TLS with the certificate that it is given', async () => {
    const nowMs = Date.now();
    const authority = new CertificateAuthority({ name: 'bench', nowMs });
    const hosts = ['127.0.0.1'];
    const certificate = authority.issue({ usage: 'server', name: 'bench', hosts, nowMs });
    await withServer(
      async (url) => {
        const httpsAgent = new Agent({ ca: authority.certificate });
        const http = create({ baseURL: url, adapter: 'http', proxy: false, httpsAgent });
        const { data } = await http.get<{ items: unknown[] }>('/api/v1/pods');
        expect(data.items).to.have.length(OBJECTS);
      },
      { certificate },
    );
  });

  it('has no protobuf unless it was encoded', () =>
    withServer(async (url) => {
      const headers = { accept: 'application/vnd.kubernetes.protobuf' };
      const http = create({ baseURL: url, adapter: 'http', proxy: false });
      const { status } = await http.get('/api/v1/pods', { headers, validateStatus: () => true });
      expect(status).to.equal(406);
    }));
});

describe('the pods of the benches', () => {
  it('are the same in every run, differ from each other, and are 3.9 KB long on average', () => {
    const some = Array.from({ length: 2000 }, (_, index) => podJson(index));
    expect(podJson(1234)).to.equal(some[1234]);
    expect(new Set(some).size).to.equal(some.length);
    const bytes = some.reduce((sum, pod) => sum + Buffer.byteLength(pod), 0);
    expect(bytes / some.length).to.be.within(3800, 4000);
    expect(some.every((pod) => pod.startsWith(`{${TYPE_META}"metadata":{"name":"`))).to.equal(true);
    expect(some.some((pod) => pod.includes('\\u003c') && pod.includes('\\\\\\"'))).to.equal(true);
    expect(some.some((pod) => /[<>&]/.test(pod))).to.equal(false);
  });
});
