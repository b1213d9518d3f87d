import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls URLs for as long as it runs: `node probe-client.ts <milliseconds between two calls of a URL> <name>=<URL> …`. Each call has a
 * connection of its own. Prints a line of JSON a call (`Call`); a call without an answer has the status 0.
 */
const [everyMs = '500', ...targets] = process.argv.slice(2);
const patienceMs = 20_000;

for (const target of targets) {
  const at = target.indexOf('=');
  void callAlways(target.slice(0, at), target.slice(at + 1));
}

async function callAlways(name: string, url: string): Promise<never> {
  for (;;) {
    const startedMs = Date.now();
    const { status, why } = await call(url);
    process.stdout.write(`${JSON.stringify({ name, startedMs, endedMs: Date.now(), status, ...(why && { why }) })}\n`);
    await delay(Number(everyMs));
  }
}

function call(url: string): Promise<{ readonly status: number; readonly why?: string }> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(patienceMs);
    const failed = (error: Error): void => resolve({ status: 0, why: error.message });
    const sent = request(url, { agent: false, signal }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', failed);
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, ...(isKnown(answer.statusCode) ? {} : { why: text }) }),
      );
    });
    sent.on('error', failed).end();
  });
}

/** Verdicts, of which nobody needs the text. */
function isKnown(status: number | undefined): boolean {
  return status === 200 || status === 403;
}
