import type { Draw } from '../../../../compare/draw.ts';
import { drawRequest, type FuzzRequest } from '../draw-request.ts';
import {
  END_HEADERS,
  END_STREAM,
  frame,
  frameType,
  headerBlock,
  PREFACE,
  settings,
  uint32,
} from './http2-frames.ts';
import type { Ending } from './draw-raw.ts';

/** The bytes that a client sends in one connection of HTTP/2. */
export interface Http2Exchange {
  readonly bytes: Buffer;
  readonly inputs: number;
  /** The streams that have to be answered, with their requests; empty if the connection breaks the protocol. */
  readonly answered: ReadonlyMap<number, FuzzRequest>;
  readonly ending: Ending;
  /** The odd part, for the report of a failure. */
  readonly names: readonly string[];
}

const MOST_STREAMS = 60;
const STREAMS = /watch|follow|exec|attach|portforward|log|proxy/;
const LARGEST_FRAME = 16_384;
/** Less than the window of a stream, and of all that are sent at once. */
const MOST_BODY_BYTES = 20_000;

export function drawHttp2(draw: Draw, token: string): Http2Exchange {
  const parts: Buffer[] = [PREFACE, settings([3, 100], [4, 2 ** 28])];
  parts.push(frame(frameType.windowUpdate, 0, 0, uint32(2 ** 30)));
  const answered = new Map<number, FuzzRequest>();
  const names: string[] = [];
  const count = 1 + draw.below(MOST_STREAMS);
  for (let index = 0; index < count; index += 1) {
    const stream = 1 + 2 * index;
    const request = drawRequest(draw);
    parts.push(...requestFrames(stream, request, token));
    const fits =
      /^[A-Z]+$/.test(request.method) &&
      /^\/[\x21-\x7e]*$/.test(request.url) &&
      !STREAMS.test(request.url) &&
      request.body.length < MOST_BODY_BYTES;
    if (fits) answered.set(stream, request);
    if (!fits && draw.chance(0.5)) parts.push(frame(frameType.rstStream, 0, stream, uint32(8)));
  }
  if (draw.chance(0.5)) {
    // Anything may come of the connection now.
    answered.clear();
    for (let odd = 1 + draw.below(4); odd > 0; odd -= 1) {
      const name = draw.pick(Object.keys(ODD));
      names.push(name);
      const at = 1 + draw.below(parts.length);
      parts.splice(at, 0, (ODD[name] as Odd)(draw, 1 + 2 * (count + odd), token));
    }
  }
  const ending = draw.pick(['half-close', 'leave', 'reset'] as const);
  return { bytes: Buffer.concat(parts), inputs: count + names.length, answered, ending, names };
}

function headersOf({ method, url, headers }: FuzzRequest, token: string): [string, string][] {
  return [
    [':method', method],
    [':scheme', 'https'],
    [':authority', '127.0.0.1'],
    [':path', url],
    ['authorization', `Bearer ${token}`],
    ...Object.entries(headers),
  ];
}

function requestFrames(stream: number, request: FuzzRequest, token: string): Buffer[] {
  const { body } = request;
  const block = headerBlock(headersOf(request, token));
  const flags = END_HEADERS | (body.length === 0 ? END_STREAM : 0);
  const frames = [frame(frameType.headers, flags, stream, block)];
  const most = Math.min(body.length, MOST_BODY_BYTES);
  for (let at = 0; at < most; at += LARGEST_FRAME) {
    const end = at + LARGEST_FRAME >= most;
    const piece = body.subarray(at, Math.min(at + LARGEST_FRAME, most));
    frames.push(frame(frameType.data, end ? END_STREAM : 0, stream, piece));
  }
  return frames;
}

type Odd = (draw: Draw, stream: number, token: string) => Buffer;

const GET: FuzzRequest = { method: 'GET', url: '/api', headers: {}, body: Buffer.alloc(0) };

function oddHeaders(stream: number, headers: readonly (readonly [string, string])[]): Buffer {
  return frame(frameType.headers, END_HEADERS | END_STREAM, stream, headerBlock(headers));
}

