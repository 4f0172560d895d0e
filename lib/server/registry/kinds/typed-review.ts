import { apiVersionOf } from '../../../meta/resource.ts';
import { defineKind } from '../contract/kind-definition.ts';
import type { RestStorage } from '../contract/rest-storage.ts';
import type { ServerParts, VirtualResource } from '../contract/subresource-parts.ts';
import { trackCreate } from '../writes/track-fields.ts';
import { typedBody } from '../writes/typed-body.ts';
import { typeOfKind } from './kind-types.ts';

type Create = NonNullable<RestStorage['create']>;

/** A review whose questions are read as the type of the kind, with managed fields, as an object to be stored is. */
export function typedReview(make: VirtualResource): VirtualResource {
  return (server: ServerParts): RestStorage => {
    const review = make(server);
    const { describe } = review;
    const kind = { ...defineKind(describe), type: typeOfKind(describe) };
    const parts = { kind, apiVersion: apiVersionOf(describe), runtime: server.runtime };
    return {
      ...review,
      create: async (context, body, options) => {
        const object = typedBody(parts, context, body, options);
        trackCreate(parts, context, object, options);
        return await (review.create as Create)(context, object, options);
      },
    };
  };
}
