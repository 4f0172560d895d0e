/**
 * Records digests of the roles and bindings that a new kube-apiserver makes:
 * `node --import tsx spec/kinds/bootstrap/record-policy.ts KUBECONFIG > recorded-policy.json`
 */
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { Target, targetOfKubeconfig } from '../../compare/target/target.ts';
import { digestOf } from './policy-digest.ts';

const target = new Target(await targetOfKubeconfig(process.argv[2] ?? ''));
const digests: Record<string, string> = {};
for (const resource of ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings']) {
  const path = `/apis/rbac.authorization.k8s.io/v1/${resource}`;
  const { bytes } = await target.send({
    method: 'GET',
    path: `${path}?labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults`,
    headers: { accept: 'application/json' },
    body: undefined,
    anonymous: false,
  });
  const { items } = JSON.parse(bytes.toString()) as { items: UnstructuredObject[] };
  for (const { metadata = {}, ...rest } of items) {
    const { name = '', namespace, labels, annotations } = metadata;
    const place = namespace === undefined ? name : `${namespace}/${name}`;
    digests[`${resource}/${place}`] = digestOf({ ...rest, metadata: { labels, annotations } });
  }
}
target.close();
console.log(JSON.stringify(digests, undefined, 2));
