import {
  textAt,
  isRecord,
  recordAt,
  valueAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';

const GROUP = 'apiextensions.k8s.io';
const KIND = 'ConversionReview';

/** The version of reviews in which a webhook is asked; undefined if it knows none that API servers know. */
export function reviewVersion(versions: readonly string[]): 'v1' | 'v1beta1' | undefined {
  return versions.find((one) => one === 'v1' || one === 'v1beta1');
}

export interface ReviewRequest {
  readonly version: 'v1' | 'v1beta1';
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly unknown[];
}

/** The question; it has an empty response, as that of kube-apiserver. */
export function reviewOf({ version, ...request }: ReviewRequest): JsonRecord {
  return {
    kind: KIND,
    apiVersion: `${GROUP}/${version}`,
    request,
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
}

/**
 * The converted objects of an answer, or why there are none.
 * @see apiextensions-apiserver pkg/apiserver/conversion/webhook_converter.go getConvertedObjectsFromResponse @ v0.36.3
 */
export function convertedObjects(
  answer: JsonRecord,
  { version, uid }: Pick<ReviewRequest, 'version' | 'uid'>,
): readonly unknown[] | string {
  const wrongType = typeFault(answer, version);
  if (wrongType !== undefined) return wrongType;
  const response = recordAt(answer, 'response');
  if (response === undefined) return 'no response provided';
  const answered = textAt(response, 'uid');
  if (version === 'v1' && answered !== uid) {
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`;
  }
  const status = textAt(response, 'result', 'status');
  if (status !== 'Success') {
    const message = textAt(response, 'result', 'message');
    return message || `response.result.status was '${status}', not 'Success'`;
  }
  const objects = valueAt(response, 'convertedObjects');
  return Array.isArray(objects) ? objects : [];
}

function typeFault(answer: JsonRecord, version: string): string | undefined {
  const kind = textAt(answer, 'kind');
  const apiVersion = textAt(answer, 'apiVersion');
  const known = apiVersion === `${GROUP}/v1` || apiVersion === `${GROUP}/v1beta1`;
  if (kind !== KIND || !known) {
    return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  }
  const given = apiVersion.slice(GROUP.length + 1);
  if (given === version) return undefined;
  return `converting (${given}.${KIND}) to (${version}.${KIND}): unknown conversion`;
}

/** Why a converted object cannot be read at all. */
export function unreadableObject(value: unknown): string | undefined {
  if (!isRecord(value)) {
    const type = Array.isArray(value)
      ? 'array'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
    return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
  }
  if (textAt(value, 'kind') !== '') return undefined;
  return `Object 'Kind' is missing in '${JSON.stringify(value)}'`;
}
