import { expect } from 'chai';
import { daemonSets } from '../../../lib/kinds/apps/stateful-sets.ts';
import type { MutableObject } from '../../../lib/server/registry/rules/mutable-object.ts';

const GENERATION = 'deprecated.daemonset.template.generation';

const daemonSet = (image: string, annotations?: Record<string, string>): MutableObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'a', ...(annotations === undefined ? {} : { annotations }) },
  spec: { template: { spec: { containers: [{ name: 'c', image }] } } },
});

describe('the generation of the template of a daemon set', () => {
  function updated(set: MutableObject, existing: MutableObject): unknown {
    daemonSets.strategy?.prepareForUpdate?.(set, existing, { nowMs: 0 });
    return set.metadata.annotations;
  }

  it('counts the changes of the template, from 0 where the stored one has none', () => {
    expect(updated(daemonSet('i'), daemonSet('i', { [GENERATION]: '4' }))).to.deep.equal({
      [GENERATION]: '4',
    });
    expect(updated(daemonSet('j'), daemonSet('i', { [GENERATION]: '4' }))).to.deep.equal({
      [GENERATION]: '5',
    });
    expect(updated(daemonSet('j'), daemonSet('i'))).to.deep.equal({ [GENERATION]: '1' });
  });
});
