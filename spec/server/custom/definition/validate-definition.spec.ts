import { expect } from 'chai';
import { Answers } from '../../registry/support/answers.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const text = { type: 'string' };

/** The refusals of a definition with two versions: their fields in `spec`, and what each has in `selectableFields`. */
async function causesOf(
  [one, two]: readonly [object, object],
  [first, second]: readonly [string | undefined, string | undefined],
): Promise<unknown> {
  await using api = new Answers();
  const version = (name: string, properties: object, jsonPath: string | undefined): object => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: {
      openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
    },
    ...(jsonPath === undefined ? {} : { selectableFields: [{ jsonPath }] }),
  });
  const { status, body } = await api.post(`${CRDS}?dryRun=All`, {
    metadata: { name: 'kinds.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'kinds', kind: 'Kinds' },
      versions: [version('v1', one, first), version('v2', two, second)],
    },
  });
  if (status === 201) return [];
  const { causes } = body['details'] as { readonly causes: readonly Record<string, string>[] };
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

describe('the selectable fields of two versions', () => {
  const same = [
    { a: text, b: text },
    { a: text, b: text },
  ] as const;
  const different = [{ a: text }, { a: text, b: text }] as const;
  const withoutSchema =
    'Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included';
  const common =
    'spec.selectableFields: Invalid value: "": may only be set when validations.schema is included';

  // Each as kube-apiserver 1.36.3 answers it.
  for (const [schemas, title, fields, causes] of [
    [same, 'the same', ['.spec.a', '.spec.a'], []],
    [
      same,
      'the same',
      ['.spec.x', '.spec.x'],
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec.x": is an invalid path: does not refer to a valid field',
      ],
    ],
    [
      same,
      'the same',
      ['.spec.a', undefined],
      [`spec.versions[0].selectableFields: ${withoutSchema}`],
    ],
    [
      same,
      'the same',
      [undefined, '.spec.a'],
      [`spec.versions[1].selectableFields: ${withoutSchema}`],
    ],
    [
      same,
      'the same',
      ['.spec.a', '.spec.b'],
      [0, 1].map((index) => `spec.versions[${index}].selectableFields: ${withoutSchema}`),
    ],
    [different, 'different', ['.spec.a', '.spec.a'], [common]],
    [different, 'different', ['.spec.x', '.spec.x'], [common]],
    [different, 'different', ['.spec.a', undefined], []],
    [different, 'different', [undefined, '.spec.b'], []],
    [different, 'different', ['.spec.a', '.spec.b'], []],
  ] as const) {
    const [one = 'none', two = 'none'] = fields;
    const answer = causes.length === 0 ? 'accepted' : 'refused';
    it(`are ${answer} as ${one} and ${two} with schemas that are ${title}`, async () => {
      expect(await causesOf(schemas, fields)).to.deep.equal(causes);
    });
  }
});
