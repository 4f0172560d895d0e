import type { UnstructuredObject } from '../../../meta/object.ts';
import type { Admission, AdmissionRequest, AdmittedVersions } from '../contract/admission.ts';
import { SERVER_USER } from '../contract/server-context.ts';
import { userNamed } from '../contract/user-info.ts';

/** The body of a request that is no stored object, and what is known of the request. */
export interface AdmittedBody extends Omit<AdmissionRequest, 'user' | 'namespace' | 'versions'> {
  readonly object: UnstructuredObject;
  /** The object as validating plug-ins see it. @defaultValue the object */
  readonly validatedForm?: ((object: UnstructuredObject) => UnstructuredObject) | undefined;
}

/** Such bodies have one version. */
const ONE_VERSION: AdmittedVersions = {
  others: () => [],
  convert: (object) => Promise.resolve(object),
  read: (object) => object,
};

/** The body after all plug-ins: those that change it, and those that only refuse it. @throws {ApiError} */
export async function admittedBody(
  plugins: Admission | undefined,
  body: AdmittedBody,
): Promise<UnstructuredObject> {
  const { validatedForm = (one) => one, ...asked } = body;
  const { context, target, operation, subresource, object, oldObject } = asked;
  const { group, resource } = target;
  if (plugins === undefined || context.user === SERVER_USER) return object;
  if (!plugins.wants({ operation, group, resource, subresource })) return object;
  const request: AdmissionRequest = {
    ...asked,
    namespace: context.namespace,
    user: context.identity ?? userNamed(context.user),
    versions: ONE_VERSION,
  };
  await plugins.mutate(request);
  const admitted = request.object ?? object;
  await plugins.validate({
    ...request,
    object: validatedForm(admitted),
    oldObject: oldObject && validatedForm(oldObject),
  });
  return admitted;
}
