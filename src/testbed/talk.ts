import { connect } from 'node:net';

/**
 * A raw TCP client as a program: `talk.ts HOST PORT TEXT EXPECTED_BYTES`. Prints what came back, at most that many bytes;
 * exit 1 when the peer closed or reset before, 2 when nothing more came for three seconds.
 */
const [host = '', port = '', text = '', expected = '0'] = process.argv.slice(2);
const started = performance.now();
let received = '';
const socket = connect({ host, port: Number(port) });
socket.setTimeout(3_000, () => end(2));
socket.on('connect', () => socket.write(text));
socket.on('data', (chunk) => {
  received += chunk.toString();
  if (received.length >= Number(expected)) end(0);
});
socket.on('close', () => end(1));
socket.on('error', () => end(1));

function end(code: number): void {
  process.stdout.write(`${JSON.stringify({ received, elapsedMs: Math.round(performance.now() - started) })}\n`);
  process.exit(code);
}
