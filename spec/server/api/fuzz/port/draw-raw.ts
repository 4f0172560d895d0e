import { gzipSync } from 'node:zlib';
import type { Draw } from '../../../../compare/draw.ts';
import { drawRequest, type FuzzRequest } from '../draw-request.ts';

/** Bytes that a client sends in one connection of HTTP/1.1, and what has to come of them. */
export interface RawExchange {
  /** The inputs, one after the other; the last one may be malformed, or may be answered by a stream. */
  readonly inputs: readonly RawInput[];
  /** How the client ends the connection. */
  readonly ending: Ending;
  /** Places to cut the bytes at, each sent in a turn of its own. */
  readonly cuts: readonly number[];
}

export interface RawInput {
  readonly name: string;
  readonly bytes: Buffer;
  /** Of the request; empty where there is none. */
  readonly method: string;
  /** Whether an answer has to come before the client ends the connection. */
  readonly isAnswered: boolean;
}

export type Ending = 'half-close' | 'leave' | 'reset';

const ENDINGS: readonly Ending[] = ['half-close', 'leave', 'reset'];
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;
/** Answers that may have no end, or come over another protocol. */
const STREAMS = /watch|follow|exec|attach|portforward|log|proxy/;
const MOST_INPUTS = 60;

export function drawExchange(draw: Draw, token: string): RawExchange {
  const drawn = Array.from({ length: 1 + draw.below(MOST_INPUTS) }, () => drawWhole(draw, token));
  const inputs = drawn.filter(({ isAnswered }) => isAnswered);
  const odd = drawn.find(({ isAnswered }) => !isAnswered);
  if (draw.chance(0.7)) inputs.push(drawOdd(draw, token));
  else if (odd !== undefined) inputs.push(odd);
  const size = inputs.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const cuts = draw.chance(0.3)
    ? Array.from({ length: 1 + draw.below(6) }, () => draw.below(size + 1))
    : [];
  return { inputs, ending: draw.pick(ENDINGS), cuts: cuts.toSorted((a, b) => a - b) };
}

/** A request with correct framing. */
function drawWhole(draw: Draw, token: string): RawInput {
  const request = drawRequest(draw);
  const { method, url, headers } = request;
  const values = Object.values(headers).join('');
  const fits =
    METHODS.test(method) && /^\/[\x21-\x7e]*$/.test(url) && /^[\x20-\x7e\xa0-\xff]*$/.test(values);
  const isAnswered = fits && !STREAMS.test(url) && request.body.length < 1024 * 1024;
  return { name: 'request', method, isAnswered, bytes: wire(request, credentials(draw, token)) };
}

function credentials(draw: Draw, token: string): readonly string[] {
  if (draw.chance(0.95)) return [`authorization: Bearer ${token}`];
  return draw.pick([
    [],
    ['authorization: Bearer wrong'],
    ['authorization: Basic YTpi'],
    ['authorization: '],
    [`authorization: Bearer ${token}`, 'impersonate-user: jane', 'impersonate-group: a'],
    [`authorization: Bearer ${token}`, 'impersonate-extra-%zz: x', 'impersonate-uid: 1'],
    [`authorization: Bearer ${token}`, 'impersonate-group: only'],
  ]);
}

function wire(
  { method, url, headers, body }: FuzzRequest,
  more: readonly string[],
  framing: readonly string[] = [`content-length: ${body.byteLength}`],
): Buffer {
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const lines = [`${method} ${url} HTTP/1.1`, 'host: 127.0.0.1', ...more, ...own, ...framing];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const POST: FuzzRequest = {
  method: 'POST',
  url: CONFIG_MAPS,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"metadata":{"name":"raw"}}'),
};

type Odd = (draw: Draw, auth: readonly string[]) => Buffer | string;

