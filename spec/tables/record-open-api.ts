import type { Target } from '../compare/target/target.ts';

/** The documents of a server, as they go into the archive: the name of each and its bytes. */
export interface RecordedOpenApi {
  /** `v1.36.3` */
  readonly serverVersion: string;
  readonly documents: ReadonlyMap<string, Buffer>;
}

/** The group of the two definitions whose documents are the templates of all custom resources. */
const GROUP = 'template.listwatch';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LONGEST_WAIT_MS = 60_000;

/** The names of the template are replaced by those of a custom resource, so that no other text may contain them. */
const TEMPLATES = [
  { scope: 'Namespaced', plural: 'npluralnames', kind: 'Nkindname', listKind: 'Nlistkindname' },
  { scope: 'Cluster', plural: 'cpluralnames', kind: 'Ckindname', listKind: 'Clistkindname' },
] as const;

/** A field that holds a whole object; version 2 and 3 publish more fields in it than it has. */
const EMBEDDED = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  properties: { inner: { type: 'string' } },
};

interface Swagger {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly definitions: Readonly<Record<string, unknown>>;
}

/**
 * Reads the OpenAPI documents of a kube-apiserver: all of version 3, that of version 2, and what both have of two custom
 * resources that are created for the time of the recording. Other custom resources are left out.
 * @throws {Error} When a document cannot be read.
 */
export async function recordOpenApi(target: Target): Promise<RecordedOpenApi> {
  const { gitVersion } = parsed(await read(target, '/version')) as {
    readonly gitVersion: string;
  };
  // Those of an earlier recording.
  await when(target, '/openapi/v2', (bytes) => !bytes.includes(GROUP));
  try {
    for (const template of TEMPLATES) {
      await send(target, 'POST', DEFINITIONS, definitionOf(template));
    }
    const complete = (bytes: Buffer): boolean =>
      TEMPLATES.every(({ plural }) => bytes.includes(`/${plural}/`));
    const custom = await when(target, `/openapi/v3/apis/${GROUP}/v1`, complete);
    const swagger = parsed(await when(target, '/openapi/v2', complete)) as Swagger;
    const groups = await customGroups(target);
    const documents = new Map<string, Buffer>([
      ['v2', Buffer.from(JSON.stringify(without(swagger, groups)))],
    ]);
    const { paths } = parsed(await read(target, '/openapi/v3')) as {
      paths: Record<string, object>;
    };
    for (const path of Object.keys(paths)) {
      const [, group = ''] = path.split('/');
      if (path.startsWith('apis/') && groups.includes(group)) continue;
      documents.set(`v3/${path}`, await read(target, `/openapi/v3/${path}`));
    }
    documents.set('custom/v3', custom);
    documents.set('custom/v2', Buffer.from(JSON.stringify(only(swagger, GROUP))));
    return { serverVersion: gitVersion, documents };
  } finally {
    for (const { plural } of TEMPLATES) {
      await ask(target, 'DELETE', `${DEFINITIONS}/${plural}.${GROUP}`);
    }
  }
}

function definitionOf({ scope, plural, kind, listKind }: (typeof TEMPLATES)[number]): object {
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope,
      names: { plural, kind, listKind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {}, scale },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { embedded: EMBEDDED },
            },
          },
        },
      ],
    },
  };
}

/** The document, as soon as it is as it should be. */
async function when(
  target: Target,
  path: string,
  isRight: (bytes: Buffer) => boolean,
): Promise<Buffer> {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    const { status, bytes } = await ask(target, 'GET', path);
    if (status === 200 && isRight(bytes)) return bytes;
    if (Date.now() > deadline) throw new Error(`${path} is not as expected after a minute`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function customGroups(target: Target): Promise<string[]> {
  const { items } = parsed(await read(target, DEFINITIONS)) as {
    readonly items: readonly { readonly spec: { readonly group: string } }[];
  };
  return items.map(({ spec }) => spec.group);
}

function without(swagger: Swagger, groups: readonly string[]): Swagger {
  const kept = (name: string): boolean => !groups.some((group) => isOf(group, name));
  return select(swagger, kept);
}

function only(swagger: Swagger, group: string): Pick<Swagger, 'paths' | 'definitions'> {
  const { paths, definitions } = select(swagger, (name) => isOf(group, name));
  return { paths, definitions };
}

function select(swagger: Swagger, keep: (name: string) => boolean): Swagger {
  const chosen = (record: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(record).filter(([name]) => keep(name)));
  return {
    ...swagger,
    paths: chosen(swagger.paths),
    definitions: chosen(swagger.definitions),
  };
}

/** Whether a path or the name of a definition belongs to a group. */
function isOf(group: string, name: string): boolean {
  const reversed = group.split('.').toReversed().join('.');
  return name.startsWith(`/apis/${group}/`) || name.startsWith(`${reversed}.v`);
}

function parsed(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString());
}

async function read(target: Target, path: string): Promise<Buffer> {
  return await send(target, 'GET', path);
}

async function send(target: Target, method: string, path: string, body?: object): Promise<Buffer> {
  const { status, bytes } = await ask(target, method, path, body);
  if (status >= 200 && status < 300) return bytes;
  throw new Error(`${method} ${path}: ${status} ${bytes.toString().slice(0, 500)}`);
}

async function ask(
  target: Target,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  return await target.send({
    method,
    path,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
    anonymous: false,
  });
}
