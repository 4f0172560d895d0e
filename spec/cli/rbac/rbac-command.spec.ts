import { delimiter, dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { runCommandLine } from '../../../lib/cli/run-command-line.ts';
import type { CommandHost } from '../../../lib/cli/contract/command.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';
import { capturedHost } from '../support/captured-host.ts';
import { plainProgram } from '../../support/plain-programs.ts';
import { until } from '../../support/until.ts';

/** `run` puts the place of the program for its name. */
const ASK = ['--', 'node', 'ASK'];
/** Messages hold the command line up to a length, so that it has no absolute path. */
const ENV = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
};
const APPLY = 'application/apply-patch+yaml';
const MAP = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}';

const WIDGETS = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, kind: Widget }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object } }
---
apiVersion: example.com/v1
kind: Widget
metadata: { name: first }
`;

describe('listwatch rbac', () => {
  let directory: ScratchDirectory;
  let place: string;

  before(async () => {
    place = relative(process.cwd(), await plainProgram('spec/cli/rbac/support/ask.ts'));
  });

  beforeEach(async () => {
    directory = await ScratchDirectory.make();
  });

  afterEach(async () => {
    await directory[Symbol.asyncDispose]();
  });

  async function run(
    parameters: readonly string[],
    host: Partial<CommandHost> = {},
  ): Promise<{ code: number; out: string; err: string }> {
    const captured = capturedHost({ env: ENV, homeDir: directory.path, ...host });
    const code = await runCommandLine(['rbac', ...placed(parameters)], captured);
    const err = captured.stderr.text.replaceAll(directory.path, '~').replaceAll(place, 'ASK');
    return { code, out: captured.stdout.text, err };
  }

  function placed(parameters: readonly string[]): string[] {
    return parameters.map((parameter) => (parameter === 'ASK' ? place : parameter));
  }

  it('writes the rules of the requests that a program has sent, and its output to standard error', async () => {
    const { code, out, err } = await run([
      '--name',
      'asker',
      ...ASK,
      'GET /api/v1/namespaces/default/configmaps/a',
      `PATCH /api/v1/namespaces/default/configmaps/a?fieldManager=x ${APPLY} ${MAP}`,
      'GET /version',
      'GET /metrics',
    ]);
    expect(err).to.equal(
      'GET /api/v1/namespaces/default/configmaps/a: 404, in default\n' +
        'PATCH /api/v1/namespaces/default/configmaps/a?fieldManager=x: 201, in default\n' +
        'GET /version: 200, in default\nGET /metrics: 200, in default\n',
    );
    expect(code).to.equal(0);
    expect(out.replace(/^#.*\n/, '')).to.equal(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: asker
rules:
  - nonResourceURLs: [/metrics]
    verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: asker
  namespace: default
rules:
  - apiGroups: ['']
    resources: [configmaps]
    verbs: [get, create, patch]
`);
  });

  it('applies manifests first, gives the program its namespace, and binds the account', async () => {
    await directory.write('widgets.yaml', WIDGETS);
    const { code, out, err } = await run([
      '--manifests',
      directory.path,
      '--namespace',
      'shop',
      '--service-account',
      'till',
      '--name',
      'till',
      '--names',
      'secrets',
      ...ASK,
      'GET /apis/example.com/v1/widgets?watch=true&timeoutSeconds=1',
      'GET /apis/example.com/v1/namespaces/default/widgets/first',
      'GET /api/v1/namespaces/shop/secrets/till-key',
      'GET /apis/coordination.k8s.io/v1/namespaces/shop/leases/till',
    ]);
    expect(code).to.equal(0);
    expect(err).to.include('/widgets/first: 200, in shop\n');
    expect(out.replace(/^#.*\n/, '').split('---\n')).to.deep.equal([
      `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: till
rules:
  - apiGroups: ['']
    resources: [secrets]
    resourceNames: [till-key]
    verbs: [get]
  - apiGroups: [example.com]
    resources: [widgets]
    verbs: [get, list, watch]
`,
      `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: till
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: till
subjects:
  - kind: ServiceAccount
    name: till
    namespace: shop
`,
      `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: till
  namespace: shop
rules:
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    resourceNames: [till]
    verbs: [get]
`,
      `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: till
  namespace: shop
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: till
subjects:
  - kind: ServiceAccount
    name: till
    namespace: shop
`,
    ]);
  });

  it('stops a program that does not end, at an interrupt and after --for, and writes its rules', async () => {
    const path = 'GET /api/v1/nodes';
    const interruption = new AbortController();
    const host = capturedHost({ env: ENV, signal: interruption.signal });
    const running = runCommandLine(['rbac', ...placed([...ASK, path, 'until SIGTERM'])], host);
    await until('the program has asked', () => host.stderr.text.includes('it waits'));
    interruption.abort(new Error('interrupted'));
    expect(await running).to.equal(0);
    expect(host.stdout.text).to.include('resources: [nodes]\n    verbs: [list]\n');

    // The requests are sent before it waits, or not: either way it ends.
    const { code } = await run(['--for', '1ms', ...ASK, path, 'until SIGTERM']);
    expect(code).to.be.oneOf([0, 1]);
  });

  it('says what the server does not have, and what a program that writes roles needs besides', async () => {
    const { code, err } = await run([
      ...ASK,
      'GET /apis/example.com/v1/gadgets',
      'POST /apis/rbac.authorization.k8s.io/v1/clusterroles application/json {}',
    ]);
    expect(code).to.equal(0);
    expect(err).to.include(
      'the server has no gadgets.example.com: name the folder of its definition',
    );
    expect(err).to.include('has what they grant, or the verbs escalate and bind\n');
  });

  it('overwrites a file of its own, and no other', async () => {
    const out = join(directory.path, 'role.yaml');
    const ask = ['--out', out, ...ASK, 'GET /api/v1/pods'];
    expect(await run(ask)).to.include({ code: 0, out: '' });
    const first = await directory.read('role.yaml');
    expect(first).to.include('resources: [pods]\n    verbs: [list]\n');
    expect((await run([...ask, 'GET /api/v1/nodes'])).code).to.equal(0);
    expect(await directory.read('role.yaml')).to.include('resources: [nodes, pods]');
    await directory.write('notes.yaml', 'a: 1\n');
    expect(await run(['--out', join(directory.path, 'notes.yaml'), ...ASK])).to.deep.equal({
      code: 2,
      out: '',
      err: 'listwatch: ~/notes.yaml has something else than recorded roles; name another --out\n',
    });
  });

  for (const [what, parameters, line] of [
    [
      'no program',
      [],
      'rbac takes options, and a program after --: listwatch rbac -- node program.js',
    ],
    [
      'a program without --',
      ['node', 'a.js'],
      'rbac takes options, and a program after --: listwatch rbac -- node program.js, not "node"',
    ],
    [
      'a wrong name',
      ['--name', 'My Role', '--', 'node'],
      '--name must be lower-case letters, digits and "-", at most 63, not "My Role"',
    ],
    [
      'a wrong time',
      ['--for', 'ever', '--', 'node'],
      '--for must be a time from 1ms to 24h, such as 30s, not "ever"',
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      expect(await run(parameters)).to.deep.equal({
        code: 2,
        out: '',
        err: `listwatch: ${line}\n`,
      });
    });
  }

  for (const [what, command, line] of [
    [
      'is not there',
      ['no-such-program'],
      'no-such-program cannot be started: there is no such program on PATH (PROGRAM_FAILED)',
    ],
    [
      'ends with a failure',
      ['node', '-e', 'process.exit(7)'],
      'node -e process.exit(7) ended with 7, so its rules are not known: its output says why; correct that and run it again (PROGRAM_FAILED)',
    ],
    [
      'sends no request',
      ['node', '-e', ''],
      'node -e sent no request to the server: let it take the kubeconfig that KUBECONFIG names, and run until it has worked (NO_REQUESTS)',
    ],
    [
      'asks for what everybody may see',
      [...ASK.slice(1), 'GET /version'],
      'node ASK GET /version asked only for what everybody may see, such as the version: let it run until it has worked, with --manifests for objects to work on (NO_REQUESTS)',
    ],
  ] as const) {
    it(`writes no rules for a program that ${what}`, async () => {
      const { code, out, err } = await run(['--', ...command]);
      expect({ code, out }).to.deep.equal({ code: 1, out: '' });
      expect(err.split('\n').at(-2)).to.equal(`listwatch: ${line}`);
    });
  }
});
