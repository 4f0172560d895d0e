import { expect } from 'chai';
import {
  anyTerm,
  namedNodes,
  nodePreference,
  requiredNodes,
} from '../../../lib/cluster/scheduling/model/node-matching.ts';
import { avoidedTaints, isKeptOff } from '../../../lib/cluster/scheduling/model/taints.ts';
import type {
  NodeSelectorTerm,
  Taint,
  Toleration,
} from '../../../lib/types/built-in/core-v1-kinds.ts';

const NODE = { name: 'one', labels: { zone: 'a', size: '5' } };

describe('the selection of nodes', () => {
  const terms: [term: NodeSelectorTerm, matches: boolean][] = [
    [{}, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] }, true],
    [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] }, false],
    [{ matchExpressions: [{ key: 'none', operator: 'NotIn', values: ['a'] }] }, true],
    [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }, true],
    [{ matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }, false],
    [{ matchExpressions: [{ key: 'size', operator: 'Gt', values: ['4'] }] }, true],
    [{ matchExpressions: [{ key: 'size', operator: 'Lt', values: ['5'] }] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'Gt', values: ['4'] }] }, false],
    [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['one'] }] }, true],
    [{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['one'] }] }, false],
    [
      {
        matchExpressions: [{ key: 'zone', operator: 'Exists' }],
        matchFields: [{ key: 'metadata.name', operator: 'In', values: ['two'] }],
      },
      false,
    ],
  ];
  for (const [term, matches] of terms) {
    it(`says ${matches} for ${JSON.stringify(term)}`, () => {
      expect(anyTerm([term])(NODE)).to.equal(matches);
    });
  }

  it('takes any of the terms, and all labels of nodeSelector beside them', () => {
    const required = {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'zone', operator: 'In' as const, values: ['b'] }] },
        { matchExpressions: [{ key: 'size', operator: 'Exists' as const }] },
      ],
    };
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required },
    };
    const of = (nodeSelector: Record<string, string>): boolean | undefined =>
      requiredNodes({ containers: [], affinity, nodeSelector })?.(NODE);
    expect([of({ zone: 'a' }), of({ zone: 'b' })]).to.deep.equal([true, false]);
    expect(requiredNodes({ containers: [] })).to.equal(undefined);
  });

  it('ignores names for volumes, which only have labels to go by', () => {
    const term: NodeSelectorTerm = {
      matchFields: [{ key: 'metadata.name', operator: 'In', values: ['two'] }],
    };
    expect(anyTerm([term])({ ...NODE, name: undefined })).to.equal(true);
  });

  it('adds the weights of the preferences that hold', () => {
    const preference = (key: string): NodeSelectorTerm => ({
      matchExpressions: [{ key, operator: 'Exists' }],
    });
    const score = nodePreference([
      { weight: 3, preference: preference('zone') },
      { weight: 5, preference: preference('size') },
      { weight: 7, preference: preference('none') },
      { weight: 9, preference: {} },
    ]);
    expect(score?.(NODE)).to.equal(8);
    expect(nodePreference([])).to.equal(undefined);
  });

  it('knows the only nodes by name if each term names some', () => {
    const named = (...names: string[]): NodeSelectorTerm => ({
      matchFields: names.map((name) => ({
        key: 'metadata.name',
        operator: 'In' as const,
        values: [name],
      })),
    });
    const of = (nodeSelectorTerms: NodeSelectorTerm[]): string[] | undefined => {
      const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
      const found = namedNodes({ containers: [], affinity: { nodeAffinity: required } });
      return found && [...found];
    };
    expect(of([named('one'), named('two')])).to.deep.equal(['one', 'two']);
    expect(of([named('one', 'two')])).to.deep.equal([]);
    expect(
      of([named('one'), { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }]),
    ).to.equal(undefined);
  });
});

describe('taints', () => {
  const taint: Taint = { key: 'a', value: '5', effect: 'NoSchedule' };
  const tolerations: [toleration: Toleration, keptOff: boolean][] = [
    [{ key: 'a', value: '5' }, false],
    [{ key: 'a', operator: 'Equal', value: '6' }, true],
    [{ key: 'a', operator: 'Exists' }, false],
    [{ operator: 'Exists' }, false],
    [{ key: 'b', operator: 'Exists' }, true],
    [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }, false],
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }, true],
    [{ key: 'a', operator: 'Gt', value: '4' }, true],
    [{ key: 'a', operator: 'Lt', value: '6' }, true],
  ];
  for (const [toleration, keptOff] of tolerations) {
    it(`keep a pod with ${JSON.stringify(toleration)} ${keptOff ? 'off' : 'not off'}`, () => {
      expect(isKeptOff([taint], [toleration])).to.equal(keptOff);
    });
  }

  it('of the effect PreferNoSchedule keep no pod off, and are counted', () => {
    const soft: Taint = { key: 'a', effect: 'PreferNoSchedule' };
    const other: Taint = { key: 'b', effect: 'PreferNoSchedule' };
    expect(isKeptOff([soft])).to.equal(false);
    expect(isKeptOff([{ key: 'a', effect: 'NoExecute' }])).to.equal(true);
    expect(avoidedTaints([soft, other, taint], [{ key: 'b', operator: 'Exists' }])).to.equal(1);
    const hard: Toleration = { operator: 'Exists', effect: 'NoSchedule' };
    expect(avoidedTaints([soft], [hard])).to.equal(1);
  });
});
