import type { Dice } from '../../../soak/dice.ts';

/** A frame of a watch as an API server sends it, as a rule one with an object. */
export function drawEvent(dice: Dice): object {
  const resourceVersion = String(dice.int(1, 1e9));
  return dice.weighted<() => object>([
    [85, () => ({ type: dice.pick(['ADDED', 'MODIFIED', 'DELETED']), object: drawObject(dice) })],
    [10, () => ({ type: 'BOOKMARK', object: { kind: 'Pod', metadata: bookmarkMeta() } })],
    [5, () => ({ type: 'ERROR', object: { kind: 'Status', apiVersion: 'v1', code: 410 } })],
  ])();

  function bookmarkMeta(): object {
    const annotations = { 'k8s.io/initial-events-end': dice.pick(['true', 'false']) };
    return dice.chance(0.5) ? { resourceVersion } : { resourceVersion, annotations };
  }
}

/** A page of a list: the type first, as Go writes it, or all keys by the alphabet. */
export function drawList(dice: Dice): object {
  const typed = dice.chance(0.3);
  const items = Array.from({ length: dice.int(0, 8) }, () => drawObject(dice, typed));
  const kind = dice.pick(['PodList', 'PodList', 'List', 'Status', 'List ']);
  const metadata = {
    resourceVersion: String(dice.int(1, 1e9)),
    ...(dice.chance(0.3) ? { continue: dice.pick(['', 'token']), remainingItemCount: 7 } : {}),
  };
  return dice.chance(0.6)
    ? { kind, apiVersion: 'v1', metadata, items }
    : { apiVersion: 'v1', items, kind, metadata };
}

function drawObject(dice: Dice, typed: boolean = true): object {
  const managedFields = [{ manager: 'kubelet', fieldsV1: { 'f:metadata': { 'f:name': {} } } }];
  const metadata = {
    ...(dice.chance(0.1) ? { managedFields } : {}),
    name: dice.pick(['web', 'web-0', 'häßlich', 'a"b', '漢字', 'x'.repeat(60)]),
    ...(dice.chance(0.8) ? { namespace: dice.pick(['default', 'shop']) } : {}),
    uid: 'a7f1c3d0-5b1e-4c2a-9d3f-000000000001',
    resourceVersion: String(dice.int(1, 1e9)),
    labels: { app: 'web', metadata: 'name', 'k8s.io/name': 'ü' },
    ...(dice.chance(0.5) ? { managedFields } : {}),
    ...(dice.chance(0.3) ? { annotations: { last: '{"metadata":{"name":"inner"}}' } } : {}),
    ...(dice.chance(0.1) ? { ownerReferences: [{ kind: 'Job', name: 'owner', uid: 'u' }] } : {}),
  };
  const containers = Array.from({ length: dice.int(0, 3) }, (_, index) => ({
    name: `c-${index}`,
    resources: { limits: { cpu: '1', memory: '1Gi' } },
    ports: [{ containerPort: 80 }, { containerPort: 8.5e3 }],
    args: ['--name', '\\', '"', '\n', '\u0000', '😀'],
  }));
  return {
    ...(typed ? { kind: 'Pod', apiVersion: 'v1' } : {}),
    metadata,
    spec: { nodeName: 'n1', containers, kind: 'inner', metadata: { name: 'inner' } },
    status: { ready: true, restarts: 0, message: null },
  };
}
