import { expect } from 'chai';
import {
  ReconcileScope,
  type ScopeParts,
} from '../../../../lib/controller/builder/run/reconcile-scope.ts';
import type { OwnObject } from '../../../../lib/controller/builder/run/controller-context.ts';
import type { ApplyConfiguration } from '../../../../lib/meta/apply-configuration.ts';
import type { ConfigMap, Deployment } from '../../../../lib/types/index.ts';

describe('own of the context', () => {
  const metadata = { name: 'web' };
  let own: OwnObject;

  beforeEach(() => {
    const subject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid: 'u' } };
    const run = { key: 'default/a', failures: 0, reasons: [], subject };
    const { signal } = new AbortController();
    ({ own } = new ReconcileScope({} as ScopeParts, run, { signal }));
  });

  const ownersOf = ({ metadata: found }: ConfigMap): readonly string[] =>
    (found?.ownerReferences ?? []).map(({ uid }) => uid);

  it('gives an object of the type that is expected; a field that it does not have does not compile', () => {
    const right: ConfigMap = own({ metadata, data: { color: 'blue' } });
    const maybe: ConfigMap | undefined = own({ metadata, data: { color: 'blue' } });
    const wrong: ConfigMap = own({
      metadata,
      // @ts-expect-error a config map has data
      dat: { color: 'blue' },
    });
    const deep: ApplyConfiguration<Deployment> = own({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      // @ts-expect-error a deployment has replicas
      spec: { replica: 1 },
    });
    for (const one of [right, maybe, wrong, deep]) {
      expect(ownersOf(one as ConfigMap)).to.deep.equal(['u']);
    }
  });

  it('gives an object of its own type where none is expected', () => {
    const one = own({ metadata, data: { color: 'blue' } });
    const [other] = ['a'].map((name) => own({ metadata: { name }, data: { color: name } }));
    expect(`${one.data.color} ${other?.data.color}`).to.equal('blue a');
    expect(own(one)).to.deep.equal(one);
  });
});
