import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { WorldFailure } from '../../lib/failure.ts';

const deadlineMs = 15_000;

/** What `meshd serve` answers on its debug socket; `undefined`: there is no such proxy or object. Throws where nobody answers. */
export async function askMeshd<T>(socket: string, method: 'GET' | 'POST', path: string): Promise<T | undefined> {
  const { status, body } = await send(socket, method, path);
  const answer = JSON.parse(body) as T & { readonly error?: string };
  if (status === 200) return answer;
  if (status === 404 && /^there is no such (proxy|object)$/.test(answer.error ?? '')) return undefined;
  throw new WorldFailure('no-answer', `meshd at "${socket}": ${answer.error ?? status}`);
}

function send(
  socketPath: string,
  method: string,
  path: string,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException): void =>
      reject(
        new WorldFailure(
          'no-answer',
          `no meshd answers at "${socketPath}" (${cause.code ?? cause.message}): does it run, with --config, --git or --kubernetes, and is this its --debugSocket?`,
          { cause },
        ),
      );
    const sent = request({ socketPath, method, path, timeout: deadlineMs }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), fail);
    });
    sent.on('timeout', () => sent.destroy(new Error(`nothing within ${deadlineMs / 1_000} seconds`)));
    sent.on('error', fail);
    sent.end();
  });
}
