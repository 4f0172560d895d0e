import { expect } from 'chai';
import { maskedObject } from '../../../lib/inspector/objects/masked-object.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';

const typed = (object: object): KubernetesObject => object;

describe('maskedObject', () => {
  it('hides the data of a secret, also in the annotation of kubectl, and tells lengths', () => {
    const secret = typed({
      kind: 'Secret',
      metadata: {
        name: 'a',
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': '{"data":"s"}',
          team: 'web',
        },
      },
      data: { user: 'cm9vdA==' },
      stringData: { password: 'hunter2' },
    });
    const { object, count } = maskedObject(secret);
    expect(JSON.parse(JSON.stringify(object))).to.deep.equal({
      kind: 'Secret',
      metadata: {
        name: 'a',
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': '(masked, 12 characters)',
          team: 'web',
        },
      },
      data: { user: '(masked, 8 characters)' },
      stringData: { password: '(masked, 7 characters)' },
    });
    expect(count).to.equal(3);
  });

  it('takes the word of its caller for secrets without a kind', () => {
    const { object } = maskedObject(typed({ data: { user: 'root' } }), { secrets: true });
    expect(JSON.stringify(object)).to.equal('{"data":{"user":"(masked, 4 characters)"}}');
    const plain = maskedObject(typed({ data: { user: 'root' } }));
    expect(JSON.stringify(plain.object)).to.equal('{"data":{"user":"root"}}');
  });

  it('hides texts under names of secrets in objects of any kind, and keeps references', () => {
    const { object, count } = maskedObject(
      typed({
        spec: {
          dbPassword: 'a',
          'api-key': 'b',
          token: 'c',
          tokens: ['d'],
          secretName: 'kept',
          automountServiceAccountToken: true,
          env: [
            { name: 'DB_PASSWORD', value: 'e' },
            { name: 'COLOR', value: 'blue' },
          ],
        },
      }),
    );
    expect(count).to.equal(5);
    expect(JSON.stringify(object)).to.match(/"secretName":"kept".*"value":"blue"/);
    expect(JSON.stringify(object)).to.not.match(/:"[abcde]"|\["d"\]/);
  });

  it('takes __proto__ for a field, and ends in a tree that is too deep', () => {
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":true},"data":{"__proto__":"x"}}',
    ) as object;
    maskedObject(typed(hostile), { secrets: true });
    expect(({} as { polluted?: boolean }).polluted).to.equal(undefined);
    let deep: object = {};
    for (let depth = 0; depth < 10_000; depth += 1) deep = { deep };
    expect(JSON.stringify(maskedObject(typed(deep)).object)).to.contain('(too deep)');
  });
});
