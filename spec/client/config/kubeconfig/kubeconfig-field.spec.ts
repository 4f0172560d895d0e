import { expect } from 'chai';
import { KubeconfigField } from '../../../../lib/client/config/kubeconfig/kubeconfig-field.ts';
import { thrownBy } from '../../support/failure-of.ts';

const origin = { name: 'FILE', directory: undefined, isData: true };
const root = (value: unknown): KubeconfigField => new KubeconfigField(origin, [], value);

describe('KubeconfigField', () => {
  it('has own fields only', () => {
    for (const name of ['toString', 'constructor', '__proto__']) {
      expect(root({}).field(name).present, name).to.equal(false);
    }
    expect(root(Object.create({ token: 't' })).field('token').present).to.equal(false);
  });

  it('names its place without lines', () => {
    const field = root({ users: [{ user: {} }] })
      .field('users')
      .items()[0];
    expect(field?.field('user').field('token').place).to.equal('FILE: users[0].user.token');
    expect(field?.location).to.equal('FILE');
  });

  it('names keys with control characters, and long ones, in one short line', () => {
    const key = `a\n\u001b[31mb${'c'.repeat(500)}`;
    const { place } = root({ [key]: 1 }).field(key);
    expect(place).to.match(/^FILE: a bc+ …$/);
    expect(place.length).to.be.below(120);
  });

  it('reads null and what is missing as absent, and an empty text as no text', () => {
    const field = root({ a: null, b: '' });
    expect([field.field('a').present, field.field('c').present]).to.deep.equal([false, false]);
    expect(field.field('b').optionalText()).to.equal(undefined);
    expect(field.field('a').items()).to.deep.equal([]);
    expect(field.field('a').names()).to.deep.equal([]);
    expect(field.field('a').flag()).to.equal(false);
    expect(field.field('a').field('b').present).to.equal(false);
  });

  const wrong: [expected: string, value: unknown][] = [
    ['FILE: a: expected a text, found a list', []],
    ['FILE: a: expected a text, found a mapping of fields', {}],
    ['FILE: a: expected a text, found a number; put it in quotes', 7],
    ['FILE: a: expected a text, found a boolean; put it in quotes', true],
    ['FILE: a: expected a text, found bytes', Buffer.from('x')],
    ['FILE: a: expected a text, found a Map', new Map()],
    ['FILE: a: expected a text, found a number', 7n],
    ['FILE: a: expected a text, found a symbol', Symbol('x')],
  ];
  for (const [expected, value] of wrong) {
    it(`refuses a value: ${expected}`, () => {
      const field = root({ a: value }).field('a');
      expect(thrownBy(() => field.optionalText()).message).to.equal(expected);
    });
  }
});
