import { badRequest } from '../../../meta/failure/failures.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import { DEEPEST_OBJECT, depthWithin } from '../../../meta/json-value.ts';
import { yamlError, type BodyFaults } from '../../registry/rules/body-faults.ts';
import { fieldRequired } from '../../registry/rules/field-causes.ts';
import { nameMissing } from '../../registry/rules/name-validation.ts';
import type { ResourceDescription } from '../../registry/contract/rest-storage.ts';
import type { ApiResponse } from '../../http/api-request.ts';
import { wrongType } from '../../http/body/body-failures.ts';
import { decodeConfiguration } from '../../http/body/body.ts';
import { asObject, isJsonObject, type Json, type JsonObject } from '../../http/body/json-tree.ts';
import { queryFlag, queryText } from '../../http/query-options.ts';
import { methodNotAllowed } from '../../http/request-failures.ts';
import type { Exchange } from './exchange.ts';
import { objectResponse } from './render.ts';
import { writeOptionsOf } from './write-options.ts';

const MANAGER_REQUIRED = fieldRequired('fieldManager', 'is required for apply patch');

/** The content type of server-side apply. JSON is YAML too. */
export const APPLY_PATCH = 'application/apply-patch+yaml';

/**
 * PATCH of one object by server-side apply.
 * @throws {ApiError} 400, 404, 409 for fields of other managers, 413, 422.
 * @see apiserver pkg/endpoints/handlers/patch.go applyPatcher @ v0.36.3
 */
export async function serveApply(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, info, query, request } = exchange;
  if (storage.apply === undefined) throw methodNotAllowed();
  const unnamed = queryText(query, 'fieldManager') === undefined ? [MANAGER_REQUIRED] : [];
  const options = {
    ...writeOptionsOf(exchange, 'PatchOptions', unnamed),
    force: queryFlag(query, 'force'),
  };
  const name = info.name ?? '';
  const configuration = readConfiguration(request.body, (faults) => {
    const { fieldValidation = 'Warn' } = options;
    if (fieldValidation === 'Strict') {
      throw badRequest(
        `error strict decoding YAML: error converting YAML to JSON: ${yamlError(faults)}`,
      );
    }
    if (fieldValidation === 'Warn') for (const { text } of faults.faults) context.warn(text);
  });
  checkType(configuration, storage.describe);
  checkMetadata(configuration, name, context.namespace);
  const { result, created } = await storage.apply(context, name, asObject(configuration), options);
  return objectResponse(exchange, created ? 201 : 200, result);
}

function readConfiguration(body: Uint8Array, onFaults: (faults: BodyFaults) => void): JsonObject {
  const document = decodeConfiguration(body, onFaults);
  if (!isJsonObject(document)) {
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${wrongType(document, 'map[string]interface {}')}`,
    );
  }
  if (!depthWithin(document, DEEPEST_OBJECT)) {
    throw badRequest(`the object is nested deeper than ${DEEPEST_OBJECT} levels`);
  }
  return document;
}

function checkType(configuration: JsonObject, expected: ResourceDescription): void {
  const apiVersion = textOf(configuration['apiVersion']);
  const kind = textOf(configuration['kind']);
  if (apiVersion === apiVersionOf(expected) && kind === expected.kind) return;
  const shown = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  throw badRequest(`invalid object type: ${shown}, Kind=${kind}`);
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function checkMetadata(configuration: JsonObject, name: string, namespace: string): void {
  const metadata = configuration['metadata'] ?? {};
  if (!isJsonObject(metadata)) throw badRequest('the metadata of the object must be an object');
  if (metadata['managedFields'] !== undefined && metadata['managedFields'] !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  // Without a name it is the object of the path; an empty one is a name. Another one counts after the conflicts.
  if (metadata['name'] !== undefined && textOf(metadata['name']) === '') throw nameMissing(name);
  const found = textOf(metadata['namespace']);
  if (found !== '' && namespace !== '' && found !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
}
