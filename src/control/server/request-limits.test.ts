import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { requestLimits } from './request-limits.ts';
import { startSocketServer } from './socket-server.ts';

/** A request whose body does not come. */
const half = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{';
/** One whose headers do not end. */
const headless = 'GET / HTTP/1.1\r\nhost: a\r\n';

test.each([
  ['body', half],
  ['headers', headless],
])(
  'a server ends a request whose %s do not arrive in its time, long before Node would look for it',
  async (_, sent) => {
    const folder = mkdtempSync(join(tmpdir(), 'limits-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'socket');
    const server = await startSocketServer({ path, name: 'the socket', limits: requestLimits(1_000) }, (request) => {
      request.resume();
    });
    try {
      const client: Socket = connect(path);
      const begunMs = performance.now();
      client.write(sent);
      expect(await text(client)).toContain('408 Request Timeout');
      expect(performance.now() - begunMs).toBeLessThan(25_000);
    } finally {
      await server.close();
    }
  },
  60_000,
);
