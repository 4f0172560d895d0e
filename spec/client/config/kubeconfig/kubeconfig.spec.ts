import { expect } from 'chai';
import { mergedKubeconfig } from '../../../../lib/client/config/kubeconfig/kubeconfig.ts';
import { failureOf } from '../../support/failure-of.ts';
import { FILE, kubeconfigText, parsed } from '../support/kubeconfig-text.ts';

describe('Kubeconfig', () => {
  it('has the entries of a file by name, and its current context', async () => {
    const config = await parsed(kubeconfigText());
    expect([...config.contexts.keys()]).to.deep.equal(['kind', 'other']);
    expect([...config.clusters.keys()]).to.deep.equal(['one']);
    expect([...config.users.keys()]).to.deep.equal(['me']);
    expect(config.currentContext?.text()).to.equal('kind');
    expect(config.files).to.deep.equal([FILE]);
  });

  it('does not look into entries that are not used', async () => {
    const config = await parsed(
      `${kubeconfigText()}- name: unused\n  user: { token: 7, exec: no }\n`,
    );
    expect([...config.users.keys()]).to.deep.equal(['me', 'unused']);
  });

  it('takes any name, also one of the prototype of objects', async () => {
    const text = 'users: [{ name: __proto__, user: { token: t } }, { name: toString }]';
    const config = await parsed(text);
    expect([...config.users.keys()]).to.deep.equal(['__proto__', 'toString']);
    expect(config.users.get('__proto__')?.field('user').field('token').text()).to.equal('t');
    expect(config.users.get('constructor')).to.equal(undefined);
  });

  it('ignores preferences, extensions and unknown fields', async () => {
    const text = `preferences: { colors: true }\nextensions: [{ name: x, extension: 7 }]\nextra: 1\n`;
    expect((await parsed(text)).isEmpty).to.equal(true);
  });

  const empty = [
    '',
    '\n',
    '# nothing\n',
    '---\n',
    '~',
    'null',
    '{}',
    'clusters: null',
    'users: []',
  ];
  for (const text of empty) {
    it(`has no entry in the text ${JSON.stringify(text)}`, async () => {
      const config = await parsed(text);
      expect(config.isEmpty).to.equal(true);
      expect(config.currentContext).to.equal(undefined);
    });
  }

  it('merges files: the first entry of a name counts as a whole, and the first current context', async () => {
    const first = await parsed(
      'current-context: ""\nusers: [{ name: a, user: { token: one } }]',
      '/1',
    );
    const second = await parsed(
      'current-context: x\nusers: [{ name: a, user: { token: two, as: bob } }, { name: b }]',
      '/2',
    );
    const third = await parsed('current-context: y\ncontexts: [{ name: c }]', '/3');
    const config = mergedKubeconfig([first, second, third]);
    expect(config.currentContext?.text()).to.equal('x');
    expect([...config.users.keys()]).to.deep.equal(['a', 'b']);
    const user = config.users.get('a')?.field('user');
    expect(user?.field('token').text()).to.equal('one');
    expect(user?.field('as').present).to.equal(false);
    expect([...config.contexts.keys()]).to.deep.equal(['c']);
    expect(config.files).to.deep.equal(['/1', '/2', '/3']);
  });

  describe('refuses, with file, line and field,', () => {
    const cases: [title: string, text: string, expected: string][] = [
      [
        'a Pod',
        'apiVersion: v1\nkind: Pod',
        'config:2: kind: expected Config: it is another manifest and not a kubeconfig',
      ],
      [
        'a Secret, and says how to get a kubeconfig out of it',
        'kind: Secret\ndata: { value: a2luZA== }',
        `config:1: kind: expected Config: it is another manifest and not a kubeconfig; "kubectl get secret NAME -o jsonpath='{.data.KEY}' | base64 -d" prints a field of it`,
      ],
      [
        'a ConfigMap, and says how to get a kubeconfig out of it',
        'kind: ConfigMap',
        'not a kubeconfig; "kubectl get configmap NAME',
      ],
      [
        'a kind with the name of a prototype',
        'kind: constructor',
        'config:1: kind: expected Config',
      ],
      ['another version', 'apiVersion: v2', 'config:1: apiVersion: expected v1'],
      ['a list for a map', '- a', 'config:1: expected a mapping of fields, found a list'],
      ['a text', 'hello', 'config:1: expected a mapping of fields, found a text'],
      ['no list', 'clusters: {}', 'config:1: clusters: expected a list, found a mapping of fields'],
      [
        'a number for an entry',
        'users: [7]',
        'config:1: users[0]: expected a mapping of fields, found a number',
      ],
      ['an entry without name', 'users:\n- user: {}', 'config:2: users[0].name: it is missing'],
      [
        'a number for a name',
        'users:\n- name: 7',
        'config:2: users[0].name: expected a text, found a number; put it in quotes',
      ],
      [
        'a list for the current context',
        'current-context: [a]',
        'config:1: current-context: expected a text, found a list',
      ],
      [
        'two entries of one name',
        'users:\n- name: a\n- name: b\n- name: a\n',
        `config:4: users[2].name: it is the name of ${FILE}:2: users[0] too; rename or remove one of them`,
      ],
    ];
    for (const [title, text, expected] of cases) {
      it(title, async () => {
        const error = await failureOf(parsed(text));
        expect(error.code).to.equal('CONFIG_INVALID');
        expect(error.message).to.contain(expected);
      });
    }
  });
});
