import type { Client } from '../../lib/client/rest/client.ts';
import type { KubernetesObject, UnstructuredObject } from '../../lib/meta/object.ts';
import { isAlreadyExists } from '../../lib/meta/failure/failures.ts';
import { allKinds, services, type Kind } from '../compare/objects.ts';
import { clusterKind, kind } from '../compare/kind.ts';

const NAMESPACES = Array.from({ length: 10 }, (_, index) => `swap-${index}`);
const SIDE_BY_SIDE = 16;

/** Their objects are unlike any other: a name has a meaning, there is one of each, or they limit the others. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'resourcequotas',
  'limitranges',
  'certificatesigningrequests',
  'ipaddresses',
  'servicecidrs',
]);

/** As discovery names it. */
export const CUSTOM_RESOURCE = 'sites.swap.example';

const definition: Kind = clusterKind(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  {
    spec: {
      group: 'swap.example',
      names: { plural: 'sites', singular: 'site', kind: 'Site' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { pages: { type: 'integer', default: 1 } },
                },
              },
            },
          },
        },
      ],
    },
  },
);

const sites: Kind = kind('swap.example/v1', 'Site', 'sites', { spec: {} });

/** The kinds of the objects that are made: built-in ones, and one of a definition. */
export const SWAP_KINDS: readonly Kind[] = [
  ...allKinds.filter(({ resource }) => !LEFT_OUT.has(resource)),
  sites,
];

/** An object by its coordinates. */
export interface ObjectPlace {
  readonly kind: Kind;
  readonly apiVersion: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

export function placeOf(number: number): ObjectPlace {
  const one = SWAP_KINDS[number % SWAP_KINDS.length] as Kind;
  const namespace = NAMESPACES[number % NAMESPACES.length] ?? '';
  return {
    kind: one,
    apiVersion: one.make('').apiVersion,
    name: `${one.resource}-${number}`,
    namespace: one.namespaced ? namespace : undefined,
  };
}

/** A service, beyond those that `placeOf` names. */
export function servicePlace(number: number): ObjectPlace {
  const namespace = NAMESPACES[number % NAMESPACES.length] ?? '';
  return { kind: services, apiVersion: 'v1', name: `services-of-all-${number}`, namespace };
}

export async function createAt(client: Client, place: ObjectPlace): Promise<void> {
  const { kind: one, apiVersion, name, namespace } = place;
  const text = JSON.stringify(one.make(name)).replaceAll('{ns}', namespace ?? 'default');
  const object = JSON.parse(text) as UnstructuredObject;
  await client.resource(apiVersion, one.resource, { namespace }).create(object);
}

/** Creates the namespaces, the definition, and so many objects of all kinds. */
export async function fill(client: Client, count: number): Promise<void> {
  await prepare(client);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const place = placeOf(next);
      next += 1;
      await createAt(client, place);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
}

export async function prepare(client: Client): Promise<void> {
  for (const name of NAMESPACES) {
    await ignoringPresent(client.resource('v1', 'namespaces').create({ metadata: { name } }));
  }
  const definitions = client.resource<UnstructuredObject>(
    'apiextensions.k8s.io/v1',
    'customresourcedefinitions',
  );
  await ignoringPresent(definitions.create(definition.make(CUSTOM_RESOURCE)));
  await definitions.wait(CUSTOM_RESOURCE, isEstablished, { timeoutMs: 60_000 });
}

async function ignoringPresent(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function isEstablished(object: KubernetesObject | undefined): boolean {
  const { status } = (object ?? {}) as {
    readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
  };
  return (status?.conditions ?? []).some(
    ({ type, status: now }) => type === 'Established' && now === 'True',
  );
}
