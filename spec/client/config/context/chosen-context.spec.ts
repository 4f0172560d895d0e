import { expect } from 'chai';
import {
  chosenContext,
  type EntryNames,
} from '../../../../lib/client/config/context/chosen-context.ts';
import { thrownBy } from '../../support/failure-of.ts';
import { FILE, parsed } from '../support/kubeconfig-text.ts';

const TEXT = `current-context: shop
contexts:
- name: shop
  context: { cluster: west, user: dev, namespace: web }
- name: bare
  context: { cluster: west }
- name: broken
  context: { cluster: gone, user: dev }
- name: nameless
  context: { cluster: west, user: gone }
- name: clusterless
  context: { user: dev }
clusters:
- name: west
  cluster: { server: "https://west" }
- name: east
  cluster: { server: "https://east" }
users:
- name: dev
  user: { token: d }
- name: ops
  user: { token: o }
`;

/** Server, token, namespace and source. */
async function chosen(names: EntryNames, text: string = TEXT): Promise<readonly unknown[]> {
  const { cluster, user, namespace, source } = chosenContext(await parsed(text), names);
  return [cluster.field('server').value, user?.entry.field('token').value, namespace, source];
}

describe('chosenContext', () => {
  const without = TEXT.replace('current-context: shop\n', '');
  const cases: [title: string, names: EntryNames, text: string, expected: readonly unknown[]][] = [
    ['the current context', {}, TEXT, ['https://west', 'd', 'web', `context shop in ${FILE}`]],
    [
      'a context that is asked for',
      { context: 'bare' },
      TEXT,
      ['https://west', undefined, undefined, `context bare in ${FILE}`],
    ],
    [
      'another cluster',
      { cluster: 'east' },
      TEXT,
      ['https://east', 'd', 'web', `context shop, cluster east in ${FILE}`],
    ],
    [
      'another user',
      { user: 'ops' },
      TEXT,
      ['https://west', 'o', 'web', `context shop, user ops in ${FILE}`],
    ],
    [
      'another cluster where that of the context does not exist',
      { context: 'broken', cluster: 'east' },
      TEXT,
      ['https://east', 'd', undefined, `context broken, cluster east in ${FILE}`],
    ],
    [
      'a cluster and a user without a context',
      { cluster: 'east', user: 'ops' },
      without,
      ['https://east', 'o', undefined, `cluster east, user ops in ${FILE}`],
    ],
    [
      'a cluster alone without a context',
      { cluster: 'east' },
      without,
      ['https://east', undefined, undefined, `cluster east in ${FILE}`],
    ],
  ];
  for (const [title, names, text, expected] of cases) {
    it(`takes ${title}`, async () => {
      expect(await chosen(names, text)).to.deep.equal(expected);
    });
  }

  it('names a context with any characters in one line', async () => {
    const name = JSON.stringify('a\n\u001b[31mb');
    const text = `current-context: ${name}
contexts: [{ name: ${name}, context: { cluster: west, user: ${name} } }]
clusters: [{ name: west }]
users: [{ name: ${name} }]
`;
    const { source, user } = chosenContext(await parsed(text), {});
    expect(source).to.equal(`context a b in ${FILE}`);
    expect(user?.name, 'as it is in the file').to.equal('a\n\u001b[31mb');
  });

  const five = 'the contexts are: shop, bare, broken, nameless, clusterless';
  const failures: [title: string, names: EntryNames, text: string, expected: string][] = [
    [
      'a context that does not exist',
      { context: 'prod' },
      TEXT,
      `${FILE}: there is no context prod; ${five}`,
    ],
    [
      'a misspelt context, with the one that was meant',
      { context: 'nameles' },
      TEXT,
      `${FILE}: there is no context nameles; did you mean nameless? ${five}`,
    ],
    [
      'a name of the prototype of objects',
      { context: 'toString' },
      TEXT,
      `${FILE}: there is no context toString; ${five}`,
    ],
    [
      'a current context that does not exist',
      {},
      TEXT.replace('current-context: shop', 'current-context: lost'),
      `${FILE}:1: current-context: there is no context lost; ${five}`,
    ],
    [
      'a current context that does not exist, also when a cluster is asked for',
      { cluster: 'east' },
      TEXT.replace('current-context: shop', 'current-context: lost'),
      `${FILE}:1: current-context: there is no context lost; ${five}`,
    ],
    [
      'no current context',
      {},
      without,
      `${FILE}: current-context is not set; set it, or give the option "context"; ${five}`,
    ],
    [
      'no contexts at all',
      {},
      'clusters: [{ name: a }]',
      `${FILE}: it has no contexts; add one that names a cluster and a user`,
    ],
    [
      'an empty file',
      {},
      '',
      `${FILE}: it has no clusters, users and contexts; give one that has them`,
    ],
    [
      'a context where there are none',
      { context: 'a' },
      '',
      `${FILE}: there is no context a; there are no contexts`,
    ],
    [
      'a cluster that does not exist',
      { context: 'broken' },
      TEXT,
      `${FILE}:8: contexts[2].context.cluster: there is no cluster gone; the clusters are: west, east`,
    ],
    [
      'a user that does not exist',
      { context: 'nameless' },
      TEXT,
      `${FILE}:10: contexts[3].context.user: there is no user gone; the users are: dev, ops`,
    ],
    [
      'a context without a cluster',
      { context: 'clusterless' },
      TEXT,
      `${FILE}:12: contexts[4].context.cluster: it is missing; add it`,
    ],
    [
      'a cluster that is asked for and does not exist',
      { cluster: 'north' },
      TEXT,
      `${FILE}: there is no cluster north; the clusters are: west, east`,
    ],
    [
      'a user that is asked for and does not exist',
      { user: 'root' },
      TEXT,
      `${FILE}: there is no user root; the users are: dev, ops`,
    ],
    [
      'a name with control characters, in one line',
      { context: 'a\n\u001b[31mb' },
      TEXT,
      `${FILE}: there is no context a b; ${five}`,
    ],
  ];
  for (const [title, names, text, expected] of failures) {
    it(`refuses ${title}`, async () => {
      const kubeconfig = await parsed(text);
      const error = thrownBy(() => chosenContext(kubeconfig, names));
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message).to.equal(expected);
    });
  }

  it('names at most twenty contexts', async () => {
    const contexts = Array.from({ length: 1_000 }, (_, index) => `{ name: context-${index} }`);
    const kubeconfig = await parsed(`contexts: [${contexts.join(', ')}]`);
    const error = thrownBy(() => chosenContext(kubeconfig, { context: 'none' }));
    expect(error.message).to.match(/context-18, context-19 and 980 more$/);
  });

  it('finds a context among ten thousand', async () => {
    const contexts = Array.from(
      { length: 10_000 },
      (_, index) => `{"name":"c${index}","context":{"cluster":"west","user":"dev"}}`,
    );
    const text = TEXT.replace(
      'contexts:\n',
      `contexts:\n${contexts.map((one) => `- ${one}\n`).join('')}`,
    );
    expect((await chosen({ context: 'c9999' }, text)).slice(0, 2)).to.deep.equal([
      'https://west',
      'd',
    ]);
  });
});
