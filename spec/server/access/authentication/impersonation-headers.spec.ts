import { expect } from 'chai';
import { wantedUserOf } from '../../../../lib/server/access/authentication/impersonation-headers.ts';
import { apiRequest } from '../../api/support.ts';

type Lines = readonly (readonly [name: string, value: string])[];

const read = (lines: Lines): ReturnType<typeof wantedUserOf> =>
  wantedUserOf({
    ...apiRequest('GET', '/', { headers: Object.fromEntries(lines) }),
    headerLines: lines,
  });

describe('the headers of impersonation', () => {
  it('name a user, groups and extra values, each of which may come several times', () => {
    expect(
      read([
        ['impersonate-user', 'x'],
        ['impersonate-uid', 'u'],
        ['impersonate-group', 'a, b'],
        ['impersonate-group', 'c'],
        ['impersonate-extra-acme.io%2fscopes', 'one'],
        ['impersonate-extra-acme.io%2fscopes', 'two'],
        ['impersonate-extra-bad%zz', ''],
        ['impersonate-extra-__proto__', 'x'],
      ]),
    ).to.deep.equal({
      username: 'x',
      uid: 'u',
      groups: ['a, b', 'c'],
      extra: Object.fromEntries([
        ['acme.io/scopes', ['one', 'two']],
        ['bad%zz', ['']],
        ['__proto__', ['x']],
      ]),
    });
  });

  it('are as good as missing when they are empty', () => {
    expect(read([['x-other', 'a']])).to.equal(undefined);
    expect(read([['impersonate-user', '']])).to.equal(undefined);
  });

  it('need a user', () => {
    const rows: readonly (readonly [Lines, string])[] = [
      [
        [['impersonate-uid', 'x']],
        'UID:"x", Groups:[]string(nil), Extra:map[string][]string(nil)}',
      ],
      [
        [
          ['impersonate-group', 'a'],
          ['impersonate-group', 'b'],
        ],
        'UID:"", Groups:[]string{"a", "b"}, Extra:map[string][]string(nil)}',
      ],
      [
        [['impersonate-extra-k', 'v']],
        'UID:"", Groups:[]string(nil), Extra:map[string][]string{"k":[]string{"v"}}}',
      ],
    ];
    for (const [lines, text] of rows) {
      expect(() => read(lines)).to.throw(
        `requested &user.DefaultInfo{Name:"", ${text} without impersonating a user name`,
      );
    }
  });
});
