import type { VirtualResource } from '../server/registry/contract/subresource-parts.ts';
import { selfSubjectReviews, tokenReviews } from './reviews/authentication-reviews.ts';
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from './reviews/access-reviews.ts';
import { componentStatuses } from './reviews/component-statuses.ts';
import { typedResource } from './typed-creation.ts';
import { bindings } from './subresources/pod-binding.ts';

/** The built-in resources without stored objects. */
export const virtualResources: readonly VirtualResource[] = [
  componentStatuses,
  ...[
    bindings,
    selfSubjectReviews,
    tokenReviews,
    localSubjectAccessReviews,
    selfSubjectAccessReviews,
    selfSubjectRulesReviews,
    subjectAccessReviews,
  ].map(typedResource),
];