/** Inputs that break a rule of HTTP, or use it in a way that is seldom used. */
const ODD: Readonly<Record<string, Odd>> = {
  'request line': (draw, auth) =>
    `${draw.pick([
      'GET  / HTTP/1.1',
      'GET / HTTP/1.2',
      'GET / HTTP/9',
      'GET /',
      ' GET / HTTP/1.1',
      'GET\t/ HTTP/1.1',
      'GET / HTTP/1.0',
      'GET http://127.0.0.1/api HTTP/1.1',
      'GET * HTTP/1.1',
      'OPTIONS * HTTP/1.1',
      'CONNECT 127.0.0.1:80 HTTP/1.1',
      'PRI * HTTP/2.0',
      'SSTP_DUPLEX_POST / HTTP/1.1',
      `GET /${'a'.repeat(200_000)} HTTP/1.1`,
      `GET /api?${'a=b&'.repeat(20_000)} HTTP/1.1`,
      `${'G'.repeat(5_000)} / HTTP/1.1`,
      'GET /\u0000 HTTP/1.1',
      'GET /\r HTTP/1.1',
      '\r\n\r\n\r\nGET / HTTP/1.1',
    ])}\r\nhost: 127.0.0.1\r\n${auth.join('\r\n')}\r\n\r\n`,
  bytes: (draw) => Buffer.from(Array.from({ length: draw.below(400) }, () => draw.below(256))),
  'header line': (draw, auth) =>
    Buffer.from(
      `GET /api HTTP/1.1\r\nhost: 127.0.0.1\r\n${auth.join('\r\n')}\r\n${draw.pick([
        'a',
        ': x',
        'a b: c',
        'a : b',
        'a:\u0000',
        'a: b\r c: d',
        ' folded: x',
        'a: b\n c',
        `a: ${'x'.repeat(140_000)}`,
        'a: x\r\n'.repeat(3_000) + 'b: y',
        'host: elsewhere.example',
        'host: 127.0.0.1\r\nhost: 127.0.0.1',
        '__proto__: x\r\nconstructor: y',
        `accept: ${'a/b,'.repeat(9_000)}`,
        `authorization: Bearer ${'x'.repeat(60_000)}`,
        'a: \u0080\u0099\u00ff',
        `cookie: ${'c=d;'.repeat(5_000)}`,
        'accept-encoding: gzip, gzip;q=0, *;q=x',
        'if-none-match: "',
        'range: bytes=0-1,5-',
        'x-forwarded-for: ;\r\nvia: ,',
      ])}\r\n\r\n`,
      'latin1',
    ),
  length: (draw, auth) => wire(POST, auth, draw.pick(LENGTHS)),
  chunks: (draw, auth) => {
    const head = wire({ ...POST, body: Buffer.alloc(0) }, auth, ['transfer-encoding: chunked']);
    return Buffer.concat([head, Buffer.from(draw.pick(CHUNKS), 'latin1')]);
  },
  'body that is cut': (draw, auth) => {
    const bytes = wire(POST, auth);
    return bytes.subarray(0, draw.below(bytes.length));
  },
  'body that is large': (draw, auth) => {
    const size = draw.pick([3 * 1024 * 1024 + 1, 12 * 1024 * 1024]);
    const announced = [`content-length: ${size}`];
    // Seldom all of it, which takes its time.
    const body = Buffer.alloc(draw.chance(0.02) ? size : draw.below(100_000), 0x20);
    return wire({ ...POST, body }, auth, announced);
  },
  'compressed body': (draw, auth) => {
    bomb ??= gzipSync(Buffer.alloc(32 * 1024 * 1024));
    const body = draw.chance(0.5) ? bomb : gzipSync(POST.body);
    const encoding = draw.pick(['gzip', 'deflate', 'br', 'x', 'gzip, gzip']);
    const headers = { ...POST.headers, 'content-encoding': encoding };
    return wire({ ...POST, headers, body }, auth);
  },
  expectation: (draw, auth) =>
    wire(POST, [...auth, `expect: ${draw.pick(['100-continue', '100-Continue', 'x', '', '417'])}`]),
  'deep or wrong text': (draw, auth) =>
    wire({ ...POST, body: Buffer.from(draw.pick(TEXTS), 'latin1') }, auth),
  upgrade: (draw, auth) => drawUpgrade(draw, auth),
  'greeting of TLS': (draw) =>
    Buffer.concat([
      Buffer.from([0x16, 3, draw.below(5), draw.below(3), draw.below(256)]),
      Buffer.from(Array.from({ length: draw.below(300) }, () => draw.below(256))),
    ]),
};

let bomb: Buffer | undefined;

const LENGTHS: readonly (readonly string[])[] = [
  [],
  ['content-length: 5', 'content-length: 6'],
  ['content-length: 27', 'content-length: 27'],
  ['content-length: 27, 27'],
  ['content-length: -1'],
  ['content-length: +27'],
  ['content-length: 0x1b'],
  ['content-length: 27 '],
  ['content-length: '],
  ['content-length: 1e3'],
  ['content-length: 99999999999999999999999'],
  ['content-length: 1000000000000000'],
  ['content-length: 26'],
  ['content-length: 28'],
  ['content-length: 27', 'transfer-encoding: chunked'],
  ['transfer-encoding: identity'],
  ['transfer-encoding: chunked, identity'],
  ['transfer-encoding: gzip, chunked'],
  ['transfer-encoding:  chunked', 'transfer-encoding: chunked'],
  ['transfer-encoding: xchunked'],
];

