/**
 * The application of the pod: `/ready`, `/headers` gives what it received, `/slow` takes two seconds, `/out?to=URL` calls
 * another server and gives its answer. Ends when it is told to, after what is in flight.
 */
export const applicationProgram = `
import { createServer, get } from 'node:http';

const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://web');
  if (url.pathname === '/slow') setTimeout(() => response.end('slow'), 2_000);
  else if (url.pathname === '/headers') response.end(JSON.stringify(request.headers));
  else if (url.pathname === '/out')
    get(url.searchParams.get('to'), (answer) => answer.pipe(response)).on('error', (error) => response.end(String(error)));
  else response.end('ready');
});
server.listen(8080);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
`;

/** A server outside the mesh, at the given port: answers with the headers that it received. Says when it listens. */
export const outsideProgram = `
import { createServer } from 'node:http';
createServer((request, response) => response.end(JSON.stringify(request.headers))).listen(
  Number(process.argv[2]), () => console.log('listening'));
`;

/**
 * One request as another workload's proxy makes it: \`METHOD URL FOLDER\`, with the certificate of the folder over mutual
 * TLS, or \`-\` without any. Prints the status, or 000, and the body; the server has to show the identity of the pod.
 */
export const clientProgram = `
import { readFileSync } from 'node:fs';
import { request as plain } from 'node:http';
import { request as secured } from 'node:https';

const [method, url, folder] = process.argv.slice(2);
const file = (name) => readFileSync(folder + '/' + name);
const tls = () => ({
  cert: file('cert-chain.pem'), key: file('key.pem'), ca: file('root-cert.pem'), ALPNProtocols: ['mesh-http/1.1'],
  checkServerIdentity: (_host, { subjectaltname }) =>
    subjectaltname === 'URI:spiffe://cluster.local/ns/shop/sa/web' ? undefined : new Error('it is ' + subjectaltname),
});
const call = folder === '-' ? plain(url, { method }) : secured(url, { method, ...tls() });
call.on('error', (error) => console.log('000 ' + error.message));
call.on('response', (answer) => {
  let body = '';
  answer.on('data', (chunk) => { body += chunk; }).on('end', () => console.log(answer.statusCode + ' ' + body));
});
call.end();
`;
