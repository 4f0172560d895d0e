/** The settings that a client takes from the kubeconfig files of a case. */
export interface Taken {
  readonly server: string;
  readonly namespace?: string;
  readonly token?: string;
}

/** Kubeconfig files, and what kubectl 1.36 takes from them. `ask-kubectl.ts` asks it again. */
export interface KubectlCase {
  readonly title: string;
  /** The texts by name; names are relative to a folder. */
  readonly files: Readonly<Record<string, string>>;
  /** KUBECONFIG; `@name` stands for the absolute path of a file. Left out: the file `.kube/config` of the home directory. */
  readonly variable?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  /** The settings that kubectl takes; `refused` if it reports an error or finds no cluster. */
  readonly kubectl: Taken | 'refused';
  /** Where this package differs on purpose, and why. */
  readonly here?: { readonly taken: Taken | 'refused'; readonly because: string };
}

/** A kubeconfig with one entry of each kind. */
function one(name: string, { current = name, token = `${name}-token`, host = name } = {}): string {
  return `apiVersion: v1
kind: Config
current-context: "${current}"
contexts: [{ name: ${name}, context: { cluster: ${name}, user: ${name}, namespace: ${name}-ns } }]
clusters: [{ name: ${name}, cluster: { server: "https://${host}" } }]
users: [{ name: ${name}, user: { token: ${token} } }]
`;
}

const taken = (name: string): Taken => ({
  server: `https://${name}`,
  namespace: `${name}-ns`,
  token: `${name}-token`,
});

