import { badRequest } from '../../meta/failure/failures.ts';
import type { RestStorage } from '../../server/registry/contract/rest-storage.ts';
import type { ServerParts } from '../../server/registry/contract/subresource-parts.ts';
import { userNamed, type UserInfo } from '../../server/registry/contract/user-info.ts';
import { DerivedObject } from '../../server/registry/rules/derived-object.ts';
import { timestampOf } from '../../server/registry/rules/duration.ts';
import { textAt, textsAt } from '../../meta/json-value.ts';
import { reviewResource } from './review-resource.ts';

const GROUP = 'authentication.k8s.io';

/** `tokenreviews`: whose token is this? */
export function tokenReviews({ access }: ServerParts): RestStorage {
  return reviewResource({
    group: GROUP,
    kind: 'TokenReview',
    create: async (_context, review) => {
      const token = textAt(review, 'spec', 'token');
      if (token === '') throw badRequest('token is required for TokenReview in authentication');
      const verdict = await access.authenticate(token, textsAt(review, 'spec', 'audiences'));
      const status =
        'user' in verdict
          ? { authenticated: true, user: shown(verdict.user), audiences: verdict.audiences }
          : { user: {}, error: verdict.error };
      return new DerivedObject('', { ...review, metadata: review.metadata ?? {}, status });
    },
  });
}

/** `selfsubjectreviews`: who am I? */
export function selfSubjectReviews({ runtime }: ServerParts): RestStorage {
  return reviewResource({
    group: GROUP,
    kind: 'SelfSubjectReview',
    create: ({ user, identity }) => {
      const review = {
        kind: 'SelfSubjectReview',
        apiVersion: `${GROUP}/v1`,
        metadata: { creationTimestamp: timestampOf(runtime.wallMs()) },
        status: { userInfo: shown(identity ?? userNamed(user)) },
      };
      return Promise.resolve(new DerivedObject('', review));
    },
  });
}

function shown({ username, uid = '', groups, extra = {} }: UserInfo): object {
  return {
    username,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
