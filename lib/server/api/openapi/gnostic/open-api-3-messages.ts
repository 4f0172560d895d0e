import { many, one, orReference, type FieldType, type MessageShapes } from './message-shape.ts';

/**
 * The messages of OpenAPI 3 that the documents of a Kubernetes API have. Message numbers are those of `openapi.v3` in
 * github.com/google/gnostic-models v0.7.0.
 */
export const OPEN_API_3_MESSAGES: MessageShapes = {
  Document: {
    fields: {
      openapi: [1, 'string'],
      info: [2, one('Info')],
      paths: [4, one('Paths')],
      components: [5, one('Components')],
      security: [6, many('SecurityRequirement')],
    },
    extensions: 9,
  },
  Info: {
    fields: { title: [1, 'string'], description: [2, 'string'], version: [6, 'string'] },
    extensions: 7,
  },
  Paths: { entries: [1, one('PathItem')], extensions: 2 },
  PathItem: {
    fields: {
      summary: [2, 'string'],
      description: [3, 'string'],
      get: [4, one('Operation')],
      put: [5, one('Operation')],
      post: [6, one('Operation')],
      delete: [7, one('Operation')],
      options: [8, one('Operation')],
      head: [9, one('Operation')],
      patch: [10, one('Operation')],
      parameters: [13, many('ParameterOrReference')],
    },
    extensions: 14,
  },
  Operation: {
    fields: {
      tags: [1, 'strings'],
      summary: [2, 'string'],
      description: [3, 'string'],
      operationId: [5, 'string'],
      parameters: [6, many('ParameterOrReference')],
      requestBody: [7, one('RequestBodyOrReference')],
      responses: [8, one('Responses')],
      deprecated: [10, 'bool'],
    },
    extensions: 13,
  },
  Reference: {
    fields: { $ref: [1, 'string'], summary: [2, 'string'], description: [3, 'string'] },
  },
  ParameterOrReference: orReference('Parameter', 'Reference'),
  Parameter: {
    fields: {
      name: [1, 'string'],
      in: [2, 'string'],
      description: [3, 'string'],
      required: [4, 'bool'],
      deprecated: [5, 'bool'],
      allowEmptyValue: [6, 'bool'],
      style: [7, 'string'],
      explode: [8, 'bool'],
      schema: [10, one('SchemaOrReference')],
      example: [11, 'any'],
      content: [13, one('MediaTypes')],
    },
    extensions: 14,
  },
  RequestBodyOrReference: orReference('RequestBody', 'Reference'),
  RequestBody: {
    fields: {
      description: [1, 'string'],
      content: [2, one('MediaTypes')],
      required: [3, 'bool'],
    },
    extensions: 4,
  },
  MediaTypes: { entries: [1, one('MediaType')] },
  MediaType: {
    fields: { schema: [1, one('SchemaOrReference')], example: [2, 'any'] },
    extensions: 5,
  },
  Responses: {
    entries: [2, one('ResponseOrReference')],
    own: { default: [1, one('ResponseOrReference')] },
    extensions: 3,
  },
  ResponseOrReference: orReference('Response', 'Reference'),
  Response: {
    fields: { description: [1, 'string'], content: [3, one('MediaTypes')] },
    extensions: 5,
  },
  Components: {
    fields: { schemas: [1, one('Schemas')], securitySchemes: [7, one('SecuritySchemes')] },
    extensions: 10,
  },
  Schemas: { entries: [1, one('SchemaOrReference')] },
  SchemaOrReference: orReference('Schema', 'Reference'),
  Schema: {
    fields: {
      nullable: [1, 'bool'],
      readOnly: [3, 'bool'],
      writeOnly: [4, 'bool'],
      externalDocs: [6, one('ExternalDocs')],
      example: [7, 'any'],
      deprecated: [8, 'bool'],
      title: [9, 'string'],
      multipleOf: [10, 'double'],
      maximum: [11, 'double'],
      exclusiveMaximum: [12, 'bool'],
      minimum: [13, 'double'],
      exclusiveMinimum: [14, 'bool'],
      maxLength: [15, 'int64'],
      minLength: [16, 'int64'],
      pattern: [17, 'string'],
      maxItems: [18, 'int64'],
      minItems: [19, 'int64'],
      uniqueItems: [20, 'bool'],
      maxProperties: [21, 'int64'],
      minProperties: [22, 'int64'],
      required: [23, 'strings'],
      enum: [24, 'anys'],
      type: [25, 'string'],
      allOf: [26, many('SchemaOrReference')],
      oneOf: [27, many('SchemaOrReference')],
      anyOf: [28, many('SchemaOrReference')],
      not: [29, one('Schema')],
      items: [30, one('Items')],
      properties: [31, one('Schemas')],
      additionalProperties: [32, one('AdditionalProperties')],
      default: [33, one('Default')],
      description: [34, 'string'],
      format: [35, 'string'],
    },
    extensions: 36,
  },
  Items: { list: [1, one('SchemaOrReference')] },
  AdditionalProperties: {
    choose: (value) => (typeof value === 'boolean' ? [2, 'bool'] : [1, one('SchemaOrReference')]),
  },
  Default: { choose: (value) => DEFAULTS[typeof value] ?? [3, 'string'] },
  ExternalDocs: { fields: { description: [1, 'string'], url: [2, 'string'] }, extensions: 3 },
  SecuritySchemes: { entries: [1, one('SecurityScheme')] },
  SecurityScheme: {
    choose: () => [1, one('SecuritySchemeItself')],
  },
  SecuritySchemeItself: {
    fields: {
      type: [1, 'string'],
      description: [2, 'string'],
      name: [3, 'string'],
      in: [4, 'string'],
      scheme: [5, 'string'],
    },
    extensions: 9,
  },
  SecurityRequirement: { entries: [1, one('StringArray')] },
  StringArray: { list: [1, 'string'] },
};

const DEFAULTS: Readonly<Record<string, readonly [number, FieldType]>> = {
  number: [1, 'double'],
  boolean: [2, 'bool'],
  string: [3, 'string'],
};
