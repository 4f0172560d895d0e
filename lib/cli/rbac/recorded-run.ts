import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterControllers } from '../../cluster/cluster-controllers.ts';
import { selectedControllers } from '../../cluster/cluster-controller-names.ts';
import type { Manifest } from '../../meta/manifests/manifest.ts';
import { ApiServer } from '../../cluster/server/api-server.ts';
import type { CommandHost } from '../contract/command.ts';
import { applyManifests } from '../manifests/apply-manifests.ts';
import { serveLogger } from '../serve/serve-logger.ts';
import { runChildProgram, type ChildResult } from '../programs/child-program.ts';
import { AccessRecorder, type NeededAccess } from './needed-access.ts';

export interface RecordedRunOptions {
  readonly command: readonly [string, ...string[]];
  /** Of the kubeconfig. */
  readonly namespace: string;
  readonly manifests: readonly Manifest[];
  readonly stopAfterMs: number | undefined;
}

export interface RecordedRun {
  readonly result: ChildResult;
  readonly recorder: AccessRecorder;
  /** The resources that the server serves, by `GROUP/VERSION/RESOURCE`, and whether they are in namespaces. */
  readonly served: ReadonlyMap<string, boolean>;
}

/** Not of `system:masters`, so that the server is asked about its rights. */
const USER = 'listwatch:program';

/** Runs a program with a server of its own, in which everything is allowed, and keeps what it needed. */
export async function recordedRun(
  { command, namespace, manifests, stopAfterMs }: RecordedRunOptions,
  host: CommandHost,
): Promise<RecordedRun> {
  const { runtime, signal, env, stderr, signalGroup } = host;
  const recorder = new AccessRecorder();
  await using server = new ApiServer({
    runtime,
    authorization: 'always-allow',
    onAccess: (question) => {
      if (question.user.username === USER) recorder.record(question);
    },
  });
  await server.listen();
  const logger = serveLogger(host, false);
  const controllers = selectedControllers('all');
  await using cluster = new ClusterControllers({ server, controllers, runtime, logger });
  await cluster.start();
  const { handler } = server;
  await applyManifests([namespaceManifest(namespace), ...manifests], { handler, runtime, signal });
  const folder = await mkdtemp(join(tmpdir(), 'listwatch-rbac-'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigText(server, namespace), { mode: 0o600 });
    const result = await runChildProgram({
      command,
      env: {
        ...env,
        KUBECONFIG: kubeconfig,
        // Within a cluster, some clients would take that one.
        KUBERNETES_SERVICE_HOST: undefined,
        KUBERNETES_SERVICE_PORT: undefined,
      },
      runtime,
      signal,
      signalGroup,
      stopAfterMs,
      onOutput: (text) => {
        stderr.write(text);
      },
    });
    return { result, recorder, served: await servedResources(server, recorder.used.resources) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function namespaceManifest(name: string): Manifest {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  return { object, place: `--namespace ${name}` };
}

function kubeconfigText(server: ApiServer, namespace: string): string {
  const { certificate, privateKey } = server.issueClientCertificate({ user: USER });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const cluster = {
    server: server.url.replace('http:', 'https:'),
    'certificate-authority-data': base64(server.certificateAuthority),
  };
  const user = {
    'client-certificate-data': base64(certificate),
    'client-key-data': base64(privateKey),
  };
  const name = 'listwatch';
  return `${JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    'current-context': name,
  })}\n`;
}

async function servedResources(
  { handler }: ApiServer,
  accesses: readonly NeededAccess[],
): Promise<ReadonlyMap<string, boolean>> {
  const served = new Map<string, boolean>();
  const versions = new Set(accesses.map(({ group, version }) => `${group}/${version}`));
  for (const version of versions) {
    const url = version.startsWith('/') ? `/api${version}` : `/apis/${version}`;
    const headers = { accept: 'application/json' };
    // Not the signal of the host: an interrupt ends the program, and then its rules are written.
    const { signal } = new AbortController();
    const request = { method: 'GET', url, headers, body: Buffer.alloc(0), signal };
    const { status, body } = await handler(request);
    if (status !== 200) continue;
    const pieces: Uint8Array[] = [];
    if (body instanceof Uint8Array) pieces.push(body);
    else for await (const piece of body) pieces.push(piece);
    const { resources } = JSON.parse(Buffer.concat(pieces).toString()) as ResourceList;
    for (const { name, namespaced } of resources) served.set(`${version}/${name}`, namespaced);
  }
  return served;
}

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly namespaced: boolean }[];
}
