import { encodeMessage } from './encode-message.ts';
import { OPEN_API_3_MESSAGES } from './open-api-3-messages.ts';
import { SWAGGER_MESSAGES } from './swagger-messages.ts';

/** The `openapi.v2.Document` of an OpenAPI 2 document in JSON. */
export function encodeVersion2(json: Uint8Array): Uint8Array {
  return encodeMessage(SWAGGER_MESSAGES, parse(json));
}

/** The `openapi.v3.Document` of an OpenAPI 3 document in JSON. */
export function encodeVersion3(json: Uint8Array): Uint8Array {
  return encodeMessage(OPEN_API_3_MESSAGES, parse(json));
}

function parse(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
}
