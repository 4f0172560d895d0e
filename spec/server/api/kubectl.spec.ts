import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { HANG_MS } from '../../support/until.ts';

const run = promisify(execFile);

const MANIFEST = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  labels: { app: web }
data:
  color: blue
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: web, image: "web:1" }]
`;

/** The kubectl on PATH, and those that LISTWATCH_KUBECTL lists. */
function binaries(): string[] {
  const onPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'kubectl'));
  const extra = (process.env['LISTWATCH_KUBECTL'] ?? '')
    .split(delimiter)
    .filter((path) => path !== '');
  const first = onPath.find((path) => existsSync(path));
  return [...new Set([...(first === undefined ? [] : [first]), ...extra])];
}

const found = binaries();

describe('kubectl', () => {
  if (found.length === 0) {
    it('is not on PATH, and LISTWATCH_KUBECTL names none: skipped', function () {
      console.log(
        '      skipped: no kubectl on PATH; LISTWATCH_KUBECTL=/path/to/kubectl names others',
      );
      this.skip();
    });
  }

  for (const binary of found) {
    describe(binary, () => {
      let server: ApiServer;
      let folder = '';
      let manifest = '';
      /** Clients before 1.27 insist on a schema in a format of their own. */
      let unchecked: string[] = [];

      const environment = (): NodeJS.ProcessEnv => ({
        PATH: process.env['PATH'],
        HOME: folder,
        KUBECONFIG: join(folder, 'kubeconfig'),
      });

      const kubectl = async (...args: string[]): Promise<string> => {
        const { stdout } = await run(binary, args, { env: environment(), timeout: HANG_MS });
        return stdout;
      };

      before(async () => {
        const { stdout } = await run(binary, ['version', '--client', '-o', 'json']);
        const version = JSON.parse(stdout) as {
          readonly clientVersion: { readonly minor: string };
        };
        if (parseInt(version.clientVersion.minor, 10) < 27) unchecked = ['--validate=false'];
      });

      beforeEach(async () => {
        folder = await mkdtemp(join(tmpdir(), 'listwatch-kubectl-'));
        manifest = join(folder, 'manifest.yaml');
        await writeFile(manifest, MANIFEST);
        server = new ApiServer();
        await server.listen();
        await server.writeKubeconfig(join(folder, 'kubeconfig'));
      });

      afterEach(async () => {
        await server.close();
        await rm(folder, { recursive: true, force: true });
      });

      const create = async (): Promise<string> =>
        await kubectl('create', '-f', manifest, ...unchecked);

      it('names its server', async () => {
        expect(await kubectl('version')).to.contain('v1.37.2+listwatch');
      });

      it('finds the resources', async () => {
        expect(await kubectl('api-resources', '-o', 'name'))
          .to.contain('deployments.apps\n')
          .and.contain('configmaps\n');
      });

      it('creates what a file says', async () => {
        expect(await create()).to.equal('configmap/web created\ndeployment.apps/web created\n');
        const again = await create().catch((error: { stderr: string }) => error.stderr);
        expect(again).to.contain('configmaps "web" already exists');
      });

      /** Current versions send these in protobuf. */
      const CREATED: readonly (readonly [command: string, path: string, value: string])[] = [
        ['create namespace shop', 'namespace shop {.status.phase}', 'Active'],
        ['create configmap a --from-literal=color=blue', 'configmap a {.data.color}', 'blue'],
        [
          'create secret generic a --from-literal=word=hunter2',
          'secret a {.data.word}',
          'aHVudGVyMg==',
        ],
        ['create serviceaccount a', 'serviceaccount a {.metadata.name}', 'a'],
        [
          'create deployment a --image=nginx:1 --replicas=2 --port=80',
          'deployment a {.spec.replicas}-{.spec.template.spec.containers[0].ports[0].containerPort}',
          '2-80',
        ],
        [
          'run a --image=nginx:1 --env=COLOR=blue --labels=app=a --port=80 --restart=Never',
          'pod a {.spec.containers[0].env[0].value}-{.metadata.labels.app}-{.spec.restartPolicy}',
          'blue-a-Never',
        ],
        [
          'create service clusterip a --tcp=80:http',
          'service a {.spec.ports[0].targetPort}',
          'http',
        ],
        [
          'create job a --image=busybox -- true',
          'job a {.spec.template.spec.containers[0].command[0]}',
          'true',
        ],
      ];
      for (const [command, path, value] of CREATED) {
        it(`does: ${command}`, async () => {
          expect(await kubectl(...command.split(' '))).to.match(/ created\n$/);
          const [resource = '', name = '', field = ''] = path.split(' ');
          expect(await kubectl('get', resource, name, '-o', `jsonpath=${field}`)).to.equal(value);
        });
      }

      it('exposes and scales', async () => {
        await create();
        const exposed = await kubectl(
          'expose',
          'deployment',
          'web',
          '--port=80',
          '--target-port=8080',
        );
        expect(exposed).to.equal('service/web exposed\n');
        const ports = 'jsonpath={.spec.selector.app}:{.spec.ports[0].targetPort}';
        expect(await kubectl('get', 'service', 'web', '-o', ports)).to.equal('web:8080');
        await kubectl('scale', 'deployment', 'web', '--replicas=5');
        expect(await kubectl('get', 'deploy', 'web', '-o', 'jsonpath={.spec.replicas}')).to.equal(
          '5',
        );
      });

      it('gets tables, wide, sorted and of all namespaces', async () => {
        await create();
        expect(await kubectl('get', 'configmaps')).to.match(/^NAME +DATA +AGE\nweb +1 +\d+s\n$/);
        expect(await kubectl('get', 'deploy', '-o', 'wide')).to.match(
          /CONTAINERS +IMAGES +SELECTOR\nweb .* web:1 +app=web\n/,
        );
        expect(await kubectl('get', 'cm', '-A', '--sort-by=.metadata.name')).to.contain(
          'NAMESPACE',
        );
        expect(await kubectl('get', 'cm', '-l', 'app=none', '-o', 'name')).to.equal('');
      });

      it('gets YAML', async () => {
        await create();
        const text = await kubectl('get', 'configmap', 'web', '-o', 'yaml');
        expect(text)
          .to.contain('color: blue')
          .and.contain('kind: ConfigMap')
          .and.contain('namespace: default');
      });

      it('describes', async () => {
        await create();
        expect(await kubectl('describe', 'configmap', 'web'))
          .to.match(/Name: +web\n/)
          .and.contain('blue');
      });

      it('applies a change to one container', async () => {
        await create();
        await writeFile(manifest, MANIFEST.replace('web:1', 'web:2'));
        await kubectl('apply', '-f', manifest, ...unchecked);
        expect(
          await kubectl(
            'get',
            'deploy',
            'web',
            '-o',
            'jsonpath={.spec.template.spec.containers[*].image}',
          ),
        ).to.equal('web:2');
        const patch =
          '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"}]}}}}';
        await kubectl('patch', 'deploy', 'web', '-p', patch);
        const names = await kubectl(
          'get',
          'deploy',
          'web',
          '-o',
          'jsonpath={.spec.template.spec.containers[*].name}',
        );
        expect(names.split(' ').toSorted()).to.deep.equal(['side', 'web']);
      });

      it('watches', async () => {
        await create();
        const child = spawn(binary, ['get', 'configmaps', '-w', '-o', 'name'], {
          env: environment(),
        });
        let text = '';
        const until = (part: string): Promise<void> =>
          new Promise((resolve, reject) => {
            const check = (): void => {
              if (text.includes(part)) resolve();
            };
            child.stdout.on('data', check);
            child.once('exit', () => {
              reject(new Error(`kubectl ended before ${JSON.stringify(part)}: ${text}`));
            });
            check();
          });
        child.stdout.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        const ended = new Promise((resolve) => child.once('close', resolve));
        await until('configmap/web\n');
        await kubectl('label', 'configmap', 'web', 'seen=yes');
        await until('configmap/web\nconfigmap/web\n');
        child.kill();
        await ended;
      });

      it('deletes, and waits until it is gone', async () => {
        await create();
        expect(await kubectl('delete', 'configmap', 'web')).to.contain('configmap "web" deleted');
        const gone = await kubectl('get', 'configmap', 'web').catch(
          (error: { stderr: string }) => error.stderr,
        );
        expect(gone).to.contain('(NotFound)').and.contain('configmaps "web" not found');
      });
    });
  }
});
