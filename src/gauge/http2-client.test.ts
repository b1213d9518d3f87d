import { createServer } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Http2Client, refusalOf } from './http2-client.ts';

const request = { method: 'GET', path: '/', authority: 'cart.shop', headers: [] };

describe('refusalOf', () => {
  test.each([
    ['a header of HTTP/1.1', { headers: [['Connection', 'close']] as const }, 'connection'],
    ['TE that is not "trailers"', { headers: [['te', 'x']] as const }, 'te'],
    ['CONNECT', { method: 'CONNECT' }, 'CONNECT'],
  ])('tells why a request with %s cannot be sent', (_what, fields, word) => {
    expect(refusalOf({ ...request, ...fields })).toContain(word);
  });

  test('is undefined for a request that can be sent', () => {
    expect(
      refusalOf({
        ...request,
        headers: [
          ['te', 'trailers'],
          ['a', '1'],
          ['a', '2'],
        ],
      }),
    ).toBeUndefined();
  });
});

describe('Http2Client', () => {
  test('sends as large a block of headers as refusalOf lets through, and no larger one', async () => {
    const options = { settings: { maxHeaderListSize: 1_000_000 } };
    const server = createServer(options).on('stream', (stream) =>
      stream.respond({ ':status': 204 }, { endStream: true }),
    );
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const largest =
      65_536 -
      17 -
      [':method', 'GET', ':path', '/', ':authority', 'cart.shop', ':scheme', 'http', 'x'].join('').length -
      5 * 12;
    for (const [length, expected] of [
      [largest, undefined],
      [largest + 1, expect.stringContaining('64 KiB')],
    ] as const) {
      // One that compresses to no less.
      const sent = { ...request, headers: [['x', '\x7e'.repeat(length)]] as const };
      expect(refusalOf(sent)).toEqual(expected);
      const client = new Http2Client(connect((server.address() as AddressInfo).port, '127.0.0.1'));
      onTestFinished(() => client.close());
      const { status, ending } = await client.send(sent);
      expect([status, ending]).toEqual(expected === undefined ? [204, undefined] : [0, 'ERR_HTTP2_STREAM_ERROR']);
    }
  });

  test('sends a request whose headers tell of a body as one whose body is still to come', async () => {
    const server = createServer().on('stream', (stream) => stream.respond({ ':status': 403 }, { endStream: true }));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = new Http2Client(connect((server.address() as AddressInfo).port, '127.0.0.1'));
    onTestFinished(() => client.close());
    const posted = { ...request, method: 'POST', headers: [['content-length', '5']] as const };
    expect(await client.send(posted)).toMatchObject({ status: 403 });
  });
});
