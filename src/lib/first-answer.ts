import type { ClientRequest, IncomingMessage } from 'node:http';

/** Answers of status 1xx before the real one; a server that has more to say of that kind says nothing. */
const mostInterim = 16;

/**
 * The answer to a request that its caller sends, with its body still to be read. Rejects, and closes the connection, when
 * there is none: the request's own error, a switch to another protocol (101, which Node tells nobody who does not
 * listen for it), a connection that closes, or a flood of interim answers (RFC 9110, section 15.2).
 */
export function firstAnswer(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let interim = 0;
    const refuse = (reason: string): void => {
      reject(new Error(reason));
      outgoing.destroy();
    };
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    outgoing.on('information', () => {
      interim += 1;
      if (interim > mostInterim) refuse('the server sends interim answers without end');
    });
    outgoing.on('upgrade', (_response, socket) => {
      socket.destroy();
      refuse('the server switches protocols');
    });
    outgoing.on('close', () => reject(new Error('the connection ended before an answer')));
  });
}
