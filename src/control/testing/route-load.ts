import { Agent, get } from 'node:http';
import { delay } from '../../lib/abort.ts';

/** One request through the proxy: status, version of the route, and body. */
export function request(port: number, agent?: Agent): Promise<string> {
  return new Promise((done, failed) => {
    const sent = get({ host: '127.0.0.1', port, headers: { host: 'backend.test' }, agent }, async (response) => {
      let body = '';
      for await (const part of response) body += part;
      done(`${response.statusCode} ${response.headers['x-route']} ${body}`);
    });
    sent.on('error', failed);
  });
}

/** Up to 150 requests a second on three connections, until its end; an answer other than 200 of some version is a failure. */
export function startLoad(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 3 });
  const counted = { requests: 0, failures: [] as string[] };
  let isOver = false;
  const run = async (): Promise<void> => {
    while (!isOver) {
      const answer = await request(port, agent).catch((error: Error) => error.message);
      counted.requests++;
      if (!/^200 v\d served$/.test(answer)) counted.failures.push(answer);
      await delay(20);
    }
  };
  const running = Promise.all([run(), run(), run()]);
  return {
    end: async () => {
      isOver = true;
      await running;
      agent.destroy();
      return counted;
    },
  };
}
