import { expect } from 'chai';
import { kubernetesTypes } from '../../../lib/cli/types/kubernetes-types.ts';
import { KUBERNETES_VERSIONS, minorOf } from '../../../lib/meta/releases/kubernetes-releases.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';
import { compilePrograms } from '../../types/definitions/compile-programs.ts';

const PROGRAM = `import type { AppsV1, BuiltInResources, CoreV1 } from './kubernetes.ts';
export const pod: CoreV1.Pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
export const set: BuiltInResources['apps/v1']['statefulsets'] = {
  spec: { selector: {}, template: { spec: pod.spec }, updateStrategy: { rollingUpdate: { maxUnavailable: '10%' } } },
} satisfies AppsV1.StatefulSet;
// @ts-expect-error: a misspelt field
export const wrong: CoreV1.Pod = { spec: { containers: [{ name: 'c', imgae: 'i' }] } };
`;

describe('the types of a version of Kubernetes', () => {
  it('compile, and refuse what is not there', async () => {
    for (const version of KUBERNETES_VERSIONS) {
      const files = { 'kubernetes.ts': kubernetesTypes(minorOf(version)), 'program.ts': PROGRAM };
      await using directory = await ScratchDirectory.make();
      expect(await compilePrograms(directory.path, files), version).to.deep.equal([]);
    }
  }).timeout(120_000);

  it('have the kinds and fields of the version alone', () => {
    const [older, newer] = [kubernetesTypes(36), kubernetesTypes(37)];
    expect(newer).to.contain(
      'storageversionmigrations: StoragemigrationV1.StorageVersionMigration;',
    );
    expect(older).not.to.contain('storageversionmigrations');
    expect(newer).to.match(/interface CSINode \{.*status\?: CSINodeStatus/);
    expect(older).not.to.contain('CSINodeStatus');
    expect(older).to.contain('// The built-in kinds of Kubernetes v1.36.3.');
  });
});
