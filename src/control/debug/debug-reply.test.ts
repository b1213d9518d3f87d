import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { noTarget, readTarget, sendReply } from './debug-reply.ts';
import { answerTo } from './debug-server.ts';

describe('replies of the debug servers', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  async function get(path: string, reply?: () => ReturnType<typeof answerTo>): Promise<[number, string]> {
    const server = createServer((asked, response) => void sendReply(response, reply?.() ?? answerTo(asked, {}, {})));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
        text(response).then((body) => resolve([response.statusCode ?? 0, body]), reject);
      });
      asked.on('error', reject).end();
    });
  }

  test.each(['//', 'http://['])('a target that is not a path, %s, is answered with 400', async (path) => {
    expect(readTarget(path)).toBeUndefined();
    expect(await get(path)).toEqual([400, `${JSON.stringify(noTarget.body)}\n`]);
  });

  test('an unexpected failure is answered with 500, without its message', async () => {
    const [status, body] = await get('/', () => Promise.reject(new Error('secret')));
    expect(status).toBe(500);
    expect(body).not.toContain('secret');
  });
});
