import type { Draw } from '../compare/draw.ts';
import { object, oneOf, someOf, texts, type Members, type Values } from './values.ts';

/** A kind that sequences write. */
export interface ApplyKind {
  readonly title: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  /** Takes strategic merge patches. */
  readonly strategic: boolean;
  readonly scale: boolean;
  /** The members besides metadata. */
  readonly content: Values;
  /** Values of `status`, for kinds with that subresource. */
  readonly status?: Values | undefined;
}

const owner = (uid: string): Values =>
  object({
    apiVersion: oneOf('v1'),
    kind: oneOf('Pod'),
    name: oneOf('a', 'b'),
    uid: oneOf(`00000000-0000-0000-0000-00000000000${uid}`),
  });

const metadata: Values = object(
  {},
  {
    labels: texts('app', 'tier', 'example.com/zone'),
    annotations: texts('note', 'example.com/owner'),
    finalizers: someOf(oneOf('example.com/a'), oneOf('example.com/b')),
    ownerReferences: someOf(owner('1'), owner('2')),
  },
);

export function kind(
  apiVersion: string,
  name: string,
  resource: string,
  content: Values,
  more: Partial<ApplyKind> = {},
): ApplyKind {
  return {
    title: `${apiVersion} ${name}`,
    apiVersion,
    kind: name,
    resource,
    strategic: true,
    scale: false,
    content,
    ...more,
  };
}

/** A kind with a spec. */
export function withSpec(required: Members, optional: Members): Values {
  return object({ spec: object(required, optional) });
}

/** Where the objects of a kind are. `{ns}` is the namespace of the run. */
export function collectionOf({ apiVersion, resource }: ApplyKind): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/namespaces/{ns}/${resource}`;
}

export type Configuration = Record<string, unknown> & {
  readonly metadata: Record<string, unknown>;
};

/** A configuration of the object; a bare one has little more than a name. */
export function drawConfiguration(draw: Draw, kind: ApplyKind, name: string): Configuration {
  const { apiVersion } = kind;
  const content = draw.chance(0.1) ? {} : (kind.content(draw) as object);
  const described = metadata(draw) as object;
  return { apiVersion, kind: kind.kind, metadata: { name, ...described }, ...content };
}