const CHUNKS = [
  '1b\r\n{"metadata":{"name":"raw"}}\r\n0\r\n\r\n',
  '1b;a=b\r\n{"metadata":{"name":"raw"}}\r\n0\r\nx: y\r\n\r\n',
  'zz\r\n',
  '-1\r\n',
  'ffffffffffffffffff\r\nx',
  '7fffffff\r\nx',
  '5\r\n{"met',
  '2\r\n{}0\r\n\r\n',
  '2\n{}\n0\n\n',
  '0\r\n',
  `1;${'a'.repeat(200_000)}\r\n{\r\n0\r\n\r\n`,
  '1\r\n{\r\n'.repeat(2_000) + '0\r\n\r\n',
  `0\r\n${'x: y\r\n'.repeat(4_000)}\r\n`,
  '\r\n',
  '0\r\n__proto__: x\r\n\r\n',
];

const TEXTS = [
  '\xff\xfe\x80',
  '{"metadata":{"name":"\xc3\x28"}}',
  '{"metadata":{"name":"\xed\xa0\x80"}}',
  '{"data":{"a":"\\ud800"},"metadata":{"name":"raw"}}',
  '['.repeat(100_000),
  `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  '{"__proto__":{"polluted":1},"metadata":{"__proto__":{"polluted":1},"name":"raw"}}',
  '{"constructor":{"prototype":{"polluted":1}},"metadata":{"name":"raw"}}',
  `{"metadata":{"name":"raw"},"data":{${'"a":"b",'.repeat(20_000)}"c":"d"}}`,
  `{"metadata":{"name":"raw"},"data":{"a":${'9'.repeat(100_000)}}}`,
  `{"metadata":{"name":"${'x'.repeat(500_000)}"}}`,
  `{"metadata":{"name":"raw","labels":{"a":"${'\\u0000'.repeat(1_000)}"}}}`,
];

function drawUpgrade(draw: Draw, auth: readonly string[]): Buffer {
  const url = draw.pick([
    `${CONFIG_MAPS}?watch=1`,
    `${CONFIG_MAPS}?watch=1&timeoutSeconds=1`,
    CONFIG_MAPS,
    '/api/v1/namespaces/default/pods/a/exec?command=x&stdout=1',
    '/api/v1/namespaces/default/pods/a/portforward?ports=80',
    '/apis',
  ]);
  const lines = [
    `upgrade: ${draw.pick(['websocket', 'WebSocket', 'SPDY/3.1', 'h2c', 'x, websocket', ''])}`,
    `connection: ${draw.pick(['upgrade', 'Upgrade, keep-alive', 'close', 'upgrade, upgrade', ''])}`,
    `sec-websocket-key: ${draw.pick(['dGhlIHNhbXBsZSBub25jZQ==', '', 'x', '='.repeat(9_000)])}`,
    `sec-websocket-version: ${draw.pick(['13', '8', '', 'x'])}`,
    ...(draw.chance(0.5)
      ? [
          `sec-websocket-protocol: ${draw.pick([
            'v5.channel.k8s.io',
            'base64url.bearer.authorization.k8s.io.eA, x',
            ',,,',
            'x',
          ])}`,
        ]
      : []),
    ...(draw.chance(0.2) ? ['http2-settings: AAMAAABkAAQAAP__'] : []),
  ];
  const get = { method: 'GET', url, headers: {}, body: Buffer.alloc(0) };
  const frames = Array.from({ length: draw.below(5) }, () => drawFrame(draw));
  return Buffer.concat([wire(get, [...auth, ...lines], []), ...frames]);
}

/** A frame of a WebSocket. */
function drawFrame(draw: Draw): Buffer {
  const first = draw.below(256);
  const length = draw.pick([
    [0x80],
    [0x85],
    [0xfe, 0, 200],
    [0xff, 0, 0, 0, 0, 0xff, 0, 0, 0],
    [5],
  ]);
  const rest = Array.from({ length: draw.below(40) }, () => draw.below(256));
  return Buffer.from([first, ...length, ...rest]);
}

function drawOdd(draw: Draw, token: string): RawInput {
  const name = draw.pick(Object.keys(ODD));
  const bytes = (ODD[name] as Odd)(draw, credentials(draw, token));
  const raw = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  return { name, method: '', isAnswered: false, bytes: raw };
}
