import { many, one, orReference, type Fields, type MessageShapes } from './message-shape.ts';

/** The fields that describe a value, which parameters and headers have in the same order, from `first` on. */
function valueFields(first: number): Fields {
  return {
    type: [first, 'string'],
    format: [first + 1, 'string'],
    items: [first + 2, one('PrimitivesItems')],
    collectionFormat: [first + 3, 'string'],
    default: [first + 4, 'any'],
    maximum: [first + 5, 'double'],
    exclusiveMaximum: [first + 6, 'bool'],
    minimum: [first + 7, 'double'],
    exclusiveMinimum: [first + 8, 'bool'],
    maxLength: [first + 9, 'int64'],
    minLength: [first + 10, 'int64'],
    pattern: [first + 11, 'string'],
    maxItems: [first + 12, 'int64'],
    minItems: [first + 13, 'int64'],
    uniqueItems: [first + 14, 'bool'],
    enum: [first + 15, 'anys'],
    multipleOf: [first + 16, 'double'],
  };
}

const PARAMETER: Fields = {
  required: [1, 'bool'],
  in: [2, 'string'],
  description: [3, 'string'],
  name: [4, 'string'],
};

const PLACES: Readonly<Record<string, readonly [number, string]>> = {
  header: [1, 'HeaderParameter'],
  formData: [2, 'QueryParameter'],
  query: [3, 'QueryParameter'],
  path: [4, 'HeaderParameter'],
};

function placeOf(parameter: unknown): string {
  const place =
    typeof parameter === 'object' && parameter !== null && 'in' in parameter ? parameter.in : '';
  return typeof place === 'string' ? place : '';
}

/**
 * The messages of OpenAPI 2 that the documents of a Kubernetes API have. Message numbers are those of `openapi.v2` in
 * github.com/google/gnostic-models v0.7.0.
 */
export const SWAGGER_MESSAGES: MessageShapes = {
  Document: {
    fields: {
      swagger: [1, 'string'],
      info: [2, one('Info')],
      host: [3, 'string'],
      basePath: [4, 'string'],
      schemes: [5, 'strings'],
      consumes: [6, 'strings'],
      produces: [7, 'strings'],
      paths: [8, one('Paths')],
      definitions: [9, one('Schemas')],
      parameters: [10, one('Parameters')],
      security: [12, many('SecurityRequirement')],
      securityDefinitions: [13, one('SecurityDefinitions')],
    },
    extensions: 16,
  },
  Info: {
    fields: { title: [1, 'string'], version: [2, 'string'], description: [3, 'string'] },
    extensions: 7,
  },
  Paths: { entries: [2, one('PathItem')], extensions: 1 },
  PathItem: {
    fields: {
      get: [2, one('Operation')],
      put: [3, one('Operation')],
      post: [4, one('Operation')],
      delete: [5, one('Operation')],
      options: [6, one('Operation')],
      head: [7, one('Operation')],
      patch: [8, one('Operation')],
      parameters: [9, many('ParametersItem')],
    },
    extensions: 10,
  },
  Operation: {
    fields: {
      tags: [1, 'strings'],
      summary: [2, 'string'],
      description: [3, 'string'],
      operationId: [5, 'string'],
      produces: [6, 'strings'],
      consumes: [7, 'strings'],
      parameters: [8, many('ParametersItem')],
      responses: [9, one('Responses')],
      schemes: [10, 'strings'],
      deprecated: [11, 'bool'],
    },
    extensions: 13,
  },
  ParametersItem: orReference('Parameter', 'Reference'),
  Reference: { fields: { $ref: [1, 'string'], description: [2, 'string'] } },
  Parameters: { entries: [1, one('Parameter')] },
  Parameter: {
    choose: (value) =>
      placeOf(value) === 'body' ? [1, one('BodyParameter')] : [2, one('NonBodyParameter')],
  },
  BodyParameter: {
    fields: {
      description: [1, 'string'],
      name: [2, 'string'],
      in: [3, 'string'],
      required: [4, 'bool'],
      schema: [5, one('Schema')],
    },
    extensions: 6,
  },
  NonBodyParameter: {
    choose: (value) => {
      const [number, message] = PLACES[placeOf(value)] ?? [3, 'QueryParameter'];
      return [number, one(message)];
    },
  },
  HeaderParameter: { fields: { ...PARAMETER, ...valueFields(5) }, extensions: 22 },
  QueryParameter: {
    fields: { ...PARAMETER, allowEmptyValue: [5, 'bool'], ...valueFields(6) },
    extensions: 23,
  },
  PrimitivesItems: { fields: valueFields(1), extensions: 18 },
  Responses: { entries: [1, one('ResponseValue')], extensions: 2 },
  ResponseValue: orReference('Response', 'Reference'),
  Response: {
    fields: { description: [1, 'string'], schema: [2, one('SchemaItem')] },
    extensions: 5,
  },
  SchemaItem: { choose: () => [1, one('Schema')] },
  Schemas: { entries: [1, one('Schema')] },
  Schema: {
    fields: {
      $ref: [1, 'string'],
      format: [2, 'string'],
      title: [3, 'string'],
      description: [4, 'string'],
      default: [5, 'any'],
      multipleOf: [6, 'double'],
      maximum: [7, 'double'],
      exclusiveMaximum: [8, 'bool'],
      minimum: [9, 'double'],
      exclusiveMinimum: [10, 'bool'],
      maxLength: [11, 'int64'],
      minLength: [12, 'int64'],
      pattern: [13, 'string'],
      maxItems: [14, 'int64'],
      minItems: [15, 'int64'],
      uniqueItems: [16, 'bool'],
      maxProperties: [17, 'int64'],
      minProperties: [18, 'int64'],
      required: [19, 'strings'],
      enum: [20, 'anys'],
      additionalProperties: [21, one('AdditionalProperties')],
      type: [22, one('Type')],
      items: [23, one('Items')],
      allOf: [24, many('Schema')],
      properties: [25, one('Schemas')],
      discriminator: [26, 'string'],
      readOnly: [27, 'bool'],
      externalDocs: [29, one('ExternalDocs')],
      example: [30, 'any'],
    },
    extensions: 31,
  },
  AdditionalProperties: {
    choose: (value) => (typeof value === 'boolean' ? [2, 'bool'] : [1, one('Schema')]),
  },
  Type: { list: [1, 'string'] },
  Items: { list: [1, one('Schema')] },
  ExternalDocs: { fields: { description: [1, 'string'], url: [2, 'string'] }, extensions: 3 },
  SecurityDefinitions: { entries: [1, one('SecurityDefinition')] },
  SecurityDefinition: { choose: () => [2, one('ApiKeySecurity')] },
  ApiKeySecurity: {
    fields: {
      type: [1, 'string'],
      name: [2, 'string'],
      in: [3, 'string'],
      description: [4, 'string'],
    },
    extensions: 5,
  },
  SecurityRequirement: { entries: [1, one('StringArray')] },
  StringArray: { list: [1, 'string'] },
};
