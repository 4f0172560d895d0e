import type { Reconcile } from '../../../../../lib/controller/runtime/reconcile-loop.ts';
import { splitMetaNamespaceKey } from '../../../../../lib/meta/key.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { loopOf, type LoopParts } from '../../support/operator-of.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { SimulatedController } from '../../../../../lib/simulator/contract/simulated-controller.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import { unlessExists, unlessGone } from '../../support/quiet.ts';
import { changes, creates } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';

interface Certificate extends KubernetesObject {
  readonly spec: { readonly revision: number };
  readonly status?: { readonly revision?: number };
}

interface CertificateRequest extends KubernetesObject {
  readonly spec: { readonly revision: number };
  readonly status?: { readonly issued?: boolean };
}

const CERTIFICATE = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  plural: 'certificates',
};
const REQUEST = { ...CERTIFICATE, kind: 'CertificateRequest', plural: 'certificaterequests' };
const { apiVersion } = CERTIFICATE;

/** Asks for the next revision of a certificate, and waits as long as there is not just one request for it. */
function setUp(namesByRevision: boolean) {
  return ({ client, informers, queue }: LoopParts): Reconcile => {
    const certificates = informers.for<Certificate>(apiVersion, CERTIFICATE.plural);
    const requests = informers.for<CertificateRequest>(apiVersion, REQUEST.plural);
    certificates.addHandler({
      view: 'key',
      onAdd: ({ key }) => queue.add(key),
      onUpdate: ({ key }) => queue.add(key),
    });
    const addOwner = ({ metadata }: KubernetesObject): void =>
      queue.add(`${metadata?.namespace}/${metadata?.labels?.['certificate']}`);
    requests.addHandler({
      onAdd: addOwner,
      onUpdate: (_old, request) => addOwner(request),
    });
    return async ({ key }) => {
      const { namespace, name } = splitMetaNamespaceKey(key);
      const certificate = certificates.lister.namespace(namespace).get(name);
      if (certificate === undefined) return;
      const own = client.resource<Certificate>(apiVersion, CERTIFICATE.plural, { namespace });
      const api = client.resource<CertificateRequest>(apiVersion, REQUEST.plural, { namespace });
      const done = certificate.status?.revision ?? 0;
      const all = requests.lister.namespace(namespace).list({ labels: `certificate=${name}` });
      for (const { metadata, spec } of all) {
        if (spec.revision <= done) await unlessGone(api.delete(metadata.name));
      }
      if (done >= certificate.spec.revision) return;
      const revision = done + 1;
      const ofNext = all.filter(({ spec }) => spec.revision === revision);
      if (ofNext.length > 1) throw new Error('there are several requests for the next revision');
      const [request] = ofNext;
      if (request === undefined) {
        if (!(await stillThere(own, certificate))) return;
        const live = await own.get(name);
        if ((live.status?.revision ?? 0) !== done) return { requeueAfterMs: 1000 };
        const fixedName = { name: `${name}-${revision}` };
        const names = namesByRevision ? fixedName : { generateName: `${name}-` };
        const metadata = { ...names, labels: { certificate: name } };
        const { kind } = REQUEST;
        await unlessExists(api.create({ apiVersion, kind, metadata, spec: { revision } }));
        return;
      }
      if (request.status?.issued !== true) return;
      const { uid, resourceVersion } = certificate.metadata;
      const status = { revision };
      await own.patch(
        name,
        { metadata: { uid, resourceVersion }, status },
        { subresource: 'status' },
      );
      await unlessGone(api.delete(request.metadata.name));
      return;
    };
  };
}

const issuer: SimulatedController = {
  name: 'issuer',
  run: async ({ client, runtime, logger, signal }) => {
    const options = { name: 'issuer', runtime, logger };
    await controller<CertificateRequest>(client, apiVersion, REQUEST.plural, options)
      .reconcile(async () => ({ status: { issued: true } }))
      .run({ signal });
  },
};

export const certManager4956: KnownBug = {
  name: 'cert-manager-4956',
  upstream: {
    project: 'cert-manager/cert-manager',
    issue: 'https://github.com/cert-manager/cert-manager/issues/4956',
    fix: 'https://github.com/cert-manager/cert-manager/pull/5487',
    summary:
      'Requests for certificates have drawn names. When the answer to a creation is lost, or the cache does not have the request yet, there are two ' +
      'for one revision, and no certificate is issued any more. The fix derives the name from the certificate and the revision.',
  },
  pattern: 'lost-response',
  world: {
    objects: [customResource(CERTIFICATE), customResource(REQUEST)],
    environment: [issuer],
  },
  workload: [
    creates(CERTIFICATE, 'web', { revision: 1 }, (state) => isIssued(state, 1)),
    changes(CERTIFICATE, 'web', { revision: 3 }, (state) => isIssued(state, 3)),
  ],
  wrong: [loopOf('cert-manager', setUp(false))],
  fixed: [loopOf('cert-manager', setUp(true))],
};

function isIssued(state: ClusterState, revision: number): boolean {
  const certificate = state.get<Certificate>(apiVersion, CERTIFICATE.plural, 'web', 'default');
  return (
    certificate?.status?.revision === revision &&
    state.list(apiVersion, REQUEST.plural).length === 0
  );
}
