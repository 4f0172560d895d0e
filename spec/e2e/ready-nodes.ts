import type { Client } from '../../lib/client/rest/client.ts';

const NAMES = ['e2e-node-1', 'e2e-node-2'] as const;
const RENEWAL_MS = 10_000;

/** Two nodes that are Ready and run nothing: the suite refuses to begin without one. Their leases are renewed until they are disposed. */
export async function readyNodes(client: Client): Promise<AsyncDisposable> {
  const nodes = client.resource('v1', 'nodes');
  const leases = client.resource('coordination.k8s.io/v1', 'leases', {
    namespace: 'kube-node-lease',
  });
  const renew = async (): Promise<void> => {
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    for (const name of NAMES)
      await leases.apply({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name },
        spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
      });
  };
  for (const name of NAMES) {
    const node = { apiVersion: 'v1', kind: 'Node' } as const;
    const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' };
    await nodes.apply({ ...node, metadata: { name, labels } });
    await nodes.applyStatus({ ...node, metadata: { name }, ...nodeStatus() });
    // Admission gives a new node a taint, which a controller takes away where there is one.
    await nodes.patch(name, { spec: { taints: null } });
  }
  await renew();
  const timer = setInterval(() => {
    renew().catch((error: unknown) => {
      console.error(`the leases of the nodes were not renewed: ${String(error)}`);
    });
  }, RENEWAL_MS);
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      for (const name of NAMES) await nodes.delete(name, { ignoreNotFound: true });
    },
  };
}

function nodeStatus() {
  const now = new Date().toISOString().replace(/\.\d+Z/, 'Z');
  const resources = { cpu: '8', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' };
  return {
    status: {
      capacity: resources,
      allocatable: resources,
      addresses: [{ type: 'InternalIP', address: '192.0.2.10' }],
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          message: 'kubelet is posting ready status',
          lastHeartbeatTime: now,
          lastTransitionTime: now,
        },
      ],
    },
  };
}
