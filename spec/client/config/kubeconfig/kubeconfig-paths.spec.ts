import { expect } from 'chai';
import { kubeconfigPaths } from '../../../../lib/client/config/kubeconfig/kubeconfig-paths.ts';

describe('kubeconfigPaths', () => {
  const cases: [variable: string | undefined, paths: readonly string[]][] = [
    [undefined, ['/home/me/.kube/config']],
    ['', ['/home/me/.kube/config']],
    ['/a', ['/a']],
    ['/a:/b', ['/a', '/b']],
    ['/a:/b:/a', ['/a', '/b']],
    [':/a::/b:', ['/a', '/b']],
    [':', []],
    ['a:./a', ['a', './a']],
    [' /a', [' /a']],
    ['~/a', ['~/a']],
  ];
  for (const [variable, paths] of cases) {
    it(`lists ${JSON.stringify(paths)} for KUBECONFIG ${JSON.stringify(variable)}`, () => {
      const found = kubeconfigPaths({ KUBECONFIG: variable }, '/home/me');
      expect(found.paths).to.deep.equal(paths);
      expect(found.variable).to.equal(variable ? 'KUBECONFIG' : undefined);
    });
  }
});
