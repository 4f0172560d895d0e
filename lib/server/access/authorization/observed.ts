import type { AccessQuestion, Authorizer } from '../../registry/contract/access-parts.ts';

/** The same authorizer, which reports each question before it answers. */
export function observed(
  authorizer: Authorizer,
  onAccess: ((question: AccessQuestion) => void) | undefined,
): Authorizer {
  if (onAccess === undefined) return authorizer;
  return {
    authorize: async (question) => {
      onAccess(question);
      return await authorizer.authorize(question);
    },
    rulesOf: async (user, namespace) => await authorizer.rulesOf(user, namespace),
  };
}
