import { expect } from 'chai';
import { maskedObject } from '../../../lib/meta/masking/masked-object.ts';

const SECRETS = { apiVersion: 'v1', resource: 'secrets' };
const PODS = { apiVersion: 'v1', resource: 'pods' };

describe('maskedObject', () => {
  it('hides the data of a secret and its annotations, and says lengths', () => {
    const secret = {
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
    };
    const { object, count } = maskedObject(secret);
    expect(JSON.parse(JSON.stringify(object))).to.deep.equal({
      kind: 'Secret',
      metadata: {
        name: 'a',
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': '(masked, 12 characters)',
          team: '(masked, 3 characters)',
        },
      },
      data: { user: '(masked, 8 characters)' },
      stringData: { password: '(masked, 7 characters)' },
    });
    expect(count).to.equal(4);
  });

  it('takes objects for secrets by the resource, and by their fields where it is not known', () => {
    const bare = { data: { user: 'root' } };
    for (const of of [SECRETS, undefined]) {
      const { object } = maskedObject(bare, of);
      expect(JSON.stringify(object)).to.equal('{"data":{"user":"(masked, 4 characters)"}}');
    }
    expect(JSON.stringify(maskedObject(bare, PODS).object)).to.equal('{"data":{"user":"root"}}');
  });

  it('hides texts under names of secrets in objects of any kind, and keeps references', () => {
    const { object, count } = maskedObject({
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
    });
    expect(count).to.equal(5);
    expect(JSON.stringify(object)).to.match(/"secretName":"kept".*"value":"blue"/);
    expect(JSON.stringify(object)).to.not.match(/:"[abcde]"|\["d"\]/);
  });

  it('takes __proto__ for a field, and ends in a tree that is too deep', () => {
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":true},"data":{"__proto__":"x"}}',
    ) as object;
    maskedObject(hostile, SECRETS);
    expect(({} as { polluted?: boolean }).polluted).to.equal(undefined);
    let deep: object = {};
    for (let depth = 0; depth < 10_000; depth += 1) deep = { deep };
    expect(JSON.stringify(maskedObject(deep).object)).to.contain('(masked)');
  });
});
