import { expect } from 'chai';
import { Answers } from '../../../registry/support/answers.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The types that are refused in a definition whose property `a` has this schema, by their paths in it. */
async function refusedIn(schema: object): Promise<string[]> {
  await using api = new Answers();
  const openAPIV3Schema = { type: 'object', properties: { a: schema } };
  const { status, body } = await api.post(`${CRDS}?dryRun=All`, {
    metadata: { name: 'kinds.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'kinds', kind: 'Kinds' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  if (status === 201) return [];
  const { causes } = body['details'] as { readonly causes: readonly Record<string, string>[] };
  return causes.map(({ field = '', message }) => {
    expect(message, field).to.equal('Forbidden: must be empty to be structural');
    return field.replace('spec.validation.openAPIV3Schema.properties[a].', '');
  });
}

describe('the types of alternatives', () => {
  const anyOf = [{ type: 'integer' }, { type: 'string' }];
  const pattern = 'a';
  // Each as kube-apiserver 1.36.3 answers it.
  for (const [alternatives, places] of [
    [{ anyOf }, []],
    [{ allOf: [{ anyOf }] }, []],
    [{ allOf: [{ anyOf }, { pattern }] }, []],
    [{ allOf: [{ pattern }, { anyOf }] }, ['allOf[1].anyOf']],
    [{ allOf: [{ allOf: [{ anyOf }] }] }, ['allOf[0].allOf[0].anyOf']],
    [{ anyOf: [{ anyOf }] }, ['anyOf[0].anyOf']],
    [{ oneOf: [{ anyOf }] }, ['oneOf[0].anyOf']],
    [{ not: { anyOf } }, ['not.anyOf']],
    [{ anyOf: anyOf.toReversed() }, ['anyOf']],
    [{ anyOf: [...anyOf, { pattern }] }, ['anyOf']],
  ] as const) {
    const answer = places.length === 0 ? 'may be' : 'are refused in';
    it(`${answer} ${JSON.stringify(alternatives)}`, async () => {
      const expected = places.flatMap((place) => [0, 1].map((index) => `${place}[${index}].type`));
      for (const own of [{ type: 'string' }, { 'x-kubernetes-int-or-string': true }]) {
        expect(await refusedIn({ ...own, ...alternatives })).to.deep.equal(expected);
      }
    });
  }
});
