import { expect } from 'chai';
import { impersonationOf } from '../../../../lib/client/config/context/impersonation-of.ts';
import type { Impersonation } from '../../../../lib/client/transport/contract/impersonation.ts';
import { failureOf } from '../../support/failure-of.ts';
import { FILE, parsed } from '../support/kubeconfig-text.ts';

async function of(fields: string): Promise<Impersonation | undefined> {
  const entry = (await parsed(`users: [{ name: me, user: { ${fields} } }]`)).users.get('me');
  return entry === undefined ? undefined : impersonationOf(entry.field('user'));
}

describe('impersonationOf', () => {
  it('reads user, uid, groups and extra fields', async () => {
    const fields =
      'as: bob, as-uid: u-1, as-groups: [dev, ops], as-user-extra: { reason: [a, b], __proto__: [c] }';
    const found = await of(fields);
    expect(found?.user).to.equal('bob');
    expect(found?.uid).to.equal('u-1');
    expect(found?.groups).to.deep.equal(['dev', 'ops']);
    expect(Object.entries(found?.extra ?? {})).to.deep.equal([
      ['reason', ['a', 'b']],
      ['__proto__', ['c']],
    ]);
  });

  it('leaves out what is not there', async () => {
    const nothing = { uid: undefined, groups: undefined, extra: undefined };
    expect(await of('as: bob')).to.deep.equal({ user: 'bob', ...nothing });
    expect(await of('token: t')).to.equal(undefined);
    expect(await of('as: "", as-groups: [], as-user-extra: {}')).to.equal(undefined);
  });

  const USER = `${FILE}:1: users[0].user`;
  const cases: [fields: string, expected: string][] = [
    ['as-uid: u', `${USER}.as-uid: it needs a user; add "as" beside it`],
    ['as-groups: [g]', `${USER}.as-groups: it needs a user; add "as" beside it`],
    ['as-user-extra: { a: [b] }', `${USER}.as-user-extra: it needs a user; add "as" beside it`],
    ['as: 7', `${USER}.as: expected a text, found a number; put it in quotes`],
    ['as: bob, as-groups: g', `${USER}.as-groups: expected a list, found a text`],
    ['as: bob, as-groups: [7]', `${USER}.as-groups[0]: expected a text, found a number`],
    ['as: bob, as-user-extra: { a: b }', `${USER}.as-user-extra.a: expected a list, found a text`],
    ['as: bob, as-user-extra: [a]', `${USER}.as-user-extra: expected a mapping of fields`],
  ];
  for (const [fields, expected] of cases) {
    it(`refuses ${fields}`, async () => {
      const error = await failureOf(of(fields));
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message.startsWith(expected), error.message).to.equal(true);
    });
  }
});
