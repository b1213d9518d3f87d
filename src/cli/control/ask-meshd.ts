import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { debugFormat } from '../../control/debug/answers.ts';
import { WorldFailure } from '../../lib/failure.ts';

const deadlineMs = 15_000;

/** What `meshd serve` answers on its debug socket; `undefined`: there is no such proxy or object. Throws where nobody answers. */
export async function askMeshd<T>(socket: string, method: 'GET' | 'POST', path: string): Promise<T | undefined> {
  const { status, body } = await send(socket, method, path);
  const answer = readAnswer<T>(body);
  if (answer === undefined) throw noMeshd(socket);
  if (status === 200) return answer;
  if (status === 404 && /^there is no such (proxy|object)$/.test(answer.error ?? '')) return undefined;
  throw new WorldFailure('no-answer', `meshd at "${socket}": ${answer.error ?? status}`);
}

/** As `askMeshd`, of an answer that has a format. */
export async function askFormatted<T extends { readonly format: typeof debugFormat }>(
  socket: string,
  path: string,
): Promise<T | undefined> {
  const answer = await askMeshd<T>(socket, 'GET', path);
  if (answer !== undefined && answer.format !== debugFormat) throw noMeshd(socket);
  return answer;
}

/** Undefined: meshd writes no such text. */
function readAnswer<T>(body: string): (T & { readonly error?: string }) | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    return typeof answer === 'object' && answer !== null && !Array.isArray(answer)
      ? (answer as T & { readonly error?: string })
      : undefined;
  } catch {
    return undefined;
  }
}

function noMeshd(socket: string): WorldFailure<'no-answer'> {
  return new WorldFailure(
    'no-answer',
    `what answers at "${socket}" is no meshd, or one of another version: is this its --debugSocket?`,
  );
}

function send(
  socketPath: string,
  method: string,
  path: string,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const fail = ({ code, message }: NodeJS.ErrnoException): void => {
      const hint =
        code === 'EACCES'
          ? 'only the user that runs meshd may open its debug socket'
          : 'does it run, with --config, --git or --kubernetes, and is this its --debugSocket?';
      reject(new WorldFailure('no-answer', `no meshd answers at "${socketPath}" (${code ?? message}): ${hint}`));
    };
    const sent = request({ socketPath, method, path, timeout: deadlineMs }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), fail);
    });
    sent.on('timeout', () => sent.destroy(new Error(`nothing within ${deadlineMs / 1_000} seconds`)));
    sent.on('error', fail);
    sent.end();
  });
}
