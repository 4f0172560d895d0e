import type { Reconcile } from '../../../../../lib/controller/runtime/reconcile-loop.ts';
import { isNotFound } from '../../../../../lib/meta/failure/failures.ts';
import { splitMetaNamespaceKey } from '../../../../../lib/meta/key.ts';
import type { KubernetesObject, ObjectMeta } from '../../../../../lib/meta/object.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { loopOf, type LoopParts } from '../../support/operator-of.ts';
import { unlessExists } from '../../support/quiet.ts';
import { creates, deletes } from '../../support/steps.ts';

interface Claim extends KubernetesObject {
  /** In place of its uid, from which the name is derived. */
  readonly spec: { readonly volume: string };
}

interface Volume extends KubernetesObject {
  readonly spec: { readonly claim: string; readonly claimUid: string };
}

const apiVersion = 'corpus.example.com/v1';
/** As persistent volume claims and persistent volumes, without their other controllers. */
const CLAIM = { apiVersion, kind: 'Claim', plural: 'claims' };
const VOLUME = { apiVersion, kind: 'Volume', plural: 'volumes' };
/** The content of the storage. A creation stands for the call to its driver. */
const DISK = { apiVersion, kind: 'Disk', plural: 'disks' };
const FINALIZER = 'corpus.example.com/being-provisioned';
const namespace = 'default';
const PREFIX = 'pvc-';

/** Makes a disk and then a volume for each claim, and deletes both when the claim is gone. */
function setUp(holdsClaims: boolean) {
  return ({ client, informers, queue }: LoopParts): Reconcile => {
    const claims = informers.for<Claim>(apiVersion, CLAIM.plural);
    const volumes = informers.for<Volume>(apiVersion, VOLUME.plural);
    const claimApi = client.resource<Claim>(apiVersion, CLAIM.plural, { namespace });
    const volumeApi = client.resource<Volume>(apiVersion, VOLUME.plural, { namespace });
    const diskApi = client.resource(apiVersion, DISK.plural, { namespace });
    claims.addHandler({
      onAdd: ({ metadata }) => queue.add(`${namespace}/${metadata.name}`),
      onUpdate: (_old, { metadata }) => queue.add(`${namespace}/${metadata.name}`),
      onDelete: ({ spec }) => queue.add(`${namespace}/${PREFIX}${spec.volume}`),
    });
    volumes.addHandler({
      onAdd: ({ metadata, spec }) => {
        queue.add(`${namespace}/${metadata.name}`);
        queue.add(`${namespace}/${spec.claim}`);
      },
    });

    /** The claim as the server has it, unless it is another one by now. */
    const live = async (name: string, uid: string) => {
      try {
        const claim = await claimApi.get(name);
        return claim.metadata.uid === uid ? claim : undefined;
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    };

    const reclaim = async (name: string): Promise<void> => {
      const volume = volumes.lister.namespace(namespace).get(name);
      if (volume === undefined) return;
      const { claim, claimUid } = volume.spec;
      if ((await live(claim, claimUid)) !== undefined) return;
      await diskApi.delete(name, { ignoreNotFound: true });
      const preconditions = { uid: volume.metadata.uid };
      await volumeApi.delete(name, { preconditions, ignoreNotFound: true });
    };

    const provision = async (name: string, uid: string): Promise<void> => {
      const claim = await live(name, uid);
      if (claim === undefined) return;
      const { finalizers = [], deletionTimestamp, resourceVersion }: ObjectMeta = claim.metadata;
      const hold = async (by: readonly string[]): Promise<void> => {
        await claimApi.patch(name, { metadata: { uid, resourceVersion, finalizers: by } });
      };
      const isHeld = finalizers.includes(FINALIZER);
      const named = `${PREFIX}${claim.spec.volume}`;
      if (volumes.lister.namespace(namespace).get(named) !== undefined) {
        if (isHeld) await hold([]);
        return;
      }
      if (holdsClaims && !isHeld) {
        if (deletionTimestamp === undefined) await hold([FINALIZER]);
        return;
      }
      const metadata = { name: named };
      await unlessExists(diskApi.create({ apiVersion, kind: DISK.kind, metadata }));
      const spec = { claim: name, claimUid: uid };
      await unlessExists(volumeApi.create({ apiVersion, kind: VOLUME.kind, metadata, spec }));
    };

    return async ({ key }) => {
      const { name } = splitMetaNamespaceKey(key);
      if (name.startsWith(PREFIX)) return await reclaim(name);
      const claim = claims.lister.namespace(namespace).get(name);
      if (claim !== undefined) await provision(name, claim.metadata.uid);
    };
  };
}

function left(state: ClusterState): number {
  const lists = [CLAIM, VOLUME, DISK].map(({ plural }) => state.list(apiVersion, plural));
  return lists.flat().length;
}

function hasDisk(state: ClusterState): boolean {
  return state.list(apiVersion, DISK.plural).length === 1;
}

function isProvisioned(state: ClusterState): boolean {
  const [claim] = state.list(apiVersion, CLAIM.plural);
  const { finalizers = [] } = claim?.metadata ?? {};
  return left(state) === 3 && finalizers.length === 0;
}

export const externalProvisioner311: KnownBug = {
  name: 'external-provisioner-311',
  upstream: {
    project: 'kubernetes-csi/external-provisioner',
    issue: 'https://github.com/kubernetes-csi/external-provisioner/issues/311',
    fix: 'https://github.com/kubernetes-csi/external-provisioner/pull/312',
    summary:
      'A call that makes a disk gets no answer in time, and the claim is deleted. The provisioner does not call again, so it never learns of the disk, ' +
      'which stays for ever. The fix goes on calling, as long as its process lives; here a finalizer holds the claim, as issue 486 proposes.',
  },
  pattern: 'lost-response',
  world: { objects: [customResource(CLAIM), customResource(VOLUME), customResource(DISK)] },
  workload: [
    creates(CLAIM, 'data', { volume: 'first' }, hasDisk),
    deletes(CLAIM, 'data', (state) => left(state) === 0),
    creates(CLAIM, 'data', { volume: 'second' }, isProvisioned),
  ],
  wrong: [loopOf('provisioner', setUp(false))],
  fixed: [loopOf('provisioner', setUp(true))],
};