const ODD: Readonly<Record<string, Odd>> = {
  settings: (draw) =>
    settings([
      draw.pick([1, 2, 3, 4, 5, 6, 8, 9, 0xffff]),
      draw.pick([0, 1, 2, 16_383, 65_535, 2 ** 24, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]),
    ]),
  'flood of settings': () =>
    Buffer.concat(Array.from({ length: 500 }, () => settings([4, 65_535]))),
  'length of settings': () => frame(frameType.settings, 0, 0, Buffer.alloc(5)),
  'stream of settings': () => frame(frameType.settings, 0, 3),
  'acknowledgement with content': () => frame(frameType.settings, 1, 0, Buffer.alloc(6)),
  'flood of pings': () =>
    Buffer.concat(Array.from({ length: 500 }, () => frame(frameType.ping, 0, 0, Buffer.alloc(8)))),
  'length of a ping': () => frame(frameType.ping, 0, 0, Buffer.alloc(7)),
  'window of nothing': (draw) => frame(frameType.windowUpdate, 0, draw.pick([0, 1]), uint32(0)),
  'window too large': (draw) =>
    frame(frameType.windowUpdate, 0, draw.pick([0, 1]), uint32(2 ** 31 - 1)),
  'data of no stream': (_draw, stream) => frame(frameType.data, 0, stream + 100, Buffer.alloc(9)),
  'data without a request': () => frame(frameType.data, END_STREAM, 0, Buffer.alloc(9)),
  'padding too long': (_draw, stream) => frame(frameType.data, 8, stream, Buffer.from([255, 1])),
  'reset at once': (_draw, stream, token) =>
    Buffer.concat(
      Array.from({ length: 150 }, (_, at) => {
        const one = stream + 2 * at;
        const block = headerBlock(headersOf(GET, token));
        return Buffer.concat([
          frame(frameType.headers, END_HEADERS | END_STREAM, one, block),
          frame(frameType.rstStream, 0, one, uint32(8)),
        ]);
      }),
    ),
  'more streams than allowed': (_draw, stream, token) =>
    Buffer.concat(
      Array.from({ length: 160 }, (_, at) =>
        frame(frameType.headers, END_HEADERS, stream + 2 * at, headerBlock(headersOf(GET, token))),
      ),
    ),
  'even stream': (_draw, stream, token) => oddHeaders(stream + 1, headersOf(GET, token)),
  'lower stream': (_draw, _stream, token) => oddHeaders(1, headersOf(GET, token)),
  'promise of a client': (_draw, stream) =>
    frame(frameType.pushPromise, END_HEADERS, stream, uint32(2)),
  'endless headers': (_draw, stream) =>
    Buffer.concat([
      frame(frameType.headers, 0, stream, headerBlock([[':method', 'GET']])),
      ...Array.from({ length: 400 }, () =>
        frame(frameType.continuation, 0, stream, headerBlock([['a', 'x'.repeat(2_000)]])),
      ),
    ]),
  'continuation of nothing': (_draw, stream) =>
    frame(frameType.continuation, END_HEADERS, stream, Buffer.alloc(1)),
  'headers that are no block': (draw, stream) =>
    frame(
      frameType.headers,
      END_HEADERS | END_STREAM,
      stream,
      Buffer.from(Array.from({ length: draw.below(60) }, () => draw.below(256))),
    ),
  'pseudo-headers': (draw, stream, token) =>
    oddHeaders(
      stream,
      draw.pick<readonly (readonly [string, string])[]>([
        [],
        [[':method', 'GET']],
        [...headersOf(GET, token), [':path', '/apis']],
        [...headersOf(GET, token), [':status', '200']],
        [...headersOf(GET, token), [':nothing', 'x']],
        headersOf({ ...GET, url: '' }, token),
        headersOf({ ...GET, url: '*' }, token),
        headersOf({ ...GET, url: 'api' }, token),
        headersOf({ ...GET, url: '/\u0000' }, token),
        headersOf({ ...GET, method: 'CONNECT' }, token),
        headersOf({ ...GET, method: 'G T' }, token),
        headersOf({ ...GET, method: '' }, token),
      ]),
    ),
  headers: (draw, stream, token) =>
    oddHeaders(stream, [
      ...headersOf(GET, token),
      draw.pick<readonly [string, string]>([
        ['Upper', 'x'],
        ['connection', 'close'],
        ['te', 'gzip'],
        ['transfer-encoding', 'chunked'],
        ['upgrade', 'websocket'],
        ['content-length', '5'],
        ['content-length', 'x'],
        ['host', 'elsewhere.example'],
        ['', 'x'],
        ['a b', 'x'],
        ['a', '\r\n'],
        ['a', '\u0000'],
        ['__proto__', 'x'],
        ['cookie', 'a=b'],
        ['accept', 'a/b,'.repeat(3_000)],
      ]),
    ]),
  'unknown frame': (draw, stream) =>
    frame(draw.pick([10, 11, 99, 255]), draw.below(256), stream, Buffer.alloc(draw.below(50))),
  'frame too large': (_draw, stream) => frame(frameType.data, 0, stream, Buffer.alloc(600_000)),
  'depends on itself': (_draw, stream) =>
    frame(frameType.priority, 0, stream, Buffer.concat([uint32(stream), Buffer.from([1])])),
  goodbye: (draw) =>
    frame(frameType.goAway, 0, 0, Buffer.concat([uint32(draw.below(9)), uint32(draw.below(20))])),
  bytes: (draw) => Buffer.from(Array.from({ length: 1 + draw.below(200) }, () => draw.below(256))),
  'connection of a WebSocket': (_draw, stream, token) =>
    oddHeaders(stream, [
      ...headersOf({ ...GET, method: 'CONNECT' }, token),
      [':protocol', 'websocket'],
    ]),
};
