import { expect } from 'chai';
import { missingAnnotations, nextRevision } from '../../../lib/cluster/deployments/revisions.ts';
import { isSameTemplate, templateHash } from '../../../lib/cluster/deployments/template-hash.ts';
import type { Deployment, PodTemplateSpec, ReplicaSet } from '../../../lib/types/index.ts';
import { deployment, labels } from './deployment-world.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';

function annotated(annotations: Record<string, string>): Deployment {
  return { ...deployment('web:1'), metadata: { name: 'web', annotations } };
}

describe('the annotations of the newest ReplicaSet', () => {
  it('are those of the Deployment without its own bookkeeping, and the revision', () => {
    const own = annotated({ team: 'a', note: 'b', [REVISION]: '9', [HISTORY]: '1' });
    expect(missingAnnotations(own, { note: 'b' }, 2n)).to.deep.equal({
      team: 'a',
      [REVISION]: '2',
    });
  });

  it('keep the revision that is not smaller', () => {
    expect(missingAnnotations(annotated({}), { [REVISION]: '3' }, 3n)).to.deep.equal({});
    expect(missingAnnotations(annotated({}), { [REVISION]: 'x' }, 3n)).to.deep.equal({});
  });

  it('note the revisions that it has had, and forget the oldest of many', () => {
    const present = { [REVISION]: '5', [HISTORY]: '1,3' };
    expect(missingAnnotations(annotated({}), present, 7n)).to.deep.equal({
      [REVISION]: '7',
      [HISTORY]: '1,3,5',
    });
    const many = Array.from({ length: 500 }, (_, index) => String(1000 + index)).join(',');
    const next = missingAnnotations(annotated({}), { [REVISION]: '5', [HISTORY]: many }, 7n);
    expect(next[HISTORY]?.length).to.be.within(1990, 2000);
    expect(next[HISTORY]).to.match(/,1499,5$/);
  });
});

describe('the revision of a Deployment', () => {
  const set = (revision: string): ReplicaSet => ({
    metadata: { annotations: { [REVISION]: revision } },
    spec: { selector: {} },
  });

  it('is one more than the largest of its old ReplicaSets, an int64', () => {
    expect(nextRevision([])).to.equal(1n);
    expect(nextRevision([set('3546343826724305832'), set('7')])).to.equal(3546343826724305833n);
    expect(nextRevision([set('x'), set('9223372036854775808'), set('-3')])).to.equal(1n);
  });
});

describe('the hash of a template', () => {
  const { template } = deployment('web:1').spec;

  it('is the same for each order of fields, and another one for other contents', () => {
    const { metadata, spec } = template;
    const turned: PodTemplateSpec = { spec, metadata };
    expect(templateHash(turned, undefined)).to.equal(templateHash(template, undefined));
    const other = deployment('web:2').spec.template;
    expect(templateHash(other, undefined)).not.to.equal(templateHash(template, undefined));
  });

  it('is another one after a collision', () => {
    const hashes = [undefined, 1, 2].map((collisions) => templateHash(template, collisions));
    expect(new Set(hashes)).to.have.property('size', 3);
    for (const hash of hashes) expect(hash).to.match(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  });

  it('does not count as a difference of templates', () => {
    const hashed = {
      metadata: { labels: { ...labels, 'pod-template-hash': 'x' } },
      spec: template.spec,
    };
    expect(isSameTemplate(hashed, template)).to.equal(true);
    expect(isSameTemplate(hashed, deployment('web:2').spec.template)).to.equal(false);
  });
});
