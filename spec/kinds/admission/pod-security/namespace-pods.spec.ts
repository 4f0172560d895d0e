import { NEWEST_MINOR } from '../../../../lib/meta/releases/kubernetes-releases.ts';
import { expect } from 'chai';
import { namespaceWarnings } from '../../../../lib/kinds/admission/pod-security/namespace-pods.ts';
import { policyOf } from '../../../../lib/kinds/admission/pod-security/security-policy.ts';
import { SecurityStandards } from '../../../../lib/kinds/admission/pod-security/security-standards.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';

const SHARED = { hostPID: true, containers: [] };

function podOf(name: string, spec: object, controller?: string): UnstructuredObject {
  const owners = [{ uid: 'other' }, { uid: controller, controller: true }];
  const ownerReferences = controller === undefined ? [] : owners;
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ownerReferences }, spec } as never;
}

function warningsOf(pods: readonly UnstructuredObject[], now: () => number = () => 0): string[] {
  const enforce = policyOf({ 'pod-security.kubernetes.io/enforce': 'baseline' })!.enforce;
  return namespaceWarnings(pods, {
    namespace: 'shop',
    enforce,
    standards: new SecurityStandards(NEWEST_MINOR),
    now,
  });
}

const HEAD =
  'existing pods in namespace "shop" violate the new PodSecurity enforce level "baseline:latest"';

describe('a stricter level of a namespace', () => {
  it('warns of nothing when all pods keep its rules', () => {
    expect(warningsOf([podOf('a', { containers: [] })])).to.deep.equal([]);
  });

  it('names one pod for all that break the same rules', () => {
    const pods = ['c', 'a', 'b'].map((name) => podOf(name, SHARED));
    const one = podOf('x', { hostIPC: true, volumes: [{ name: 'v', hostPath: {} }] });
    expect(warningsOf([...pods, one])).to.deep.equal([
      HEAD,
      'a (and 2 other pods): host namespaces',
      'x: host namespaces, hostPath volumes',
    ]);
  });

  it('is compared with 3,000 pods, one of each controller before the others', () => {
    const same = Array.from({ length: 3000 }, (_, index) => podOf(`p${index}`, {}, 'r1'));
    expect(warningsOf([...same, podOf('last', SHARED, 'r2')])).to.deep.equal([
      'new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods',
      HEAD,
      'last: host namespaces',
    ]);
  });

  it('is compared with pods for a second', () => {
    let nowMs = 0;
    const pods = ['a', 'b', 'c', 'd'].map((name) => podOf(name, {}));
    const warnings = warningsOf(pods, () => (nowMs += 400));
    expect(warnings).to.deep.equal([
      'new PodSecurity enforce level only checked against the first 3 of 4 existing pods',
    ]);
  });
});
