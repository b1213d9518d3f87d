import { type ClientHttp2Session, connect } from 'node:http2';

/**
 * A client that means no good, as a program: `stream-load.ts PORT CONNECTIONS STREAMS`. Each connection offers so many
 * POST requests whose bodies never end, as many at a time as its settings allow. Prints `offered` once all are.
 */
const [port, connections = 0, streams = 0] = process.argv.slice(2).map(Number);
let opened = 0;

function offer(session: ClientHttp2Session): void {
  for (let i = 0; i < streams; i += 1) {
    const stream = session.request({ ':method': 'POST', ':path': '/delay/600000', ':authority': 'example.com' });
    stream.on('error', () => undefined);
  }
  opened += 1;
  if (opened === connections) process.stdout.write('offered\n');
}

for (let i = 0; i < connections; i += 1) {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  session.once('remoteSettings', () => offer(session));
}
