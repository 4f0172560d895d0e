import type { Change } from '../change.ts';
import type { RuleCases } from '../rule-cases.ts';

const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = '{ns}.example.com';
const OTHER = { 'metadata.name': '{ns}s.other.example.com', 'spec.group': 'other.example.com' };
const SCHEMA = 'spec.versions[0].schema.openAPIV3Schema';
const VERSION = 'spec.versions[0]';

const text = { type: 'string' };
const number = { type: 'integer' };

function definition(version: object = {}): Record<string, unknown> {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `{ns}s.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: '{ns}s', singular: '{ns}', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
          ...version,
        },
      ],
    },
  };
}

/** A definition of another group with the change. */
const made = (change: Change): Change => ({ ...OTHER, ...change });
/** One whose root has these members. */
const root = (members: object): Change => made({ [SCHEMA]: { type: 'object', ...members } });
/** One with a property `a` of this schema. */
const property = (schema: object): Change => root({ properties: { a: schema } });
const list = (schema: object): Change => property({ type: 'array', ...schema });

const EMBEDDED = { type: 'object', 'x-kubernetes-embedded-resource': true };
const PRESERVE = { 'x-kubernetes-preserve-unknown-fields': true };
const INT_OR_STRING = { 'x-kubernetes-int-or-string': true };
const MAP = { 'x-kubernetes-list-type': 'map' };
const KEYS = (...names: string[]): object => ({ 'x-kubernetes-list-map-keys': names });
const item = (properties: object, more: object = {}): object => ({
  items: { type: 'object', properties, ...more },
});
const RULED = { type: 'object', properties: { b: text } };
const rule = (more: object): object => ({ 'x-kubernetes-validations': [more] });

const NAMES: readonly Change[] = [
  made({ 'metadata.name': 'x.other.example.com' }),
  made({ 'spec.group': '' }),
  { 'metadata.name': '{ns}s.apps', 'spec.group': 'apps' },
  { 'metadata.name': '{ns}s.a_b.com', 'spec.group': 'a_b.com' },
  made({ 'spec.scope': '' }),
  made({ 'spec.scope': 'Global' }),
  made({ 'spec.scope': 'Cluster' }),
  made({ 'spec.names.plural': '' }),
  made({ 'spec.names.plural': 'A' }),
  made({ 'spec.names.singular': 'A' }),
  made({ 'spec.names.singular': undefined }),
  made({ 'spec.names.kind': '' }),
  made({ 'spec.names.kind': 'a_b' }),
  made({ 'spec.names.listKind': undefined }),
  made({ 'spec.names.listKind': 'a_b' }),
  made({ 'spec.names.listKind': 'Widget' }),
  made({ 'spec.names.shortNames': ['a', 'A'] }),
  made({ 'spec.names.categories': ['all', 'a b'] }),
  { 'metadata.name': '{ns}s.x.k8s.io', 'spec.group': 'x.k8s.io' },
  ...['unapproved, in test', 'https://github.com/x/1', 'yes', '/path', 'ftp://h'].map((value) => ({
    'metadata.name': '{ns}s.x.k8s.io',
    'spec.group': 'x.k8s.io',
    'metadata.annotations["api-approved.kubernetes.io"]': value,
  })),
  made({ 'spec.preserveUnknownFields': true }),
  made({ 'spec.preserveUnknownFields': false }),
];

const second = (more: object): object => ({
  name: 'v2',
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object' } },
  ...more,
});

const VERSIONS: readonly Change[] = [
  made({ 'spec.versions': [] }),
  made({ [`${VERSION}.storage`]: false }),
  made({ [`${VERSION}.served`]: false }),
  made({ [`${VERSION}.name`]: 'V1' }),
  made({ [`${VERSION}.name`]: '' }),
  made({ [`${VERSION}.schema`]: undefined }),
  made({ [SCHEMA]: undefined }),
  made({ 'spec.versions[-]': second({ storage: true }) }),
  made({ 'spec.versions[-]': second({ storage: true, subresources: { status: {}, scale: {} } }) }),
  made({
    'spec.versions[-]': second({
      storage: true,
      schema: {
        openAPIV3Schema: { type: 'object', dependencies: { a: ['b'], c: { type: 'object' } } },
      },
    }),
  }),
  made({ 'spec.versions[-]': second({}) }),
  made({ 'spec.versions[-]': second({ name: 'v1' }) }),
  made({ 'spec.versions[-]': second({ schema: undefined }) }),
  made({
    'spec.versions[-]': second({ schema: { openAPIV3Schema: { type: 'object', nullable: true } } }),
  }),
  made({ 'spec.versions[-]': second({ subresources: { scale: {} } }) }),
  made({ [`${VERSION}.deprecationWarning`]: 'old' }),
  made({ [`${VERSION}.deprecated`]: true }),
  ...['old', '', 'x'.repeat(257), 'a\nb', 'é'].map((warning) =>
    made({ [`${VERSION}.deprecated`]: true, [`${VERSION}.deprecationWarning`]: warning }),
  ),
];

const scale = (spec: unknown, status: unknown, selector?: unknown): Change =>
  made({
    [`${VERSION}.subresources`]: {
      scale: { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: selector },
    },
  });
const column = (more: object): Change =>
  made({
    [`${VERSION}.additionalPrinterColumns`]: [
      { name: 'Size', type: 'integer', jsonPath: '.spec.size', ...more },
    ],
  });
const selectable = (...paths: string[]): Change =>
  made({
    [SCHEMA]: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            a: text,
            b: { type: 'number' },
            c: { type: 'boolean' },
            d: { type: 'array', items: text },
            m: { type: 'object', additionalProperties: text },
            ...Object.fromEntries(Array.from('efghijkl').map((name) => [name, number])),
          },
        },
        metadata: { type: 'object', properties: { name: text } },
      },
    },
    [`${VERSION}.selectableFields`]: paths.map((jsonPath) => ({ jsonPath })),
  });

const MEMBERS: readonly Change[] = [
  scale('.spec.a', '.status.a', '.status.s'),
  scale('', ''),
  scale('spec.a', 'status.a', 'status.s'),
  scale('.status.a', '.spec.a', '.metadata.s'),
  scale('.spec', '.status', '.spec'),
  column({}),
  column({ name: '' }),
  column({ type: '' }),
  column({ type: 'float' }),
  column({ format: 'name' }),
  column({ format: 'date-time' }),
  column({ jsonPath: '' }),
  column({ jsonPath: 'spec.size' }),
  column({ jsonPath: '.spec[' }),
  selectable('.spec.a', '.spec.c', '.spec.e'),
  selectable(''),
  selectable('spec.a'),
  selectable('.spec.x'),
  selectable('.spec.b'),
  selectable('.spec.d'),
  selectable('.spec.d[0]'),
  selectable('.spec.m.x'),
  selectable('.spec'),
  selectable('.spec.'),
  selectable('.metadata.name'),
  selectable('.spec.a', '.spec.a'),
  selectable(...Array.from('acefghijk').map((name) => `.spec.${name}`)),
  selectable(...Array.from('acefghij').map((name) => `.spec.${name}`)),
];

const ALL_KINDS = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null', 'thing'];
const STRUCTURE: readonly Change[] = [
  made({ [SCHEMA]: {} }),
  made({ [SCHEMA]: { type: 'array', items: text } }),
  root({ nullable: true }),
  root({ additionalProperties: text }),
  root({ additionalProperties: true }),
  root({ properties: { a: {} } }),
  ...ALL_KINDS.map((type) => property({ type })),
  list({ items: {} }),
  list({ items: [text] }),
  property({ type: 'object', additionalProperties: {} }),
  property({ type: 'object', additionalProperties: text, properties: { b: text } }),
  property({ type: 'object', additionalProperties: true, properties: { b: text } }),
  property({ type: 'object', additionalProperties: false, properties: { b: text } }),
  ...['id', '$schema', '$ref'].map((name) => property({ ...text, [name]: 'x' })),
  property({ type: 'object', patternProperties: { a: text } }),
  property({ type: 'object', definitions: { a: text } }),
  property({ type: 'object', dependencies: { a: ['b'] } }),
  list({ items: text, additionalItems: true }),
  list({ items: text, uniqueItems: true }),
  list({ items: text, uniqueItems: false }),
  property({ ...PRESERVE }),
  property({ ...text, 'x-kubernetes-preserve-unknown-fields': false }),
  property({ ...INT_OR_STRING }),
  property({ ...INT_OR_STRING, ...PRESERVE }),
  property({ ...INT_OR_STRING, ...EMBEDDED }),
  property({ ...INT_OR_STRING, anyOf: [number, text] }),
  property({ ...INT_OR_STRING, anyOf: [text, number] }),
  property({ ...INT_OR_STRING, allOf: [{ anyOf: [number, text] }, { minimum: 1 }] }),
  property({ ...INT_OR_STRING, allOf: [{ minimum: 1 }, { anyOf: [number, text] }] }),
  property(EMBEDDED),
  property({ ...EMBEDDED, ...PRESERVE }),
  property({ 'x-kubernetes-embedded-resource': true, ...text }),
  property({ ...PRESERVE, 'x-kubernetes-embedded-resource': true }),
  property({ ...EMBEDDED, additionalProperties: text }),
  property({ ...EMBEDDED, properties: { kind: number, metadata: text } }),
  property({ ...EMBEDDED, properties: { metadata: { ...EMBEDDED, ...PRESERVE } } }),
  root({ properties: { kind: number } }),
  root({ properties: { apiVersion: number } }),
  root({ properties: { metadata: text } }),
  root({ properties: { metadata: { type: 'object', properties: { name: text } } } }),
  root({
    properties: { metadata: { type: 'object', properties: { name: text, generateName: text } } },
  }),
  root({ properties: { metadata: { type: 'object', properties: { labels: text } } } }),
  root({ properties: { metadata: { type: 'object', description: 'x' } } }),
  ...[
    '(',
    '[a',
    'a**',
    '*a',
    'a{1001}',
    '(?=a)',
    '\\1',
    '[z-a]',
    '\\pX',
    '(?P<n>a)',
    '(?i)a',
    'a)',
    '\\',
    '(a{100}){100}',
    '[[:x:]]',
    '(?P<1a',
    '\\C',
    '\\x{110000}',
    '\\8',
    '\\p{Greek}',
    '\\Qa*\\E+',
    '[^\\d\\W]',
    'a{,2}',
    '(?i-s:a)',
    '(?z)',
    'x{2,1}',
    '(?<a>b)',
    '\\_',
    '\\z',
    '\\Z',
    '|*',
    '(|a)*',
    'a{2}{3}',
    'a??',
    'a???',
    '^*',
    '\\p{L',
    '[\\',
    '(?',
    '(?i',
    '\\xg',
    '\\777',
    '[a-\\d]',
    '\\p{^Lu}',
    '\\pN+',
    '(?P<a b>c)',
    '[]a]',
    '[^]a]',
    '[]',
  ].map((pattern) => property({ ...text, pattern })),
  ...[
    { type: 'object' },
    { default: 1 },
    { title: 'x' },
    { description: 'x' },
    { nullable: true },
    { additionalProperties: text },
    { ...PRESERVE },
    { 'x-kubernetes-embedded-resource': true },
    { ...INT_OR_STRING },
    { 'x-kubernetes-list-type': 'set' },
    { 'x-kubernetes-map-type': 'atomic' },
    KEYS('a'),
    rule({ rule: 'true' }),
    { properties: { metadata: {} } },
    { properties: { x: { minimum: 1 } } },
    { properties: { b: { minimum: 1 } } },
    { items: { minimum: 1 } },
    { required: ['b'] },
    { pattern: '(' },
    { format: 'x' },
    { not: { type: 'object' } },
    { allOf: [{ anyOf: [{ title: 'x' }] }] },
  ].map((nested) => property({ type: 'object', properties: { b: number }, anyOf: [nested] })),
  property({ ...text, not: { type: 'string' } }),
  property({ ...text, oneOf: [{ pattern: 'a' }, { title: 'x' }] }),
  property({ ...text, allOf: [{ maxLength: 1 }] }),
];

const EXTENSIONS: readonly Change[] = [
  property({ ...text, 'x-kubernetes-map-type': 'atomic' }),
  property({ ...PRESERVE, 'x-kubernetes-map-type': 'atomic' }),
  property({ type: 'object', 'x-kubernetes-map-type': 'atomic' }),
  property({ type: 'object', 'x-kubernetes-map-type': 'granular' }),
  property({ type: 'object', 'x-kubernetes-map-type': 'x' }),
  property({ ...text, 'x-kubernetes-list-type': 'set' }),
  property({ ...PRESERVE, 'x-kubernetes-list-type': 'set' }),
  ...['atomic', 'set', 'map', 'x'].map((type) =>
    list({ items: text, 'x-kubernetes-list-type': type }),
  ),
  list({ items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
  list({
    items: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
    'x-kubernetes-list-type': 'set',
  }),
  list({
    items: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    'x-kubernetes-list-type': 'set',
  }),
  list({ items: { type: 'array', items: text }, 'x-kubernetes-list-type': 'set' }),
  list({ items: { ...text, nullable: true }, 'x-kubernetes-list-type': 'set' }),
  list({ items: text, ...KEYS('a') }),
  list({ items: text, 'x-kubernetes-list-type': 'set', ...KEYS('a') }),
  list({ ...item({ a: text }, { required: ['a'] }), ...MAP, ...KEYS('a') }),
  list({ ...item({ a: { ...text, default: 'x' } }), ...MAP, ...KEYS('a') }),
  list({ ...item({ a: text }), ...MAP, ...KEYS('a') }),
  list({ ...item({ a: text }), ...MAP }),
  list({ ...item({ a: text }, { required: ['a'] }), ...MAP, ...KEYS('b') }),
  list({ ...item({ a: text }, { required: ['a'] }), ...MAP, ...KEYS('a', 'a') }),
  list({ ...item({ a: { type: 'object' } }, { required: ['a'] }), ...MAP, ...KEYS('a') }),
  list({
    ...item({ a: { ...text, nullable: true } }, { required: ['a'] }),
    ...MAP,
    ...KEYS('a'),
  }),
  list({ ...item({ a: text }, { required: ['a'], nullable: true }), ...MAP, ...KEYS('a') }),
  list({ items: { type: 'array', items: text }, ...MAP, ...KEYS('a') }),
  property({ ...text, format: 'nothing' }),
  property({ ...number, format: 'int8' }),
  ...[
    { rule: 'true' },
    { rule: ' ' },
    { rule: 'true', message: ' ' },
    { rule: 'true', message: 'a\nb' },
    { rule: 'true\n', message: 'a' },
    { rule: 'true ||\n true' },
    { rule: 'true', messageExpression: ' ' },
    { rule: 'true', reason: 'Because' },
    { rule: 'true', reason: 'FieldValueForbidden' },
    { rule: 'true', fieldPath: ' ' },
    { rule: 'true', fieldPath: '.x' },
    { rule: 'true', fieldPath: '.b' },
    { rule: 'true', fieldPath: "['b']" },
    { rule: 'true', fieldPath: 'b' },
    { rule: 'true', fieldPath: '.b\n' },
  ].map((one) => property({ ...RULED, ...rule(one) })),
];

const DEFAULTS: readonly Change[] = [
  property({ ...text, default: 'x' }),
  property({ ...text, default: 1 }),
  property({ ...number, default: 1.5 }),
  property({ ...number, default: null }),
  property({ ...number, minimum: 2, default: 1 }),
  property({ ...text, enum: ['a', 'b'], default: 'c' }),
  property({ ...text, format: 'date-time', default: 'soon' }),
  property({ ...text, pattern: '^a', default: 'b' }),
  property({ ...text, maxLength: 1, default: 'bb' }),
  property({ ...INT_OR_STRING, default: true }),
  property({ ...INT_OR_STRING, default: '25%' }),
  property({ type: 'object', properties: { b: text }, default: { b: 'x' } }),
  property({ type: 'object', properties: { b: text }, default: { c: 'x' } }),
  property({ type: 'object', properties: { b: text }, required: ['b'], default: {} }),
  list({ items: number, default: ['x'] }),
  list({ items: { ...number, default: 'x' } }),
  property({ type: 'object', additionalProperties: { ...number, default: 'x' } }),
  property({ ...EMBEDDED, ...PRESERVE, default: { apiVersion: 'v1', kind: 'Pod' } }),
  property({ ...EMBEDDED, ...PRESERVE, default: { kind: 'Pod' } }),
  property({ ...EMBEDDED, ...PRESERVE, default: { apiVersion: 1, kind: 'Pod' } }),
  property({
    ...EMBEDDED,
    properties: { metadata: { type: 'object', properties: { name: { ...text, default: 'a' } } } },
  }),
  property({
    ...EMBEDDED,
    properties: { metadata: { type: 'object', properties: { name: { ...text, default: 'a/' } } } },
  }),
  property({ ...EMBEDDED, properties: { kind: { ...text, default: 'a_' } } }),
  root({ properties: { metadata: { type: 'object', default: {} } } }),
  root({ properties: { kind: { ...text, default: 'X' } } }),
  root({ default: {} }),
];

const STATUS: readonly Change[] = [
  { maximum: 1 },
  { minProperties: 1 },
  { anyOf: [{ required: ['a'] }] },
  { enum: [{}] },
  { required: ['spec'] },
  { default: {} },
  { title: 'x', description: 'y' },
  { 'x-kubernetes-map-type': 'atomic' },
  PRESERVE,
].map((members) => ({ ...root(members), [`${VERSION}.subresources`]: { status: {} } }));

const webhook = (client: unknown, reviews: unknown = ['v1']): Change =>
  made({
    'spec.conversion': {
      strategy: 'Webhook',
      webhook: { clientConfig: client, conversionReviewVersions: reviews },
    },
  });
const service = (more: object): Change =>
  webhook({ service: { name: 'a', namespace: 'b', ...more } });

const CONVERSION: readonly Change[] = [
  made({ 'spec.conversion': { strategy: 'None' } }),
  made({ 'spec.conversion': { strategy: '' } }),
  made({ 'spec.conversion': { strategy: 'Other' } }),
  made({ 'spec.conversion': { strategy: 'Webhook' } }),
  made({
    'spec.conversion': {
      strategy: 'None',
      webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] },
    },
  }),
  webhook({ url: 'https://example.com/x' }),
  webhook({}),
  webhook(undefined),
  webhook({ url: 'https://a', service: { name: 'a', namespace: 'b' } }),
  webhook({ url: 'http://example.com' }),
  webhook({ url: 'https://' }),
  webhook({ url: 'https://me@example.com' }),
  webhook({ url: 'https://example.com/#a' }),
  webhook({ url: 'https://example.com/?a=b' }),
  webhook({ url: 'example.com' }),
  webhook({ url: 'https://example.com', caBundle: 'AAAA' }),
  service({}),
  service({ name: '' }),
  service({ namespace: '' }),
  service({ port: 0 }),
  service({ port: 65_536 }),
  service({ path: '/a/b/' }),
  service({ path: '//' }),
  service({ path: 'a' }),
  service({ path: '/a//b' }),
  service({ path: '/A' }),
  webhook({ url: 'https://a' }, []),
  webhook({ url: 'https://a' }, ['v1', 'v1']),
  webhook({ url: 'https://a' }, ['v2']),
  webhook({ url: 'https://a' }, ['V1', 'v1beta1']),
];

const cases_: readonly (readonly [string, readonly Change[]])[] = [
  ['names', NAMES],
  ['versions', VERSIONS],
  ['columns, scale and fields', MEMBERS],
  ['structure', STRUCTURE],
  ['extensions', EXTENSIONS],
  ['defaults', DEFAULTS],
  ['status', STATUS],
  ['conversion', CONVERSION],
];

export const cases: readonly RuleCases[] = [
  ...cases_.map(
    ([name, creates]): RuleCases => ({
      title: `apiextensions.k8s.io/v1 CustomResourceDefinition, ${name}`,
      collection,
      base: definition(),
      creates,
    }),
  ),
  {
    title: 'apiextensions.k8s.io/v1 CustomResourceDefinition, updates',
    collection,
    base: definition({
      schema: { openAPIV3Schema: { type: 'object', properties: { a: text } } },
    }),
    updates: [
      { 'spec.group': 'x.example.com' },
      { 'spec.names.plural': 'x' },
      { 'spec.versions[0].name': 'v2' },
      { 'spec.preserveUnknownFields': true },
      { [`${SCHEMA}.properties.a`]: { type: 'thing' } },
      { [`${SCHEMA}.properties.a`]: { description: 'no type' } },
      { [`${SCHEMA}.properties.a.format`]: 'odd' },
      { [`${SCHEMA}.properties.b`]: { type: 'object', default: 1 } },
    ],
    statuses: [{ 'status.acceptedNames.plural': 'A' }, { 'status.acceptedNames.kind': 'a_' }],
  },
];