export const kubectlCases: readonly KubectlCase[] = [
  {
    title: 'the file of the home directory',
    files: { '.kube/config': one('home') },
    kubectl: taken('home'),
  },
  {
    title: 'KUBECONFIG and not the home directory',
    files: { '.kube/config': one('home'), a: one('a') },
    variable: '@a',
    kubectl: taken('a'),
  },
  {
    title: 'an empty KUBECONFIG is none',
    files: { '.kube/config': one('home') },
    variable: '',
    kubectl: taken('home'),
  },
  {
    title: 'a KUBECONFIG of separators names no file, and hides the home directory',
    files: { '.kube/config': one('home') },
    variable: ':',
    kubectl: 'refused',
  },
  {
    title: 'a KUBECONFIG whose file is missing hides the home directory',
    files: { '.kube/config': one('home') },
    variable: '@none',
    kubectl: 'refused',
  },
  {
    title: 'the current context of the first file',
    files: { a: one('a'), b: one('b') },
    variable: '@a:@b',
    kubectl: taken('a'),
  },
  {
    title: 'the order of the files decides',
    files: { a: one('a'), b: one('b') },
    variable: '@b:@a',
    kubectl: taken('b'),
  },
  {
    title: 'an empty current context is none',
    files: { a: one('a', { current: '' }), b: one('b') },
    variable: '@a:@b',
    kubectl: taken('b'),
  },
  {
    title: 'missing files and empty entries are left out',
    files: { a: one('a') },
    variable: '@none::@a:@other',
    kubectl: taken('a'),
  },
  {
    title: 'an empty file is left out',
    files: { a: '', b: one('b') },
    variable: '@a:@b',
    kubectl: taken('b'),
  },
  {
    title: 'the first entry of a name counts',
    files: {
      a: one('x', { token: 'first', host: 'first' }),
      b: one('x', { token: 'second', host: 'second' }),
    },
    variable: '@a:@b',
    kubectl: { server: 'https://first', namespace: 'x-ns', token: 'first' },
  },
  {
    title: 'an entry is not completed by a later file',
    files: {
      a: 'users: [{ name: x, user: { token: first } }]',
      b: one('x').replace('token: x-token', 'tokenFile: token'),
      token: 'second',
    },
    variable: '@a:@b',
    kubectl: { server: 'https://x', namespace: 'x-ns', token: 'first' },
  },
  {
    title: 'a context of one file with a cluster and a user of others',
    files: {
      a: 'current-context: c\ncontexts: [{ name: c, context: { cluster: k, user: u } }]',
      b: 'clusters: [{ name: k, cluster: { server: "https://k" } }]',
      c: 'users: [{ name: u, user: { token: t } }]',
    },
    variable: '@a:@b:@c',
    kubectl: { server: 'https://k', token: 't' },
  },
  {
    title: 'a context that is asked for',
    files: { a: one('a'), b: one('b') },
    variable: '@a:@b',
    context: 'b',
    kubectl: taken('b'),
  },
  {
    title: 'a context that is asked for and missing',
    files: { a: one('a') },
    variable: '@a',
    context: 'b',
    kubectl: 'refused',
  },
  {
    title: 'a current context that is missing',
    files: { a: one('a', { current: 'b' }) },
    variable: '@a',
    kubectl: 'refused',
  },
  {
    title: 'a cluster that is asked for',
    files: { a: one('a'), b: one('b') },
    variable: '@a:@b',
    cluster: 'b',
    kubectl: { server: 'https://b', namespace: 'a-ns', token: 'a-token' },
  },
  {
    title: 'a user that is asked for',
    files: { a: one('a'), b: one('b') },
    variable: '@a:@b',
    user: 'b',
    kubectl: { server: 'https://a', namespace: 'a-ns', token: 'b-token' },
  },
  {
    title: 'a cluster that is asked for and missing',
    files: { a: one('a') },
    variable: '@a',
    cluster: 'b',
    kubectl: 'refused',
  },
  {
    title: 'a user that is asked for and missing',
    files: { a: one('a') },
    variable: '@a',
    user: 'b',
    kubectl: 'refused',
  },
  {
    title: 'a token file beside a token',
    files: {
      a: one('a').replace('token: a-token', 'token: constant, tokenFile: token'),
      token: 'of-the-file',
    },
    variable: '@a',
    kubectl: { server: 'https://a', namespace: 'a-ns', token: 'of-the-file' },
  },
  {
    title: 'a token beside a token file that is missing',
    files: { a: one('a').replace('token: a-token', 'token: constant, tokenFile: token') },
    variable: '@a',
    kubectl: { server: 'https://a', namespace: 'a-ns', token: 'constant' },
  },
  {
    title: 'paths are relative to the file that has them',
    files: { 'sub/a': one('a').replace('token: a-token', 'tokenFile: ../token'), token: 'beside' },
    variable: '@sub/a',
    kubectl: { server: 'https://a', namespace: 'a-ns', token: 'beside' },
  },
  {
    title: 'a token with a password',
    files: { a: one('a').replace('token: a-token', 'token: t, username: u, password: p') },
    variable: '@a',
    kubectl: 'refused',
  },
  {
    title: 'two entries of one name in a file',
    files: { a: `${one('a')}x: 1\n`.replace('users: [', 'users: [{ name: a, user: {} }, ') },
    variable: '@a',
    kubectl: 'refused',
  },
  {
    title: 'another kind',
    files: { a: one('a').replace('kind: Config', 'kind: Secret') },
    variable: '@a',
    kubectl: 'refused',
  },
  {
    title: 'no kind and no version',
    files: { a: one('a').replace('kind: Config\n', '').replace('apiVersion: v1\n', '') },
    variable: '@a',
    kubectl: taken('a'),
  },
  {
    title: 'unknown fields',
    files: { a: `${one('a')}preferences: { colors: true }\nmore: 1\n` },
    variable: '@a',
    kubectl: taken('a'),
  },
  {
    title: 'a byte order mark',
    files: { a: `\ufeff${one('a')}` },
    variable: '@a',
    kubectl: taken('a'),
  },
  {
    title: 'a number for a token',
    files: { a: one('a', { token: '12345' }) },
    variable: '@a',
    kubectl: 'refused',
  },
  {
    title: 'one file that is not YAML among others',
    files: { a: one('a'), b: 'a: [\nb: c' },
    variable: '@a:@b',
    kubectl: 'refused',
  },
  {
    title: 'groups without a user',
    files: { a: one('a').replace('token: a-token', 'token: t, as-groups: [x]') },
    variable: '@a',
    kubectl: 'refused',
  },
  {
    title: 'authority data beside a file',
    files: {
      a: one('a').replace(
        'server:',
        'certificate-authority: ca, certificate-authority-data: AUTHORITY, server:',
      ),
      ca: 'x',
    },
    variable: '@a',
    kubectl: 'refused',
    here: {
      taken: taken('a'),
      because: 'the data takes precedence, as the API documentation says, with a warning',
    },
  },
  {
    title: 'a user that is missing',
    files: { a: one('a').replace('users: [{ name: a', 'users: [{ name: b') },
    variable: '@a',
    kubectl: 'refused',
  },
  {
    title: 'several documents',
    files: { a: `${one('a')}---\nmore: 1\n` },
    variable: '@a',
    kubectl: taken('a'),
    here: {
      taken: 'refused',
      because: 'the entries of the second document would be lost in silence',
    },
  },
  {
    title: 'two fields of one name',
    files: { a: `${one('a')}current-context: a\n` },
    variable: '@a',
    kubectl: taken('a'),
    here: { taken: 'refused', because: 'one of the two would be lost in silence' },
  },
];
