import { expect } from 'chai';
import { goForm } from '../../../../lib/server/registry/validation/go-form.ts';

describe('goForm', () => {
  it('has the names of Go, and zero values for what is absent', () => {
    expect(goForm('core.Toleration', { key: 'a' })).to.deep.equal({
      Key: 'a',
      Operator: '',
      Value: '',
      Effect: '',
      TolerationSeconds: null,
    });
  });

  it('goes into lists and messages, and writes abbreviations in capitals', () => {
    const rules = [{ resourceRules: [{ verbs: ['get'], apiGroups: ['a'] }] }];
    expect(goForm('flowcontrol.FlowSchemaSpec', { rules })).to.deep.equal({
      PriorityLevelConfiguration: { Name: '' },
      MatchingPrecedence: 0,
      DistinguisherMethod: null,
      Rules: [
        {
          Subjects: null,
          ResourceRules: [
            {
              Verbs: ['get'],
              APIGroups: ['a'],
              Resources: null,
              ClusterScope: false,
              Namespaces: null,
            },
          ],
          NonResourceRules: null,
        },
      ],
    });
  });

  it('keeps the JSON of a label selector', () => {
    const selector = { matchLabels: { a: 'b' } };
    expect(goForm('meta.LabelSelector', selector)).to.deep.equal(selector);
  });
});
