import type { Runtime } from '../kernel/time/runtime.ts';
import type { UnstructuredObject } from '../meta/object.ts';
import { apiVersionOf } from '../meta/resource.ts';
import { defineKind } from '../server/registry/contract/kind-definition.ts';
import type {
  RequestContext,
  RestStorage,
  WriteOptions,
} from '../server/registry/contract/rest-storage.ts';
import type {
  SubresourceFactory,
  VirtualResource,
} from '../server/registry/contract/subresource-parts.ts';
import { trackCreate } from '../server/registry/writes/track-fields.ts';
import { typedBody } from '../server/registry/writes/typed-body.ts';
import type { KindTypes } from './kind-types.ts';

type Create = NonNullable<RestStorage['create']>;
type CreateNamed = NonNullable<RestStorage['createNamed']>;

/** A resource whose bodies are read as the type of their kind, with managed fields, as an object to be stored is. */
export function typedResource(make: VirtualResource, types: KindTypes): VirtualResource {
  return (server) => typedCreation(make(server), { types, runtime: server.runtime });
}

/** Subresources whose bodies of creations, such as a `Binding`, are read as the types of their kinds. */
export function typedSubresources(make: SubresourceFactory, types: KindTypes): SubresourceFactory {
  return (parts) =>
    Object.fromEntries(
      Object.entries(make(parts)).map(([name, storage]) => [
        name,
        typedCreation(storage, { types, runtime: parts.runtime, subresource: name }),
      ]),
    );
}

interface CreationParts {
  readonly types: KindTypes;
  readonly runtime: Runtime;
  readonly subresource?: string;
}

/** @throws {ApiError} of `create` and `createNamed`: 400 for a body that cannot be read as its kind. */
function typedCreation(
  storage: RestStorage,
  { types, runtime, subresource = '' }: CreationParts,
): RestStorage {
  const { describe } = storage;
  if (storage.create === undefined && storage.createNamed === undefined) return storage;
  const kind = { ...defineKind(describe), type: types.of(describe) };
  const parts = { kind, apiVersion: apiVersionOf(describe), runtime };
  const read = (
    context: RequestContext,
    body: UnstructuredObject,
    options: WriteOptions = {},
  ): UnstructuredObject => {
    const object = typedBody(parts, context, body, options);
    trackCreate(parts, context, object, { ...options, subresource });
    return object;
  };
  return {
    ...storage,
    ...(storage.create && {
      create: async (context, body, options) =>
        await (storage.create as Create)(context, read(context, body, options), options),
    }),
    ...(storage.createNamed && {
      createNamed: async (context, name, body, options) =>
        await (storage.createNamed as CreateNamed)(
          context,
          name,
          read(context, body, options),
          options,
        ),
    }),
  };
}
