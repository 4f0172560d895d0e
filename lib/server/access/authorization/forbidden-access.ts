import { failure, type ApiError } from '../../../meta/failure/api-error.ts';
import { groupResource } from '../../../meta/resource.ts';
import type { AccessQuestion } from '../../registry/contract/access-parts.ts';

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * The 403 for what is not allowed.
 * @see apiserver pkg/endpoints/handlers/responsewriters/errors.go ForbiddenStatusError @ v0.36.3
 */
export function forbiddenAccess(question: AccessQuestion, reason: string = ''): ApiError {
  const text = messageOf(question).replaceAll(/[&<>]/g, (one) => HTML[one] ?? one);
  return forbiddenFor(question, question.name, reason === '' ? text : `${text}: ${reason}`);
}

/** A 403 whose subject may have no name, or be no resource at all. */
export function forbiddenFor(
  subject: { readonly group: string; readonly resource: string },
  name: string,
  reason: string,
): ApiError {
  const { group, resource } = subject;
  const shown =
    name === '' ? groupResource(subject) : `${groupResource(subject)} ${JSON.stringify(name)}`;
  const start = group === '' && resource === '' ? 'forbidden' : `${shown} is forbidden`;
  return failure('Forbidden', `${start}: ${reason}`, {
    details: {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      ...(resource === '' ? {} : { kind: resource }),
    },
  });
}

function messageOf(question: AccessQuestion): string {
  const { user, verb, isResource, path, group, resource, subresource, namespace } = question;
  const who = `User ${JSON.stringify(user.username)} cannot ${verb}`;
  if (!isResource) return `${who} path ${JSON.stringify(path)}`;
  const combined = JSON.stringify(subresource === '' ? resource : `${resource}/${subresource}`);
  const where =
    namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} resource ${combined} in API group ${JSON.stringify(group)} ${where}`;
}
