import { expect } from 'chai';
import { parse } from 'yaml';
import { extensionYaml } from '../../../../../lib/server/api/openapi/gnostic/encode-message.ts';

describe('extensionYaml', () => {
  it('writes what kube-apiserver writes', () => {
    for (const [value, text] of [
      [{ group: '', kind: 'Pod', version: 'v1' }, 'group: ""\nkind: Pod\nversion: v1\n'],
      [[{ group: 'apps', kind: 'Deployment' }], '- group: apps\n  kind: Deployment\n'],
      ['merge,retainKeys', 'merge,retainKeys\n'],
      ['*', "'*'\n"],
      [true, 'true\n'],
      [{ rule: "self == 'red'" }, "rule: self == 'red'\n"],
      ['must: be red', "'must: be red'\n"],
      [
        [
          {
            discriminator: 'type',
            'fields-to-discriminateBy': { localhostProfile: 'LocalhostProfile' },
          },
        ],
        '- discriminator: type\n  fields-to-discriminateBy:\n    localhostProfile: LocalhostProfile\n',
      ],
    ] as const) {
      expect(extensionYaml(value)).to.equal(text);
    }
  });

  it('is read back as the same value', () => {
    for (const value of [
      '',
      ' ',
      'true',
      'No',
      'null',
      '~',
      '1',
      '-1.5',
      '.5',
      '0x1f',
      '2024-01-01',
      '- a',
      'a: b',
      'a:',
      'a #b',
      'a\nb',
      "it's",
      '"quoted"',
      '{}',
      '[a]',
      '& anchor',
      'trailing ',
      'ünïcödé \u0007 \u2028',
      '\\d+: x',
      null,
      0,
      -1.5e300,
      false,
      [],
      {},
      [[], {}, [1, [2]], { a: [] }],
      { a: { b: [{ c: null }, 'x'], d: {} }, 'e: f': '1' },
      { on: 'off', y: 'n', '': '' },
    ]) {
      expect(parse(extensionYaml(value), { version: '1.1' }), JSON.stringify(value)).to.deep.equal(
        value,
      );
    }
  });
});
