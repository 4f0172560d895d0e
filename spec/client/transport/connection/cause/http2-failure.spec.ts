import { constants } from 'node:http2';
import { expect } from 'chai';
import {
  http2Cause,
  isStreamTooMuch,
  isUnprocessed,
  notSent,
  pingUnanswered,
  requiresHttp1,
  sessionEnded,
  streamReset,
} from '../../../../../lib/client/transport/connection/cause/http2-failure.ts';

const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_REFUSED_STREAM } = constants;
const wrapped = (cause: unknown): Error => new Error('of the HTTP library', { cause });

describe('Http2Failure', () => {
  it('has the name that RFC 9113 gives to each error code, and the number of an unknown one', () => {
    const known = Object.entries({
      NO_ERROR: 0,
      PROTOCOL_ERROR: 1,
      INTERNAL_ERROR: 2,
      FLOW_CONTROL_ERROR: 3,
      SETTINGS_TIMEOUT: 4,
      STREAM_CLOSED: 5,
      FRAME_SIZE_ERROR: 6,
      REFUSED_STREAM: 7,
      CANCEL: 8,
      COMPRESSION_ERROR: 9,
      CONNECT_ERROR: 10,
      ENHANCE_YOUR_CALM: 11,
      INADEQUATE_SECURITY: 12,
      HTTP_1_1_REQUIRED: 13,
      ERROR_14: 14,
    });
    for (const [name, code] of known) {
      expect(streamReset(code)).to.include({
        name: 'Http2Failure',
        code: `HTTP2_${name}`,
        message: `HTTP/2 stream reset: ${name}`,
      });
      expect(sessionEnded(code)).to.include({
        code: `HTTP2_${name}`,
        message: `HTTP/2 GOAWAY: ${name}`,
      });
    }
  });

  it('is of an unprocessed request only if the stream was refused or the request was not sent', () => {
    for (const error of [notSent(), streamReset(NGHTTP2_REFUSED_STREAM)]) {
      expect([isUnprocessed(error), isUnprocessed(wrapped(error))]).to.deep.equal([true, true]);
    }
    for (const error of [pingUnanswered(), streamReset(NGHTTP2_ENHANCE_YOUR_CALM), undefined]) {
      expect(isUnprocessed(error)).to.equal(false);
    }
  });

  it('is a stream that is too much only if a stream, not the session, ended with ENHANCE_YOUR_CALM', () => {
    const reset = streamReset(NGHTTP2_ENHANCE_YOUR_CALM);
    expect([isStreamTooMuch(reset), isStreamTooMuch(wrapped(reset))]).to.deep.equal([true, true]);
    for (const error of [
      sessionEnded(NGHTTP2_ENHANCE_YOUR_CALM),
      streamReset(NGHTTP2_INTERNAL_ERROR),
      streamReset(NGHTTP2_REFUSED_STREAM),
    ]) {
      expect(isStreamTooMuch(error)).to.equal(false);
    }
  });

  it('requires HTTP/1.1 with the code HTTP_1_1_REQUIRED only', () => {
    const required = streamReset(constants.NGHTTP2_HTTP_1_1_REQUIRED);
    expect([requiresHttp1(required), requiresHttp1(wrapped(required))]).to.deep.equal([true, true]);
    expect(requiresHttp1(streamReset(NGHTTP2_INTERNAL_ERROR))).to.equal(false);
  });

  it('has a cause with a remedy for each code, and other failures have none', () => {
    const texts: [code: string, text: string][] = [
      [notSent().code, 'the server closes its HTTP/2 sessions as they are opened'],
      [pingUnanswered().code, 'the server did not answer an HTTP/2 ping'],
      ['HTTP2_REFUSED_STREAM', 'the server refused the request for now'],
      ['HTTP2_ENHANCE_YOUR_CALM', 'it is too much for the server'],
      ['HTTP2_INADEQUATE_SECURITY', 'TLS is too weak for HTTP/2'],
      ['HTTP2_HTTP_1_1_REQUIRED', 'set http2: false'],
      ['HTTP2_INTERNAL_ERROR', 'look at its log'],
      ['HTTP2_CANCEL', 'ended the answer before its end'],
      ['HTTP2_NO_ERROR', 'without a reason; try again'],
      ['HTTP2_PROTOCOL_ERROR', 'server and client do not agree on HTTP/2'],
    ];
    for (const [code, text] of texts) expect(http2Cause(code), code).to.contain(text);
    expect(http2Cause('ECONNRESET')).to.equal(undefined);
  });
});
